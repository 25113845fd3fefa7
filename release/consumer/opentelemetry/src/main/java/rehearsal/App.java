package rehearsal;

import dev.weir.PoolConfig;
import dev.weir.WeirDataSource;
import dev.weir.opentelemetry.WeirTelemetry;
import io.opentelemetry.sdk.OpenTelemetrySdk;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.Statement;

public final class App {
    public static void main(String[] args) throws Exception {
        try (WeirDataSource pool = new WeirDataSource(PoolConfig.builder().url("jdbc:h2:mem:shop").build());
                WeirTelemetry telemetry =
                        WeirTelemetry.builder(OpenTelemetrySdk.builder().build()).install(pool)) {
            check(telemetry != null, "the instruments");
            try (Connection connection = pool.getConnection();
                    Statement statement = connection.createStatement();
                    ResultSet rows = statement.executeQuery("select 6 * 7")) {
                rows.next();
                check(rows.getInt(1) == 42, "the answer");
            }
        }
    }

    private static void check(boolean holds, String what) {
        if (!holds) {
            throw new AssertionError(what);
        }
    }
}
