package dev.weir;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

import dev.weir.testkit.servers.ThreadsLeft;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.SQLTransientConnectionException;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The mode lazy on MariaDB, with the drivers of both. */
final class PoolModeOnMariaDbTest {
    private final ThreadsLeft threads = ThreadsLeft.sinceNow();

    @AfterEach
    void nothingIsLeft() {
        MariaDbShared.assertNothingLeft(threads);
    }

    @ParameterizedTest
    @EnumSource(MariaDbShared.Driver.class)
    void lazyKeepsPropertiesWaitsForAPlaceAndCommits(MariaDbShared.Driver driver) throws SQLException {
        MariaDbShared.execute(
                "CREATE DATABASE IF NOT EXISTS second",
                "GRANT ALL ON second.* TO " + MariaDbShared.USER + "@127.0.0.1",
                "CREATE OR REPLACE TABLE second.kept (a int)");
        PoolConfig.Builder settings = driver.pool()
                .poolMode("lazy")
                .connectionTimeout(Duration.ofSeconds(2))
                .minimumPoolSize(1)
                .maximumPoolSize(1);
        try (WeirDataSource pool = PostgresShared.filled(1, settings);
                Connection other = pool.getConnection()) {
            Connection mine = pool.getConnection();
            mine.setAutoCommit(false);
            mine.setReadOnly(false);
            mine.setTransactionIsolation(Connection.TRANSACTION_SERIALIZABLE);
            assertThat(pool.stats().inUse()).isZero();
            assertThat(mine.getAutoCommit()).isFalse();
            assertThat(mine.getTransactionIsolation()).isEqualTo(Connection.TRANSACTION_SERIALIZABLE);
            mine.commit();
            mine.rollback();
            assertThat(pool.stats().inUse()).isZero();
            mine.setCatalog("second"); // the driver is asked whether it has it
            assertThat(mine.getCatalog()).isEqualTo("second");
            try (PreparedStatement insert = mine.prepareStatement("INSERT INTO kept VALUES (?)")) {
                insert.setInt(1, 1);
                assertThat(insert.executeUpdate()).isEqualTo(1);
            }
            assertThat(PostgresShared.text(mine, "SELECT @@session.tx_isolation"))
                    .isEqualTo("SERIALIZABLE");
            assertThat(pool.stats().inUse()).isEqualTo(1);
            assertThatCode(() -> PostgresShared.number(other, "SELECT 1"))
                    .isInstanceOf(SQLTransientConnectionException.class);
            mine.commit();
            assertThat(pool.stats().inUse()).isEqualTo(1);
            mine.close();
            assertThat(pool.stats().inUse()).isZero();
            assertThat(MariaDbShared.number("SELECT count(*) FROM second.kept")).isEqualTo(1);
            assertThat(other.getCatalog()).isEqualTo("weir");
            assertThat(PostgresShared.text(other, "SELECT database()")).isEqualTo("weir");
            assertThat(PostgresShared.text(other, "SELECT @@session.tx_isolation"))
                    .isEqualTo("REPEATABLE-READ");
            assertThat(other.getAutoCommit()).isTrue();
            assertThat(other.isValid(1)).isTrue();
        }
    }
}
