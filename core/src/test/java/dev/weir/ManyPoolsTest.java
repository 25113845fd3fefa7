package dev.weir;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.spi.Credentials;
import dev.weir.spi.PoolListener;
import dev.weir.testkit.Await;
import dev.weir.testkit.StubDatabase;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ThreadFactory;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A pool for each tenant: with a factory of virtual threads they share the few threads of its scheduler. */
@Timeout(120)
class ManyPoolsTest {
    private static final Duration LIMIT = Duration.ofSeconds(60);

    /** The JVM's own, the carriers of virtual threads among them; far less than one for each pool. */
    private static final int FEW = 100;

    private static PoolConfig.Builder config(StubDatabase db, String name, ThreadFactory factory) {
        return PoolConfig.builder()
                .dataSource(db.dataSource())
                .poolName(name)
                .minimumPoolSize(2)
                .registerMbeans(false)
                .connectionTimeout(LIMIT)
                .threadFactory(factory);
    }

    private static void use(WeirDataSource pool) throws SQLException {
        try (Connection connection = pool.getConnection()) {
            assertThat(connection.isValid(1)).isTrue();
        }
    }

    /** Those that are not virtual. */
    private static int platformThreads() {
        return Thread.getAllStackTraces().size();
    }

    @Test
    void aThousandPoolsOfVirtualThreadsTakeFewThreadsAndLeaveNone() throws Exception {
        ThreadFactory virtual = ThreadFactoryTest.virtual();
        Queue<Thread> made = new ConcurrentLinkedQueue<>();
        int before = platformThreads();
        List<WeirDataSource> pools = new ArrayList<>();
        try (StubDatabase db = new StubDatabase()) {
            try {
                for (int i = 0; i < 1_000; i++) {
                    WeirDataSource pool = new WeirDataSource(config(db, "tenant-" + i, job -> {
                                Thread thread = virtual.newThread(job);
                                made.add(thread);
                                return thread;
                            })
                            .build());
                    pools.add(pool);
                    use(pool);
                }
                Await.await(() -> db.openNow() + " are open", LIMIT, () -> db.openNow() == 2_000);
                assertThat(platformThreads() - before).isLessThan(FEW);
                use(pools.get(500));
            } finally {
                pools.forEach(WeirDataSource::close);
            }
            assertThat(db.openNow()).isZero();
        }
        Await.await("no thread is left", LIMIT, () -> made.stream().noneMatch(Thread::isAlive));
    }

    /** So many hang that they would hold all carriers, if each held one. */
    @ParameterizedTest
    @ValueSource(strings = {"listener", "log handler", "credentials"})
    void aPoolWhoseUserCodeHangsDelaysNoOther(String what) throws Exception {
        ThreadFactory virtual = ThreadFactoryTest.virtual();
        int many = 4 * Runtime.getRuntime().availableProcessors() + 4;
        CountDownLatch over = new CountDownLatch(1);
        CountDownLatch hanging = new CountDownLatch(many);
        Runnable hangs = () -> {
            hanging.countDown();
            try {
                over.await();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        };
        Handler handler = new Handler() {
            @Override
            public void publish(LogRecord line) {
                if (line.getMessage().contains("'hangs-") && line.getMessage().contains("could not open")) {
                    hangs.run();
                }
            }

            @Override
            public void flush() {}

            @Override
            public void close() {}
        };
        Logger logger = Logger.getLogger("dev.weir");
        logger.addHandler(handler);
        List<WeirDataSource> pools = new ArrayList<>();
        try (StubDatabase db = new StubDatabase();
                StubDatabase down = new StubDatabase()) {
            try {
                down.fail(StubDatabase.CONNECT, "08001");
                for (int i = 0; i < many; i++) {
                    PoolConfig.Builder config = config(what.equals("log handler") ? down : db, "hangs-" + i, virtual)
                            .closeTimeout(Duration.ZERO)
                            .initializationFailTimeout(Duration.ofMillis(-1));
                    if (what.equals("credentials")) {
                        config.credentialsProvider(() -> {
                            hangs.run();
                            return new Credentials("a", "b");
                        });
                    } else if (what.equals("listener")) {
                        config.addListener(new PoolListener() {
                            @Override
                            public void opened(long tookNanos) {
                                hangs.run();
                            }
                        });
                    }
                    WeirDataSource pool = new WeirDataSource(config.build());
                    pools.add(pool);
                    pool.start();
                }
                hanging.await();
                try (WeirDataSource other = new WeirDataSource(
                        config(db, "other", virtual).connectionTimeout(LIMIT).build())) {
                    use(other);
                    other.evictAll();
                    use(other);
                    assertThat(over.getCount()).isEqualTo(1);
                }
            } finally {
                over.countDown();
                pools.forEach(WeirDataSource::close);
            }
        } finally {
            logger.removeHandler(handler);
        }
    }
}
