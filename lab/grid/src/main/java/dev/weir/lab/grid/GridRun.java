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
import java.util.EnumMap;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/** Runs the cells of a grid that are not done yet: a fresh server for each, the load from another JVM. */
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
        Set<Cell> done = folder.done();
        GridCsv.write(folder);
        try (Progress bar = new Progress(progress, "grid", folder.info().cells().size(), done.size(), terminal)) {
            for (Cell cell : folder.info().cells()) {
                if (done.contains(cell)) {
                    continue;
                }
                if (stop.isRequested()) {
                    return false;
                }
                bar.next(cell.pool() + ", " + cell.caseName());
                String said = run(GridCell.of(cell));
                if (said == null) {
                    return false;
                }
                bar.step(cell.pool() + ", " + cell.caseName() + ": " + said);
            }
        }
        folder.finish();
        return true;
    }

    /** Runs and keeps one cell; returns a line about it, or null if it was cut short by the wish to stop. */
    private @Nullable String run(GridCell cell) throws IOException, InterruptedException {
        try {
            GridRow row = measure(cell);
            folder.append(cell.toCell(), row.measurements());
            GridCsv.write(folder);
            return String.format(
                    Locale.ROOT,
                    "%,.0f/s, mean %,.0f us, p99 %,.0f us, errors %,.0f",
                    row.get(Metric.SERVED_RATE),
                    row.get(Metric.MEAN),
                    row.get(Metric.P99),
                    row.get(Metric.ERRORS));
        } catch (IOException | SQLException e) {
            if (stop.isRequested()) {
                return null;
            }
            String why = String.valueOf(e.getMessage());
            folder.fail(cell.toCell(), why);
            return "failed: " + why;
        }
    }

    private GridRow measure(GridCell cell) throws IOException, SQLException, InterruptedException {
        try (Server server = servers.start(cell)) {
            URI uri = server.uri().resolve("?user=" + settings.user());
            AtomicReference<@Nullable Duration> cpuBefore = new AtomicReference<>();
            LoadResult load = LoadProcess.run(spec(cell, uri), log, () -> cpuBefore.set(cpu(server)), stop.requested());
            Duration before = cpuBefore.get();
            Duration after = cpu(server);
            Map<Metric, Double> values = values(load);
            if (before != null && after != null) {
                values.put(Metric.SERVER_CPU, (double) after.minus(before).toMillis() / 1e3);
            }
            values.put(Metric.DB_CONNECTIONS, (double) database.sessions());
            if (settings.wrk() && cell.rate() == 0) {
                Wrk.Result check = wrk.run(uri, cell.clients(), settings.seconds(), stop.requested());
                values.put(Metric.WRK_RATE, check.rate());
                values.put(Metric.WRK_MEAN, check.meanMicros());
                values.put(Metric.WRK_P99, check.p99Micros());
            }
            return new GridRow(cell, values);
        }
    }

    private LoadSpec spec(GridCell cell, URI uri) {
        long millis = Duration.ofSeconds(settings.seconds()).toMillis();
        return new LoadSpec(
                uri,
                cell.clients(),
                cell.rate(),
                Duration.ofSeconds(settings.warmUp()).toMillis(),
                millis,
                Math.min(MOST_GRACE_MILLIS, Math.max(2_000, millis)),
                Math.max(1, Runtime.getRuntime().availableProcessors() / 4));
    }

    private static @Nullable Duration cpu(Server server) {
        try {
            return server.cpu();
        } catch (IOException e) {
            // One number less; a server that has ended fails the cell by what the load finds.
            return null;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
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
