package dev.weir;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.weir.testkit.StubDatabase;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ThreadFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The pool's own threads may be made by the user, who cannot break the pool with that. */
class ThreadFactoryTest {
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
    void everyThreadOfThePoolIsOfTheFactoryAndNamedByThePool() throws Exception {
        StubDatabase db = new StubDatabase();
        try (WeirDataSource pool = pool(db, Thread::new)) {
            use(pool);
            pool.evictAll(); // closing is the work of a helper
            use(pool);
        }
        assertThat(made).extracting(Thread::getName).allMatch(name -> name.startsWith("weir-made-"));
        assertThat(String.join(" ", made.stream().map(Thread::getName).toList()))
                .contains("keeper", "open", "helper");
        assertThat(made).allMatch(Thread::isDaemon);
        assertThat(db.openNow()).isZero();
    }

    @Test
    void threadsMayBeVirtual() throws Throwable {
        assumeTrue(Runtime.version().feature() >= 21, "virtual threads need JDK 21 or newer");
        Class<?> builder = Class.forName("java.lang.Thread$Builder");
        MethodHandles.Lookup lookup = MethodHandles.publicLookup();
        MethodHandle ofVirtual = lookup.findStatic(
                Thread.class, "ofVirtual", MethodType.methodType(Class.forName("java.lang.Thread$Builder$OfVirtual")));
        MethodHandle factory = lookup.findVirtual(builder, "factory", MethodType.methodType(ThreadFactory.class));
        try (WeirDataSource pool = pool(new StubDatabase(), (ThreadFactory) factory.invoke(ofVirtual.invoke()))) {
            use(pool);
        }
        assertThat(made).isNotEmpty().allMatch(thread -> thread.toString().startsWith("VirtualThread["));
    }

    @ParameterizedTest
    @ValueSource(strings = {"throws", "null", "started"})
    void poolMakesWhatTheFactoryDoesNotGive(String how) throws Exception {
        StubDatabase db = new StubDatabase();
        ThreadFactory factory = job -> switch (how) {
            case "throws" -> throw new IllegalStateException("no threads today");
            case "null" -> null;
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
}
