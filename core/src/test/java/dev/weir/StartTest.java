package dev.weir;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.testkit.StubDatabase;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
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
            PoolConfig config = PoolConfig.builder()
                    .dataSource(new StubDatabase().dataSource())
                    .registerMbeans(false)
                    .build();
            try (WeirDataSource pool = new WeirDataSource(config);
                    Connection connection = pool.getConnection()) {
                Class<?> ignored = Class.forName("dev.weir.StartTest$Lent");
                connection.createStatement().close();
            }
        }
    }

    @Test
    void theFirstConnectionNeedsNoLambdaOfThePoolAndNothingThatIsOff() throws Exception {
        Path log = folder.resolve("classes.log");
        Path said = folder.resolve("said.log");
        Process jvm = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-Xlog:class+load:file=" + log + ":none",
                        "-cp",
                        System.getProperty("surefire.test.class.path", System.getProperty("java.class.path")),
                        Application.class.getName())
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
        List<String> own = loaded.subList(0, loaded.indexOf("dev.weir.StartTest$Lent")).stream()
                .filter(name -> name.matches("dev\\.weir\\.(internal|spi)\\..*|dev\\.weir\\.[A-Z].*"))
                .toList();
        assertThat(own).contains("dev.weir.WeirDataSource");
        assertThat(own).noneMatch(name -> name.contains("$$Lambda"));
        assertThat(own)
                .doesNotContain(
                        "dev.weir.Jmx",
                        "dev.weir.internal.engine.ServerName$Patterns",
                        "dev.weir.internal.drivers.SocketProperties$Patterns",
                        "dev.weir.internal.waiting.Slots$Table");
    }
}
