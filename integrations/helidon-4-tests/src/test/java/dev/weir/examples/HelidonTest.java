package dev.weir.examples;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.PoolConfig;
import dev.weir.WeirDataSource;
import io.helidon.dbclient.DbClient;
import io.helidon.dbclient.DbClientException;
import io.helidon.dbclient.jdbc.JdbcClientBuilder;
import io.helidon.dbclient.jdbc.JdbcConnectionPool;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import org.junit.jupiter.api.Test;

class HelidonTest {

    // snippet:helidon-pool
    /** Helidon's way to a pool that it did not make. */
    record Lending(WeirDataSource pool) implements JdbcConnectionPool {
        @Override
        public Connection connection() {
            try {
                return pool.getConnection();
            } catch (SQLException e) {
                throw new DbClientException("no connection", e);
            }
        }
    }
    // snippet:end

    @Test
    void theClientTakesEachConnectionFromThePoolAndGivesItBack() {
        WeirDataSource dataSource = new WeirDataSource(PoolConfig.builder()
                .url("jdbc:h2:mem:helidon")
                .username("sa")
                .password("")
                .build());
        try (dataSource) {
            // snippet:helidon
            DbClient client = JdbcClientBuilder.create()
                    .connectionPool(new Lending(dataSource))
                    .build();
            // snippet:end
            client.execute().dml("create table ship (name varchar(40))");
            client.execute().insert("insert into ship values (?)", "Vasa");
            List<String> ships = client.execute()
                    .query("select name from ship")
                    .map(row -> row.column(1).getString())
                    .toList();
            assertThat(ships).containsExactly("Vasa");
            assertThat(dataSource.stats().acquired()).isEqualTo(3);
            assertThat(dataSource.stats().inUse()).isZero();
            dataSource.close();
            assertThatThrownBy(() -> client.execute().dml("select 1")).hasStackTraceContaining("closed");
        }
    }
}
