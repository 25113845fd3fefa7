package dev.weir;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.testkit.StubDatabase;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** A driver that cannot do an optional thing can be pooled; the pool does without. */
class OptionalMethodsTest {
    private static final List<String> METHODS = List.of(
            "Connection.isReadOnly",
            "Connection.getTransactionIsolation",
            "Connection.getCatalog",
            "Connection.getSchema",
            "Connection.getHoldability",
            "Connection.getNetworkTimeout",
            "Connection.getTypeMap",
            "Connection.getClientInfo",
            "Connection.clearWarnings",
            "Connection.setReadOnly",
            "Connection.setTransactionIsolation",
            "Connection.setCatalog",
            "Connection.setSchema",
            "Connection.setHoldability",
            "Connection.setNetworkTimeout",
            "Connection.setTypeMap",
            "Connection.setClientInfo",
            "Connection.beginRequest",
            "Connection.endRequest",
            "Connection.abort",
            "Statement.getQueryTimeout",
            "Statement.setQueryTimeout");

    static Stream<Arguments> unsupported() {
        List<Supplier<Throwable>> failures = List.of(
                () -> new SQLFeatureNotSupportedException("not implemented"),
                () -> new UnsupportedOperationException("not implemented"),
                () -> new AbstractMethodError("of an old driver"));
        Supplier<Throwable> plain = () -> new SQLException("Method not supported"); // Hive's driver
        return Stream.concat(
                METHODS.stream().flatMap(method -> failures.stream().map(failure -> Arguments.of(method, failure))),
                Stream.of("Statement.getQueryTimeout", "Statement.setQueryTimeout")
                        .map(method -> Arguments.of(method, plain)));
    }

    private static WeirDataSource pool(StubDatabase db) {
        return new WeirDataSource(PoolConfig.builder()
                .dataSource(db.dataSource())
                .poolName("modest")
                .maximumPoolSize(1)
                .requestBoundaries(true)
                .connectionTestQuery("SELECT 1")
                .validateAfterIdle(Duration.ZERO)
                .connectionTimeout(Duration.ofSeconds(20))
                .registerMbeans(false)
                .build());
    }

    @ParameterizedTest
    @MethodSource("unsupported")
    void theDriverCanBePooledWithout(String method, Supplier<Throwable> failure) throws SQLException {
        try (LogCapture log = new LogCapture();
                StubDatabase db = new StubDatabase()) {
            db.fail(method, failure);
            try (WeirDataSource pool = pool(db)) {
                for (int loan = 0; loan < 3; loan++) {
                    try (Connection connection = pool.getConnection();
                            Statement statement = connection.createStatement()) {
                        connection.setAutoCommit(false);
                        statement.execute("INSERT INTO t VALUES (" + loan + ")");
                        assertThat(connection.unwrap(Connection.class)).isNotNull();
                    }
                }
                assertThat(db.opened()).isEqualTo(1);
                assertThat(db.committed()).isEmpty();
                pool.getConnection().abort(Runnable::run);
                pool.getConnection().close();
            }
            assertThat(log.warnings()).isEmpty();
            assertThat(log.infos().stream().filter(line -> line.contains("does not support")))
                    .hasSize(
                            method.startsWith("Connection.get")
                                            || method.startsWith("Connection.is")
                                            || method.equals("Connection.clearWarnings")
                                    ? 1
                                    : 0);
        }
    }

    private interface Change {
        void on(Connection connection) throws SQLException;
    }

    private static final Map<String, Change> CHANGES = Map.of(
            "Connection.setReadOnly", connection -> connection.setReadOnly(true),
            "Connection.setTransactionIsolation",
                    connection -> connection.setTransactionIsolation(Connection.TRANSACTION_SERIALIZABLE),
            "Connection.setCatalog", connection -> connection.setCatalog("other"),
            "Connection.setSchema", connection -> connection.setSchema("other"),
            "Connection.setHoldability", connection -> connection.setHoldability(ResultSet.CLOSE_CURSORS_AT_COMMIT),
            "Connection.setNetworkTimeout", connection -> connection.setNetworkTimeout(Runnable::run, 1_000),
            "Connection.setTypeMap", connection -> connection.setTypeMap(Map.of("t", String.class)),
            "Connection.setClientInfo", connection -> connection.setClientInfo("ApplicationName", "other"));

    /** But setClientInfo() may throw no SQLException but its own. */
    static Stream<Arguments> unsupportedChanges() {
        return unsupported()
                .filter(each -> CHANGES.containsKey((String) each.get()[0])
                        && !(each.get()[0].equals("Connection.setClientInfo")
                                && ((Supplier<?>) each.get()[1]).get() instanceof SQLException));
    }

    @ParameterizedTest
    @MethodSource("unsupportedChanges")
    void anUnsupportedChangeIsToldToItsUserAndCostsNoConnection(String method, Supplier<Throwable> failure)
            throws SQLException {
        try (StubDatabase db = new StubDatabase();
                WeirDataSource pool = pool(db)) {
            db.fail(method, failure);
            for (int loan = 0; loan < 2; loan++) {
                try (Connection connection = pool.getConnection()) {
                    assertThatThrownBy(() -> CHANGES.get(method).on(connection))
                            .satisfiesAnyOf(
                                    e -> assertThat(e).hasSameClassAs(failure.get()),
                                    e -> assertThat(e)
                                            .hasCauseInstanceOf(failure.get().getClass()));
                }
            }
            assertThat(db.opened()).isEqualTo(1);
        }
    }
}
