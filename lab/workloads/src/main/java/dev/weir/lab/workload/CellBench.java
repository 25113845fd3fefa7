package dev.weir.lab.workload;

import dev.weir.cli.shared.Stop;
import dev.weir.lab.contender.Entrant;
import dev.weir.lab.runs.Cell;
import dev.weir.lab.runs.Child;
import dev.weir.lab.runs.Json;
import dev.weir.lab.runs.RunFolder;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

/** Runs cells one after the other, each in a JVM of its own, or in this one. */
final class CellBench implements Bench {
    private static final int UNSAFE_WARNS_FROM = 24;

    /** Ended by a signal, as a shell counts it: 128 and its number. */
    private static final Set<Integer> ENDED_BY_SIGNAL = Set.of(128 + 2, 128 + 15);

    /** How much later than its cells the program may come to know of a signal that is sent to all of them. */
    private static final Duration SIGNAL_LAG = Duration.ofSeconds(2);

    private final Workload workload;
    private final Duration limit;
    private final Stop stop;
    private final boolean inProcess;

    /** @param inProcess whether cells stay in this JVM: to try that they work, not to measure */
    CellBench(Workload workload, Settings settings, Stop stop, boolean inProcess) {
        this.workload = workload;
        this.limit = workload.limit(settings);
        this.stop = stop;
        this.inProcess = inProcess;
    }

    @Override
    public Map<Cell, Outcome> run(RunFolder folder, List<Cell> cells) throws IOException, InterruptedException {
        Map<Cell, Outcome> outcomes = new HashMap<>();
        for (Cell cell : cells) {
            Entrant entrant =
                    Lineup.of(folder.info().pools(), folder.info().classPath()).get(cell.pool());
            Job job = Job.of(folder.info(), cell, entrant, folder.path(), !inProcess);
            outcomes.put(cell, inProcess ? runHere(job) : runApart(job, entrant));
        }
        return outcomes;
    }

    private Outcome runHere(Job job) throws InterruptedException {
        CompletableFuture<Outcome> outcome = new CompletableFuture<>();
        Thread thread = new Thread(() -> outcome.complete(job.run()), "cell");
        thread.setDaemon(true);
        thread.start();
        try {
            return stop.await(outcome, limit) ? outcome.join() : late();
        } finally {
            thread.interrupt();
            thread.join(TimeUnit.SECONDS.toMillis(10));
        }
    }

    private Outcome late() {
        return Outcome.failed("not done within " + limit.toSeconds() + " s");
    }

    private Outcome runApart(Job job, Entrant entrant) throws IOException, InterruptedException {
        Path in = Files.createTempFile("weir-cell", ".json");
        Path out = Files.createTempFile("weir-cell", ".out.json");
        Path log = RunFolder.log(Path.of(job.folder()), job.cell());
        try {
            Files.deleteIfExists(log); // of an earlier try
            Json.write(in, job);
            Child.Builder cell = Child.jvm(
                            options(entrant),
                            Child.ownClassPath(),
                            CellMain.class.getName(),
                            in.toString(),
                            out.toString())
                    .log(log);
            try (Child child = cell.start()) {
                return outcome(child, out);
            }
        } finally {
            Files.deleteIfExists(in);
            Files.deleteIfExists(out);
            if (Files.exists(log) && Files.size(log) == 0) {
                Files.delete(log);
            }
        }
    }

    private Outcome outcome(Child child, Path out) throws IOException, InterruptedException {
        if (!stop.await(child.onExit(), limit)) {
            return stop.isRequested() ? Outcome.failed("stopped") : late();
        }
        if (ENDED_BY_SIGNAL.contains(child.exitCode())) {
            // Ctrl-C on a terminal is for this JVM and that one, which may be quicker to end than this one to hear of
            // it.
            stop.await(SIGNAL_LAG);
        }
        return child.exitCode() == 0
                ? Json.read(out, Outcome.class)
                : Outcome.failed("the JVM ended with exit code " + child.exitCode() + child.endOfLog());
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
