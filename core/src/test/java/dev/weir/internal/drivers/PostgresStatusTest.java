package dev.weir.internal.drivers;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.PostgresShared;
import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.net.URL;
import java.net.URLClassLoader;
import java.sql.Connection;
import java.sql.Driver;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.Objects;
import java.util.Properties;
import org.junit.jupiter.api.Test;
import org.postgresql.core.BaseConnection;

/** Linked or not, an application's driver is asked the same and answers the same. */
final class PostgresStatusTest {
    private static PostgresStatus statusOf(Connection physical) {
        Class<?> type =
                Objects.requireNonNull(Dialect.typeNamed("org.postgresql.core.BaseConnection", physical.getClass()));
        return Objects.requireNonNull(PostgresStatus.of(type, physical));
    }

    private static void assertTells(PostgresStatus status, Connection physical) throws SQLException {
        assertThat(status.transaction(physical)).isEqualTo(TransactionState.IDLE);
        PostgresShared.execute(physical, "BEGIN");
        assertThat(status.transaction(physical)).isEqualTo(TransactionState.OPEN);
        try {
            PostgresShared.execute(physical, "SELECT no_such_column");
        } catch (SQLException e) {
            assertThat(e.getSQLState()).isEqualTo("42703");
        }
        assertThat(status.transaction(physical)).isEqualTo(TransactionState.FAILED);
        PostgresShared.execute(physical, "ROLLBACK");
        assertThat(status.transaction(physical)).isEqualTo(TransactionState.IDLE);

        assertThat(status.isOff(physical, "default_transaction_read_only")).isTrue();
        assertThat(status.isOther(physical, "default_transaction_read_only", "off"))
                .isFalse();
        PostgresShared.execute(physical, "SET default_transaction_read_only TO on");
        assertThat(status.reported(physical, "default_transaction_read_only")).isEqualTo("on");
        assertThat(status.isOther(physical, "default_transaction_read_only", "off"))
                .isTrue();
        assertThat(status.reported(physical, "no_such_setting")).isNull();
    }

    @Test
    void callsTheDriverThatThisLibrarySees() throws SQLException {
        try (Connection physical =
                DriverManager.getConnection(PostgresShared.server().jdbcUrl())) {
            PostgresStatus status = statusOf(physical);
            assertThat(status).isInstanceOf(LinkedPostgresStatus.class);
            assertTells(status, physical);
        }
    }

    /** As in a container that has the pool, where each application brings a driver. */
    @Test
    void asksTheDriverOfAnotherClassLoader() throws SQLException, ReflectiveOperationException, IOException {
        URL jar = org.postgresql.Driver.class
                .getProtectionDomain()
                .getCodeSource()
                .getLocation();
        try (URLClassLoader others = new URLClassLoader(new URL[] {jar}, ClassLoader.getPlatformClassLoader())) {
            Driver driver = (Driver)
                    others.loadClass("org.postgresql.Driver").getConstructor().newInstance();
            try (Connection physical = Objects.requireNonNull(
                    driver.connect(PostgresShared.server().jdbcUrl(), new Properties()))) {
                PostgresStatus status = statusOf(physical);
                assertThat(status).isNotInstanceOf(LinkedPostgresStatus.class);
                assertTells(status, physical);
            } finally {
                driver.getClass().getMethod("deregister").invoke(null);
            }
        }
    }

    /** One that lacks a method is asked by handles too, which find out what there is. */
    @Test
    void doesNotLinkAnOlderDriver() throws SQLException {
        try (Connection physical =
                DriverManager.getConnection(PostgresShared.server().jdbcUrl())) {
            Connection older = (Connection) Proxy.newProxyInstance(
                    BaseConnection.class.getClassLoader(),
                    new Class<?>[] {BaseConnection.class},
                    (proxy, method, arguments) -> {
                        if (method.getName().equals("getParameterStatus")) {
                            throw new AbstractMethodError(method.getName());
                        }
                        try {
                            return method.invoke(physical, arguments);
                        } catch (InvocationTargetException e) {
                            throw e.getCause();
                        }
                    });
            PostgresStatus status = statusOf(older);
            assertThat(status).isNotInstanceOf(LinkedPostgresStatus.class);
            assertThat(status.transaction(older)).isEqualTo(TransactionState.IDLE);
        }
    }
}
