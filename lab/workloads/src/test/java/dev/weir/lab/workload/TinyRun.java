package dev.weir.lab.workload;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.lab.contender.Profile;
import dev.weir.lab.results.Measurement;
import dev.weir.lab.results.RunFolder;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** A run in this JVM, to see that a workload works. */
final class TinyRun {
    private TinyRun() {}

    /** Runs a workload to its end, once, with the defaults of a quick run but for what is given. */
    static RunFolder of(String workload, List<String> pools, String only, Map<String, String> given, Path results)
            throws IOException, InterruptedException {
        Workload named = Workloads.named(workload);
        Settings settings = Settings.of(named.settings(), true, given);
        RunFolder folder = Runner.plan(new RunRequest(
                named,
                settings,
                pools,
                List.of(),
                Profile.EQUAL,
                1,
                Pattern.compile(only),
                "./weir lab " + workload,
                results));
        Runner runner = new Runner(new Stop(), new PrintStream(PrintStream.nullOutputStream()), false, true);
        assertThat(runner.run(folder)).isTrue();
        return folder;
    }

    /** What was measured, by case and metric, in a run of one pool. */
    static Map<String, Map<String, Double>> byCase(RunFolder folder) throws IOException {
        return folder.measurements().stream()
                .collect(Collectors.groupingBy(
                        one -> one.cell().caseName(), Collectors.toMap(Measurement::metric, Measurement::value)));
    }
}
