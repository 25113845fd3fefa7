package dev.weir.lab.workload;

import dev.weir.lab.contender.Contenders;
import dev.weir.lab.contender.Entrant;
import dev.weir.lab.contender.Profile;
import dev.weir.lab.contender.Terms;
import dev.weir.lab.runs.Cell;
import dev.weir.lab.runs.Limit;
import dev.weir.lab.runs.Machine;
import dev.weir.lab.runs.RunFolder;
import dev.weir.lab.runs.RunInfo;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.regex.Pattern;

/**
 * A run that is asked for. Pools take turns within each case and round, in an order drawn anew for each, so that neither a machine
 * that gets slower nor what ran before favours one of them.
 *
 * @param pools as {@link Contenders#parse} reads them
 * @param classPath jars and folders for pools that are not the laboratory's own
 * @param profile how safe the pools are set up
 * @param rounds how often each cell is run
 * @param seed of the order in which pools take turns
 * @param only which cases, by what their names contain
 * @param command the command line that repeats it
 */
public record Plan(
        Workload workload,
        Settings settings,
        List<String> pools,
        List<String> classPath,
        Profile profile,
        int rounds,
        long seed,
        Pattern only,
        String command) {
    /**
     * Returns the cells, in their order; empty if no case is left, or none that a pool can run.
     *
     * @throws IllegalArgumentException if a pool is unknown, or a setting does not fit the others
     */
    public List<Cell> cells() {
        List<Entrant> entrants =
                List.copyOf(Contenders.parseAll(pools, classPath).values());
        List<Cell> cells = new ArrayList<>();
        Random random = new Random(seed);
        for (int round = 1; round <= rounds; round++) {
            for (String caseName : workload.cases(settings)) {
                List<Entrant> order = new ArrayList<>(entrants);
                Collections.shuffle(order, random);
                if (only.matcher(caseName).find()) {
                    for (Entrant entrant : order) {
                        if (workload.canRun(caseName, entrant, settings)) {
                            cells.add(new Cell(round, caseName, entrant.label()));
                        }
                    }
                }
            }
        }
        return cells;
    }

    /** Returns about how long it takes. */
    public Duration about() {
        return cells().stream()
                .map(cell -> workload.about(cell.caseName(), settings))
                .reduce(Duration.ZERO, Duration::plus);
    }

    /**
     * Makes the folder of the run; runs nothing.
     *
     * @throws IllegalArgumentException as {@link #cells}, or if there is none
     */
    public RunFolder begin(Path results) throws IOException {
        List<Cell> cells = cells();
        if (cells.isEmpty()) {
            throw new IllegalArgumentException(
                    "nothing to run: --only %s, --pools %s (expected: a case of %s, and a pool of %s)"
                            .formatted(only, String.join(",", pools), workload.cases(settings), workload.pools()));
        }
        Map<String, String> versions = new LinkedHashMap<>();
        Map<String, Map<String, String>> terms = new LinkedHashMap<>();
        List<Limit> limits = new ArrayList<>();
        Contenders.parseAll(pools, classPath).forEach((label, entrant) -> {
            versions.put(label, entrant.contender().version());
            Terms own = entrant.terms(profile);
            terms.put(label, Map.of(RunInfo.TESTED, own.tested(), RunInfo.COUNTED, own.counts()));
            entrant.contender().limits(profile).forEach(limit -> limits.add(new Limit(label, limit)));
        });
        RunInfo info = new RunInfo(
                workload.name(),
                command,
                RunFolder.now(),
                null,
                profile.label(),
                seed,
                Machine.facts(),
                versions,
                terms,
                settings.asMap(),
                pools,
                classPath,
                workload.shown(),
                cells);
        return RunFolder.create(results, info, limits);
    }
}
