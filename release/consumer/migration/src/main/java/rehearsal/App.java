package rehearsal;

import dev.weir.WeirDataSource;
import dev.weir.migration.HikariProperties;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.Statement;
import java.util.Properties;

public final class App {
    public static void main(String[] args) throws Exception {
        Properties hikari = new Properties();
        hikari.setProperty("jdbcUrl", "jdbc:h2:mem:shop");
        hikari.setProperty("maximumPoolSize", "7");
        try (WeirDataSource pool = new WeirDataSource(HikariProperties.of(hikari).toConfig())) {
            try (Connection connection = pool.getConnection();
                    Statement statement = connection.createStatement();
                    ResultSet rows = statement.executeQuery("select 6 * 7")) {
                rows.next();
                check(rows.getInt(1) == 42, "the answer");
            }
            check(pool.config().maximumPoolSize() == 7, "the maximum");
        }
    }

    private static void check(boolean holds, String what) {
        if (!holds) {
            throw new AssertionError(what);
        }
    }
}
