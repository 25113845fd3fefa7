package dev.weir.lab.workload;

import dev.weir.cli.shared.Stop;
import dev.weir.lab.contender.Entrant;
import dev.weir.lab.contender.Profile;
import dev.weir.lab.runs.Cell;
import dev.weir.lab.runs.RunFolder;
import dev.weir.lab.workload.Settings.Setting;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;

/** A load that pools are compared under. Each cell of a run is one call of {@link #run}, in a JVM of its own. Without state. */
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

    /** Returns the metrics of its tables, in order; pools are compared by the first. */
    List<String> shown();

    /** Runs one pool under one case once. Whatever it throws is the failure of this cell alone. */
    void run(CellRun cell) throws Exception;

    /** Returns about how long a cell takes, its JVM included, on a machine of two cores. */
    Duration about(String caseName, Settings settings);

    /** Whether a pool can run a case; what cannot is left out of the plan. */
    default boolean canRun(String caseName, Entrant entrant, Settings settings) {
        return !List.of("raw").contains(entrant.contender().name());
    }

    /** Returns how pools can be set up, the usual way first. */
    default List<Profile> profiles() {
        return List.of(Profile.values());
    }

    /** Returns how often each cell is run. */
    default int rounds(boolean quick) {
        return quick ? 1 : 3;
    }

    /** Returns how long a cell may take; one that takes longer has failed. */
    default Duration limit(Settings settings) {
        return Duration.ofMinutes(10);
    }

    /** Returns the options of the JVM of a cell. */
    default List<String> jvmOptions() {
        return List.of("-Xms1g", "-Xmx1g");
    }

    /** A workload whose cells share what takes long to begin, and which runs the cells of one case and round together. */
    interface SideBySide extends Workload {
        /**
         * Begins; the bench is closed when all cells are done.
         *
         * @throws IOException if it cannot
         */
        Bench begin(Settings settings, Stop stop) throws IOException;

        @Override
        default void run(CellRun cell) {
            throw new UnsupportedOperationException(name());
        }
    }

    /** Runs cells together. For one thread at a time. */
    interface Bench extends AutoCloseable {
        /** Runs cells of one case and round; returns the outcome of each. */
        Map<Cell, Outcome> run(RunFolder folder, List<Cell> cells) throws IOException, InterruptedException;

        @Override
        void close();
    }
}
