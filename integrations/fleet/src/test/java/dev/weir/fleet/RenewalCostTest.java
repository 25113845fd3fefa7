package dev.weir.fleet;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.PoolConfig;
import dev.weir.WeirDataSource;
import dev.weir.testkit.servers.PostgresServer;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;

/**
 * What a renewal costs the database, by its own account ({@code active_time} of {@code pg_stat_database}): {@code mvn test
 * -pl integrations/fleet -am -Dtest=RenewalCostTest -Dsurefire.failIfNoSpecifiedTests=false -Dfleet.cost=true}.
 */
@EnabledIfSystemProperty(named = "fleet.cost", matches = "true")
class RenewalCostTest {
    private static final int SESSIONS = 6;
    private static final int RENEWALS = 6_000;

    @Test
    void aRenewalIsCheap() throws Exception {
        try (PostgresServer server = PostgresServer.builder()
                .setting("fsync", "on")
                .setting("synchronous_commit", "on")
                .role("weir", "secret")
                .start()) {
            for (int members : new int[] {6, 6, 50, 200}) {
                for (Kind kind : Kind.values()) {
                    server.execute("DROP TABLE IF EXISTS weir_fleet, weir_fleet_member");
                    measure(server, members, kind);
                }
            }
        }
    }

    private static void measure(PostgresServer server, int members, Kind kind) throws Exception {
        FleetOptions options = FleetOptions.of("cost", "app").withBudget(3_000).withCreateTables(true);
        List<DatabaseBudget> budgets = new ArrayList<>();
        for (int i = 0; i < SESSIONS; i++) {
            budgets.add(new DatabaseBudget(new WeirDataSource(config(server)), options));
        }
        try {
            long sequence = renew(budgets, members, Kind.FULL, 0, 10 * members);
            double before = activeMillis(server);
            long begun = System.nanoTime();
            renew(budgets, members, kind, sequence, RENEWALS);
            double millis = (System.nanoTime() - begun) / 1e6 / RENEWALS;
            for (DatabaseBudget budget : budgets) {
                budget.disconnect(); // a session reports when it ends
            }
            double active = (activeMillis(server) - before) / RENEWALS;
            System.out.printf(
                    "%d members, %s: %.3f ms a renewal for the member, %.3f ms of them active at the server%n",
                    members, kind, millis, active);
            assertThat(active).isPositive();
        } finally {
            budgets.forEach(DatabaseBudget::close);
        }
    }

    private enum Kind {
        /** Nothing has changed: members that have a connection of their own say what they said before. */
        STEADY,
        /** All rows are read. */
        FULL,
        /** It wants more, so the server is asked what it shows too. */
        GROWING
    }

    private static long renew(List<DatabaseBudget> budgets, int members, Kind kind, long sequence, int count)
            throws SQLException {
        for (int i = 0; i < count; i++) {
            int member = i % (kind == Kind.STEADY ? SESSIONS : members);
            long now = sequence + 1 + i;
            String name = String.format("%012x", member);
            int has = kind == Kind.GROWING ? 3 : 10;
            int atOnce = kind == Kind.STEADY ? 6 : 6 + i; // which others have to know
            budgets.get(member % SESSIONS)
                    .renew(
                            new Claim(
                                    "app", name, 1, 0, 10, atOnce, now, 3, 0, has, 0, 2 + i % 2, false, "tag" + member),
                            () -> 2);
        }
        return sequence + count;
    }

    private static PoolConfig config(PostgresServer server) {
        return PoolConfig.builder()
                .url(server.jdbcUrl("postgres"))
                .username("weir")
                .password("secret")
                .dataSourceProperty("ApplicationName", SessionTag.prefix("cost") + "0123456789ab")
                .maximumPoolSize(1)
                .minimumPoolSize(0)
                .autoCommit(false)
                .readOnly(false)
                .transactionIsolation("READ_COMMITTED")
                .build();
    }

    private static double activeMillis(PostgresServer server) throws InterruptedException {
        server.execute("SELECT pg_stat_force_next_flush()");
        return server.number("SELECT (active_time * 1000)::bigint FROM pg_stat_database WHERE datname = 'postgres'")
                / 1000.0;
    }
}
