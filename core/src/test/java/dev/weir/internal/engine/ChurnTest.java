package dev.weir.internal.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.RetireReason;
import dev.weir.internal.handles.ConnectionHandle;
import dev.weir.testkit.StubDatabase;
import dev.weir.testkit.StubPhysical;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * P7 and P8: a driver that fails to tell a property costs no connection for each loan. Anything that does costs a
 * warning.
 */
class ChurnTest {
    private static final int LOANS = 100;

    private static void loans(SteppedPool stepped, int loans, Use use) throws SQLException {
        for (int i = 0; i < loans; i++) {
            try (ConnectionHandle connection = stepped.acquireHelped()) {
                use.of(connection);
            }
            stepped.run(Duration.ofMillis(10));
        }
    }

    private interface Use {
        void of(Connection connection) throws SQLException;
    }

    private static List<String> churns(SteppedPool stepped) {
        return stepped.log.warnings().stream()
                .filter(message -> message.contains("connections were retired within"))
                .toList();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "isReadOnly",
                "getTransactionIsolation",
                "getCatalog",
                "getSchema",
                "getHoldability",
                "getNetworkTimeout",
                "getTypeMap",
                "getClientInfo"
            })
    void aGetterThatFailsCostsNoConnectionThatWasUnwrapped(String getter) throws SQLException {
        try (SteppedPool stepped = SteppedPool.of(b -> b)) {
            stepped.db.fail("Connection." + getter, () -> new SQLException("not today"));
            loans(stepped, LOANS, connection -> connection.unwrap(StubPhysical.class));
            assertThat(stepped.pool.stats().opened()).isEqualTo(1);
            stepped.pool.evictAll();
            loans(stepped, 1, connection -> connection.unwrap(StubPhysical.class));
            assertThat(stepped.pool.stats().opened()).isEqualTo(2);
            assertThat(stepped.log.text()).containsOnlyOnce("fails to tell");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"getClientInfo", "getSchema"})
    void aGetterThatFailsCostsNoConnectionWhereResetSqlSweepsAway(String getter) throws SQLException {
        try (SteppedPool stepped =
                SteppedPool.of(b -> b.connectionInitSql("SET x").resetSql("DISCARD ALL"))) {
            stepped.db.fail("Connection." + getter, () -> new SQLException("not today"));
            loans(stepped, LOANS, connection -> connection.createStatement().execute("x"));
            assertThat(stepped.pool.stats().opened()).isEqualTo(1);
        }
    }

    @Test
    void moreThanTwoConnectionsForEachPlaceInAMinuteAreAWarningOnceAMinute() throws SQLException {
        try (SteppedPool stepped = SteppedPool.of(b -> b.maximumPoolSize(6))) {
            stepped.db.fail("Connection.getTypeMap", () -> new SQLException("not today"));
            loans(stepped, 12, connection -> connection.setTypeMap(Map.of()));
            assertThat(churns(stepped)).isEmpty();
            loans(stepped, LOANS, connection -> connection.setTypeMap(Map.of()));
            assertThat(churns(stepped))
                    .singleElement()
                    .asString()
                    .contains("13 connections were retired", "(UNCLEAN)", "the driver did not say what from: typeMap");
            stepped.run(Duration.ofMinutes(1));
            loans(stepped, LOANS, connection -> connection.setTypeMap(Map.of()));
            assertThat(churns(stepped)).hasSize(2);
        }
    }

    @Test
    void theLossOfAllConnectionsIsNoChurn() throws SQLException {
        try (SteppedPool stepped = SteppedPool.of(b -> b.minimumPoolSize(20).maximumPoolSize(20))) {
            stepped.run(Duration.ofSeconds(5));
            stepped.db.killAll();
            stepped.pool.clock.suspect(stepped.pool.clock.now());
            stepped.run(Duration.ofSeconds(5));
            assertThat(stepped.retired(RetireReason.INVALID)).isGreaterThanOrEqualTo(20);
            assertThat(churns(stepped)).isEmpty();
            for (int i = 0; i < 5; i++) {
                stepped.pool.evictAll();
                stepped.run(Duration.ofSeconds(5));
            }
            assertThat(stepped.retired(RetireReason.EVICTED)).isGreaterThan(40);
            assertThat(churns(stepped)).isEmpty();
            assertThat(stepped.db.calls(StubDatabase.CONNECT)).isGreaterThan(60);
        }
    }
}
