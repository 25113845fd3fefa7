package dev.weir;

import static dev.weir.PostgresShared.execute;
import static dev.weir.PostgresShared.filled;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.weir.testkit.Await;
import dev.weir.testkit.StubDatabase;
import dev.weir.testkit.servers.ThreadsLeft;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.sql.Connection;
import java.time.Duration;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;
import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordedStackTrace;
import jdk.jfr.consumer.RecordingFile;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import shop.Checkout;
import shop.OrderView;

/** P5 with far more virtual threads than connections; needs JDK 21 or newer. */
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class VirtualThreadsTest {
    private static final long LIMIT_SECONDS = 60;

    private final ThreadsLeft threads = ThreadsLeft.sinceNow();

    @TempDir
    java.nio.file.Path folder;

    /** The work of one user with a connection. */
    @FunctionalInterface
    private interface Use {
        void of(Connection connection) throws Exception;
    }

    @BeforeEach
    void haveVirtualThreads() {
        assumeTrue(Runtime.version().feature() >= 21, "virtual threads need JDK 21 or newer");
    }

    @AfterEach
    void nothingIsLeft() {
        threads.none("weir-", Duration.ofSeconds(20));
    }

    @Test
    void tenThousandOnFourConnectionsAreAllServedAndNobodyTimesOut() throws Exception {
        try (StubDatabase database = new StubDatabase();
                WeirDataSource pool = new WeirDataSource(PoolConfig.builder()
                        .dataSource(database.dataSource())
                        .minimumPoolSize(4)
                        .maximumPoolSize(4)
                        .connectionTimeout(Duration.ofSeconds(LIMIT_SECONDS))
                        .registerMbeans(false)
                        .build())) {
            pool.start();
            Served served = serve(pool, 10_000, 5, connection -> LockSupport.parkNanos(100_000));
            served.print("10,000 virtual threads on 4 connections, 100 us parked");
            assertThat(served.failures).isEmpty();
            assertThat(served.least()).isPositive();
            assertThat(served.most() / (double) served.least())
                    .as("most to least served; two of three may be whoever runs")
                    .isLessThanOrEqualTo(100);
            assertThat(database.maxOpenAtOnce()).isEqualTo(4);
            assertThat(pool.stats().timedOut()).isZero();
        }
    }

    @Test
    void neitherThePoolNorItsHandlesPinACarrier() throws Exception {
        try (StubDatabase database = new StubDatabase();
                WeirDataSource pool = new WeirDataSource(PoolConfig.builder()
                        .dataSource(database.dataSource())
                        .minimumPoolSize(2)
                        .maximumPoolSize(2)
                        .connectionTimeout(Duration.ofSeconds(LIMIT_SECONDS))
                        .registerMbeans(false)
                        .build());
                Recording recording = new Recording()) {
            pool.start();
            Use work = connection -> {
                execute(connection, "SELECT 1");
                LockSupport.parkNanos(50_000);
            };
            // Loading a class pins whoever waits for it, so all are loaded before.
            assertThat(serve(pool, 200, 5, work).failures).isEmpty();
            recording
                    .enable("jdk.VirtualThreadPinned")
                    .withThreshold(Duration.ZERO)
                    .withStackTrace();
            recording.start();
            Served served = serve(pool, 200, 5, work);
            recording.stop();
            java.nio.file.Path file = folder.resolve("pinned.jfr");
            recording.dump(file);
            List<RecordedEvent> pinned = RecordingFile.readAllEvents(file).stream()
                    .filter(VirtualThreadsTest::isInThePool)
                    .toList();
            served.print("200 virtual threads on 2 connections, recorded: " + pinned.size() + " pinned;");
            assertThat(served.failures).isEmpty();
            assertThat(pinned).isEmpty();
        }
    }

    /** Whether the innermost code that is not the JDK's own is the pool's. */
    private static boolean isInThePool(RecordedEvent event) {
        RecordedStackTrace stack = event.getStackTrace();
        return stack != null
                && stack.getFrames().stream()
                        .map(frame -> frame.getMethod().getType().getName())
                        .filter(type -> !type.startsWith("java.") && !type.startsWith("jdk."))
                        .findFirst()
                        .filter(type -> type.startsWith("dev.weir.")
                                && !type.startsWith("dev.weir.testkit.")
                                && !type.startsWith(VirtualThreadsTest.class.getName()))
                        .isPresent();
    }

    @Test
    void aThousandOnARealServerAreAllServed() throws Exception {
        try (WeirDataSource pool =
                filled(4, PostgresShared.pool().connectionTimeout(Duration.ofSeconds(LIMIT_SECONDS)))) {
            Served served = serve(pool, 1_000, 2, connection -> execute(connection, "SELECT 1"));
            served.print("1,000 virtual threads on 4 connections of PostgreSQL");
            assertThat(served.failures).isEmpty();
            assertThat(served.least()).isPositive();
            assertThat(pool.stats().opened()).isEqualTo(4);
        }
        PostgresShared.awaitBackends(0);
    }

    @Test
    void noneOfThemIsLentAConnectionThatTheServerEnded() throws Exception {
        try (WeirDataSource pool = filled(
                4,
                PostgresShared.pool()
                        .liveness("socket")
                        .validateAfterIdle(Duration.ofDays(1))
                        .connectionTimeout(Duration.ofSeconds(LIMIT_SECONDS)))) {
            assertThat(PostgresShared.server().endBackends()).isEqualTo(4);
            Served served = serve(pool, 100, 2, connection -> execute(connection, "SELECT 1"));
            assertThat(served.failures).isEmpty();
        }
        PostgresShared.awaitBackends(0);
    }

    @Test
    void whereAVirtualThreadAcquiresIsKnown() throws Exception {
        try (StubDatabase database = new StubDatabase();
                WeirDataSource pool = new WeirDataSource(PoolConfig.builder()
                        .dataSource(database.dataSource())
                        .registerMbeans(false)
                        .build())) {
            Await.await(() -> "places " + pool.stats().places(), Duration.ofSeconds(LIMIT_SECONDS), () -> {
                CountDownLatch ended = new CountDownLatch(1);
                startVirtual(() -> {
                    try {
                        Checkout.pay(pool::getConnection).close();
                    } catch (Exception e) {
                        throw new AssertionError(e);
                    } finally {
                        ended.countDown();
                    }
                });
                ended.await();
                return pool.stats().places().stream()
                        .anyMatch(one -> one.place().startsWith("Checkout.Database.open from Checkout.pay"));
            });
        }
    }

    /** Its stack is that of the virtual thread, which may lie on no carrier. */
    @Test
    void aVirtualThreadThatIdlesInATransactionIsNamedByItsMethod() throws Exception {
        try (StubDatabase database = new StubDatabase();
                WeirDataSource pool = new WeirDataSource(PoolConfig.builder()
                        .dataSource(database.dataSource())
                        .measureLoans(true)
                        .registerMbeans(false)
                        .build())) {
            CountDownLatch mayEnd = new CountDownLatch(1);
            CountDownLatch ended = new CountDownLatch(1);
            startVirtual(() -> {
                try (Connection connection = pool.getConnection()) {
                    OrderView.render(connection, mayEnd);
                } catch (Exception e) {
                    throw new AssertionError(e);
                } finally {
                    ended.countDown();
                }
            });
            Await.await(pool::dump, Duration.ofSeconds(LIMIT_SECONDS), () -> {
                pool.getConnection().close(); // a pool that is quiet is looked at seldom
                return pool.stats().loanTimes().idlePlaces().contains("OrderView.render");
            });
            mayEnd.countDown();
            assertThat(ended.await(LIMIT_SECONDS, TimeUnit.SECONDS)).isTrue();
        }
    }

    /** The number of times that each thread was served, and the failures that any of them saw. */
    private static final class Served {
        final AtomicIntegerArray times;
        final Queue<Exception> failures = new ConcurrentLinkedQueue<>();
        long allServedMillis;
        long tookMillis;

        Served(int threads) {
            times = new AtomicIntegerArray(threads);
        }

        int least() {
            return IntStream.range(0, times.length()).map(times::get).min().orElseThrow();
        }

        int most() {
            return IntStream.range(0, times.length()).map(times::get).max().orElseThrow();
        }

        void print(String what) {
            long total = IntStream.range(0, times.length())
                    .map(times::get)
                    .asLongStream()
                    .sum();
            System.out.printf(
                    "%s: all served after %d ms, %d served in %d ms, most %d, least %d (ratio %.1f), %d errors%n",
                    what,
                    allServedMillis,
                    total,
                    tookMillis,
                    most(),
                    least(),
                    most() / (double) Math.max(1, least()),
                    failures.size());
        }
    }

    /** So many virtual threads acquire, use and give back until each was served so often on average. */
    private static Served serve(WeirDataSource pool, int threads, int timesEach, Use use) throws Exception {
        Served served = new Served(threads);
        CountDownLatch all = new CountDownLatch(threads);
        CountDownLatch enough = new CountDownLatch(threads * timesEach);
        CountDownLatch ended = new CountDownLatch(threads);
        CountDownLatch gate = new CountDownLatch(1); // so that none is ahead because it was started first
        boolean[] stop = {false};
        java.lang.invoke.VarHandle stopped = MethodHandles.arrayElementVarHandle(boolean[].class);
        for (int i = 0; i < threads; i++) {
            int me = i;
            startVirtual(() -> {
                try {
                    gate.await();
                    while (!(boolean) stopped.getVolatile(stop, 0)) {
                        try (Connection connection = pool.getConnection()) {
                            use.of(connection);
                        }
                        if (served.times.incrementAndGet(me) == 1) {
                            all.countDown();
                        }
                        enough.countDown();
                    }
                } catch (Exception e) {
                    served.failures.add(e);
                } finally {
                    ended.countDown();
                }
            });
        }
        long begun = System.nanoTime();
        gate.countDown();
        boolean allServed = all.await(LIMIT_SECONDS, TimeUnit.SECONDS);
        served.allServedMillis = PostgresShared.millisSince(begun);
        boolean done = enough.await(LIMIT_SECONDS, TimeUnit.SECONDS);
        stopped.setVolatile(stop, 0, true);
        served.tookMillis = PostgresShared.millisSince(begun);
        assertThat(ended.await(LIMIT_SECONDS, TimeUnit.SECONDS))
                .as("all threads end: %d still run, %s", ended.getCount(), pool.stats())
                .isTrue();
        assertThat(allServed && done)
                .as("all served: %d are not, %s, %s", all.getCount(), pool.stats(), served.failures)
                .isTrue();
        return served;
    }

    private static void startVirtual(Runnable task) {
        try {
            MethodHandle start = MethodHandles.publicLookup()
                    .findStatic(
                            Thread.class, "startVirtualThread", MethodType.methodType(Thread.class, Runnable.class));
            Thread ignored = (Thread) start.invokeExact(task);
        } catch (Throwable e) {
            throw new AssertionError("a virtual thread could not be started", e);
        }
    }
}
