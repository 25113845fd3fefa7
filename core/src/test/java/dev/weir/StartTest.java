package dev.weir;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.testkit.StubDatabase;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What a JVM that has just been started loads for the first connection, see decision 16. */
class StartTest {
    @TempDir
    private Path folder;

    /** The first connection is there when this is loaded. */
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
            try (WeirDataSource pool = new WeirDataSource(config.build());
                    Connection connection = pool.getConnection()) {
                Class<?> ignored = Class.forName("dev.weir.StartTest$Lent");
                connection.createStatement().close();
            }
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
                .contains("dev.weir.internal.drivers.WatchedSocket", "dev.weir.internal.drivers.PostgresDialect")
                .noneMatch(StartTest::isLambdaOfThePool)
                .doesNotContain("dev.weir.internal.drivers.SocketProperties$Patterns");
    }

    private static boolean isLambdaOfThePool(String name) {
        return name.matches("dev\\.weir\\.((internal|spi)\\.|[A-Z]).*\\$\\$Lambda.*");
    }

    /** The classes that a new JVM loads until the first connection is lent. */
    private List<String> loadedForTheFirst(String... url) throws Exception {
        Path log = folder.resolve("classes.log");
        Path said = folder.resolve("said.log");
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xlog:class+load:file=" + log + ":none",
                "-cp",
                System.getProperty("surefire.test.class.path", System.getProperty("java.class.path")),
                Application.class.getName()));
        command.addAll(List.of(url));
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
