package rehearsal;

import dev.weir.PoolConfig;
import dev.weir.WeirDataSource;
import dev.weir.fleet.Claim;
import dev.weir.fleet.FleetBudget;
import dev.weir.fleet.FleetOptions;
import dev.weir.fleet.Grant;
import dev.weir.fleet.WeirFleet;
import java.sql.Connection;
import java.util.function.IntSupplier;

public final class App {
    /** Gives everybody three. */
    private static final class Three implements FleetBudget {
        @Override
        public Grant renew(Claim claim, IntSupplier standing) {
            return new Grant(3, 3, 0, 3, 0, 0, 12, 9, 1, false);
        }

        @Override
        public void leave(String instance) {}

        @Override
        public void close() {}
    }

    public static void main(String[] args) throws Exception {
        WeirDataSource pool = new WeirDataSource(
                PoolConfig.builder().url("jdbc:h2:mem:shop").username("sa").password("").maximumPoolSize(10).build());
        try (WeirFleet fleet = WeirFleet.join(pool, FleetOptions.of("shop", "orders").withBudget(12), new Three());
                Connection connection = pool.getConnection()) {
            check(connection.isValid(1), "the connection");
            check(pool.getMaximumPoolSize() == 2, "what is granted, less the member's own one");
            check(fleet.stats().budget() == 12, "the budget");
        }
        check(pool.isClosed(), "the pool is closed with its fleet");
    }

    private static void check(boolean holds, String what) {
        if (!holds) {
            throw new AssertionError(what);
        }
    }
}
