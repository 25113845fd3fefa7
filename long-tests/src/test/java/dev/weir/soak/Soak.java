package dev.weir.soak;

import dev.weir.WeirDataSource;
import dev.weir.testkit.Await;
import dev.weir.testkit.TcpProxy;
import dev.weir.testkit.servers.PostgresServer;
import java.lang.management.ManagementFactory;
import java.lang.ref.WeakReference;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * Pools, one after the other, on a real server behind a proxy, and everything that goes wrong with either, with the driver,
 * the callbacks and the users. What happens when is drawn from one seed.
 */
final class Soak implements AutoCloseable {
    static final String USER = "soak";
    static final String PASSWORD = "the-secret-of-soak";

    /**
     * The heap after a pool is gone may be so much more than after the second one. A pool whose connections, handles or
     * events were kept by anything would be more: each has some hundred connections in its life, of some ten kilobytes each
     * with the driver's buffers. Ledger and history do not grow.
     */
    private static final long HEAP_GROWTH = 6L << 20;

    private static final Duration COLLECTED_LIMIT = Duration.ofSeconds(20);

    final History history = new History();
    final PostgresServer server = PostgresServer.builder()
            .maxConnections(80)
            .setting("synchronous_commit", "on") // what was acknowledged survives the server's processes
            .role(USER, PASSWORD)
            .start();
    final TcpProxy proxy = new TcpProxy("127.0.0.1", server.port());
    final Bank bank = new Bank(server);
    final Faults driverFaults;
    final Faults callbackFaults;
    final Faults loginFaults;
    final Callbacks callbacks;
    final Pulse pulse = new Pulse();
    final ExecutorService helpers = Executors.newCachedThreadPool(job -> {
        Thread thread = new Thread(job, "soak-helper");
        thread.setDaemon(true);
        return thread;
    });

    /** Who has which session of the server. */
    final Map<Integer, Thread> owners = new ConcurrentHashMap<>();

    final AtomicLong deeds = new AtomicLong();
    final AtomicLong dives = new AtomicLong();
    final AtomicLong refused = new AtomicLong();
    final AtomicLong failed = new AtomicLong();
    private final AtomicLong latestNanos = new AtomicLong(Long.MIN_VALUE);
    private final Map<Trouble, Long> slowest = new TreeMap<>();
    private final List<Long> heaps = new ArrayList<>();
    private final SplittableRandom random;
    private final Thread.@Nullable UncaughtExceptionHandler uncaught = Thread.getDefaultUncaughtExceptionHandler();

    Soak(long seed) {
        random = new SplittableRandom(seed);
        driverFaults = new Faults(random.nextLong());
        callbackFaults = new Faults(random.nextLong());
        loginFaults = new Faults(random.nextLong());
        callbacks = new Callbacks(history, callbackFaults, loginFaults);
        Thread.setDefaultUncaughtExceptionHandler(
                (thread, failure) -> history.fail("thread " + thread.getName() + " died of " + failure, failure));
    }

    void run(Duration time) throws Exception {
        long begun = System.nanoTime();
        long each = Math.max(
                Duration.ofSeconds(10).toNanos(),
                Math.min(time.toNanos() / 5, Duration.ofSeconds(40).toNanos()));
        for (int number = 1; System.nanoTime() - begun < time.toNanos() || number == 1; number++) {
            long end = Math.min(System.nanoTime() + each, begun + time.toNanos());
            WeakReference<WeirDataSource> pool = generation(number, end);
            collected(pool);
        }
        long first = heaps.get(Math.min(1, heaps.size() - 1));
        long last = heaps.get(heaps.size() - 1);
        if (last > first + HEAP_GROWTH) {
            throw new AssertionError("the heap grows with each pool: " + heaps);
        }
    }

    private WeakReference<WeirDataSource> generation(int number, long end) throws Exception {
        Generation generation = new Generation(this, number, random.split());
        generation.run(end);
        owners.clear();
        return new WeakReference<>(generation.dataSource());
    }

    /** A pool that is closed is held by nothing. */
    private void collected(WeakReference<WeirDataSource> pool) {
        Await.await("the closed pool can be collected", COLLECTED_LIMIT, () -> {
            System.gc();
            return pool.get() == null;
        });
        heaps.add(ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed());
    }

    /** A getConnection() ended so long after its deadline, or before. */
    void note(long overNanos) {
        latestNanos.accumulateAndGet(overNanos, Math::max);
    }

    void recovered(List<Trouble> troubles, long millis) {
        troubles.forEach(trouble -> slowest.merge(trouble, millis, Math::max));
    }

    String summary() {
        return String.format(
                Locale.ROOT,
                "%d pools, %d transfers committed, %d more of unknown outcome, %d bad deeds, %d dives to the end of the stack; %d"
                        + " acquires refused, %d turns failed otherwise; faults thrown:"
                        + " %d by the driver, %d by callbacks, %d by the provider of credentials; %d log records; the latest"
                        + " getConnection() ended %d ms after its deadline; slowest recovery in ms %s; heap in KB %s",
                heaps.size(),
                bank.committed(),
                bank.lost(),
                deeds.get(),
                dives.get(),
                refused.get(),
                failed.get(),
                driverFaults.thrown(),
                callbackFaults.thrown(),
                loginFaults.thrown(),
                callbacks.logged(),
                latestNanos.get() / 1_000_000,
                slowest,
                heaps.stream().map(bytes -> bytes >> 10).toList());
    }

    @Override
    public void close() {
        Thread.setDefaultUncaughtExceptionHandler(uncaught);
        callbacks.close();
        pulse.close();
        helpers.shutdownNow();
        proxy.close();
        server.close();
    }
}
