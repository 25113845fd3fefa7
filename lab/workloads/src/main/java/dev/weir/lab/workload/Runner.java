package dev.weir.lab.workload;

import dev.weir.cli.shared.Stop;
import dev.weir.lab.contender.Contenders;
import dev.weir.lab.report.Report;
import dev.weir.lab.runs.Cell;
import dev.weir.lab.runs.Child;
import dev.weir.lab.runs.Json;
import dev.weir.lab.runs.Quiet;
import dev.weir.lab.runs.RunFolder;
import dev.weir.lab.runs.RunInfo;
import dev.weir.lab.workload.Workload.Bench;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Runs the cells of a run, each in a JVM of its own. A cell is kept as soon as it is done; one that fails is kept with its message,
 * and the others go on. At the end the page of the run is written.
 */
public final class Runner {
    private static final int UNSAFE_WARNS_FROM = 24;

    /** Exit codes of a JVM that SIGINT or SIGTERM ended. */
    private static final List<Integer> ENDED_BY_SIGNAL = List.of(128 + 2, 128 + 15);

    /** How much later than its cells this program may come to know of a signal that is sent to all of them. */
    private static final Duration SIGNAL_LAG = Duration.ofSeconds(2);

    private final Stop stop;
    private final boolean isInProcess;
    private final Consumer<String> say;

    /**
     * Makes a runner.
     *
     * @param stop ends a run after what is done
     * @param isInProcess whether cells stay in this JVM: to try that they work, not to measure
     * @param say is told how far it is
     */
    public Runner(Stop stop, boolean isInProcess, Consumer<String> say) {
        this.stop = stop;
        this.isInProcess = isInProcess;
        this.say = say;
    }

    /**
     * Runs the cells.
     *
     * @return whether the run came to its end; else it was asked to stop
     */
    public boolean run(RunFolder folder) throws IOException, InterruptedException {
        RunInfo info = folder.info();
        Workload workload = Workloads.named(info.workload());
        Settings settings = Settings.of(workload.settings(), false, info.settings());
        List<Cell> left = new ArrayList<>(info.cells());
        try (Bench bench = workload.begin(settings, stop)) {
            if (!run(
                    folder,
                    left,
                    cells -> bench == null
                            ? Map.of(
                                    cells.get(0),
                                    isInProcess
                                            ? here(folder, cells.get(0), workload, settings)
                                            : apart(folder, cells.get(0), workload, settings))
                            : bench.run(folder, cells),
                    bench != null)) {
                return false;
            }
        }
        folder.finish();
        say.accept("Page: " + Report.write(folder));
        return true;
    }

    @FunctionalInterface
    private interface Turn {
        Map<Cell, Outcome> run(List<Cell> cells) throws IOException, InterruptedException;
    }

    private boolean run(RunFolder folder, List<Cell> left, Turn turn, boolean sideBySide)
            throws IOException, InterruptedException {
        Quiet machine = new Quiet();
        long begun = System.nanoTime();
        int all = left.size();
        while (!left.isEmpty()) {
            if (stop.isRequested()) {
                return false;
            }
            Cell first = left.get(0);
            List<Cell> cells = left.stream()
                    .filter(cell -> sideBySide
                            ? cell.round() == first.round() && cell.caseName().equals(first.caseName())
                            : cell.equals(first))
                    .toList();
            Map<Cell, Outcome> outcomes = turn.run(cells);
            if (stop.isRequested() && outcomes.values().stream().anyMatch(one -> one.failure() != null)) {
                return false;
            }
            machine.look();
            folder.observe(machine.facts());
            for (Cell cell : cells) {
                String failure = keep(folder, cell, Objects.requireNonNull(outcomes.get(cell), cell.toString()));
                left.remove(cell);
                int done = all - left.size();
                long seconds = TimeUnit.NANOSECONDS.toSeconds((System.nanoTime() - begun) / done * left.size());
                say.accept("%d of %d%s: %s%s"
                        .formatted(
                                done,
                                all,
                                left.isEmpty() ? "" : ", about %d min %d s left".formatted(seconds / 60, seconds % 60),
                                cell,
                                failure == null ? "" : ": failed: " + failure));
            }
        }
        return true;
    }

    private static @Nullable String keep(RunFolder folder, Cell cell, Outcome outcome) throws IOException {
        String failure = outcome.failure();
        if (failure == null) {
            folder.append(cell, outcome.measurements());
        } else {
            folder.fail(cell, failure);
        }
        return failure;
    }

    private Outcome here(RunFolder folder, Cell cell, Workload workload, Settings settings)
            throws InterruptedException {
        CompletableFuture<Outcome> outcome = new CompletableFuture<>();
        Thread thread = new Thread(() -> outcome.complete(CellRun.run(folder, cell, false)), "cell");
        thread.setDaemon(true);
        thread.start();
        try {
            return stop.await(outcome, workload.limit(settings)) ? outcome.join() : late(workload, settings);
        } finally {
            thread.interrupt();
            thread.join(TimeUnit.SECONDS.toMillis(10));
        }
    }

    private static Outcome late(Workload workload, Settings settings) {
        return Outcome.failed("not done within " + workload.limit(settings).toSeconds() + " s");
    }

    private Outcome apart(RunFolder folder, Cell cell, Workload workload, Settings settings)
            throws IOException, InterruptedException {
        Path result = Files.createTempFile("weir-cell", ".json");
        Path log = RunFolder.raw(folder.path(), cell, ".log");
        List<String> options = new ArrayList<>(workload.jvmOptions());
        options.addAll(Objects.requireNonNull(
                        Contenders.parseAll(folder.info().pools(), folder.info().classPath())
                                .get(cell.pool()))
                .contender()
                .jvmOptions());
        if (Runtime.version().feature() >= UNSAFE_WARNS_FROM) {
            // Some pools and libraries use what these JDKs warn of.
            options.add("--sun-misc-unsafe-memory-access=allow");
        }
        String home = System.getProperty("weir.home");
        if (home != null) { // a PostgreSQL is unpacked once, where the build has it too
            options.add("-Dweir.testkit.postgres=" + Path.of(home, "target", "postgres"));
        }
        Child.Builder jvm = Child.jvm(
                        options,
                        Child.ownClassPath(),
                        CellRun.class.getName(),
                        folder.path().toString(),
                        Integer.toString(folder.info().cells().indexOf(cell)),
                        result.toString())
                .log(log);
        try (Child child = jvm.start()) {
            if (!stop.await(child.onExit(), workload.limit(settings))) {
                return stop.isRequested() ? Outcome.failed("stopped") : late(workload, settings);
            }
            if (ENDED_BY_SIGNAL.contains(child.exitCode())) {
                stop.await(SIGNAL_LAG);
            }
            return child.exitCode() == 0
                    ? Json.read(result, Outcome.class)
                    : Outcome.failed("the JVM ended with exit code " + child.exitCode() + child.endOfLog());
        } finally {
            Files.deleteIfExists(result);
            if (Files.exists(log) && Files.size(log) == 0) {
                Files.delete(log);
            }
        }
    }
}
