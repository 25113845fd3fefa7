package dev.weir.spring.boot;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.System.Logger.Level;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ServiceLoader;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.SpringApplication;

/** What a pool says is in the application's log, to the end. */
class LoggingTest {

    /** An application that ends by itself, in a JVM of its own. */
    static final class ShortLived {
        private ShortLived() {}

        public static void main(String[] args) {
            SpringApplication.run(
                    PlainApplication.class,
                    "--spring.main.banner-mode=off",
                    "--spring.main.web-application-type=none",
                    "--spring.datasource.url=jdbc:h2:mem:short",
                    "--spring.datasource.name=short");
            System.exit(0); // the pool is closed by Spring Boot's shutdown hook
        }
    }

    @Test
    void theLastLinesOfAPoolAreInTheLog(@TempDir Path folder) throws Exception {
        Path output = folder.resolve("output.txt");
        Process process = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-Dspring.devtools.restart.enabled=false",
                        "-cp",
                        System.getProperty("surefire.test.class.path", System.getProperty("java.class.path")),
                        ShortLived.class.getName())
                .redirectErrorStream(true)
                .redirectOutput(output.toFile())
                .start();
        try {
            assertThat(process.waitFor(120, TimeUnit.SECONDS)).isTrue();
        } finally {
            process.destroyForcibly();
        }
        assertThat(Files.readString(output, StandardCharsets.UTF_8))
                .containsPattern("INFO .*dev.weir +: pool 'short': started")
                .containsPattern("INFO .*dev.weir +: pool 'short': closed in");
    }

    @Test
    void theLoggerIsAServiceThatThePoolFinds() {
        System.Logger logger =
                ServiceLoader.load(System.Logger.class).findFirst().orElseThrow();
        assertThat(logger).isInstanceOf(StarterLog.class);
        assertThat(logger.getName()).isEqualTo("dev.weir");
        assertThat(logger.isLoggable(Level.ERROR)).isTrue();
        assertThat(logger.isLoggable(Level.OFF)).isFalse();
    }
}
