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
import org.jspecify.annotations.Nullable;

/** A load that pools are compared under. Each cell of a run is one call of {@link #run}, in a JVM of its own. Without state. */
public abstract class Workload {
    private final String name;
    private final String description;
    private final List<String> pools;
    private final List<String> shown;

    /**
     * Makes one.
     *
     * @param name on the command line and of the folder of its runs
     * @param description in one sentence
     * @param pools that make sense, as {@link dev.weir.lab.contender.Contenders#parse} reads them
     * @param shown the metrics of its tables, in order; pools are compared by the first
     */
    protected Workload(String name, String description, List<String> pools, List<String> shown) {
        this.name = name;
        this.description = description;
        this.pools = List.copyOf(pools);
        this.shown = List.copyOf(shown);
    }

    public final String name() {
        return name;
    }

    public final String description() {
        return description;
    }

    public final List<String> pools() {
        return pools;
    }

    public final List<String> shown() {
        return shown;
    }

    /** Returns what it can be told, each an option on the command line. */
    public abstract List<Setting> settings();

    /** Returns the loads that these settings ask for, by their names in tables. */
    public abstract List<String> cases(Settings settings);

    /** Runs one pool under one case once. Whatever it throws is the failure of this cell alone. */
    public void run(CellRun cell) throws Exception {
        throw new UnsupportedOperationException(name);
    }

    /** Returns about how long a cell takes, its JVM included, on a machine of two cores. */
    public abstract Duration about(String caseName, Settings settings);

    /** Whether a pool can run a case; what cannot is left out of the plan. */
    public boolean canRun(String caseName, Entrant entrant, Settings settings) {
        return !List.of("raw").contains(entrant.contender().name());
    }

    /** Returns how pools can be set up, the usual way first. */
    public List<Profile> profiles() {
        return List.of(Profile.values());
    }

    /** Returns how often each cell is run. */
    public int rounds(boolean quick) {
        return quick ? 1 : 3;
    }

    /** Returns how long a cell may take; one that takes longer has failed. */
    public Duration limit(Settings settings) {
        return Duration.ofMinutes(10);
    }

    /** Returns the options of the JVM of a cell. */
    public List<String> jvmOptions() {
        return List.of("-Xms1g", "-Xmx1g");
    }

    /**
     * Begins what the cells of a workload share that run together, those of one case and round; the bench is closed when all are done.
     *
     * @return null where each cell is one call of {@link #run}
     * @throws IOException if it cannot
     */
    public @Nullable Bench begin(Settings settings, Stop stop) throws IOException {
        return null;
    }

    /** Runs cells together. For one thread at a time. */
    public interface Bench extends AutoCloseable {
        /** Runs cells of one case and round; returns the outcome of each. */
        Map<Cell, Outcome> run(RunFolder folder, List<Cell> cells) throws IOException, InterruptedException;

        @Override
        void close();
    }
}
