package dev.weir.lab.waits;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * What to run. Pools take turns within each round, so that a slow minute of the machine falls on all alike.
 *
 * @param cases the loads
 * @param pools the contenders, by label
 * @param rounds how often each pool has its turn in each case
 * @param warmupMillis load before the measurement, on the same pool and threads
 * @param measureMillis length of the measurement
 */
record WaitsPlan(List<Case> cases, List<String> pools, int rounds, long warmupMillis, long measureMillis) {

    /** How a connection is held for 100 microseconds. */
    enum Hold {
        /** The thread parks, as it would for a database's answer. */
        PARKED,
        /** The thread computes, and can lose its core while it holds the connection. */
        BUSY
    }

    /** One load. */
    record Case(int connections, int threads, boolean virtual, Hold hold) {
        String label() {
            return "%d conn., %,d %s, %s"
                    .formatted(
                            connections,
                            threads,
                            virtual ? "virtual" : "threads",
                            hold.name().toLowerCase(Locale.ROOT));
        }
    }

    static List<Case> allCases() {
        List<Case> cases = new ArrayList<>();
        for (Hold hold : Hold.values()) {
            for (int connections : new int[] {4, 10}) {
                for (int threads : new int[] {50, 200}) {
                    cases.add(new Case(connections, threads, false, hold));
                }
                for (int threads : new int[] {1_000, 10_000}) {
                    cases.add(new Case(connections, threads, true, hold));
                }
            }
        }
        return cases;
    }

    static WaitsPlan full(List<Case> cases, List<String> pools) {
        return new WaitsPlan(cases, pools, 2, 1_000, 3_000);
    }

    static WaitsPlan quick(List<Case> cases, List<String> pools) {
        return new WaitsPlan(cases, pools, 1, 500, 1_000);
    }
}
