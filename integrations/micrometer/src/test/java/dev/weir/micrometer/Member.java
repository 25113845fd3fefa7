package dev.weir.micrometer;

import dev.weir.PoolConfig;
import dev.weir.WeirDataSource;
import dev.weir.fleet.FleetOptions;
import dev.weir.fleet.WeirFleet;
import dev.weir.testkit.servers.PostgresServer;
import java.sql.SQLException;

/** Members of a fleet on a real PostgreSQL, one for all tests of the JVM. */
final class Member {
    private Member() {}

    private static final class Server {
        static final PostgresServer SERVER =
                PostgresServer.builder().role("shop", "secret").start();
    }

    static PostgresServer server() {
        return Server.SERVER;
    }

    /** One of application {@code orders} in fleet {@code shop}, which has 12. */
    static WeirFleet join(String poolName) throws SQLException {
        WeirDataSource pool = new WeirDataSource(PoolConfig.builder()
                .url(server().jdbcUrl("postgres"))
                .username("shop")
                .password("secret")
                .poolName(poolName)
                .maximumPoolSize(6)
                .minimumPoolSize(0)
                .build());
        return WeirFleet.join(
                pool, FleetOptions.of("shop", "orders").withBudget(12).withCreateTables(true));
    }
}
