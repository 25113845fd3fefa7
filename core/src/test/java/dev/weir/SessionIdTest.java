package dev.weir;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.testkit.Await;
import dev.weir.testkit.StubDatabase;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.postgresql.ds.PGSimpleDataSource;

/** Beside each connection stands the number by which the server's own views name its session. */
final class SessionIdTest {

    @Test
    void theProcessOfPostgresIsNamedWhereverAConnectionIs() throws SQLException {
        try (LogCapture log = new LogCapture();
                WeirDataSource pool = new WeirDataSource(PostgresShared.pool()
                        .leakDetectionThreshold(Duration.ofMillis(1))
                        .build())) {
            try (Connection held = pool.getConnection()) {
                long pid = PostgresShared.pid(held);
                assertThat(pool.held())
                        .singleElement()
                        .satisfies(one -> assertThat(one.sessionId()).isEqualTo(pid));
                String named = "connection " + pool.held().get(0).id() + " (session " + pid + ")";
                assertThat(pool.dump()).contains(named + " held");
                Await.await("the leak", PostgresShared.SOON, () -> log.text().contains("leak? " + named));
            }
        }
    }

    @Test
    void aWrapperShowsItToo() throws SQLException {
        PGSimpleDataSource own = new PGSimpleDataSource();
        own.setUrl(PostgresShared.pool().build().url());
        own.setUser(PostgresShared.pool().build().username());
        own.setPassword(PostgresShared.pool().build().password());
        DataSource source = (DataSource) Proxy.newProxyInstance(
                getClass().getClassLoader(), new Class<?>[] {DataSource.class}, (proxy, method, args) -> {
                    Connection driver = own.getConnection();
                    return Proxy.newProxyInstance(
                            getClass().getClassLoader(), new Class<?>[] {Connection.class}, (self, call, with) -> {
                                try {
                                    return call.invoke(driver, with);
                                } catch (InvocationTargetException e) {
                                    throw e.getCause();
                                }
                            });
                });
        try (WeirDataSource pool = new WeirDataSource(PoolConfig.builder()
                        .dataSource(source)
                        .minimumPoolSize(1)
                        .build());
                Connection held = pool.getConnection()) {
            assertThat(pool.held().get(0).sessionId()).isEqualTo(PostgresShared.pid(held));
        }
    }

    @ParameterizedTest
    @EnumSource(MariaDbShared.Driver.class)
    void theThreadOfMariaDbIsNamed(MariaDbShared.Driver driver) throws SQLException {
        try (WeirDataSource pool = new WeirDataSource(driver.pool().build());
                Connection held = pool.getConnection()) {
            assertThat(pool.held().get(0).sessionId()).isEqualTo(PostgresShared.number(held, "SELECT CONNECTION_ID()"));
        }
    }

    @Test
    void aDriverThatDoesNotTellHasNone() throws SQLException {
        StubDatabase db = new StubDatabase(StubDatabase.Likeness.GENERIC);
        try (WeirDataSource pool = new WeirDataSource(PoolConfig.builder()
                        .dataSource(db.dataSource())
                        .connectionTimeout(Duration.ofSeconds(20))
                        .build());
                Connection held = pool.getConnection()) {
            assertThat(held.isClosed()).isFalse();
            assertThat(pool.held().get(0).sessionId()).isZero();
            assertThat(pool.dump()).contains("connection " + pool.held().get(0).id() + " held");
        }
    }
}
