package dev.weir.fleet;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * {@code -Dfleet.steps=1000000 -Dfleet.seeds=50} makes it long; a failure names the seed, and {@code -Dfleet.seed=}
 * repeats it alone.
 */
class SimulationTest {
    private static final long STEPS = Long.getLong("fleet.steps", 50_000);
    private static final int SEEDS = Integer.getInteger("fleet.seeds", 4);

    @ParameterizedTest
    @ValueSource(ints = {2, 6, 30, 200})
    void theBudgetIsKeptWhateverFailsAndNothingIdleIsWithheldInTheEnd(int members) {
        Long only = Long.getLong("fleet.seed");
        long first = only == null ? members * 1_000L : only;
        long last = only == null ? first + (members > 100 ? Math.min(2, SEEDS) : SEEDS) : first + 1;
        long steady = 0;
        for (long seed = first; seed < last; seed++) {
            int applications = 1 + (int) (seed % 3);
            int each = seed % 2 == 0 ? 3 : 12; // short, and enough most of the time
            int budget = Math.max(each * members, 20) + Ledger.door(each * members) - (int) (seed % 5);
            Simulation run = new Simulation(seed, members, budget, applications, seed % 3 > 0);
            try {
                run.run(STEPS);
                run.quieten(Simulation.FORGET + 10 * Simulation.LEASE + 120_000); // a pause may take nine leases
                assertNobodyLacks(run, budget);
            } catch (AssertionError e) {
                throw new AssertionError(members + " members, seed " + seed + ": " + e.getMessage(), e);
            }
            assertThat(run.mostAtServer).as("how full it was").isGreaterThan(budget / (each == 3 ? 2 : 3));
            steady += run.table.steady;
        }
        assertThat(steady).as("steady renewals").isPositive();
    }

    /** Either everybody has what he can use, or every place is in use. */
    private static void assertNobodyLacks(Simulation run, int budget) {
        int lacking = 0; // a member keeps one connection that it does not use
        int used = 0;
        for (Simulation.Member member : run.members) {
            int wants = Math.min(member.demand, 20);
            int open = member.physical() - 1;
            lacking += Math.max(0, wants - open);
            used += Math.min(1 + Math.max(1, wants), member.pledge.allowed(member.nanos()));
        }
        assertThat(lacking == 0 || used == budget - Ledger.door(budget))
                .as("%s lack, %s of %s places used: %s %s", lacking, used, budget, run.members, run.table.rows.values())
                .isTrue();
    }
}
