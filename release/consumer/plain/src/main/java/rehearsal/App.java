package rehearsal;

import dev.weir.PoolConfig;
import dev.weir.WeirDataSource;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.Statement;
import jdk.jfr.Configuration;

public final class App {
    public static void main(String[] args) throws Exception {
        try (WeirDataSource pool = new WeirDataSource(PoolConfig.builder().url("jdbc:h2:mem:shop").build())) {
            try (Connection connection = pool.getConnection();
                    Statement statement = connection.createStatement();
                    ResultSet rows = statement.executeQuery("select 6 * 7")) {
                rows.next();
                check(rows.getInt(1) == 42, "the answer");
            }
        }
        check(
                Configuration.create(new InputStreamReader(
                                        WeirDataSource.class.getResourceAsStream("/META-INF/weir.jfc"),
                                        StandardCharsets.UTF_8))
                                .getSettings()
                                .get("dev.weir.AcquireWaited#enabled")
                                .equals("true"),
                "the flight recorder's settings");
        String version = WeirDataSource.class.getPackage().getImplementationVersion();
        check(version.equals(args[0]), "the version of the jar");
    }

    private static void check(boolean holds, String what) {
        if (!holds) {
            throw new AssertionError(what);
        }
    }
}
