package dev.weir;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.testkit.Await;
import dev.weir.testkit.StubDatabase;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.logging.LogManager;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The words of the pool at its start and its end are heard, also when SIGTERM ends the JVM. */
class SigtermTest {
    private static final Duration LIMIT = Duration.ofSeconds(30);

    /** An application that closes its pool in a shutdown hook, while one of its threads holds a connection. */
    static final class Application {
        private Application() {}

        public static void main(String[] args) throws Exception {
            WeirDataSource pool = new WeirDataSource(PoolConfig.builder()
                    .dataSource(new StubDatabase().dataSource())
                    .poolName("shop")
                    .closeTimeout(Duration.ofMillis(50))
                    .maximumPoolSize(3)
                    .minimumPoolSize(1)
                    .build());
            Runtime.getRuntime().addShutdownHook(new Thread(() -> {
                Await.await(
                        "the JDK's logging has ended",
                        LIMIT,
                        () -> LogManager.getLogManager().getLogger("").getHandlers().length == 0);
                pool.close();
            }));
            pool.start();
            try (Connection held = pool.getConnection()) {
                System.out.println("holds " + !held.isClosed());
                new CountDownLatch(1).await();
            }
        }
    }

    @Test
    void theStartTheHolderAndTheEndAreHeardAtSigterm(@TempDir Path folder) throws Exception {
        Path output = folder.resolve("output.txt");
        Process process = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-cp",
                        System.getProperty("surefire.test.class.path", System.getProperty("java.class.path")),
                        Application.class.getName())
                .redirectErrorStream(true)
                .redirectOutput(output.toFile())
                .start();
        try {
            Await.await(
                    () -> "the connection is held: " + read(output),
                    LIMIT,
                    () -> read(output).contains("holds true") && read(output).contains("started"));
            process.destroy();
            assertThat(process.waitFor(LIMIT.toSeconds(), TimeUnit.SECONDS)).isTrue();
        } finally {
            process.destroyForcibly();
        }
        assertThat(read(output))
                .containsPattern(
                        "pool 'shop': started, Weir [0-9][^ ,]*, .*StubDataSource,.* liveness test, maximumPoolSize 3, minimumPoolSize 1")
                .contains(
                        "pool 'shop': closing; connection 1 is still in use and is aborted; it is held by thread 'main'")
                .containsPattern(
                        "pool 'shop': closed in \\d+ ms; aborted connections that were in use: 1, of thread 'main'");
    }

    private static String read(Path file) {
        try {
            return Files.exists(file) ? Files.readString(file) : "";
        } catch (IOException e) {
            return "";
        }
    }
}
