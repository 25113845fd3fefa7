package dev.weir.lab.stub;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.time.Duration;
import java.util.Arrays;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

class StubDataSourceTest {
    @Test
    void everyCallIsCountedOnce() throws Exception {
        StubDataSource driver = StubDataSource.counting(3);
        try (Connection connection = driver.getConnection();
                PreparedStatement statement = connection.prepareStatement("SELECT 1")) {
            statement.setInt(1, 1);
            statement.setInt(1, 2);
            statement.addBatch();
            statement.executeBatch();
            try (ResultSet rows = statement.executeQuery()) {
                int read = 0;
                while (rows.next()) {
                    rows.getInt(1);
                    read++;
                }
                assertThat(read).isEqualTo(3);
            }
            statement.close();
        }
        assertCalls(driver, 1, 2, 1, 1, 1, 1, 4, 3, 1);
    }

    @Test
    void whatIsNoCallOfAWorkloadIsNotCountedAsOne() throws Exception {
        StubDataSource driver = StubDataSource.counting(1);
        try (Connection connection = driver.getConnection()) {
            connection.setAutoCommit(false);
            connection.setTransactionIsolation(Connection.TRANSACTION_SERIALIZABLE);
            connection.rollback();
            assertThat(connection.isValid(1)).isTrue();
            assertThat(connection.getAutoCommit())
                    .as("it keeps what it is told")
                    .isFalse();
            assertThat(connection.getTransactionIsolation()).isEqualTo(Connection.TRANSACTION_SERIALIZABLE);
        }
        assertCalls(driver, 0, 0, 0, 0, 0, 0, 0, 0, 0);
        assertThat(driver.calls()).containsEntry(Call.TEST, 1L);
    }

    @Test
    void closingAStatementTwiceAndItsRowsWithItIsOneCloseOfEach() throws Exception {
        StubDataSource driver = StubDataSource.counting(1);
        try (Connection connection = driver.getConnection()) {
            PreparedStatement statement = connection.prepareStatement("SELECT 1");
            ResultSet rows = statement.executeQuery();
            statement.close();
            statement.close();
            rows.close();
        }
        assertCalls(driver, 1, 0, 0, 0, 1, 1, 0, 0, 1);
    }

    @Test
    void connectionsAreCountedUntilTheyAreClosed() throws Exception {
        StubDataSource driver = new StubDataSource();
        Connection first = driver.getConnection();
        Connection second = driver.getConnection();
        first.close();
        first.close();
        assertThat(driver.opened()).isEqualTo(2);
        assertThat(driver.open()).isEqualTo(1);
        assertThat(first.isValid(1)).isFalse();
        assertThat(second.isValid(1)).isTrue();
        second.close();
        assertThat(driver.open()).isZero();
        assertThatIllegalStateException().isThrownBy(driver::calls);
    }

    @Test
    void connectAndQueryTakeTheirTime() throws Exception {
        StubDataSource driver = new StubDataSource(Duration.ofMillis(20), Duration.ofMillis(10));
        long start = System.nanoTime();
        try (Connection connection = driver.getConnection();
                PreparedStatement statement = connection.prepareStatement("SELECT 1")) {
            assertThat(System.nanoTime() - start).isGreaterThanOrEqualTo(20_000_000);
            long asked = System.nanoTime();
            statement.executeQuery().close();
            assertThat(System.nanoTime() - asked).isGreaterThanOrEqualTo(10_000_000);
        }
    }

    @Test
    void withoutAPoolAThreadKeepsItsConnection() throws Exception {
        StubDataSource driver = new StubDataSource().withoutPool(4);
        try (Connection connection = driver.getConnection()) {
            assertThat(driver.getConnection()).isSameAs(connection);
        }
        assertThat(driver.getConnection().isValid(1)).as("close() does nothing").isTrue();
    }

    /** All but tests and other calls, in the order in which they are declared. */
    private static void assertCalls(StubDataSource driver, int... expected) {
        Map<Call, Long> calls = driver.calls();
        calls.keySet().removeAll(Set.of(Call.OTHER, Call.TEST));
        assertThat(calls.values().stream().mapToInt(Long::intValue))
                .containsExactly(Arrays.stream(expected).boxed().toArray(Integer[]::new));
    }
}
