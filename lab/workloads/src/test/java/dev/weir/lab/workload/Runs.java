package dev.weir.lab.workload;

import dev.weir.cli.shared.Stop;
import dev.weir.lab.contender.Profile;
import dev.weir.lab.runs.Cell;
import dev.weir.lab.runs.Measurement;
import dev.weir.lab.runs.RunFolder;
import dev.weir.lab.runs.RunInfo;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** Runs of tests: small, and without a word. */
final class Runs {
    private Runs() {}

    static RunRequest request(
            Path root, String workload, List<String> pools, int rounds, Map<String, String> settings) {
        Workload load = Workloads.named(workload);
        return new RunRequest(
                load,
                Settings.of(load.settings(), true, settings),
                pools,
                List.of(),
                Profile.EQUAL,
                rounds,
                7,
                Pattern.compile(""),
                "./weir lab " + workload,
                root);
    }

    static boolean go(RunFolder folder, Stop stop, boolean inProcess) throws IOException, InterruptedException {
        return go(folder, stop, inProcess, new PrintStream(new ByteArrayOutputStream(), true, StandardCharsets.UTF_8));
    }

    static boolean go(RunFolder folder, Stop stop, boolean inProcess, PrintStream progress)
            throws IOException, InterruptedException {
        RunInfo info = folder.info();
        Workload load = Workloads.named(info.workload());
        Settings settings = Settings.of(load.settings(), false, info.settings());
        try (Bench bench = Runner.bench(load, settings, info.pools(), stop, inProcess, said -> {})) {
            return new Runner(stop, progress, false).run(folder, bench);
        }
    }

    /** Runs one round in this JVM, of which no cell may fail. */
    static RunFolder run(Path root, String workload, List<String> pools, Map<String, String> settings)
            throws IOException, InterruptedException {
        RunFolder folder = Runner.plan(request(root, workload, pools, 1, settings));
        boolean whole = go(folder, new Stop(), true);
        if (!whole || !folder.failures().isEmpty()) {
            throw new AssertionError(folder.failures());
        }
        return folder;
    }

    /** What was measured in a run of one pool, by case and metric. */
    static Map<String, Map<String, Double>> byCase(RunFolder folder) throws IOException {
        return folder.measurements().stream()
                .collect(Collectors.groupingBy(
                        one -> one.cell().caseName(), Collectors.toMap(Measurement::metric, Measurement::value)));
    }

    static Map<String, Double> of(RunFolder folder, Cell cell) throws IOException {
        return folder.measurements().stream()
                .filter(one -> one.cell().equals(cell))
                .collect(Collectors.toMap(Measurement::metric, Measurement::value));
    }
}
