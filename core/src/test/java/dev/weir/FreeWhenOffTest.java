package dev.weir;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.testkit.StubDatabase;
import java.lang.management.ManagementFactory;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import javax.management.ObjectName;
import org.junit.jupiter.api.Test;

/**
 * P10: a feature that nobody uses costs a loan hardly a look at the clock, and not a byte. Its time is for the
 * laboratory.
 */
class FreeWhenOffTest {
    private static final int LOANS = 20_000;

    private final Thread user = Thread.currentThread();
    private final AtomicLong clockReads = new AtomicLong();

    private long nanos() {
        if (Thread.currentThread() == user) {
            clockReads.incrementAndGet();
        }
        return System.nanoTime();
    }

    /** The pool of a user who does not ask for more; it is in JMX. */
    private WeirDataSource started(StubDatabase db) throws SQLException {
        WeirDataSource pool = new WeirDataSource(PoolConfig.builder()
                .dataSource(db.dataSource())
                .minimumPoolSize(4)
                .maximumPoolSize(4)
                .validateAfterIdle(Duration.ofHours(1))
                .ticker(this::nanos)
                .build());
        pool.getConnection().close();
        return pool;
    }

    private static void lend(WeirDataSource pool) throws SQLException {
        for (int i = 0; i < LOANS; i++) {
            Connection connection = pool.getConnection();
            connection.close();
        }
    }

    private static long allocatedBytes() throws Exception {
        return (long) ManagementFactory.getPlatformMBeanServer()
                .invoke(
                        new ObjectName(ManagementFactory.THREAD_MXBEAN_NAME),
                        "getThreadAllocatedBytes",
                        new Object[] {Thread.currentThread().getId()},
                        new String[] {"long"});
    }

    /**
     * At most once for each loan, and all together for a thousandth of the time. Only the clock tells of a pause of the
     * process.
     */
    @Test
    void p10LoansThatDoNotWaitReadTheClockForATinyPartOfTheTime() throws SQLException {
        try (StubDatabase db = new StubDatabase();
                WeirDataSource pool = started(db)) {
            lend(pool); // a pool that was quiet for a second looks at the clock once more
            long before = clockReads.get();
            long begun = System.nanoTime();
            for (int i = 0; i < 10; i++) {
                lend(pool);
            }
            long ticks = 2 + (System.nanoTime() - begun) / TimeUnit.MILLISECONDS.toNanos(100);
            assertThat(clockReads.get() - before)
                    .as("reads in %d loans, within %d ticks", 10 * LOANS, ticks)
                    .isLessThanOrEqualTo(Math.min(10 * LOANS, ticks * 5_064));
        }
    }

    @Test
    void p10ALoanThatDoesNotWaitAllocatesItsHandleAlone() throws Exception {
        try (StubDatabase db = new StubDatabase();
                WeirDataSource pool = started(db)) {
            lend(pool);
            long before = allocatedBytes();
            lend(pool);
            assertThat((allocatedBytes() - before) / LOANS).isLessThanOrEqualTo(48);
        }
    }
}
