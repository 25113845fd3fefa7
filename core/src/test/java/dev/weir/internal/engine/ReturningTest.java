package dev.weir.internal.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.weir.internal.waiting.WaitQueue;
import dev.weir.testkit.Await;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.time.Duration;
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
        try (LivePool live = LivePool.started(b -> b.maximumPoolSize(LOANS).connectionTimeout(LivePool.LIMIT));
                Busy busy = new Busy()) {
            live.warm(LOANS);
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
        }
    }

    /** Time stands still while a connection is picked up, so that each pick-up took none. */
    @Test
    void whoGaveBackRunsOnWhereProcessorsAreFree() throws Exception {
        assumeTrue(Files.exists(STATUS), "only Linux counts a thread's switches of context where a test can read them");
        try (SteppedPool stepped = SteppedPool.of(b -> b.maximumPoolSize(LOANS).connectionTimeout(LivePool.LIMIT));
                Busy busy = new Busy()) {
            List<Connection> held = new ArrayList<>();
            for (int i = 0; i < LOANS; i++) {
                held.add(stepped.acquireHelped());
            }
            for (int i = 0; i < 20; i++) {
                CompletableFuture<Connection> next = LivePool.on("next", stepped.pool::acquire);
                Await.await("it waits", LivePool.LIMIT, () -> stepped.pool.waiting() == 1);
                stepped.ticker.advance(Duration.ofNanos(WaitQueue.LONGEST_PATIENCE_NANOS)); // it is due
                held.remove(0).close();
                held.add(next.get(20, TimeUnit.SECONDS));
            }
            stepped.pool.suspend();
            CompletableFuture<Connection> waiter = LivePool.on("waiter", stepped.pool::acquire);
            Await.await("it waits", LivePool.LIMIT, () -> stepped.pool.waiting() == 1);
            assertThat(displacedByClosing(held))
                    .as("times that a thread lost its processor, which closed %s while one waited", LOANS)
                    .isLessThan(LOANS / 4);
            stepped.pool.resume();
            waiter.get(20, TimeUnit.SECONDS).close();
        }
    }

    /** More threads that want to run than there are processors. */
    private static final class Busy implements AutoCloseable {
        private final AtomicBoolean done = new AtomicBoolean();
        private final List<CompletableFuture<Void>> threads = new ArrayList<>();

        Busy() {
            for (int i = 0; i < 4 * Runtime.getRuntime().availableProcessors(); i++) {
                threads.add(LivePool.on("busy-" + i, () -> {
                    while (!done.get()) {
                        Thread.onSpinWait();
                    }
                    return null;
                }));
            }
        }

        @Override
        public void close() throws Exception {
            done.set(true);
            for (CompletableFuture<Void> one : threads) {
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
