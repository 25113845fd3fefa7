package dev.weir;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.testkit.Fault;
import dev.weir.testkit.StubDatabase;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The driver is told where a loan begins and ends, if the settings say so. */
final class RequestBoundariesTest {
    private static final String BEGIN = "Connection.beginRequest";
    private static final String END = "Connection.endRequest";

    private final StubDatabase db = new StubDatabase();

    @AfterEach
    void end() {
        db.close();
    }

    private WeirDataSource pool(boolean boundaries) {
        return new WeirDataSource(PoolConfig.builder()
                .url(db.url())
                .maximumPoolSize(1)
                .minimumPoolSize(0)
                .autoCommit(false)
                .requestBoundaries(boundaries)
                .registerMbeans(false)
                .build());
    }

    private List<String> told() {
        return db.sessions().get(0).journal().stream()
                .dropWhile(call -> !call.startsWith(BEGIN)) // opening it also rolls back
                .map(call -> call.replaceAll("\\[.*", ""))
                .filter(call -> List.of(BEGIN, END, "Connection.rollback", "Statement.executeUpdate")
                        .contains(call))
                .toList();
    }

    @Test
    void theDriverIsToldOfALoanThatTouchesNothing() throws SQLException {
        try (WeirDataSource pool = pool(true)) {
            pool.getConnection().close();
            pool.getConnection().close();
            assertThat(told()).containsExactly(BEGIN, END, BEGIN, END);
        }
    }

    @Test
    void aRequestEndsAfterTheRollback() throws SQLException {
        try (WeirDataSource pool = pool(true)) {
            try (Connection user = pool.getConnection()) {
                user.createStatement().executeUpdate("INSERT x");
            }
            assertThat(told()).containsExactly(BEGIN, "Statement.executeUpdate", "Connection.rollback", END);
        }
    }

    @Test
    void nothingIsToldUnlessTheSettingsSaySo() throws SQLException {
        try (WeirDataSource pool = pool(false)) {
            try (Connection user = pool.getConnection()) {
                user.createStatement().executeUpdate("INSERT x");
            }
            assertThat(told()).doesNotContain(BEGIN, END);
        }
    }

    @Test
    void aRequestThatTheDriverCannotBeginIsNotLent() throws SQLException {
        try (WeirDataSource pool = pool(true)) {
            pool.getConnection().close();
            try (Fault fault = db.failNext(BEGIN, 1, () -> new SQLException("no", "HY000"))) {
                assertThatThrownBy(pool::getConnection)
                        .isInstanceOf(SQLException.class)
                        .hasMessage("no");
            }
            pool.getConnection().close();
            assertThat(db.sessions().get(0).isOpen()).isFalse();
            assertThat(pool.stats().retired().get(RetireReason.UNCLEAN)).isOne();
        }
    }

    @Test
    void aRequestThatTheDriverCannotEndCostsTheConnection() throws SQLException {
        try (WeirDataSource pool = pool(true)) {
            try (Fault fault = db.failNext(END, 1, () -> new SQLException("no", "HY000"))) {
                pool.getConnection().close();
            }
            assertThat(pool.stats().retired().get(RetireReason.UNCLEAN)).isOne();
        }
    }

    @Test
    void aDriverThatDoesNotTakeTheHintIsLetBe() throws SQLException {
        try (WeirDataSource pool = pool(true);
                Fault begin = db.fail(BEGIN, SQLFeatureNotSupportedException::new);
                Fault end = db.fail(END, SQLFeatureNotSupportedException::new)) {
            pool.getConnection().close();
            pool.getConnection().close();
            assertThat(pool.stats().total()).isOne();
            assertThat(told()).containsExactly(BEGIN, END, BEGIN, END);
        }
    }

    /** HSQLDB's resets the session, auto-commit included. */
    @Test
    void whatADriverSetsBackIsSetAgain() throws SQLException {
        try (WeirDataSource pool = new WeirDataSource(PoolConfig.builder()
                .url("jdbc:hsqldb:mem:requests")
                .username("sa")
                .password("")
                .maximumPoolSize(1)
                .autoCommit(false)
                .connectionTimeout(Duration.ofSeconds(30)) // the first connect loads the database
                .transactionIsolation(Connection.TRANSACTION_SERIALIZABLE)
                .requestBoundaries(true)
                .registerMbeans(false)
                .build())) {
            for (int i = 0; i < 3; i++) {
                try (Connection user = pool.getConnection()) {
                    assertThat(user.getAutoCommit()).isFalse();
                    assertThat(user.getTransactionIsolation()).isEqualTo(Connection.TRANSACTION_SERIALIZABLE);
                }
            }
            assertThat(pool.stats().opened()).isOne();
        }
    }
}
