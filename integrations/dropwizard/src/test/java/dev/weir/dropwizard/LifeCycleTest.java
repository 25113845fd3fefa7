package dev.weir.dropwizard;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.codahale.metrics.Gauge;
import com.codahale.metrics.MetricRegistry;
import com.codahale.metrics.Snapshot;
import com.codahale.metrics.health.HealthCheck;
import dev.weir.WeirDataSource;
import dev.weir.testkit.Await;
import dev.weir.testkit.StubDatabase;
import dev.weir.testkit.servers.ThreadsLeft;
import io.dropwizard.db.ManagedDataSource;
import io.dropwizard.util.Duration;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What the factory builds: started and stopped by Dropwizard, measured and checked meanwhile. */
class LifeCycleTest {
    private static final java.time.Duration LIMIT = java.time.Duration.ofSeconds(10);

    private final StubDatabase database = new StubDatabase();
    private final MetricRegistry registry = new MetricRegistry();
    private final ManagedDataSource dataSource = factory().build(registry, "shop");

    private WeirDataSourceFactory factory() {
        WeirDataSourceFactory factory = new WeirDataSourceFactory();
        factory.setUrl(database.url());
        factory.setMinimumPoolSize(2);
        factory.setMaximumPoolSize(2);
        factory.setConnectionTimeout(Duration.seconds(20)); // of which no test that goes well needs much
        factory.setRegisterMbeans(false);
        return factory;
    }

    @AfterEach
    void stop() throws Exception {
        dataSource.stop();
        database.close();
    }

    private static void waitNoLongerThan(String time, ManagedDataSource dataSource) throws SQLException {
        dataSource.unwrap(WeirDataSource.class).setConnectionTimeout(time);
    }

    private Object gauge(String name) {
        return ((Gauge<?>) registry.getGauges().get(name)).getValue();
    }

    @Test
    void nothingIsOpenBeforeTheStartNorAfterTheStop() throws Exception {
        ThreadsLeft threads = ThreadsLeft.sinceNow();
        assertThat(database.opened()).isZero();
        dataSource.start();
        Await.await("the pool is filled", LIMIT, () -> database.openNow() == 2);
        try (Connection connection = dataSource.getConnection()) {
            assertThat(connection.isValid(1)).isTrue();
        }
        dataSource.stop();
        assertThat(database.openNow()).isZero();
        assertThat(registry.getNames()).isEmpty();
        threads.none("weir-shop", LIMIT);
        assertThatThrownBy(dataSource::getConnection)
                .isInstanceOf(SQLException.class)
                .hasMessageContaining("closed");
    }

    @Test
    void aDatabaseThatIsAwayFailsTheStart() throws Exception {
        database.stop();
        waitNoLongerThan("300ms", dataSource);
        assertThatThrownBy(dataSource::start)
                .isInstanceOf(SQLException.class)
                .hasMessageContaining("could not open the first connection");
    }

    @Test
    void itIsThePoolInADifferentCoat() throws Exception {
        assertThat(dataSource.isWrapperFor(WeirDataSource.class)).isTrue();
        assertThat(dataSource.unwrap(ManagedDataSource.class)).isSameAs(dataSource);
        WeirDataSource pool = dataSource.unwrap(WeirDataSource.class);
        assertThat(pool.getPoolName()).isEqualTo("shop");
        dataSource.setLoginTimeout(2);
        assertThat(dataSource.getLoginTimeout()).isEqualTo(2);
        assertThat(pool.getConnectionTimeout()).hasSeconds(2);
        assertThat(dataSource.getLogWriter()).isNull();
        dataSource.setLogWriter(null);
        assertThatThrownBy(dataSource::getParentLogger).isInstanceOf(SQLFeatureNotSupportedException.class);
        assertThatThrownBy(() -> dataSource.getConnection("other", "secret"))
                .isInstanceOf(SQLFeatureNotSupportedException.class);
        assertThat(dataSource).hasToString(pool.toString());
    }

    @Test
    void twoPoolsOfOneNameAreRefused() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> factory().build(registry, "shop"))
                .withMessageContaining("shop.pool.TotalConnections");
    }

    @Test
    void aNameThatIsTakenLeavesNothingBehindAndTakesNothingAway() throws Exception {
        Gauge<Integer> others = () -> 42;
        registry.register("io.dropwizard.db.ManagedPooledDataSource.till.size", others);
        assertThatIllegalArgumentException()
                .isThrownBy(() -> factory().build(registry, "till"))
                .withMessageContaining("till.size");
        assertThat(registry.getNames())
                .filteredOn(name -> name.contains("till"))
                .hasSize(1);

        dataSource.stop();
        ManagedDataSource successor = factory().build(registry, "shop");
        try {
            dataSource.stop();
            assertThat(registry.getNames()).contains("shop.pool.Wait");
        } finally {
            successor.stop();
        }
        assertThat(registry.getGauges()).containsOnlyKeys("io.dropwizard.db.ManagedPooledDataSource.till.size");
    }

    /** By a service manager, JMX or the application itself, which the life cycle does not see. */
    @Test
    void metricsEndWithThePoolByWhomeverItIsClosed() throws Exception {
        dataSource.start();
        dataSource.unwrap(WeirDataSource.class).close();
        assertThat(registry.getNames()).isEmpty();
        ManagedDataSource successor = factory().build(registry, "shop");
        dataSource.stop();
        assertThat(registry.getNames()).contains("shop.pool.Wait");
        successor.stop();
        assertThat(registry.getNames()).isEmpty();
    }

    @Test
    void gaugesFollowThePoolUnderBothPoolsNames() throws Exception {
        dataSource.start();
        Await.await(
                "the pool is filled",
                LIMIT,
                () -> gauge("shop.pool.IdleConnections").equals(2));
        String tomcats = "io.dropwizard.db.ManagedPooledDataSource.shop.";
        try (Connection connection = dataSource.getConnection()) {
            assertThat(gauge("shop.pool.TotalConnections")).isEqualTo(2);
            assertThat(gauge("shop.pool.ActiveConnections")).isEqualTo(1);
            Await.await("the loan is measured", LIMIT, () -> (long) gauge("shop.pool.BeforeFirstStatementMillis") > 0);
            assertThat(gauge("shop.pool.IdleConnections")).isEqualTo(1);
            assertThat(gauge(tomcats + "active")).isEqualTo(1);
            assertThat(gauge(tomcats + "idle")).isEqualTo(1);
            assertThat(gauge(tomcats + "borrowed")).isEqualTo(1L);
            assertThat(gauge(tomcats + "returned")).isEqualTo(0L);
        }
        assertThat(gauge("shop.pool.PendingConnections")).isEqualTo(0);
        assertThat(gauge("shop.pool.MaxConnections")).isEqualTo(2);
        assertThat(gauge("shop.pool.MinConnections")).isEqualTo(2);
        assertThat(gauge(tomcats + "waiting")).isEqualTo(0);
        assertThat(gauge(tomcats + "size")).isEqualTo(2);
        Await.await(
                "both connects are counted",
                LIMIT,
                () -> gauge(tomcats + "created").equals(2L));
        assertThat(gauge(tomcats + "returned")).isEqualTo(1L);
        assertThat(gauge(tomcats + "releasedIdle")).isEqualTo(0L);
        database.killAll();
        WeirHealthCheck check = new WeirHealthCheck(dataSource.unwrap(WeirDataSource.class));
        Await.await("healthy again", LIMIT, () -> check.execute().isHealthy());
        assertThat((long) gauge(tomcats + "released")).isPositive();
    }

    @Test
    void loansConnectsWaitsAndTimeoutsAreTimed() throws Exception {
        dataSource.start();
        Await.await(
                "the pool is filled",
                LIMIT,
                () -> gauge("shop.pool.IdleConnections").equals(2));
        Await.await(
                "both connects are told",
                LIMIT,
                () -> registry.histogram("shop.pool.ConnectionCreation").getCount() == 2);
        Connection first = dataSource.getConnection();
        Connection second = dataSource.getConnection();
        waitNoLongerThan("300ms", dataSource);
        assertThatThrownBy(dataSource::getConnection).isInstanceOf(SQLException.class);
        waitNoLongerThan("20s", dataSource);
        assertThat(registry.meter("shop.pool.ConnectionTimeoutRate").getCount()).isEqualTo(1);

        AtomicReference<SQLException> failure = new AtomicReference<>();
        Thread waiter = new Thread(() -> {
            try (Connection third = dataSource.getConnection()) {
                third.isValid(1);
            } catch (SQLException e) {
                failure.set(e);
            }
        });
        waiter.start();
        Await.await(
                "the thread waits",
                LIMIT,
                () -> gauge("shop.pool.PendingConnections").equals(1));
        first.close();
        waiter.join(LIMIT.toMillis());
        second.close();
        assertThat(failure).hasNullValue();

        // Two did not wait, one timed out, and one got what it waited for.
        Await.await(
                "all are told", LIMIT, () -> registry.timer("shop.pool.Wait").getCount() == 4);
        Snapshot waits = registry.timer("shop.pool.Wait").getSnapshot();
        assertThat(waits.getValue(0.49)).isZero();
        assertThat(waits.getMin()).isZero();
        assertThat(waits.getMax())
                .isGreaterThanOrEqualTo(java.time.Duration.ofMillis(300).toNanos());
        // A quarter of the longest at least, less what the reservoir takes off older waits: 1.5 % for each second.
        assertThat(waits.getMean()).isBetween(waits.getMax() / 5.0, waits.getMax() / 2.0);
        Await.await(
                "it is so", LIMIT, () -> registry.histogram("shop.pool.Usage").getCount() == 3);
        assertThat(registry.histogram("shop.pool.Usage").getSnapshot().getMax()).isGreaterThanOrEqualTo(300);
    }

    @Test
    void theHealthCheckAnswersWithTheCounts() throws Exception {
        WeirHealthCheck check = new WeirHealthCheck(dataSource.unwrap(WeirDataSource.class));
        HealthCheck.Result healthy = check.execute();
        assertThat(healthy.isHealthy()).isTrue();
        assertThat(healthy.getDetails()).containsEntry("maximumPoolSize", 2).containsKeys("total", "inUse", "waiting");
        database.stop();
        waitNoLongerThan("300ms", dataSource);
        assertThat(check.execute().isHealthy()).isFalse();
        Await.await(
                "the pool has none to lend",
                LIMIT,
                () -> String.valueOf(check.execute().getMessage()).contains("no connection within 300 ms"));
        database.start();
        Await.await("healthy again", LIMIT, () -> check.execute().isHealthy());
    }

    @Test
    void theHealthCheckAsksAsThePoolDoes() throws Exception {
        WeirDataSourceFactory factory = factory();
        factory.setConnectionTestQuery("select 42");
        ManagedDataSource other = factory.build(registry, "till");
        try {
            WeirHealthCheck check = new WeirHealthCheck(other.unwrap(WeirDataSource.class));
            assertThat(check.execute().isHealthy()).isTrue();
            assertThat(database.calls("Connection.isValid")).isZero();
            waitNoLongerThan("300ms", other);
            database.fail("Statement.execute", "42601");
            assertThat(check.execute().isHealthy()).isFalse();
        } finally {
            other.stop();
        }
    }
}
