package dev.weir.lab.workload;

import dev.weir.cli.shared.Stop;
import dev.weir.lab.contender.Entrant;
import dev.weir.lab.runs.Cell;
import dev.weir.lab.runs.Child;
import dev.weir.lab.runs.Json;
import dev.weir.lab.runs.RunFolder;
import dev.weir.lab.runs.RunInfo;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/**
 * Runs cells one after the other, each in a JVM of its own, or in this one. Those of a pool whose workload allows it run beside one
 * another in one JVM; what fails there, for whatever reason, is run again alone, and that counts.
 */
final class CellBench implements Bench {
    private static final int UNSAFE_WARNS_FROM = 24;

    /** Ended by a signal, as a shell counts it: 128 and its number. */
    private static final Set<Integer> ENDED_BY_SIGNAL = Set.of(128 + 2, 128 + 15);

    /** How much later than its cells the program may come to know of a signal that is sent to all of them. */
    private static final Duration SIGNAL_LAG = Duration.ofSeconds(2);

    /** How many cells one after the other a JVM runs in each of the places that are beside one another: what is done by then is kept. */
    private static final int TURNS = 8;

    private final Workload workload;
    private final Settings settings;
    private final Duration limit;
    private final Stop stop;
    private final boolean inProcess;

    /** @param inProcess whether cells stay in this JVM: to try that they work, not to measure */
    CellBench(Workload workload, Settings settings, Stop stop, boolean inProcess) {
        this.workload = workload;
        this.settings = settings;
        this.limit = workload.limit(settings);
        this.stop = stop;
        this.inProcess = inProcess;
    }

    /** Those of the same pool and round that may run beside the first. */
    @Override
    public List<Cell> together(List<Cell> left) {
        Cell first = left.get(0);
        if (atOnce(first) == 1) {
            return List.of(first);
        }
        return left.stream()
                .filter(cell -> cell.pool().equals(first.pool()) && cell.round() == first.round() && atOnce(cell) > 1)
                .limit(TURNS * (long) atOnce(first))
                .toList();
    }

    private int atOnce(Cell cell) {
        return workload.atOnce(cell.caseName(), settings);
    }

    @Override
    public Map<Cell, Outcome> run(RunFolder folder, List<Cell> cells) throws IOException, InterruptedException {
        Entrant entrant = Lineup.of(folder.info().pools(), folder.info().classPath())
                .get(cells.get(0).pool());
        List<Job> jobs = cells.stream()
                .map(cell -> Job.of(folder.info(), cell, entrant, folder.path(), !inProcess))
                .toList();
        int atOnce = Math.min(jobs.size(), atOnce(cells.get(0)));
        Map<Cell, Outcome> outcomes = new HashMap<>(run(new Jobs(jobs, atOnce), entrant));
        if (jobs.size() > 1) {
            List<Job> failed = jobs.stream()
                    .filter(job ->
                            Objects.requireNonNull(outcomes.get(job.cell())).failure() != null)
                    .toList();
            runAlone(failed, entrant)
                    .forEach((cell, alone) -> outcomes.put(
                            cell, alone.failure() == null ? alone.with(cell, RunInfo.FAILED_BESIDE_OTHERS) : alone));
        }
        return outcomes;
    }

    /**
     * One after the other in a new JVM. Where all of them failed alike, as they do if that JVM dies, each has one of its own. When asked
     * to stop, what is left has not run.
     */
    private Map<Cell, Outcome> runAlone(List<Job> jobs, Entrant entrant) throws IOException, InterruptedException {
        if (jobs.isEmpty() || stop.isRequested()) {
            return Map.of();
        }
        Map<Cell, Outcome> outcomes = new HashMap<>(run(new Jobs(jobs, 1), entrant));
        boolean isOfEach = jobs.size() == 1 || new HashSet<>(outcomes.values()).size() > 1;
        for (Job job : isOfEach ? List.<Job>of() : jobs) {
            if (!stop.isRequested()) {
                outcomes.putAll(run(new Jobs(List.of(job), 1), entrant));
            }
        }
        return outcomes;
    }

    private Map<Cell, Outcome> run(Jobs jobs, Entrant entrant) throws IOException, InterruptedException {
        List<Outcome> outcomes = inProcess ? runHere(jobs) : runApart(jobs, entrant);
        Map<Cell, Outcome> byCell = new HashMap<>();
        for (int i = 0; i < outcomes.size(); i++) {
            byCell.put(jobs.jobs().get(i).cell(), outcomes.get(i));
        }
        return byCell;
    }

    /** Of so many cells, some of them at a time. */
    private Duration limit(Jobs jobs) {
        return limit.multipliedBy((jobs.jobs().size() + jobs.atOnce() - 1) / jobs.atOnce());
    }

    private List<Outcome> runHere(Jobs jobs) throws InterruptedException {
        CompletableFuture<List<Outcome>> outcome = new CompletableFuture<>();
        Thread thread = new Thread(() -> outcome.complete(jobs.run()), "cell");
        thread.setDaemon(true);
        thread.start();
        try {
            return stop.await(outcome, limit(jobs)) ? outcome.join() : late(jobs);
        } finally {
            thread.interrupt();
            thread.join(TimeUnit.SECONDS.toMillis(10));
        }
    }

    private List<Outcome> late(Jobs jobs) {
        return jobs.failed("not done within " + limit(jobs).toSeconds() + " s");
    }

    private List<Outcome> runApart(Jobs jobs, Entrant entrant) throws IOException, InterruptedException {
        Path in = Files.createTempFile("weir-cell", ".json");
        Path out = Files.createTempFile("weir-cell", ".out.json");
        Job first = jobs.jobs().get(0);
        Path log = RunFolder.log(Path.of(first.folder()), first.cell());
        try {
            Files.deleteIfExists(log); // of an earlier try
            Json.write(in, jobs);
            Child.Builder cell = Child.jvm(
                            options(entrant),
                            Child.ownClassPath(),
                            CellMain.class.getName(),
                            in.toString(),
                            out.toString())
                    .log(log);
            try (Child child = cell.start()) {
                return outcomes(child, jobs, out);
            }
        } finally {
            Files.deleteIfExists(in);
            Files.deleteIfExists(out);
            if (Files.exists(log) && Files.size(log) == 0) {
                Files.delete(log);
            }
        }
    }

    private List<Outcome> outcomes(Child child, Jobs jobs, Path out) throws IOException, InterruptedException {
        if (!stop.await(child.onExit(), limit(jobs))) {
            return stop.isRequested() ? jobs.failed("stopped") : late(jobs);
        }
        if (ENDED_BY_SIGNAL.contains(child.exitCode())) {
            // Ctrl-C on a terminal is for this JVM and that one, which may be quicker to end than this one to hear of
            // it.
            stop.await(SIGNAL_LAG);
        }
        return child.exitCode() == 0
                ? Json.read(out, Outcomes.class).all()
                : jobs.failed("the JVM ended with exit code " + child.exitCode() + child.endOfLog());
    }

    private List<String> options(Entrant entrant) {
        List<String> options = new ArrayList<>(workload.jvmOptions());
        options.addAll(entrant.contender().jvmOptions());
        if (Runtime.version().feature() >= UNSAFE_WARNS_FROM) {
            // Some pools and libraries use what these JDKs warn of.
            options.add("--sun-misc-unsafe-memory-access=allow");
        }
        return options;
    }
}
