package dev.weir.lab.workload;

import dev.weir.lab.contender.Entrant;
import dev.weir.lab.runs.Json;
import dev.weir.lab.runs.RunFolder;
import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/** Runs a cell in a JVM of its own. */
final class CellProcess {
    private static final int UNSAFE_WARNS_FROM = 24;
    private static final int TAIL = 600;

    /** Ended by a signal, as a shell counts it: 128 and its number. */
    private static final Set<Integer> ENDED_BY_SIGNAL = Set.of(128 + 2, 128 + 15);

    /** How much later than its cells the program may come to know of a signal that is sent to all of them. */
    private static final Duration SIGNAL_LAG = Duration.ofSeconds(2);

    private final Workload workload;
    private final Stop stop;

    CellProcess(Workload workload, Stop stop) {
        this.workload = workload;
        this.stop = stop;
    }

    Job.Result run(Job job, Entrant entrant, Duration limit) throws IOException, InterruptedException {
        Path in = Files.createTempFile("weir-cell", ".json");
        Path out = Files.createTempFile("weir-cell", ".out.json");
        Path log = RunFolder.log(Path.of(job.folder()), job.cell());
        try {
            Json.write(in, job);
            Process process = new ProcessBuilder(command(entrant, in, out))
                    .redirectErrorStream(true)
                    .redirectOutput(log.toFile())
                    .start();
            boolean ended = await(process, limit);
            if (!ended && !stop.isRequested()) {
                return new Job.Result(List.of(), "not done within " + limit.toSeconds() + " s");
            }
            if (ended && ENDED_BY_SIGNAL.contains(process.exitValue())) {
                // Ctrl-C on a terminal is for this JVM and that one, which may be quicker to end than this one to hear
                // of it.
                stop.await(SIGNAL_LAG);
            }
            return ended && process.exitValue() == 0
                    ? Json.read(out, Job.Result.class)
                    : new Job.Result(List.of(), "the JVM ended with " + process.exitValue() + tail(log));
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

    private boolean await(Process process, Duration limit) throws InterruptedException {
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
