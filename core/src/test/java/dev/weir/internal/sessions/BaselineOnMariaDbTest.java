package dev.weir.internal.sessions;

import static dev.weir.PostgresShared.execute;
import static dev.weir.PostgresShared.text;
import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.MariaDbShared;
import dev.weir.MariaDbShared.Driver;
import dev.weir.PostgresShared;
import dev.weir.internal.engine.Loan;
import dev.weir.internal.handles.AbstractConnectionHandle;
import dev.weir.internal.slots.Slot;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * P2 with MariaDB's and MySQL's drivers: a loan never goes back to a value from inside of it, nor to one that a driver
 * keeps.
 */
class BaselineOnMariaDbTest {
    private static final String SERIALIZABLE = "SET SESSION TRANSACTION ISOLATION LEVEL SERIALIZABLE";

    private final Loan loan = new Loan();

    @BeforeEach
    void createTable() throws SQLException {
        MariaDbShared.execute("CREATE OR REPLACE TABLE stranger (n int) ENGINE=InnoDB");
    }

    private static Connection raw(Connection c) throws SQLException {
        return (Connection) c.unwrap(((AbstractConnectionHandle) c).physical.getClass());
    }

    private static Map<String, PostgresShared.Work> works() {
        Map<String, PostgresShared.Work> works = new LinkedHashMap<>();
        works.put("the isolation as text, then set", c -> {
            execute(c, SERIALIZABLE);
            c.setTransactionIsolation(Connection.TRANSACTION_READ_COMMITTED);
        });
        works.put("the isolation as text, then set to what it was", c -> {
            execute(c, SERIALIZABLE);
            c.setTransactionIsolation(Connection.TRANSACTION_REPEATABLE_READ);
        });
        works.put("the isolation set, then as text", c -> {
            c.setTransactionIsolation(Connection.TRANSACTION_READ_COMMITTED);
            execute(c, SERIALIZABLE);
        });
        works.put("the isolation as text in a transaction, unwrapped", c -> {
            execute(c, "START TRANSACTION");
            execute(c, SERIALIZABLE);
            raw(c);
            execute(c, "COMMIT");
        });
        works.put("SET TRANSACTION for the next one, then the isolation set", c -> {
            execute(c, "SET TRANSACTION READ ONLY");
            c.setTransactionIsolation(Connection.TRANSACTION_REPEATABLE_READ);
        });
        works.put("SET TRANSACTION for the next one, unwrapped", c -> execute(raw(c), "SET TRANSACTION READ ONLY"));
        works.put("read only as text, unwrapped", c -> execute(raw(c), "SET SESSION TRANSACTION READ ONLY"));
        works.put("the isolation as text, unwrapped", c -> execute(raw(c), SERIALIZABLE));
        works.put("the database as text, unwrapped", c -> execute(raw(c), "USE mysql"));
        works.put("the database as text, then set to what it was", c -> {
            execute(c, "USE mysql");
            c.setCatalog("weir");
        });
        works.put("the database set, then as text", c -> {
            c.setCatalog("information_schema");
            execute(c, "USE mysql");
        });
        return works;
    }

    @ParameterizedTest
    @EnumSource
    void theNextUserFindsWhatTheFirstOneFound(Driver driver) throws Exception {
        for (Map.Entry<String, PostgresShared.Work> work : works().entrySet()) {
            try (Connection physical = driver.connect()) {
                Slot slot = loan.slot(physical);
                Map<String, @Nullable Object> first = stateOf(physical);
                for (int again = 0; again < 2; again++) {
                    try (Connection c = Loan.lend(slot)) {
                        work.getValue().with(c);
                    }
                    assertThat(slot.state()).as(work.getKey()).isEqualTo(Slot.IDLE);
                    execute(physical, "INSERT INTO weir.stranger VALUES (1)"); // refused where one is read-only
                    assertThat(stateOf(physical)).as(work.getKey()).isEqualTo(first);
                }
            }
        }
    }

    /** MariaDB's driver is told of these; Connector/J is not. */
    @ParameterizedTest
    @EnumSource(names = {"MARIADB", "MARIADB_PREPARING_AT_THE_SERVER"})
    void nothingButTextIsUndoneTooWhereTheDriverHearsOfIt(Driver driver) throws Exception {
        for (String sql : new String[] {SERIALIZABLE, "USE mysql"}) {
            try (Connection physical = driver.connect()) {
                Slot slot = loan.slot(physical);
                Map<String, @Nullable Object> first = stateOf(physical);
                try (Connection c = Loan.lend(slot)) {
                    execute(c, sql);
                }
                assertThat(slot.state()).as(sql).isEqualTo(Slot.IDLE);
                assertThat(stateOf(physical)).as(sql).isEqualTo(first);
            }
        }
    }

    /** Neither driver can go back to none, and Connector/J does not even know that one was selected. */
    @ParameterizedTest
    @EnumSource
    void aDatabaseSelectedAsTextWhereNoneWasCostsTheConnection(Driver driver) throws Exception {
        try (Connection physical = driver.connect("")) {
            Slot slot = loan.slot(physical);
            try (Connection c = Loan.lend(slot)) {
                execute(raw(c), "USE mysql");
            }
            assertThat(slot.state()).isEqualTo(Slot.RETIRED);
        }
    }

    private static Map<String, @Nullable Object> stateOf(Connection c) throws SQLException {
        Map<String, @Nullable Object> all = new LinkedHashMap<>();
        all.put("kept isolation", c.getTransactionIsolation());
        all.put("kept catalog", c.getCatalog());
        all.put("isolation", text(c, "SELECT @@session.tx_isolation"));
        all.put("read only", text(c, "SELECT @@session.tx_read_only"));
        all.put("database", text(c, "SELECT database()"));
        return all;
    }
}
