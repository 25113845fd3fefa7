package dev.weir.lab.grid;

import dev.weir.cli.shared.Stop;
import dev.weir.lab.load.LoadProcess;
import dev.weir.lab.load.LoadResult;
import dev.weir.lab.load.LoadSpec;
import dev.weir.lab.runs.Cell;
import dev.weir.lab.runs.GridCase;
import dev.weir.lab.runs.Measurement;
import dev.weir.lab.runs.RunFolder;
import dev.weir.lab.service.QuestionsGenerator;
import dev.weir.lab.workload.Bench;
import dev.weir.lab.workload.Outcome;
import dev.weir.lab.workload.Settings;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The database of a grid. A fresh server for each cell, and the load from another JVM. In a closed loop the servers of all pools that
 * differ in nothing else stand side by side and are loaded in turns.
 */
final class GridBench implements Bench {
    private static final long MOST_GRACE_MILLIS = 10_000;

    private final Settings settings;
    private final Stop stop;
    private final Database database;

    private GridBench(Settings settings, Stop stop, Database database) {
        this.settings = settings;
        this.stop = stop;
        this.database = database;
    }

    static GridBench open(Settings settings, int pools, Stop stop, Consumer<String> say) throws IOException {
        return new GridBench(settings, stop, Database.open(settings, pools, say));
    }

    @Override
    public void close() {
        database.close();
    }

    /** In a closed loop all pools of a case; those that take turns have their connections at the same time. */
    @Override
    public List<Cell> together(List<Cell> left) {
        Cell first = left.get(0);
        if (settings.number("turns") == 1 || of(first).rate() > 0) {
            return List.of(first);
        }
        return left.stream()
                .filter(other ->
                        other.round() == first.round() && other.caseName().equals(first.caseName()))
                .toList();
    }

    private static GridCase of(Cell cell) {
        return GridCase.of(cell.caseName()).orElseThrow(() -> new IllegalArgumentException("case: " + cell.caseName()));
    }

    @Override
    public Map<Cell, Outcome> run(RunFolder folder, List<Cell> cells) throws IOException, InterruptedException {
        Server.Starter servers = servers(folder.path().resolve("server.log"));
        Map<Cell, Outcome> outcomes = new HashMap<>();
        Map<Cell, Server> running = new LinkedHashMap<>();
        try {
            for (Cell cell : cells) {
                try {
                    running.put(cell, servers.start(cell.pool(), of(cell)));
                } catch (IOException e) {
                    outcomes.put(cell, failed(e));
                }
            }
            if (!running.isEmpty() && !stop.isRequested()) {
                measure(running, folder.path().resolve("load.log"), outcomes);
            }
        } catch (IOException e) {
            running.keySet().forEach(cell -> outcomes.putIfAbsent(cell, failed(e)));
        } finally {
            running.values().forEach(Server::close);
        }
        cells.forEach(cell -> outcomes.putIfAbsent(cell, Outcome.failed("stopped")));
        return outcomes;
    }

    private Server.Starter servers(Path log) {
        ServerSettings where = ServerSettings.of(settings);
        ServerSettings.Ssh ssh = where.ssh();
        return ssh == null
                ? new LocalServers(database, where.jvmOptions(), log)
                : new SshServers(ssh, database, where.jvmOptions(), log);
    }

    private static Outcome failed(IOException e) {
        return Outcome.failed(String.valueOf(e.getMessage()));
    }

    /** A server that has ended when the load is over has failed. */
    private void measure(Map<Cell, Server> running, Path log, Map<Cell, Outcome> outcomes)
            throws IOException, InterruptedException {
        List<Cell> cells = List.copyOf(running.keySet());
        Map<Cell, Duration> cpuBefore = new ConcurrentHashMap<>();
        List<LoadResult> loads = LoadProcess.run(
                spec(
                        of(cells.get(0)),
                        running.values().stream().map(GridBench::question).toList()),
                log,
                () -> running.forEach((cell, server) -> {
                    Duration cpu = cpu(server);
                    if (cpu != null) {
                        cpuBefore.put(cell, cpu);
                    }
                }),
                stop.requested());
        for (int i = 0; i < cells.size(); i++) {
            Cell cell = cells.get(i);
            Server server = Objects.requireNonNull(running.get(cell));
            try {
                server.requireRunning();
                outcomes.put(cell, outcome(cell, loads.get(i), cpuBefore.get(cell), cpu(server)));
            } catch (IOException e) {
                outcomes.put(cell, failed(e));
            }
        }
    }

    private static URI question(Server server) {
        return server.uri().resolve("?user=" + QuestionsGenerator.KNOWN_USER);
    }

    private LoadSpec spec(GridCase load, List<URI> questions) {
        long millis = seconds("seconds");
        int turns = load.rate() > 0 ? 1 : settings.number("turns");
        return new LoadSpec(
                questions,
                load.clients(),
                load.rate(),
                seconds("warm-up"),
                millis / turns,
                turns,
                Math.min(MOST_GRACE_MILLIS, Math.max(2_000, millis)),
                Math.max(1, Runtime.getRuntime().availableProcessors() / 4));
    }

    private long seconds(String setting) {
        return Duration.ofSeconds(settings.number(setting)).toMillis();
    }

    private static @Nullable Duration cpu(Server server) {
        try {
            return server.cpu();
        } catch (IOException e) {
            // One number less; a server that has ended fails its cell when the load is over.
            return null;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return null;
        }
    }

    private Outcome outcome(Cell cell, LoadResult load, @Nullable Duration cpuBefore, @Nullable Duration cpuAfter) {
        if (load.requests() + load.non200() == 0) {
            return Outcome.failed("the server answered nothing");
        }
        List<Measurement> all = new ArrayList<>();
        all.add(new Measurement(cell, "requests", load.requests(), ""));
        all.add(new Measurement(cell, "mean", load.meanMicros(), "us"));
        all.add(new Measurement(cell, "stdev", load.stdevMicros(), "us"));
        all.add(new Measurement(cell, "p50", load.p50Micros(), "us"));
        all.add(new Measurement(cell, "p90", load.p90Micros(), "us"));
        all.add(new Measurement(cell, "p99", load.p99Micros(), "us"));
        all.add(new Measurement(cell, "p99.9", load.p999Micros(), "us"));
        all.add(new Measurement(cell, "max", load.maxMicros(), "us"));
        all.add(new Measurement(cell, "errors", load.errors(), ""));
        all.add(new Measurement(cell, "offered rate", load.offeredRate(), "1/s"));
        all.add(new Measurement(cell, "served rate", load.servedRate(), "1/s"));
        if (cpuBefore != null && cpuAfter != null) {
            all.add(new Measurement(
                    cell, "server cpu", cpuAfter.minus(cpuBefore).toMillis() / 1e3, "s"));
        }
        try {
            all.add(new Measurement(cell, "connections", database.sessions(cell.pool()), ""));
        } catch (SQLException e) {
            // One number less; what was measured stands.
        }
        all.add(new Measurement(cell, "non 200", load.non200(), ""));
        return Outcome.measured(
                all.stream().filter(one -> !Double.isNaN(one.value())).toList());
    }
}
