package dev.weir.lab.workload.cycle;

import dev.weir.lab.bench.BenchRun;
import dev.weir.lab.contender.Contenders;
import dev.weir.lab.contender.Entrant;
import dev.weir.lab.workload.CellRun;
import dev.weir.lab.workload.Settings;
import dev.weir.lab.workload.Settings.Setting;
import dev.weir.lab.workload.Workload;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.openjdk.jmh.runner.RunnerException;

/** JMH's cycles on the stub driver: what a pool costs where nothing waits for a database. */
public final class CycleWorkload extends Workload {
    private static final List<String> BENCHMARKS = List.of("connection", "contended", "statement", "full");
    private static final int RAW_CONNECTIONS = 32;

    /** Those whose threads are {@code statement-threads}. */
    private static final Set<String> STATEMENT_BENCHMARKS = Set.of("statement", "full");

    public CycleWorkload() {
        super(
                "cycle",
                "What one cycle of a connection or a statement costs and allocates, measured by JMH.",
                Contenders.allBut(),
                List.of("time", "bytes per op", "first half mean", "second half mean"));
    }

    @Override
    public List<Setting> settings() {
        return List.of(
                Setting.words(
                        "benchmarks",
                        "which cycles",
                        "connection,contended,statement,full",
                        "connection,contended",
                        BENCHMARKS),
                Setting.numbers("threads", "threads of connection and contended", "1,2,8,32", "1,8", 1, 1_000),
                Setting.numbers("statement-threads", "threads of statement and full", "1,8", "1", 1, 32),
                Setting.number("warmups", "iterations that do not count", 3, 2, 0, 100),
                Setting.number("iterations", "iterations that count", 5, 3, 1, 100),
                Setting.number("iteration", "length of an iteration, in ms", 1_000, 400, 1, 60_000));
    }

    @Override
    public List<String> cases(Settings settings) {
        List<String> cases = new ArrayList<>();
        for (String benchmark : settings.words("benchmarks")) {
            boolean statements = STATEMENT_BENCHMARKS.contains(benchmark);
            for (int threads : settings.numbers(statements ? "statement-threads" : "threads")) {
                if (!benchmark.equals("contended") || threads > 1) {
                    cases.add(benchmark + ", " + threads + (threads == 1 ? " thread" : " threads"));
                }
            }
        }
        return cases;
    }

    /** Without a pool there are no four connections to contend for, and no more than 32 threads with one each. */
    @Override
    public boolean canRun(String caseName, Entrant entrant, Settings settings) {
        return switch (entrant.contender().name()) {
            case "raw" -> !caseName.startsWith("contended") && threads(caseName) <= RAW_CONNECTIONS;
            case "none" -> !caseName.startsWith("contended");
            default -> true;
        };
    }

    private static int threads(String caseName) {
        return Integer.parseInt(caseName.split("[, ]+", -1)[1]);
    }

    @Override
    public Duration about(String caseName, Settings settings) {
        int iterations = settings.number("warmups") + settings.number("iterations");
        return Duration.ofSeconds(2).plus(settings.millis("iteration").multipliedBy(iterations));
    }

    /** JMH starts the JVM that measures. */
    @Override
    public List<String> jvmOptions() {
        return List.of("-Xmx256m");
    }

    @Override
    public void run(CellRun cell) throws RunnerException, IOException {
        String[] words = cell.caseName().split("[, ]+", -1);
        Settings settings = cell.settings();
        Path log = Files.createTempFile("weir-jmh", ".log");
        try {
            BenchRun.Score score = new BenchRun(
                            words[0],
                            cell.entrant().definition(),
                            cell.profile(),
                            threads(cell.caseName()),
                            cell.isForked(),
                            settings.number("warmups"),
                            settings.number("iterations"),
                            settings.number("iteration"),
                            cell.classPath(),
                            jvmOptions(cell.entrant()),
                            log.toString(),
                            cell.file("-jmh.json").toString())
                    .run();
            cell.measure("time", score.nanos(), "ns");
            cell.measure("bytes per op", score.bytes(), "bytes");
            cell.measure("first half mean", score.firstHalf(), "ns");
            cell.measure("second half mean", score.secondHalf(), "ns");
        } catch (RunnerException e) {
            throw new IllegalStateException("JMH failed: " + errorIn(log), e);
        } finally {
            Files.delete(log);
        }
    }

    /** The options of this JVM that matter to the pool, and the memory of a measurement. */
    private static List<String> jvmOptions(Entrant entrant) {
        List<String> options = new ArrayList<>(List.of("-Xms1g", "-Xmx1g"));
        options.addAll(entrant.contender().jvmOptions());
        ManagementFactory.getRuntimeMXBean().getInputArguments().stream()
                .filter(option -> option.startsWith("--sun-misc-unsafe-memory-access"))
                .forEach(options::add);
        return options;
    }

    /** JMH's own exception says only that there was one. */
    private static String errorIn(Path log) throws IOException {
        return Files.readAllLines(log).stream()
                .map(String::strip)
                .filter(line -> line.matches("(Caused by: )?[\\w.$]+(Exception|Error)(: .*)?"))
                .reduce((earlier, later) -> later)
                .orElse("no message");
    }
}
