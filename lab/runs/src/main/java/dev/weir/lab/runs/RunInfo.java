package dev.weir.lab.runs;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What a run is, and how to repeat it: {@code run.json}.
 *
 * @param workload its name
 * @param command the command line that repeats it
 * @param started when, ISO 8601 with offset
 * @param ended when, or null while it is unfinished
 * @param profile {@code equal} or {@code defaults}
 * @param seed of the order in which pools take turns
 * @param machine the facts of {@link Machine}
 * @param versions the version of each pool, by label
 * @param terms what each pool does for a loan beside lending, by label: when it tests, what it counts
 * @param settings the workload's settings, by name
 * @param pools the pools as they were asked for, definitions included
 * @param classPath further jars and folders for pools that are not the laboratory's own
 * @param shown the metrics of its tables; pools are compared by the first
 * @param cells what is planned, in order
 */
public record RunInfo(
        String workload,
        String command,
        String started,
        @Nullable String ended,
        String profile,
        long seed,
        Map<String, Object> machine,
        Map<String, String> versions,
        Map<String, Map<String, String>> terms,
        Map<String, String> settings,
        List<String> pools,
        List<String> classPath,
        List<String> shown,
        List<Cell> cells) {

    /** Terms: when a connection is tested before it is lent. */
    public static final String TESTED = "tested before it is lent";

    /** Terms: what is counted for each loan. */
    public static final String COUNTED = "counted for each loan";

    /** Its rounds are no repetitions: a promise is kept or not. */
    private static final Set<String> ONE_ROUND = Set.of("contract");

    /** How often each cell of a run is run whose numbers are published. */
    public static final int PUBLISHED_ROUNDS = 5;

    /** Whether the rounds of this workload are repetitions of one measurement. */
    public static boolean isRepeated(String workload) {
        return !ONE_ROUND.contains(workload);
    }

    /** Why its numbers are not to be published; empty if nothing speaks against it. */
    public List<String> doubts() {
        List<String> doubts = new ArrayList<>();
        if (isSaid("--in-process")) {
            doubts.add("All in one JVM: it shows that everything works. Its numbers mean nothing.");
        } else if (isSaid("--quick")) {
            doubts.add("A quick run: for a look, not to be published.");
        } else if (isRepeated(workload)
                && cells.stream().mapToInt(Cell::round).max().orElse(0) < PUBLISHED_ROUNDS) {
            doubts.add("Fewer than " + PUBLISHED_ROUNDS + " rounds: for a look, small differences mean nothing.");
        }
        String noise = isRepeated(workload) ? Quiet.fault(machine) : null;
        if (noise != null) {
            doubts.add(noise);
        }
        return doubts;
    }

    private boolean isSaid(String option) {
        return Arrays.asList(command.split(" ", -1)).contains(option);
    }

    /** Returns this, finished at a moment. */
    public RunInfo endedAt(String moment) {
        return new RunInfo(
                workload, command, started, moment, profile, seed, machine, versions, terms, settings, pools, classPath,
                shown, cells);
    }

    /** Returns this, with more to know of the machine. */
    public RunInfo withMachine(Map<String, Object> more) {
        Map<String, Object> all = new LinkedHashMap<>(machine);
        all.putAll(more);
        return new RunInfo(
                workload, command, started, ended, profile, seed, all, versions, terms, settings, pools, classPath,
                shown, cells);
    }
}
