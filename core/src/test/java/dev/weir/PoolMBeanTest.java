package dev.weir;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.weir.internal.engine.LivePool;
import dev.weir.testkit.Await;
import dev.weir.testkit.StubDatabase;
import java.lang.management.ManagementFactory;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Date;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.LongStream;
import javax.management.MBeanServer;
import javax.management.openmbean.CompositeData;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What JMX tells of single holders, waiters and failures: as open data, which a client without Weir's classes reads. */
class PoolMBeanTest {
    private static final MBeanServer SERVER = ManagementFactory.getPlatformMBeanServer();

    private final StubDatabase db = new StubDatabase();

    @AfterEach
    void close() {
        db.close();
    }

    private WeirDataSource pool(int maximum) throws SQLException {
        WeirDataSource pool = new WeirDataSource(PoolConfig.builder()
                .dataSource(db.dataSource())
                .poolName("told")
                .maximumPoolSize(maximum)
                .minimumPoolSize(0)
                .connectionTimeout(Duration.ofSeconds(30))
                .leakDetectionThreshold(Duration.ofMinutes(5))
                .build());
        pool.start();
        return pool;
    }

    private static CompositeData[] told(String operation, int most) throws Exception {
        return (CompositeData[])
                SERVER.invoke(Jmx.nameOf("told"), operation, new Object[] {most}, new String[] {"int"});
    }

    private static long sum(String attribute) throws Exception {
        return LongStream.of((long[]) SERVER.getAttribute(Jmx.nameOf("told"), attribute))
                .sum();
    }

    @Test
    void aHolderAndWhoWaitsForItAreNamed() throws Exception {
        try (WeirDataSource pool = pool(1)) {
            Connection held = pool.getConnection();
            held.createStatement().execute("SELECT name FROM orders WHERE secret = 'hush-hush'");
            long waited = sum("Waits");
            long used = sum("Uses");
            CompletableFuture<Connection> waiting = new CompletableFuture<>();
            Thread waiter = new Thread(
                    () -> {
                        try {
                            waiting.complete(pool.getConnection());
                        } catch (SQLException e) {
                            waiting.completeExceptionally(e);
                        }
                    },
                    "waiter");
            waiter.start();
            Await.await("it waits", LivePool.LIMIT, () -> told("waiters", 9).length == 1);

            CompositeData holder = told("holders", 9)[0];
            assertThat(holder.get("connection")).isEqualTo(1L);
            assertThat(holder.get("thread")).isEqualTo(Thread.currentThread().getName());
            assertThat((String) holder.get("lastSql"))
                    .contains("SELECT name FROM orders")
                    .doesNotContain("hush");
            assertThat((long) holder.get("heldMillis")).isNotNegative();
            assertThat(((String[]) holder.get("acquiredAt"))[0]).contains("aHolderAndWhoWaitsForItAreNamed");
            assertThat((String[]) holder.get("stack")).isNotEmpty();
            CompositeData told = told("waiters", 9)[0];
            assertThat(told.get("thread")).isEqualTo("waiter");
            assertThat((long) told.get("waitedMillis")).isNotNegative();
            assertThat(String.join("\n", (String[]) told.get("stack"))).contains("getConnection");

            held.close();
            waiting.get(10, TimeUnit.SECONDS).close();
            waiter.join();
            assertThat(sum("Waits")).isEqualTo(waited + 1);
            assertThat(sum("Uses")).as("the first loan at least").isGreaterThan(used);
            assertThat(told("holders", 9)).isEmpty();
            assertThat(told("waiters", 9)).isEmpty();
        }
    }

    @Test
    void noMoreAreToldThanAskedFor() throws Exception {
        try (WeirDataSource pool = pool(20)) {
            List<Connection> held = new ArrayList<>();
            for (int i = 0; i < 20; i++) {
                held.add(pool.getConnection());
            }
            assertThat(told("holders", 7)).hasSize(7);
            assertThat(told("holders", -1)).isEmpty();
            for (Connection one : held) {
                one.close();
            }
        }
    }

    @Test
    void aWaitThatTimesOutIsCounted() throws Exception {
        try (WeirDataSource pool = pool(1);
                Connection held = pool.getConnection()) {
            long waited = sum("Waits");
            pool.setConnectionTimeout(Duration.ofMillis(250));
            assertThat(held.isClosed()).isFalse();
            assertThatExceptionOfType(SQLException.class).isThrownBy(pool::getConnection);
            assertThat(sum("Waits")).isEqualTo(waited + 1);
        }
    }

    @Test
    void connectsThatFailedAndASuspensionAreTold() throws Exception {
        try (WeirDataSource pool = pool(1)) {
            db.failNext(StubDatabase.CONNECT, 1, () -> new SQLException("no route", "08001"));
            pool.evictAll();
            pool.getConnection().close();
            CompositeData[] failures =
                    (CompositeData[]) SERVER.invoke(Jmx.nameOf("told"), "recentFailures", new Object[0], new String[0]);
            assertThat(failures).hasSize(1);
            assertThat((String) failures[0].get("message")).contains("no route");
            assertThat((String) failures[0].get("kind")).isNotEmpty();
            assertThat(failures[0].get("at")).isInstanceOf(Date.class);

            assertThat(SERVER.getAttribute(Jmx.nameOf("told"), "Suspended")).isEqualTo(false);
            pool.suspend();
            assertThat(SERVER.getAttribute(Jmx.nameOf("told"), "Suspended")).isEqualTo(true);
        }
    }
}
