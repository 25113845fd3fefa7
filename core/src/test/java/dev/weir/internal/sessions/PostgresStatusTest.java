package dev.weir.internal.sessions;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.PostgresShared;
import java.io.IOException;
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

/** An application's driver answers the same, wherever it was loaded and however old it is. */
final class PostgresStatusTest {
    private static PostgresStatus statusOf(Connection physical) {
        Class<?> type =
                Objects.requireNonNull(Dialect.typeNamed("org.postgresql.core.BaseConnection", physical.getClass()));
        return Objects.requireNonNull(PostgresStatus.of(type));
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
    void asksTheDriverThatThisLibrarySees() throws SQLException {
        try (Connection physical =
                DriverManager.getConnection(PostgresShared.server().jdbcUrl())) {
            assertTells(statusOf(physical), physical);
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
                assertTells(statusOf(physical), physical);
            } finally {
                driver.getClass().getMethod("deregister").invoke(null);
            }
        }
    }

    /** The driver's type as it was before it told of settings. */
    public interface Older extends Connection {
        org.postgresql.core.TransactionState getTransactionState();
    }

    @Test
    void asksAnOlderDriverForTheTransactionAlone() {
        PostgresStatus status = Objects.requireNonNull(PostgresStatus.of(Older.class));
        Connection older = (Connection) Proxy.newProxyInstance(
                Older.class.getClassLoader(),
                new Class<?>[] {Older.class},
                (proxy, method, arguments) -> org.postgresql.core.TransactionState.OPEN);
        assertThat(status.transaction(older)).isEqualTo(TransactionState.OPEN);
        assertThat(status.reported(older, "in_hot_standby")).isNull();
        assertThat(status.isOther(older, "in_hot_standby", "off")).isFalse();
    }

    @Test
    void asksNothingOfADriverThatDoesNotTell() {
        assertThat(PostgresStatus.of(Connection.class)).isNull();
    }
}
