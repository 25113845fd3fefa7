package dev.weir;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.weir.internal.working.Workers;
import dev.weir.testkit.Await;
import dev.weir.testkit.StubDatabase;
import dev.weir.testkit.servers.ThreadsLeft;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The pool's own threads may be made by the user, who cannot break the pool with that. */
public class ThreadFactoryTest {
    private final Queue<Thread> made = new ConcurrentLinkedQueue<>();

    private WeirDataSource pool(StubDatabase db, ThreadFactory factory) {
        return new WeirDataSource(PoolConfig.builder()
                .dataSource(db.dataSource())
                .poolName("made")
                .minimumPoolSize(2)
                .threadFactory(job -> {
                    Thread thread = factory.newThread(job);
                    if (thread != null) {
                        made.add(thread);
                    }
                    return thread;
                })
                .build());
    }

    private static void use(WeirDataSource pool) throws SQLException {
        try (Connection one = pool.getConnection();
                Connection other = pool.getConnection()) {
            assertThat(List.of(one.isValid(1), other.isValid(1))).containsOnly(true);
        }
    }

    @Test
    void everyThreadThatCallsTheDriverIsOfTheFactoryAndNamedByThePool() throws Exception {
        StubDatabase db = new StubDatabase();
        try (WeirDataSource pool = pool(db, Thread::new)) {
            use(pool);
            pool.evictAll(); // closing is the work of a thread of the pool
            use(pool);
        }
        assertThat(made)
                .filteredOn(thread -> thread.getState() != Thread.State.NEW) // one, never started, shows their kind
                .extracting(Thread::getName)
                .isNotEmpty()
                .allMatch(name -> name.startsWith("weir-made-worker-"));
        assertThat(made).allMatch(Thread::isDaemon);
        assertThat(db.openNow()).isZero();
    }

    @Test
    void threadsMayBeVirtual() throws Exception {
        try (WeirDataSource pool = pool(new StubDatabase(), virtual())) {
            use(pool);
        }
        assertThat(made).isNotEmpty().allMatch(thread -> thread.toString().startsWith("VirtualThread["));
    }

    /** The factory that {@code Thread.ofVirtual().factory()} gives. */
    public static ThreadFactory virtual() {
        assumeTrue(Runtime.version().feature() >= 24, "virtual threads do not hold on to carriers from JDK 24 on");
        MethodHandles.Lookup lookup = MethodHandles.publicLookup();
        try {
            MethodHandle ofVirtual = lookup.findStatic(
                    Thread.class,
                    "ofVirtual",
                    MethodType.methodType(Class.forName("java.lang.Thread$Builder$OfVirtual")));
            return (ThreadFactory) lookup.findVirtual(
                            Class.forName("java.lang.Thread$Builder"),
                            "factory",
                            MethodType.methodType(ThreadFactory.class))
                    .invoke(ofVirtual.invoke());
        } catch (Throwable e) {
            throw new AssertionError(e);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"throws", "null", "started", "at work"})
    void poolMakesWhatTheFactoryDoesNotGive(String how) throws Exception {
        StubDatabase db = new StubDatabase();
        ThreadFactory factory = job -> switch (how) {
            case "throws" -> throw new IllegalStateException("no threads today");
            case "null" -> null;
            case "at work" -> {
                Thread running = new Thread(job);
                running.start();
                yield running;
            }
            default -> {
                Thread running = new Thread(() -> {});
                running.start();
                yield running;
            }
        };
        try (LogCapture log = new LogCapture();
                WeirDataSource pool = pool(db, factory)) {
            use(pool);
            assertThat(log.warnings()).isNotEmpty().allMatch(message -> message.contains("the thread factory"));
        }
        assertThat(db.openNow()).isZero();
    }

    @Test
    void theEndWaitsForAThreadThatHasNotBegunItsJobYet() throws Exception {
        Thread ends = Thread.currentThread();
        AtomicBoolean done = new AtomicBoolean();
        Workers workers = new Workers(
                "late",
                job -> new Thread(() -> {
                    Await.await(
                            "the end waits",
                            Duration.ofSeconds(20),
                            () -> ends.getState() == Thread.State.TIMED_WAITING);
                    job.run();
                }));
        workers.execute(() -> done.set(true));
        workers.shutDown();
        assertThat(workers.awaitEnd(TimeUnit.SECONDS.toNanos(20))).isTrue();
        assertThat(done).isTrue();
    }

    /** Threads may fail to start, or end without their job, now and then: nothing is lost with them. */
    @ParameterizedTest
    @ValueSource(strings = {"cannot start", "never runs"})
    void nothingIsLostWithAThreadThatDoesNotRunItsJob(String how) throws Exception {
        StubDatabase db = new StubDatabase();
        AtomicInteger count = new AtomicInteger();
        ThreadFactory factory = job -> {
            if (count.incrementAndGet() % 2 == 0) {
                return new Thread(job);
            }
            return switch (how) {
                case "cannot start" ->
                    new Thread(job) {
                        @Override
                        @SuppressWarnings("UnsynchronizedOverridesSynchronized")
                        public void start() {
                            throw new OutOfMemoryError("no thread can be started");
                        }
                    };
                default -> new Thread(() -> {});
            };
        };
        Duration limit = Duration.ofSeconds(20);
        WeirDataSource pool = new WeirDataSource(PoolConfig.builder()
                .dataSource(db.dataSource())
                .poolName("lost")
                .maximumPoolSize(2)
                .connectTimeout(Duration.ofMillis(500))
                .validationTimeout(Duration.ofMillis(500))
                .connectionTimeout(limit)
                .threadFactory(factory)
                .build());
        try (pool) {
            pool.start();
            for (int i = 0; i < 10; i++) {
                use(pool);
                pool.evictAll();
            }
            pool.suspend();
            pool.evictAll();
            Await.await(() -> "left: " + pool.stats() + pool.physicalConnections(), limit, () -> {
                pool.evictAll(); // a connect that was under way may have ended since
                return pool.physicalConnections() == 0;
            });
            pool.resume();
            use(pool);
        }
        Await.await(() -> "open: " + db.openNow(), limit, () -> db.openNow() == 0);
        ThreadsLeft.assertNone("weir-lost-", limit);
    }

    /** The line in the log, and JMX, come later then. */
    @Test
    void theStartIsToldThoughNoThreadCouldBeStartedForThat() throws Exception {
        StubDatabase db = new StubDatabase();
        AtomicInteger count = new AtomicInteger();
        ThreadFactory factory = job -> new Thread(job) {
            @Override
            @SuppressWarnings("UnsynchronizedOverridesSynchronized")
            public void start() {
                if (count.incrementAndGet() == 1) {
                    throw new OutOfMemoryError("no thread can be started");
                }
                super.start();
            }
        };
        try (LogCapture log = new LogCapture();
                WeirDataSource pool = new WeirDataSource(PoolConfig.builder()
                        .dataSource(db.dataSource())
                        .poolName("told")
                        .minimumPoolSize(0)
                        .initializationFailTimeout(Duration.ofMillis(-1))
                        .threadFactory(factory)
                        .build())) {
            pool.start();
            Await.await(
                    () -> "the log: " + log.infos(),
                    Duration.ofSeconds(20),
                    () -> log.infos().stream().anyMatch(message -> message.contains("started, Weir")));
        }
    }
}
