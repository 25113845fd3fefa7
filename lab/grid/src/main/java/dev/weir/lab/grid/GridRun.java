package dev.weir.lab.grid;

import dev.weir.lab.grid.GridRow.Metric;
import dev.weir.lab.load.LoadProcess;
import dev.weir.lab.load.LoadResult;
import dev.weir.lab.load.LoadSpec;
import dev.weir.lab.runs.Cell;
import dev.weir.lab.runs.Progress;
import dev.weir.lab.runs.RunFolder;
import dev.weir.lab.workload.Stop;
import java.io.IOException;
import java.io.PrintStream;
import java.net.URI;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Runs the cells of a grid that are not done yet: a fresh server for each, the load from another JVM. In a closed loop the servers
 * of all pools that differ in nothing else stand side by side and are loaded in turns.
 */
final class GridRun {
    private static final long MOST_GRACE_MILLIS = 10_000;

    private final RunFolder folder;
    private final GridSettings settings;
    private final Database database;
    private final Server.Starter servers;
    private final Wrk wrk;
    private final Stop stop;
    private final Path log;

    /** @param log where the load generator's log goes */
    GridRun(
            RunFolder folder,
            GridSettings settings,
            Database database,
            Server.Starter servers,
            Wrk wrk,
            Stop stop,
            Path log) {
        this.folder = folder;
        this.settings = settings;
        this.database = database;
        this.servers = servers;
        this.wrk = wrk;
        this.stop = stop;
        this.log = log;
    }

    /** Returns whether the run came to its end; else it was asked to stop. */
    boolean run(PrintStream progress, boolean terminal) throws IOException, InterruptedException {
        Set<Cell> done = new HashSet<>(folder.done());
        GridCsv.write(folder);
        try (Progress bar = new Progress(progress, "grid", folder.info().cells().size(), done.size(), terminal)) {
            for (Cell cell : folder.info().cells()) {
                if (done.contains(cell)) {
                    continue;
                }
                if (stop.isRequested()) {
                    return false;
                }
                List<GridCell> group = sideBySide(cell, done);
                bar.next(group.stream().map(GridCell::pool).collect(Collectors.joining(", ")) + ": " + cell.caseName());
                Map<GridCell, String> said = run(group);
                if (said.isEmpty()) {
                    return false;
                }
                for (GridCell one : group) {
                    bar.step(one.pool() + ", " + cell.caseName() + ": " + said.get(one));
                    done.add(one.toCell());
                }
            }
        }
        folder.finish();
        return true;
    }

    /** This cell, and those that take turns with it. */
    private List<GridCell> sideBySide(Cell cell, Set<Cell> done) {
        GridCell first = GridCell.of(cell);
        if (settings.turns() == 1 || first.rate() > 0) {
            return List.of(first);
        }
        return folder.info().cells().stream()
                .filter(other -> other.caseName().equals(cell.caseName()) && !done.contains(other))
                .map(GridCell::of)
                .toList();
    }

    /** Runs and keeps these cells; returns a line about each, or nothing if they were cut short by the wish to stop. */
    private Map<GridCell, String> run(List<GridCell> group) throws IOException, InterruptedException {
        Map<GridCell, String> said = new HashMap<>();
        Map<GridCell, Server> running = new LinkedHashMap<>();
        List<GridRow> rows = List.of();
        try {
            for (GridCell cell : group) {
                try {
                    running.put(cell, servers.start(cell));
                } catch (IOException e) {
                    if (stop.isRequested()) {
                        return Map.of();
                    }
                    said.put(cell, failed(cell, e));
                }
            }
            rows = running.isEmpty() ? List.of() : measure(running, said);
        } catch (IOException e) {
            if (stop.isRequested()) {
                return Map.of();
            }
            for (GridCell cell : running.keySet()) {
                if (!said.containsKey(cell)) {
                    said.put(cell, failed(cell, e));
                }
            }
        } finally {
            running.values().forEach(Server::close);
        }
        for (GridRow row : rows) {
            said.put(row.cell(), keep(row));
        }
        return said;
    }

    private String keep(GridRow row) throws IOException {
        if (row.get(Metric.REQUESTS) + row.get(Metric.NON_200) == 0) {
            return failed(row.cell(), new IOException("the server answered nothing"));
        }
        folder.append(row.cell().toCell(), row.measurements());
        GridCsv.write(folder);
        return String.format(
                Locale.ROOT,
                "%,.0f/s, mean %,.0f us, p99 %,.0f us, errors %,.0f",
                row.get(Metric.SERVED_RATE),
                row.get(Metric.MEAN),
                row.get(Metric.P99),
                row.get(Metric.ERRORS));
    }

    private String failed(GridCell cell, Exception e) throws IOException {
        String why = String.valueOf(e.getMessage());
        folder.fail(cell.toCell(), why);
        return "failed: " + why;
    }

    /** Returns the rows of the servers that still run when they were measured; the others are said to have failed. */
    private List<GridRow> measure(Map<GridCell, Server> running, Map<GridCell, String> said)
            throws IOException, InterruptedException {
        List<GridCell> cells = List.copyOf(running.keySet());
        Map<GridCell, Duration> cpuBefore = new ConcurrentHashMap<>();
        List<LoadResult> loads = LoadProcess.run(
                spec(cells.get(0), running.values().stream().map(this::question).toList()),
                log,
                () -> running.forEach((cell, server) -> {
                    Duration cpu = cpu(server);
                    if (cpu != null) {
                        cpuBefore.put(cell, cpu);
                    }
                }),
                stop.requested());
        List<GridRow> rows = new ArrayList<>();
        for (int i = 0; i < cells.size(); i++) {
            GridCell cell = cells.get(i);
            Server server = Objects.requireNonNull(running.get(cell));
            try {
                server.requireRunning();
            } catch (IOException e) {
                said.put(cell, failed(cell, e));
                continue;
            }
            Map<Metric, Double> values = values(loads.get(i));
            Duration before = cpuBefore.get(cell);
            Duration after = cpu(server);
            if (before != null && after != null) {
                values.put(Metric.SERVER_CPU, (double) after.minus(before).toMillis() / 1e3);
            }
            Integer sessions = sessions(cell.pool());
            if (sessions != null) {
                values.put(Metric.DB_CONNECTIONS, (double) sessions);
            }
            rows.add(new GridRow(cell, values));
        }
        if (settings.wrk() && cells.get(0).rate() == 0) {
            for (GridRow row : rows) {
                URI uri = question(Objects.requireNonNull(running.get(row.cell())));
                Wrk.Result check = wrk.run(uri, row.cell().clients(), settings.seconds(), stop.requested());
                row.values().put(Metric.WRK_RATE, check.rate());
                row.values().put(Metric.WRK_MEAN, check.meanMicros());
                row.values().put(Metric.WRK_P99, check.p99Micros());
            }
        }
        return rows;
    }

    private URI question(Server server) {
        return server.uri().resolve("?user=" + settings.user());
    }

    private LoadSpec spec(GridCell cell, List<URI> questions) {
        long millis = Duration.ofSeconds(settings.seconds()).toMillis();
        int turns = cell.rate() > 0 ? 1 : settings.turns();
        return new LoadSpec(
                questions,
                cell.clients(),
                cell.rate(),
                Duration.ofSeconds(settings.warmUp()).toMillis(),
                millis / turns,
                turns,
                Math.min(MOST_GRACE_MILLIS, Math.max(2_000, millis)),
                Math.max(1, Runtime.getRuntime().availableProcessors() / 4));
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

    private @Nullable Integer sessions(String pool) {
        try {
            return database.sessions(pool);
        } catch (SQLException e) {
            // One number less; what was measured stands.
            return null;
        }
    }

    private static Map<Metric, Double> values(LoadResult load) {
        Map<Metric, Double> values = new EnumMap<>(Metric.class);
        values.put(Metric.REQUESTS, (double) load.requests());
        values.put(Metric.MEAN, load.meanMicros());
        values.put(Metric.STDEV, load.stdevMicros());
        values.put(Metric.P50, load.p50Micros());
        values.put(Metric.P90, load.p90Micros());
        values.put(Metric.P99, load.p99Micros());
        values.put(Metric.P999, load.p999Micros());
        values.put(Metric.MAX, load.maxMicros());
        values.put(Metric.ERRORS, (double) load.errors());
        values.put(Metric.OFFERED_RATE, load.offeredRate());
        values.put(Metric.SERVED_RATE, load.servedRate());
        values.put(Metric.NON_200, (double) load.non200());
        return values;
    }
}
