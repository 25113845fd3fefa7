package rehearsal;

import dev.weir.PoolConfig;
import dev.weir.WeirDataSource;
import dev.weir.testkit.StubDatabase;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.Statement;

public final class App {
    public static void main(String[] args) throws Exception {
        try (StubDatabase database = new StubDatabase();
                WeirDataSource pool =
                        new WeirDataSource(PoolConfig.builder().url(database.url()).build())) {
            try (Connection connection = pool.getConnection();
                    Statement statement = connection.createStatement();
                    ResultSet rows = statement.executeQuery("SELECT")) {
                check(rows.next(), "a row");
            }
        }
    }

    private static void check(boolean holds, String what) {
        if (!holds) {
            throw new AssertionError(what);
        }
    }
}
