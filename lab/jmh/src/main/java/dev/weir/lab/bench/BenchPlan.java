package dev.weir.lab.bench;

import java.util.ArrayList;
import java.util.List;

/**
 * What to run. Each round measures every case with every pool once, each in a fresh JVM, so that a slow minute of the
 * machine falls on all pools alike.
 *
 * @param cases which benchmark with how many threads
 * @param pools the contenders, by label
 * @param rounds how often; the median of the rounds counts
 * @param forks 1, or 0 to stay inside this JVM (only to try that it works)
 * @param warmups warm-up iterations
 * @param iterations measured iterations
 * @param iterationMillis length of each iteration
 */
record BenchPlan(
        List<Case> cases, List<String> pools, int rounds, int forks, int warmups, int iterations, int iterationMillis) {

    /** A benchmark with a number of threads. */
    record Case(Class<? extends PoolState> benchmark, int threads) {
        String label() {
            return benchmark.getSimpleName() + ", " + threads + (threads == 1 ? " thread" : " threads");
        }

        /** Without a pool there are no four connections to contend for. */
        boolean canRun(String pool) {
            return benchmark != ContendedCycle.class || !pool.equals("raw");
        }
    }

    static List<Case> allCases() {
        List<Case> cases = new ArrayList<>();
        for (int threads : new int[] {1, 2, 8, 32}) {
            cases.add(new Case(ConnectionCycle.class, threads));
        }
        for (int threads : new int[] {2, 8, 32}) {
            cases.add(new Case(ContendedCycle.class, threads));
        }
        for (int threads : new int[] {1, 8}) {
            cases.add(new Case(StatementCycle.class, threads));
            cases.add(new Case(FullCycle.class, threads));
        }
        return cases;
    }

    static BenchPlan full(List<Case> cases, List<String> pools) {
        return new BenchPlan(cases, pools, 3, 1, 3, 5, 1_000);
    }

    static BenchPlan quick(List<Case> cases, List<String> pools) {
        return new BenchPlan(cases, pools, 1, 1, 2, 3, 400);
    }

    BenchPlan withRounds(int number) {
        return new BenchPlan(cases, pools, number, forks, warmups, iterations, iterationMillis);
    }
}
