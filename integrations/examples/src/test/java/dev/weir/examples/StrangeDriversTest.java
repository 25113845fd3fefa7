package dev.weir.examples;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.PoolConfig;
import dev.weir.WeirDataSource;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Drivers of which the pool has no special knowledge, and which lack this or that of JDBC. */
class StrangeDriversTest {

    @ParameterizedTest
    @CsvSource({
        "jdbc:sqlite:FOLDER/weir.db",
        "jdbc:derby:memory:weir;create=true",
        "jdbc:h2:mem:strange;DB_CLOSE_DELAY=-1",
        "jdbc:hsqldb:mem:strange"
    })
    void theNextUserFindsTheConnectionClean(String url, @TempDir Path folder) throws SQLException {
        PoolConfig config = PoolConfig.builder()
                .url(url.replace("FOLDER", folder.toString()))
                .username("sa")
                .password("")
                .maximumPoolSize(1)
                .connectionTimeout(Duration.ofMinutes(1))
                .registerMbeans(false)
                .build();
        try (WeirDataSource pool = new WeirDataSource(config)) {
            try (Connection connection = pool.getConnection();
                    Statement statement = connection.createStatement()) {
                statement.execute("CREATE TABLE trace (loan int)");
                connection.setAutoCommit(false);
                statement.execute("INSERT INTO trace VALUES (1)");
                connection.commit();
                statement.execute("INSERT INTO trace VALUES (2)");
                connection.rollback();
                statement.execute("INSERT INTO trace VALUES (4)");
            } // not committed
            try (Connection connection = pool.getConnection()) {
                assertThat(connection.getAutoCommit()).isTrue();
                assertThat(connection.isReadOnly()).isFalse();
                assertThat((Object) connection.getWarnings()).isNull();
            }
            assertThat(Pools.number(pool, "SELECT sum(loan) FROM trace")).isEqualTo(1);
            assertThat(pool.stats().opened()).isEqualTo(1);
            assertThat(pool.stats().retired().values()).containsOnly(0L);
        }
    }
}
