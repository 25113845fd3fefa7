package dev.weir.lab.workload;

import dev.weir.lab.contender.Entrant;
import dev.weir.lab.runs.Cell;
import dev.weir.lab.runs.Limit;
import dev.weir.lab.runs.Machine;
import dev.weir.lab.runs.Progress;
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
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Runs the cells of a run. Pools take turns within each case, and begin with another one in each round, so that a machine
 * that drifts harms all alike. What a cell measured is kept as soon as it is done; a cell that fails is kept with its message
 * and the others go on.
 */
public final class Runner {

    private final Stop stop;
    private final PrintStream progress;
    private final boolean terminal;
    private final boolean inProcess;

    /**
     * Makes a runner.
     *
     * @param stop ends the run after what is done
     * @param progress where to tell how far the run is
     * @param terminal whether lines can be written over there
     * @param inProcess whether cells stay in this JVM: to try that they work, not to measure
     */
    public Runner(Stop stop, PrintStream progress, boolean terminal, boolean inProcess) {
        this.stop = stop;
        this.progress = progress;
        this.terminal = terminal;
        this.inProcess = inProcess;
    }

    /**
     * Makes the folder of a run, with the plan of its cells; runs none.
     *
     * @throws IllegalArgumentException if a pool is unknown, or no case is left, or none that a pool can run
     */
    public static RunFolder plan(RunRequest request) throws IOException {
        Lineup lineup = Lineup.of(request.pools(), request.classPath());
        List<Cell> cells = cells(request, lineup.all());
        if (cells.isEmpty()) {
            throw new IllegalArgumentException(whyNone(request));
        }
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
                Machine.facts(),
                versions,
                request.settings().asMap(),
                request.pools(),
                request.classPath(),
                cells);
        return RunFolder.create(request.results(), info, limits);
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
        for (int round = 1; round <= request.rounds(); round++) {
            List<Entrant> order = new ArrayList<>(entrants);
            Collections.rotate(order, 1 - round);
            for (String caseName : request.workload().cases(request.settings())) {
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

    /**
     * Runs the cells that are not done yet.
     *
     * @return whether the run came to its end; else it was asked to stop
     * @throws IllegalArgumentException if the run was begun on another JDK or with other versions
     */
    public boolean run(RunFolder folder) throws IOException, InterruptedException {
        RunInfo info = folder.info();
        Workload workload = Workloads.named(info.workload());
        Lineup lineup = Lineup.of(info.pools(), info.classPath());
        checkSame("JDK", info.machine().get("jdk"), Machine.facts().get("jdk"));
        checkSame("versions", info.versions(), versions(lineup));
        Duration limit = workload.limit(Settings.of(workload.settings(), false, info.settings()));
        Set<Cell> done = folder.done();
        try (Progress bar = new Progress(progress, info.workload(), info.cells().size(), done.size(), terminal)) {
            for (Cell cell : info.cells()) {
                if (done.contains(cell)) {
                    continue;
                }
                if (stop.isRequested()) {
                    return false;
                }
                bar.next(cell.toString());
                Job.Result result = run(folder, workload, cell, lineup.get(cell.pool()), limit);
                String failure = result.failure();
                if (failure != null && stop.isRequested()) {
                    return false;
                }
                if (failure != null) {
                    folder.fail(cell, failure);
                } else {
                    folder.append(cell, result.measurements());
                }
                bar.step(cell + (failure == null ? "" : ": failed: " + failure));
            }
        }
        folder.finish();
        return true;
    }

    private static void checkSame(String what, @Nullable Object begun, @Nullable Object now) {
        if (!String.valueOf(begun).equals(String.valueOf(now))) {
            throw new IllegalArgumentException(
                    "--resume: the run was begun with %s %s (expected: the same, instead of %s)"
                            .formatted(what, begun, now));
        }
    }

    private Job.Result run(RunFolder folder, Workload workload, Cell cell, Entrant entrant, Duration limit)
            throws IOException, InterruptedException {
        Job job = Job.of(folder.info(), cell, entrant, folder.path(), !inProcess);
        return inProcess ? runHere(job, limit) : new CellProcess(workload, stop).run(job, entrant, limit);
    }

    private Job.Result runHere(Job job, Duration limit) throws InterruptedException {
        CompletableFuture<Job.Result> result = new CompletableFuture<>();
        Thread thread = new Thread(() -> complete(result, job), "cell");
        thread.setDaemon(true);
        thread.start();
        try {
            return stop.await(result, limit)
                    ? result.join()
                    : new Job.Result(List.of(), "not done within " + limit.toSeconds() + " s");
        } finally {
            thread.interrupt();
            thread.join(TimeUnit.SECONDS.toMillis(10));
        }
    }

    private static void complete(CompletableFuture<Job.Result> result, Job job) {
        try {
            result.complete(job.run());
        } catch (Throwable e) {
            result.complete(new Job.Result(List.of(), Failures.describe(e)));
        }
    }
}
