package dev.weir.examples;

import dev.weir.PoolConfig;
import dev.weir.WeirDataSource;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import javax.sql.DataSource;

/** Pools on databases that live as long as they do. */
final class Pools {
    private Pools() {}

    static WeirDataSource h2(String name) {
        return new WeirDataSource(PoolConfig.builder()
                .url("jdbc:h2:mem:" + name)
                .username("sa")
                .password("")
                .poolName(name)
                .build());
    }

    static long number(DataSource dataSource, String sql) throws SQLException {
        try (Connection connection = dataSource.getConnection();
                Statement statement = connection.createStatement();
                ResultSet result = statement.executeQuery(sql)) {
            result.next();
            return result.getLong(1);
        }
    }
}
