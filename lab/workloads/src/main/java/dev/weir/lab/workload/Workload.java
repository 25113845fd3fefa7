package dev.weir.lab.workload;

import dev.weir.cli.shared.Stop;
import dev.weir.lab.contender.Entrant;
import dev.weir.lab.contender.Profile;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * A load that pools are compared under. Found by {@link java.util.ServiceLoader}; each cell of a run is one call of
 * {@link #run}, as a rule in a JVM of its own. Without state.
 */
public interface Workload {

    /** Returns the name on the command line and of the folder of its runs. */
    String name();

    /** Returns what it does, in one sentence. */
    String description();

    /** Returns what it can be told, each an option on the command line. */
    List<Setting> settings();

    /** Returns the pools that make sense, as {@link dev.weir.lab.contender.Contenders#parse} reads them. */
    List<String> pools();

    /** Returns the loads that these settings ask for, by their names in tables. */
    List<String> cases(Settings settings);

    /** Returns the metrics that the table on the terminal shows, in order; compared to HikariCP by the first. */
    List<String> shown();

    /** Runs one pool under one case once. Whatever it throws is the failure of this cell alone. */
    default void run(CellRun cell) throws Exception {
        throw new UnsupportedOperationException(name() + " has a bench of its own");
    }

    /**
     * Returns what runs the cells, where that is not {@link #run} in a JVM of its own for each.
     *
     * @param pools those of the run
     * @param say is told of what takes long
     * @throws IllegalArgumentException naming the setting, if it cannot bear what is asked for
     * @throws IOException if it cannot be had
     */
    default Optional<Bench> bench(Settings settings, List<String> pools, Stop stop, Consumer<String> say)
            throws IOException {
        return Optional.empty();
    }

    /** Returns how pools can be set up, the usual way first. */
    default List<Profile> profiles() {
        return List.of(Profile.values());
    }

    /** Whether {@code weir lab all} runs it. */
    default boolean isPartOfAll() {
        return true;
    }

    /** Whether a pool can run a case; what cannot is left out of the plan. */
    default boolean canRun(String caseName, Entrant entrant, Settings settings) {
        return true;
    }

    /**
     * Returns how many cells of one pool, of this case and of others that say so, may run in one JVM at the same time: for what
     * is no matter of speed. A cell that fails there is run again alone, and only that counts. 1: the cell has a JVM of its own.
     */
    default int atOnce(String caseName, Settings settings) {
        return 1;
    }

    /** Returns how often each cell is run. */
    default int rounds(boolean quick) {
        return quick ? 1 : 3;
    }

    /** Returns about how long a cell takes, its JVM included, on a machine of two cores. */
    Duration about(String caseName, Settings settings);

    /** Returns how long a cell may take; one that takes longer has failed. */
    default Duration limit(Settings settings) {
        return Duration.ofMinutes(10);
    }

    /** Returns the options of the JVM of a cell. */
    default List<String> jvmOptions() {
        return List.of("-Xms1g", "-Xmx1g");
    }
}
