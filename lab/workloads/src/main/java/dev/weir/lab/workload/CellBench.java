package dev.weir.lab.workload;

import dev.weir.cli.shared.Stop;
import dev.weir.lab.contender.Entrant;
import dev.weir.lab.runs.Cell;
import dev.weir.lab.runs.Json;
import dev.weir.lab.runs.RunFolder;
import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
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
    private static final int TAIL = 600;

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
            Json.write(in, job);
            Process process = new ProcessBuilder(command(entrant, in, out))
                    .redirectErrorStream(true)
                    .redirectOutput(log.toFile())
                    .start();
            boolean ended = await(process);
            if (!ended && !stop.isRequested()) {
                return late();
            }
            if (ended && ENDED_BY_SIGNAL.contains(process.exitValue())) {
                // Ctrl-C on a terminal is for this JVM and that one, which may be quicker to end than this one to hear
                // of it.
                stop.await(SIGNAL_LAG);
            }
            return ended && process.exitValue() == 0
                    ? Json.read(out, Outcome.class)
                    : Outcome.failed("the JVM ended with " + process.exitValue() + tail(log));
        } finally {
            Files.deleteIfExists(in);
            Files.deleteIfExists(out);
            if (Files.exists(log) && Files.size(log) == 0) {
                Files.delete(log);
            }
        }
    }

    private List<String> command(Entrant entrant, Path in, Path out) {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(workload.jvmOptions());
        command.addAll(entrant.contender().jvmOptions());
        if (Runtime.version().feature() >= UNSAFE_WARNS_FROM) {
            // Some pools and libraries use what these JDKs warn of.
            command.add("--sun-misc-unsafe-memory-access=allow");
        }
        command.addAll(List.of("-cp", classPath(), CellMain.class.getName(), in.toString(), out.toString()));
        return command;
    }

    /** With full paths, as it is read again by a JVM that may start others. */
    private static String classPath() {
        List<String> entries = new ArrayList<>();
        for (String entry : System.getProperty("java.class.path").split(File.pathSeparator, -1)) {
            if (!entry.isEmpty()) {
                entries.add(Path.of(entry).toAbsolutePath().toString());
            }
        }
        return String.join(File.pathSeparator, entries);
    }

    private boolean await(Process process) throws InterruptedException {
        boolean ended = false;
        try {
            ended = stop.await(process.onExit(), limit);
        } finally {
            if (!ended) {
                process.descendants().forEach(ProcessHandle::destroyForcibly);
                process.destroyForcibly().waitFor();
            }
        }
        return ended;
    }

    private static String tail(Path log) throws IOException {
        String text = new String(Files.readAllBytes(log), StandardCharsets.UTF_8).strip();
        return text.isEmpty() ? "" : ": " + text.substring(Math.max(0, text.length() - TAIL));
    }
}
