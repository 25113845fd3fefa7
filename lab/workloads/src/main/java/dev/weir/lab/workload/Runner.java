package dev.weir.lab.workload;

import dev.weir.cli.shared.Stop;
import dev.weir.lab.contender.Entrant;
import dev.weir.lab.contender.Profile;
import dev.weir.lab.contender.Terms;
import dev.weir.lab.runs.Cell;
import dev.weir.lab.runs.Limit;
import dev.weir.lab.runs.Machine;
import dev.weir.lab.runs.Progress;
import dev.weir.lab.runs.Quiet;
import dev.weir.lab.runs.RunFolder;
import dev.weir.lab.runs.RunInfo;
import java.io.IOException;
import java.io.PrintStream;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Runs the cells of a run. Pools take turns within each case, in an order drawn anew for each case and round, so that
 * neither a machine that gets slower nor what ran before favours one of them. What a cell measured is kept as soon as it is done;
 * a cell that fails is kept with its message and the others go on.
 */
public final class Runner {

    private final Stop stop;
    private final PrintStream progress;
    private final boolean terminal;

    /**
     * Makes a runner.
     *
     * @param stop ends the run after what is done
     * @param progress where to tell how far the run is
     * @param terminal whether lines can be written over there
     */
    public Runner(Stop stop, PrintStream progress, boolean terminal) {
        this.stop = stop;
        this.progress = progress;
        this.terminal = terminal;
    }

    /**
     * Returns what the cells of a workload are run on.
     *
     * @param pools those of the run
     * @param inProcess whether they stay in this JVM: to try that they work, not to measure
     * @param say what takes long to begin is told
     * @throws IllegalArgumentException naming the setting, if the bench cannot bear what is asked for
     * @throws IOException if it cannot be had
     */
    public static Bench bench(
            Workload workload,
            Settings settings,
            List<String> pools,
            Stop stop,
            boolean inProcess,
            Consumer<String> say)
            throws IOException {
        return workload.bench(settings, pools, stop, say)
                .orElseGet(() -> new CellBench(workload, settings, stop, inProcess));
    }

    /**
     * Makes the folder of a run, with the plan of its cells; runs none.
     *
     * @throws IllegalArgumentException if a pool is unknown, or no case is left, or none that a pool can run
     */
    public static RunFolder plan(RunRequest request) throws IOException {
        Lineup lineup = Lineup.of(request.pools(), request.classPath());
        List<Cell> cells = cells(request, lineup.all());
        requireSome(request, cells);
        Map<String, String> versions = versions(lineup);
        List<Limit> limits = new ArrayList<>();
        for (Entrant entrant : lineup.all()) {
            entrant.limits(request.profile()).forEach(limit -> limits.add(new Limit(entrant.label(), limit)));
        }
        RunInfo info = new RunInfo(
                request.workload().name(),
                request.command(),
                RunFolder.now(),
                null,
                request.profile().label(),
                request.seed(),
                Machine.facts(),
                versions,
                terms(lineup, request.profile()),
                request.settings().asMap(),
                request.pools(),
                request.classPath(),
                cells);
        return RunFolder.create(request.results(), info, limits);
    }

    /**
     * Checks that a run has cells, as {@link #plan} does.
     *
     * @throws IllegalArgumentException if a pool is unknown, or no case is left, or none that a pool can run
     */
    public static void check(RunRequest request) {
        requireSome(request, cells(request));
    }

    private static void requireSome(RunRequest request, List<Cell> cells) {
        if (cells.isEmpty()) {
            throw new IllegalArgumentException(whyNone(request));
        }
    }

    private static String whyNone(RunRequest request) {
        List<String> cases = request.workload().cases(request.settings());
        return cases.stream().anyMatch(name -> request.only().matcher(name).find())
                ? "pools: %s (expected: one at least that can run %s; as %s)"
                        .formatted(
                                String.join(", ", request.pools()),
                                request.workload().name(),
                                String.join(", ", request.workload().pools()))
                : "--only: %s (expected: what the name of a case contains, as %s)".formatted(request.only(), cases);
    }

    private static Map<String, Map<String, String>> terms(Lineup lineup, Profile profile) {
        Map<String, Map<String, String>> all = new LinkedHashMap<>();
        for (Entrant entrant : lineup.all()) {
            Terms terms = entrant.terms(profile);
            all.put(entrant.label(), Map.of(RunInfo.TESTED, terms.tested(), RunInfo.COUNTED, terms.counts()));
        }
        return all;
    }

    private static Map<String, String> versions(Lineup lineup) {
        Map<String, String> versions = new LinkedHashMap<>();
        lineup.all()
                .forEach(entrant ->
                        versions.put(entrant.label(), entrant.contender().version()));
        return versions;
    }

    /**
     * Returns the cells of a run, in their order; empty if no case is left, or none that a pool can run.
     *
     * @throws IllegalArgumentException if a pool is unknown
     */
    public static List<Cell> cells(RunRequest request) {
        return cells(request, Lineup.of(request.pools(), request.classPath()).all());
    }

    private static List<Cell> cells(RunRequest request, List<Entrant> entrants) {
        List<Cell> cells = new ArrayList<>();
        Random random = new Random(request.seed());
        for (int round = 1; round <= request.rounds(); round++) {
            for (String caseName : request.workload().cases(request.settings())) {
                List<Entrant> order = new ArrayList<>(entrants);
                Collections.shuffle(order, random);
                if (request.only().matcher(caseName).find()) {
                    for (Entrant entrant : order) {
                        if (request.workload().canRun(caseName, entrant, request.settings())) {
                            cells.add(new Cell(round, caseName, entrant.label()));
                        }
                    }
                }
            }
        }
        return cells;
    }

    /** Returns about how long these cells of a run take. */
    public static Duration about(RunRequest request, List<Cell> cells) {
        return cells.stream()
                .map(cell -> request.workload().about(cell.caseName(), request.settings()))
                .reduce(Duration.ZERO, Duration::plus);
    }

    /**
     * Runs the cells that are not done yet.
     *
     * @param bench what {@link #bench} returned for the settings of this run
     * @return whether the run came to its end; else it was asked to stop
     * @throws IllegalArgumentException if the run was begun on another JDK or with other versions
     */
    public boolean run(RunFolder folder, Bench bench) throws IOException, InterruptedException {
        RunInfo info = folder.info();
        checkSame("JDK", info.machine().get("jdk"), Machine.facts().get("jdk"));
        Machine.difference(info.machine(), Machine.facts()).ifPresent(difference -> {
            throw new IllegalArgumentException(
                    "--resume: the run was begun on another machine: " + difference + " (expected: the same)");
        });
        checkSame("versions", info.versions(), versions(Lineup.of(info.pools(), info.classPath())));
        Set<Cell> done = folder.done();
        List<Cell> left = new ArrayList<>(info.cells());
        left.removeAll(done);
        Quiet machine = new Quiet();
        try (Progress bar = new Progress(progress, info.workload(), info.cells().size(), done.size(), terminal)) {
            while (!left.isEmpty()) {
                if (stop.isRequested()) {
                    return false;
                }
                List<Cell> together = List.copyOf(bench.together(left));
                bar.next(together.get(0).toString());
                Map<Cell, Outcome> outcomes = bench.run(folder, together);
                if (stop.isRequested() && outcomes.values().stream().anyMatch(one -> one.failure() != null)) {
                    return false;
                }
                observe(folder, machine);
                for (Cell cell : together) {
                    bar.step(cell + keep(folder, cell, Objects.requireNonNull(outcomes.get(cell), cell.toString())));
                }
                left.removeAll(together);
            }
        }
        folder.finish();
        return true;
    }

    private static void observe(RunFolder folder, Quiet machine) throws IOException {
        machine.look();
        folder.observe(Quiet.worse(folder.info().machine(), machine.facts()));
    }

    /** Returns what there is to tell of it. */
    private static String keep(RunFolder folder, Cell cell, Outcome outcome) throws IOException {
        String failure = outcome.failure();
        if (failure == null) {
            folder.append(cell, outcome.measurements());
            return "";
        }
        folder.fail(cell, failure);
        return ": failed: " + failure;
    }

    private static void checkSame(String what, @Nullable Object begun, @Nullable Object now) {
        if (!String.valueOf(begun).equals(String.valueOf(now))) {
            throw new IllegalArgumentException(
                    "--resume: the run was begun with %s %s (expected: the same, instead of %s)"
                            .formatted(what, begun, now));
        }
    }
}
