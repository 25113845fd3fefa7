package dev.weir.internal.sessions;

import static dev.weir.PostgresShared.execute;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.PostgresShared;
import dev.weir.RecordingDriver;
import dev.weir.internal.engine.Loan;
import dev.weir.internal.handles.AbstractConnectionHandle;
import dev.weir.internal.handles.ConnectionHandle;
import dev.weir.internal.handles.LoanInsides;
import dev.weir.internal.slots.Slot;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLClientInfoException;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;
import java.sql.Statement;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The values that a loan goes back to where the driver has no dialect; the cost of a driver that has not got
 * everything.
 */
class SessionBaselineTest {
    private static final AtomicInteger NAMES = new AtomicInteger();

    private final Loan loan = new Loan();
    private final RecordingDriver driver = new RecordingDriver();

    private static Connection connect(String database) throws SQLException {
        return DriverManager.getConnection("jdbc:" + database + ":mem:baseline" + NAMES.incrementAndGet());
    }

    @ParameterizedTest
    @ValueSource(strings = {"h2", "hsqldb"})
    void whatSqlTextChangedBeforeTheSetterIsNotWhatTheLoanGoesBackTo(String database) throws Exception {
        Map<String, PostgresShared.Work> works = new LinkedHashMap<>();
        works.put("schema", c -> {
            execute(c, "SET SCHEMA INFORMATION_SCHEMA");
            c.setSchema("PUBLIC");
        });
        works.put("isolation", c -> {
            execute(c, "SET SESSION CHARACTERISTICS AS TRANSACTION ISOLATION LEVEL SERIALIZABLE");
            c.setTransactionIsolation(Connection.TRANSACTION_REPEATABLE_READ);
        });
        works.put("both, unwrapped", c -> {
            execute(c, "SET SCHEMA INFORMATION_SCHEMA");
            execute(c, "SET SESSION CHARACTERISTICS AS TRANSACTION ISOLATION LEVEL SERIALIZABLE");
            c.unwrap(((AbstractConnectionHandle) c).physical.getClass());
        });
        for (Map.Entry<String, PostgresShared.Work> work : works.entrySet()) {
            try (Connection physical = connect(database)) {
                String schema = physical.getSchema();
                int isolation = physical.getTransactionIsolation();
                Slot slot = loan.slot(physical);
                try (Connection c = Loan.lend(slot)) {
                    work.getValue().with(c);
                }
                assertThat(slot.state()).isEqualTo(Slot.IDLE);
                assertThat(physical.getSchema()).as(work.getKey()).isEqualTo(schema);
                assertThat(physical.getTransactionIsolation()).as(work.getKey()).isEqualTo(isolation);
            }
        }
    }

    /** As a driver does that keeps what it last sent itself. */
    @Test
    void anIsolationThatADriverKeepsIsSetAgainAfterUnwrap() throws SQLException {
        Slot slot = loan.slot(driver.connection());
        try (Connection c = Loan.lend(slot)) {
            c.unwrap(Runnable.class);
            driver.calls.clear();
        }
        assertThat(driver.names()).contains("setTransactionIsolation");
        assertThat(slot.state()).isEqualTo(Slot.IDLE);
    }

    @Test
    void nothingIsAskedWithinALoan() throws SQLException {
        Slot slot = loan.slot(driver.connection());
        driver.calls.clear();
        ConnectionHandle c = Loan.lend(slot);
        c.setSchema("a");
        c.setTransactionIsolation(Connection.TRANSACTION_SERIALIZABLE);
        c.setClientInfo("a", "b");
        c.unwrap(Connection.class);
        assertThat(driver.names()).containsExactly("setSchema", "setTransactionIsolation", "setClientInfo");
    }

    // Methods that a driver has not got.

    /** H2's connection, but that these methods fail so. */
    private static Connection failing(Connection physical, Map<String, Throwable> failures) {
        return (Connection) Proxy.newProxyInstance(
                SessionBaselineTest.class.getClassLoader(), new Class<?>[] {Connection.class}, (p, method, given) -> {
                    Throwable failure = failures.get(method.getName());
                    if (failure != null) {
                        throw failure;
                    }
                    try {
                        return method.invoke(physical, given);
                    } catch (InvocationTargetException e) {
                        throw e.getTargetException();
                    }
                });
    }

    private static List<Throwable> refusals() {
        return List.of(
                new SQLFeatureNotSupportedException("no"),
                new AbstractMethodError("older than JDBC 4.1"),
                new UnsupportedOperationException("no"),
                new SQLException("not now", "HY000"),
                new IllegalStateException("not now"));
    }

    private static Map<String, PostgresShared.Work> setters() {
        Map<String, PostgresShared.Work> setters = new LinkedHashMap<>();
        setters.put("Schema", c -> c.setSchema("PUBLIC"));
        setters.put("Catalog", c -> c.setCatalog(c.getCatalog()));
        setters.put("Holdability", c -> c.setHoldability(ResultSet.CLOSE_CURSORS_AT_COMMIT));
        setters.put("TransactionIsolation", c -> c.setTransactionIsolation(Connection.TRANSACTION_SERIALIZABLE));
        setters.put("NetworkTimeout", c -> c.setNetworkTimeout(Runnable::run, 1_000));
        setters.put("TypeMap", c -> c.setTypeMap(new HashMap<>()));
        setters.put("ClientInfo", c -> c.setClientInfo("numServers", "1"));
        return setters;
    }

    @Test
    void aPropertyThatCouldNotBeAskedForCostsNothingUntilItIsSet() throws Exception {
        for (Map.Entry<String, PostgresShared.Work> setter : setters().entrySet()) {
            for (Throwable refusal : refusals()) {
                Map<String, Throwable> failures = new HashMap<>(Map.of("get" + setter.getKey(), refusal));
                try (Connection physical = connect("h2")) {
                    Slot slot = loan.slot(failing(physical, failures));
                    try (Connection c = Loan.lend(slot)) {
                        execute(c, "SELECT 1");
                    }
                    assertThat(slot.state()).as(setter.getKey()).isEqualTo(Slot.IDLE);
                    failures.clear();
                    ConnectionHandle c = Loan.lend(slot);
                    try {
                        setter.getValue().with(c);
                    } catch (SQLFeatureNotSupportedException | SQLClientInfoException e) {
                        continue; // H2 has no such property
                    } finally {
                        c.close();
                    }
                    assertThat(slot.state()).as(setter.getKey()).isEqualTo(Slot.RETIRED);
                }
            }
        }
    }

    @Test
    void aSetterThatIsNotSupportedDoesNotCostTheConnectionAskedForOrNot() throws Exception {
        for (Map.Entry<String, PostgresShared.Work> setter : setters().entrySet()) {
            for (Throwable refusal : refusals().subList(0, 3)) {
                for (boolean asked : new boolean[] {true, false}) {
                    String what = setter.getKey() + " " + refusal + " " + asked;
                    Map<String, Throwable> failures = new HashMap<>();
                    boolean info = setter.getKey().equals("ClientInfo") && refusal instanceof SQLException;
                    failures.put(
                            "set" + setter.getKey(), info ? new SQLClientInfoException(Map.of(), refusal) : refusal);
                    if (!asked) {
                        failures.put("get" + setter.getKey(), refusal);
                    }
                    try (Connection physical = connect("h2")) {
                        Slot slot = loan.slot(failing(physical, failures));
                        for (int again = 0; again < 2; again++) {
                            try (Connection c = Loan.lend(slot)) {
                                failures.remove("getCatalog");
                                assertThatThrownBy(() -> setter.getValue().with(c))
                                        .as(what)
                                        .isSameAs(failures.get("set" + setter.getKey()));
                            }
                            assertThat(slot.state()).as(what).isEqualTo(Slot.IDLE);
                        }
                    }
                }
            }
        }
    }

    @Test
    void aRefusalDoesNotTakeBackAnEarlierChange() throws SQLException {
        Map<String, Throwable> failures = new HashMap<>();
        try (Connection physical = connect("h2")) {
            int before = physical.getTransactionIsolation();
            Slot slot = loan.slot(failing(physical, failures));
            try (Connection c = Loan.lend(slot)) {
                c.setTransactionIsolation(Connection.TRANSACTION_SERIALIZABLE);
                failures.put("setTransactionIsolation", new SQLFeatureNotSupportedException("not this level"));
                assertThatThrownBy(() -> c.setTransactionIsolation(Connection.TRANSACTION_NONE))
                        .isInstanceOf(SQLFeatureNotSupportedException.class);
                failures.clear();
            }
            assertThat(physical.getTransactionIsolation()).isEqualTo(before);
            assertThat(slot.state()).isEqualTo(Slot.IDLE);
        }
    }

    @Test
    void aTypeMapThatWasHandedOutIsRestoredThoughTheSetterIsRefused() throws SQLException {
        Slot slot = loan.slot(driver.connection());
        ConnectionHandle c = Loan.lend(slot);
        c.getTypeMap();
        driver.without = "setTypeMap";
        assertThatThrownBy(() -> c.setTypeMap(new HashMap<>())).isInstanceOf(SQLFeatureNotSupportedException.class);
        assertThat(LoanInsides.changed(c) & Session.TYPE_MAP).isNotZero();
    }

    @Test
    void aShardingKeyThatTheDriverHasNotDoesNotCostTheConnection() throws SQLException {
        try (Connection physical = connect("h2")) {
            Slot slot = loan.slot(physical);
            try (Connection c = Loan.lend(slot)) {
                assertThatThrownBy(() -> c.setShardingKey(null)).isInstanceOf(SQLFeatureNotSupportedException.class);
            }
            assertThat(slot.state()).isEqualTo(Slot.IDLE);
        }
    }

    @Test
    void ofSeveralClientInfosOneMayHaveBeenSetBeforeTheOtherWasRefused() throws SQLException {
        Map<String, Throwable> failures = new HashMap<>();
        failures.put("getClientInfo", new SQLException("not now"));
        SQLFeatureNotSupportedException no = new SQLFeatureNotSupportedException("no");
        failures.put("setClientInfo", new SQLClientInfoException(Map.of(), no));
        Properties two = new Properties();
        two.setProperty("a", "1");
        two.setProperty("b", "2");
        try (Connection physical = connect("h2")) {
            Slot slot = loan.slot(failing(physical, failures));
            try (Connection c = Loan.lend(slot)) {
                assertThatThrownBy(() -> c.setClientInfo(two)).isInstanceOf(SQLClientInfoException.class);
            }
            assertThat(slot.state()).isEqualTo(Slot.RETIRED);
        }
    }

    // A cursor held over commit.

    @Test
    void rowsThatMayBeReadAfterTheCommitCountAsWork() throws SQLException {
        driver.autoCommit = false;
        Slot slot = loan.slot(driver.connection());
        for (boolean closed : new boolean[] {false, true}) {
            ConnectionHandle c = Loan.lend(slot);
            Statement statement = c.createStatement();
            ResultSet rows = statement.executeQuery("held over commit");
            if (closed) {
                rows.close();
            }
            c.commit();
            if (!closed) {
                rows.next();
            }
            driver.calls.clear();
            c.close();
            assertThat(driver.names().contains("rollback")).isEqualTo(!closed);
        }
    }
}
