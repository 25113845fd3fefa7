package rehearsal;

import dev.weir.PoolConfig;
import dev.weir.WeirDataSource;
import dev.weir.micrometer.WeirMetrics;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.Statement;

public final class App {
    public static void main(String[] args) throws Exception {
        SimpleMeterRegistry registry = new SimpleMeterRegistry();
        try (WeirDataSource pool = new WeirDataSource(PoolConfig.builder().url("jdbc:h2:mem:shop").build())) {
            new WeirMetrics(pool).bindTo(registry);
            try (Connection connection = pool.getConnection();
                    Statement statement = connection.createStatement();
                    ResultSet rows = statement.executeQuery("select 6 * 7")) {
                rows.next();
                check(rows.getInt(1) == 42, "the answer");
            }
            check(registry.get("weir.connections").gauge().value() >= 1, "the gauge of connections");
        }
    }

    private static void check(boolean holds, String what) {
        if (!holds) {
            throw new AssertionError(what);
        }
    }
}
