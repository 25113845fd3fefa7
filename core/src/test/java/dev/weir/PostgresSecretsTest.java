package dev.weir;

import static dev.weir.PostgresShared.execute;
import static dev.weir.PostgresShared.server;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.weir.testkit.Await;
import dev.weir.testkit.servers.ThreadsLeft;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import javax.management.ObjectName;
import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordingFile;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** P8 with a real server: the literals of one user's SQL are in nothing that anybody else sees. */
final class PostgresSecretsTest {
    private static final String SECRET = "geheim-4711";

    private final ThreadsLeft threads = ThreadsLeft.sinceNow();

    @AfterEach
    void nothingIsLeft() {
        PostgresShared.assertNothingLeft(threads);
    }

    private static WeirDataSource pool(String name) throws SQLException {
        WeirDataSource pool = new WeirDataSource(PostgresShared.pool()
                .poolName(name)
                .registerMbeans(true)
                .minimumPoolSize(1)
                .maximumPoolSize(1)
                .connectionTimeout(PostgresShared.SOON)
                .leakDetectionThreshold(Duration.ofMillis(100))
                .build());
        pool.start();
        return pool;
    }

    private static String stack(Throwable failure) {
        StringWriter text = new StringWriter();
        failure.printStackTrace(new PrintWriter(text));
        return text.toString();
    }

    /** All that somebody else can learn while this is held. */
    private static String shown(WeirDataSource pool, LogCapture log, String name) throws Exception {
        Await.await("a leak", PostgresShared.SOON, () -> log.text().contains("leak?"));
        pool.setConnectionTimeout(Duration.ofMillis(50));
        Throwable refused = catchThrowable(pool::getConnection);
        pool.setConnectionTimeout(PostgresShared.SOON);
        Object jmx = ManagementFactory.getPlatformMBeanServer()
                .invoke(new ObjectName("dev.weir:type=Pool,name=" + name), "dump", new Object[0], new String[0]);
        return stack(refused) + pool.dump() + pool.held() + jmx + log.text();
    }

    @Test
    void p8ThePasswordThatOneUserSetsIsInNothingThatOthersSee(@TempDir Path folder) throws Exception {
        server().createRole("changing", "first");
        Path file = folder.resolve("weir.jfr");
        try (Recording recording = new Recording();
                LogCapture log = new LogCapture();
                WeirDataSource pool = pool("secrets")) {
            for (String event : List.of("ConnectionLeaked", "AcquireTimedOut", "ConnectionOpenFailed")) {
                recording.enable("dev.weir." + event);
            }
            recording.start();
            try (Connection held = pool.getConnection()) {
                execute(
                        held,
                        "SET lock_timeout = '1s'; /* " + SECRET + " */ SELECT 'it''s " + SECRET + "', 4711, $x$"
                                + SECRET + "$x$");
                assertThat(shown(pool, log, "secrets"))
                        .contains("last SQL: SET lock_timeout = ...")
                        .doesNotContain(SECRET, "4711");
            }
            try (Connection held = pool.getConnection()) {
                assertThat(catchThrowable(() -> execute(held, "ALTER USER changing PASSWORD '" + SECRET + "'")))
                        .as("a user sees what his own statement throws")
                        .isExactlyInstanceOf(org.postgresql.util.PSQLException.class);
                assertThat(shown(pool, log, "secrets"))
                        .contains("last SQL: ALTER USER changing PASSWORD ...")
                        .doesNotContain(SECRET, "4711");
            }
            recording.stop();
            recording.dump(file);
        }
        assertThat(RecordingFile.readAllEvents(file))
                .isNotEmpty()
                .allSatisfy(event -> assertThat(event.toString()).doesNotContain(SECRET));
        server().execute("DROP OWNED BY changing; DROP ROLE changing");
    }

    @Test
    void p8AMegabyteOfSqlIsShownAsItsBeginning() throws Exception {
        try (LogCapture log = new LogCapture();
                WeirDataSource pool = pool("megabyte");
                Connection held = pool.getConnection();
                PreparedStatement statement =
                        held.prepareStatement("SELECT length('" + "0123456789abcdef".repeat(65_536) + "'), ?")) {
            statement.setInt(1, 1);
            statement.execute();
            assertThat(shown(pool, log, "megabyte"))
                    .contains("last SQL: SELECT...")
                    .hasSizeLessThan(200_000);
        }
    }

    @Test
    void p8TheCauseOfARefusedLoginHasStateAndClassButNoPassword() {
        String wrong = "geheim-wrong";
        try (LogCapture log = new LogCapture();
                WeirDataSource pool = new WeirDataSource(PostgresShared.pool()
                        .url(server().jdbcUrl("no_such_" + wrong))
                        .password(PostgresShared.PASSWORD)
                        .dataSourceProperty("sslpassword", wrong)
                        .initializationFailTimeout(Duration.ofMillis(500))
                        .build())) {
            Throwable e = catchThrowable(pool::getConnection);
            assertThat(e.getCause()).isInstanceOf(SQLException.class).hasMessageContaining("no_such_***");
            assertThat(((SQLException) e.getCause()).getSQLState()).isEqualTo("3D000");
            assertThat(e.getCause().getStackTrace()).isNotEmpty();
            assertThat(stack(e) + log.text() + pool.openFailures()).doesNotContain(wrong, PostgresShared.PASSWORD);
        }
    }
}
