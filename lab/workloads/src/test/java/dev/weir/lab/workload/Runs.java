package dev.weir.lab.workload;

import dev.weir.cli.shared.Stop;
import dev.weir.lab.contender.Profile;
import dev.weir.lab.runs.Cell;
import dev.weir.lab.runs.Measurement;
import dev.weir.lab.runs.RunFolder;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** Runs of tests: small, and without a word. */
public final class Runs {
    private Runs() {}

    public static Plan plan(String workload, List<String> pools, int rounds, Map<String, String> settings) {
        Workload load = Workloads.named(workload);
        return new Plan(
                load,
                Settings.of(load.settings(), true, settings),
                pools,
                List.of(),
                Profile.EQUAL,
                rounds,
                7,
                Pattern.compile(""),
                "./weir lab " + workload);
    }

    public static boolean go(RunFolder folder, Stop stop, boolean inProcess) throws IOException, InterruptedException {
        return new Runner(stop, inProcess, said -> {}).run(folder);
    }

    /** Runs one round in this JVM, of which no cell may fail. */
    public static RunFolder run(Path root, String workload, List<String> pools, Map<String, String> settings)
            throws IOException, InterruptedException {
        RunFolder folder = plan(workload, pools, 1, settings).begin(root);
        if (!go(folder, new Stop(), true) || !folder.failures().isEmpty()) {
            throw new AssertionError(folder.failures());
        }
        return folder;
    }

    /** The numbers of a run of one pool, by case and metric. */
    public static Map<String, Map<String, Double>> byCase(RunFolder folder) throws IOException {
        return folder.measurements().stream()
                .collect(Collectors.groupingBy(
                        one -> one.cell().caseName(), Collectors.toMap(Measurement::metric, Measurement::value)));
    }

    public static Map<String, Double> of(RunFolder folder, Cell cell) throws IOException {
        return folder.measurements().stream()
                .filter(one -> one.cell().equals(cell))
                .collect(Collectors.toMap(Measurement::metric, Measurement::value));
    }
}
