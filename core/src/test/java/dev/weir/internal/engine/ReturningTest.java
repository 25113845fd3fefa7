package dev.weir.internal.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What a thread does for others when it gives a connection back. */
@Timeout(60)
class ReturningTest {
    private static final Path STATUS = Path.of("/proc/thread-self/status");
    private static final int LOANS = 50;
    private static final int CROWD = Returning.FEW + 1;

    @Test
    void whoGaveBackLetsOthersRunWhileAFewWait() throws Exception {
        assumeTrue(Files.exists(STATUS), "only Linux counts a thread's switches of context where a test can read them");
        AtomicBoolean done = new AtomicBoolean();
        List<CompletableFuture<Void>> busy = new ArrayList<>();
        try (LivePool live = LivePool.started(b -> b.maximumPoolSize(LOANS).connectionTimeout(LivePool.LIMIT))) {
            live.warm(LOANS);
            for (int i = 0; i < 4 * Runtime.getRuntime().availableProcessors(); i++) {
                busy.add(LivePool.on("busy-" + i, () -> {
                    while (!done.get()) {
                        Thread.onSpinWait();
                    }
                    return null;
                }));
            }
            List<Connection> held = acquire(live);
            assertThat(displacedByClosing(held))
                    .as("times that a thread lost its processor, which closed %s while nobody waited", LOANS)
                    .isLessThan(LOANS / 4);

            held = acquire(live);
            live.pool.suspend(); // so a connection that comes home is idle, and who waits goes on waiting
            CompletableFuture<Connection> waiter = live.acquireOn("waiter");
            live.awaitWaiting(1);
            assertThat(displacedByClosing(held))
                    .as("times that a thread lost its processor, which closed %s while one waited", LOANS)
                    .isGreaterThan(LOANS / 2);
            live.pool.resume();
            waiter.get(20, TimeUnit.SECONDS).close();

            held = acquire(live);
            live.pool.suspend();
            List<CompletableFuture<Void>> crowd = new ArrayList<>();
            for (int i = 0; i < CROWD; i++) {
                crowd.add(LivePool.on("crowd-" + i, () -> {
                    live.pool.acquire().close();
                    return null;
                }));
            }
            live.awaitWaiting(CROWD);
            assertThat(displacedByClosing(held))
                    .as("times that a thread lost its processor, which closed %s while %s waited", LOANS, CROWD)
                    .isLessThan(LOANS / 4);
            live.pool.resume();
            for (CompletableFuture<Void> one : crowd) {
                one.get(20, TimeUnit.SECONDS);
            }
        } finally {
            done.set(true);
            for (CompletableFuture<Void> one : busy) {
                one.get(20, TimeUnit.SECONDS);
            }
        }
    }

    private static List<Connection> acquire(LivePool live) throws Exception {
        List<Connection> held = new ArrayList<>();
        for (int i = 0; i < LOANS; i++) {
            held.add(live.pool.acquire());
        }
        return held;
    }

    /** How often the kernel gave this thread's processor to another while it closed these. */
    private static long displacedByClosing(List<Connection> held) throws Exception {
        long before = displaced();
        for (Connection connection : held) {
            connection.close();
        }
        return displaced() - before;
    }

    private static long displaced() throws IOException {
        return Files.readAllLines(STATUS).stream()
                .filter(line -> line.startsWith("nonvoluntary_ctxt_switches:"))
                .mapToLong(line ->
                        Long.parseLong(line.substring(line.indexOf(':') + 1).strip()))
                .findFirst()
                .orElseThrow();
    }

    @Test
    void aVirtualThreadIsKnownAsOne() throws Exception {
        assertThat(Returning.isVirtual(Thread.currentThread())).isFalse();
        assumeTrue(Runtime.version().feature() >= 21, "virtual threads need JDK 21 or newer");
        CompletableFuture<Boolean> virtual = new CompletableFuture<>();
        Runnable task = () -> virtual.complete(Returning.isVirtual(Thread.currentThread()));
        Thread.class.getMethod("startVirtualThread", Runnable.class).invoke(null, task);
        assertThat(virtual.get(20, TimeUnit.SECONDS)).isTrue();
    }
}
