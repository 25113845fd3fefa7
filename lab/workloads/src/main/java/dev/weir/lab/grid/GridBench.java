package dev.weir.lab.grid;

import dev.weir.cli.shared.Stop;
import dev.weir.lab.load.LoadProcess;
import dev.weir.lab.load.LoadResult;
import dev.weir.lab.load.LoadSpec;
import dev.weir.lab.runs.Cell;
import dev.weir.lab.runs.Measurement;
import dev.weir.lab.runs.RunFolder;
import dev.weir.lab.service.QuestionsDatabase;
import dev.weir.lab.service.QuestionsLoader;
import dev.weir.lab.service.ServerProcess;
import dev.weir.lab.service.ServerSpec;
import dev.weir.lab.workload.Outcome;
import dev.weir.lab.workload.Settings;
import dev.weir.lab.workload.Workload.Bench;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The database of a grid. Each cell has a fresh server; those of the pools that differ in nothing else stand side by side and are
 * loaded from another JVM in turns.
 */
final class GridBench implements Bench {
    private static final long MOST_GRACE_MILLIS = 10_000;
    private static final Duration UNKNOWN = Duration.ofNanos(-1);

    private final Settings settings;
    private final Stop stop;
    private final QuestionsDatabase database;

    private GridBench(Settings settings, Stop stop, QuestionsDatabase database) {
        this.settings = settings;
        this.stop = stop;
        this.database = database;
    }

    static GridBench open(Settings settings, Stop stop) throws IOException {
        String data = settings.text("data");
        try {
            return new GridBench(
                    settings,
                    stop,
                    data.isEmpty()
                            ? QuestionsDatabase.generated(settings.number("rows"))
                            : QuestionsDatabase.of(Path.of(data)));
        } catch (SQLException e) {
            throw new IOException("the questions cannot be loaded: " + e.getMessage(), e);
        }
    }

    @Override
    public void close() {
        database.close();
    }

    @Override
    public Map<Cell, Outcome> run(RunFolder folder, List<Cell> cells) throws IOException, InterruptedException {
        GridCase load = GridCase.of(cells.get(0).caseName());
        Map<Cell, Outcome> outcomes = new HashMap<>();
        Map<Cell, ServerProcess> running = new LinkedHashMap<>();
        try {
            for (Cell cell : cells) {
                try {
                    running.put(cell, start(cell, load, folder.path().resolve("server.log")));
                } catch (IOException e) {
                    outcomes.put(cell, failed(e));
                }
            }
            if (!running.isEmpty() && !stop.isRequested()) {
                measure(load, running, folder.path().resolve("load.log"), outcomes);
            }
        } catch (IOException e) {
            running.keySet().forEach(cell -> outcomes.putIfAbsent(cell, failed(e)));
        } finally {
            running.values().forEach(ServerProcess::close);
        }
        cells.forEach(cell -> outcomes.putIfAbsent(cell, Outcome.failed("stopped")));
        return outcomes;
    }

    private static Outcome failed(IOException e) {
        return Outcome.failed(String.valueOf(e.getMessage()));
    }

    private ServerProcess start(Cell cell, GridCase load, Path log) throws IOException, InterruptedException {
        return ServerProcess.start(ServerSpec.of(cell.pool(), database.url(), load.size(), load.threads())
                .onEqualTerms()
                .withJvmOptions(Arrays.stream(settings.text("jvm-options").split("\\s+"))
                        .filter(option -> !option.isEmpty())
                        .toList())
                .withLog(log));
    }

    /** A server that has ended when the load is over has failed. */
    private void measure(GridCase load, Map<Cell, ServerProcess> running, Path log, Map<Cell, Outcome> outcomes)
            throws IOException, InterruptedException {
        Map<Cell, Duration> cpuBefore = new ConcurrentHashMap<>();
        List<URI> questions = running.values().stream()
                .map(server -> server.uri().resolve("?user=" + QuestionsLoader.KNOWN_USER))
                .toList();
        List<LoadResult> results = LoadProcess.run(
                spec(load, questions),
                log,
                () -> running.forEach((cell, server) -> cpuBefore.put(cell, cpu(server))),
                stop.requested());
        int next = 0;
        for (Map.Entry<Cell, ServerProcess> one : running.entrySet()) {
            LoadResult result = results.get(next++);
            Cell cell = one.getKey();
            ServerProcess server = one.getValue();
            if (!server.handle().isAlive()) {
                outcomes.put(cell, Outcome.failed("the server ended while it was measured" + server.endOfLog()));
            } else {
                outcomes.put(cell, outcome(cell, result, Objects.requireNonNull(cpuBefore.get(cell)), cpu(server)));
            }
        }
    }

    private LoadSpec spec(GridCase load, List<URI> questions) {
        long millis = settings.number("seconds") * 1_000L;
        int turns = load.rate() > 0 ? 1 : settings.number("turns");
        return new LoadSpec(
                questions,
                load.clients(),
                load.rate(),
                settings.number("warm-up") * 1_000L,
                millis / turns,
                turns,
                Math.min(MOST_GRACE_MILLIS, Math.max(2_000, millis)),
                Math.max(1, Runtime.getRuntime().availableProcessors() / 4));
    }

    private static Duration cpu(ServerProcess server) {
        return server.handle().info().totalCpuDuration().orElse(UNKNOWN);
    }

    static Outcome outcome(Cell cell, LoadResult load, Duration cpuBefore, Duration cpuAfter) {
        if (load.requests() + load.non200() == 0) {
            return Outcome.failed("the server answered nothing");
        }
        List<Measurement> all = new ArrayList<>();
        all.add(new Measurement(cell, "requests", load.requests(), ""));
        if (load.maxMicros() > 0) { // else nothing was served: times of 0 would be the best
            all.add(new Measurement(cell, "mean", load.meanMicros(), "us"));
            all.add(new Measurement(cell, "stdev", load.stdevMicros(), "us"));
            all.add(new Measurement(cell, "p50", load.p50Micros(), "us"));
            all.add(new Measurement(cell, "p90", load.p90Micros(), "us"));
            all.add(new Measurement(cell, "p99", load.p99Micros(), "us"));
            all.add(new Measurement(cell, "p99.9", load.p999Micros(), "us"));
            all.add(new Measurement(cell, "max", load.maxMicros(), "us"));
        }
        all.add(new Measurement(cell, "errors", load.errors(), ""));
        all.add(new Measurement(cell, "non 200", load.non200(), ""));
        all.add(new Measurement(cell, "offered rate", load.offeredRate(), "1/s"));
        all.add(new Measurement(cell, "served rate", load.servedRate(), "1/s"));
        if (!cpuBefore.isNegative() && !cpuAfter.isNegative()) {
            all.add(new Measurement(
                    cell, "server cpu", cpuAfter.minus(cpuBefore).toMillis() / 1e3, "s"));
        }
        return Outcome.measured(
                all.stream().filter(one -> !Double.isNaN(one.value())).toList());
    }
}
