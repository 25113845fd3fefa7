package dev.weir;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.internal.drivers.Session;
import dev.weir.testkit.StubDatabase;
import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a JVM that has just been started loads for the first connection, see decision 16. */
class StartTest {
    private static final String CLASS_PATH =
            System.getProperty("surefire.test.class.path", System.getProperty("java.class.path"));

    @TempDir
    private Path folder;

    /** The connection that is waited for is there when this is loaded. */
    static final class Lent {}

    /** The JVM that is looked at. */
    static final class Application {
        private Application() {}

        public static void main(String[] args) throws Exception {
            PoolConfig.Builder config = PoolConfig.builder().registerMbeans(false);
            if (args.length == 0) {
                config.dataSource(new StubDatabase().dataSource());
            } else {
                config.url(args[0]);
            }
            if (args.length == 2) {
                config.minimumPoolSize(0).maximumPoolSize(1).validateAfterIdle(Duration.ZERO);
            }
            try (WeirDataSource pool = new WeirDataSource(config.build())) {
                if (args.length == 2) {
                    endFirst(pool, args[0]);
                }
                try (Connection connection = pool.getConnection()) {
                    Class<?> ignored = Class.forName("dev.weir.StartTest$Lent");
                    connection.createStatement().close();
                    if (args.length == 2
                            && !Objects.equals(pool.stats().retired().get(RetireReason.INVALID), 1L)) {
                        throw new IllegalStateException("nothing was replaced: " + pool.stats());
                    }
                }
            }
        }

        /** The server ends the pool's first connection while it is idle. */
        private static void endFirst(WeirDataSource pool, String url) throws SQLException {
            int pid;
            try (Connection connection = pool.getConnection()) {
                pid = PostgresShared.pid(connection);
            }
            try (Connection other = DriverManager.getConnection(url);
                    Statement statement = other.createStatement();
                    ResultSet ended = statement.executeQuery("SELECT pg_terminate_backend(" + pid + ", 10000)")) {
                if (!ended.next() || !ended.getBoolean(1)) {
                    throw new IllegalStateException("the session is still there");
                }
            }
        }
    }

    /** What a pool loads while its first connect is under way. The stub database needs PostgreSQL's driver, this must not. */
    static final class Loading {
        private Loading() {}

        public static void main(String[] args) throws ReflectiveOperationException {
            Session.load();
            Class<?> ignored = Class.forName("dev.weir.StartTest$Lent");
        }
    }

    @Test
    void theFirstConnectionNeedsNoLambdaOfThePoolAndNothingThatIsOff() throws Exception {
        assertThat(loadedForTheFirst())
                .contains("dev.weir.WeirDataSource")
                .noneMatch(StartTest::isLambdaOfThePool)
                .doesNotContain(
                        "dev.weir.Jmx",
                        "dev.weir.internal.engine.ServerName$Patterns",
                        "dev.weir.internal.drivers.SocketProperties$Patterns",
                        "dev.weir.internal.waiting.Slots$Table");
    }

    @Test
    void norDoesThatOfPostgres() throws Exception {
        List<String> loaded = loadedForTheFirst(PostgresShared.server().jdbcUrl());
        assertThat(loaded)
                .contains("dev.weir.internal.drivers.WatchedSocket", "dev.weir.internal.drivers.LinkedPostgresStatus")
                .noneMatch(StartTest::isLambdaOfThePool)
                .doesNotContain(
                        "dev.weir.internal.drivers.SocketProperties$Patterns",
                        "dev.weir.internal.drivers.PostgresStatus$Handles");
    }

    /** Some of the pool's classes are compiled against a driver, see LinkedPostgresStatus. */
    @Test
    void noneOfItNeedsADriverThatIsNotThere() throws Exception {
        String without = Stream.of(CLASS_PATH.split(File.pathSeparator))
                .filter(entry -> !entry.matches(".*(postgresql|mysql-connector|mariadb-java)[^/]*\\.jar"))
                .collect(Collectors.joining(File.pathSeparator));
        assertThat(without.length()).as(CLASS_PATH).isLessThan(CLASS_PATH.length());
        assertThat(loadedUntilLent(without, Loading.class))
                .contains("dev.weir.internal.drivers.LinkedPostgresStatus")
                .noneMatch(name -> name.startsWith("org.postgresql."));
    }

    /** The log may need some: a question of the pool's may be under way when the session ends, and its failure is told. */
    @Test
    void norDoesTheOneThatReplacesADeadOne() throws Exception {
        List<String> loaded = loadedForTheFirst(PostgresShared.server().jdbcUrl(), "ended");
        assertThat(loaded)
                .contains("dev.weir.internal.engine.Closer$Closing")
                .noneMatch(name -> name.matches("dev\\.weir\\.internal\\.(engine|waiting|drivers)\\..*\\$\\$Lambda.*"));
    }

    private static boolean isLambdaOfThePool(String name) {
        return name.matches("dev\\.weir\\.((internal|spi)\\.|[A-Z]).*\\$\\$Lambda.*");
    }

    /** The classes that a new JVM loads until the first connection is lent. */
    private List<String> loadedForTheFirst(String... arguments) throws Exception {
        return loadedUntilLent(CLASS_PATH, Application.class, arguments);
    }

    private List<String> loadedUntilLent(String classPath, Class<?> main, String... arguments) throws Exception {
        Path log = folder.resolve("classes.log");
        Path said = folder.resolve("said.log");
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xlog:class+load:file=" + log + ":none",
                "-cp",
                classPath,
                main.getName()));
        command.addAll(List.of(arguments));
        Process jvm = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(said.toFile())
                .start();
        try {
            assertThat(jvm.waitFor(60, TimeUnit.SECONDS)).isTrue();
            assertThat(jvm.exitValue()).as(Files.readString(said)).isZero();
        } finally {
            jvm.destroyForcibly();
        }
        List<String> loaded = Files.readAllLines(log).stream()
                .map(line -> line.replaceFirst(" .*", ""))
                .toList();
        assertThat(loaded).contains("dev.weir.StartTest$Lent");
        return loaded.subList(0, loaded.indexOf("dev.weir.StartTest$Lent"));
    }
}
