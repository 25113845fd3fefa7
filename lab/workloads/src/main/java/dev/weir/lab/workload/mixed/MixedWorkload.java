package dev.weir.lab.workload.mixed;

import dev.weir.lab.contender.Contenders;
import dev.weir.lab.contender.PoolSpec;
import dev.weir.lab.contender.PoolUnderTest;
import dev.weir.lab.runs.Summary;
import dev.weir.lab.stub.Call;
import dev.weir.lab.stub.StubDataSource;
import dev.weir.lab.workload.CellRun;
import dev.weir.lab.workload.Crowd;
import dev.weir.lab.workload.Settings;
import dev.weir.lab.workload.Settings.Setting;
import dev.weir.lab.workload.Workload;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import javax.sql.DataSource;

/**
 * The classic mix. With its defaults a run is, in all threads together: 1,000 getConnection, 200,000 prepareStatement,
 * 30,000,000 setInt, 10,000,000 addBatch, 100,000 executeBatch, 100,000 executeQuery, 200,000 statement closes, 10,000,000
 * next, 10,000,000 getInt, 100,000 result set closes and 1,000 connection closes.
 */
public final class MixedWorkload extends Workload {
    private static final long NANOS_OF_ROW = 450;

    private static final String INSERT = "INSERT INTO test (a, b, c) VALUES (?, ?, ?)";
    private static final String SELECT = "SELECT a FROM test";
    private static final int PARAMETERS = 3;
    private static final Set<Call> EXACT = Set.of(Call.SET, Call.ADD, Call.BATCH, Call.NEXT, Call.GET);

    /** How much each thread does. */
    private record Mix(int connections, int statements, int rows) {
        /** What must reach the driver in a run of so many threads: nothing lost, nothing done twice. */
        Map<Call, Long> expected(int threads) {
            long each = (long) threads * connections * statements;
            return Map.of(
                    Call.PREPARE, 2 * each,
                    Call.SET, each * rows * PARAMETERS,
                    Call.ADD, each * rows,
                    Call.BATCH, each,
                    Call.QUERY, each,
                    Call.CLOSE_STATEMENT, 2 * each,
                    Call.NEXT, each * rows,
                    Call.GET, each * rows,
                    Call.CLOSE_RESULT, each);
        }
    }

    public MixedWorkload() {
        super(
                "mixed",
                "The classic mix of connections, batches and queries, on a driver whose calls the compiler cannot remove.",
                Contenders.allBut("raw"),
                List.of("median", "mean", "max"));
    }

    @Override
    public List<Setting> settings() {
        return List.of(
                Setting.number("threads", "threads", 500, 500, 1, 10_000),
                Setting.number("connections", "connections of the pool", 200, 200, 1, 10_000),
                Setting.number("cycles", "how often each thread gets a connection", 2, 2, 1, 1_000_000),
                Setting.number("statements", "batches, and queries, on each connection", 100, 10, 1, 1_000_000),
                Setting.number("rows", "rows of each batch and of each result", 100, 100, 1, 1_000_000),
                Setting.number("warmups", "runs that do not count", 1, 1, 0, 100),
                Setting.number("runs", "runs of which the one with the lowest median counts", 4, 2, 1, 100));
    }

    @Override
    public List<String> cases(Settings settings) {
        return List.of(
                "%d threads, %d connections".formatted(settings.number("threads"), settings.number("connections")));
    }

    @Override
    public Duration about(String caseName, Settings settings) {
        long rows = (long) settings.number("threads")
                * settings.number("cycles")
                * settings.number("statements")
                * settings.number("rows");
        int runs = settings.number("warmups") + settings.number("runs");
        return Duration.ofSeconds(2).plusNanos(NANOS_OF_ROW * rows * runs);
    }

    @Override
    public void run(CellRun cell) throws Exception {
        Settings settings = cell.settings();
        Mix mix = new Mix(settings.number("cycles"), settings.number("statements"), settings.number("rows"));
        int threads = settings.number("threads");
        int runs = settings.number("warmups") + settings.number("runs");
        StubDataSource driver = StubDataSource.counting(mix.rows());
        AtomicLong acquired = new AtomicLong();
        AtomicLong closed = new AtomicLong();
        AtomicLong sum = new AtomicLong();
        Map<Call, Long> before;
        PoolSpec spec = PoolSpec.of(driver).connectionTimeout(Duration.ofMinutes(1));
        try (PoolUnderTest pool = cell.openFilled(spec, settings.number("connections"))) {
            before = driver.calls();
            DataSource source = pool.dataSource();
            List<long[]> times = new ArrayList<>();
            for (int run = 0; run < runs; run++) {
                times.add(Crowd.run(threads, thread -> {
                    long read = 0;
                    for (int i = 0; i < mix.connections(); i++) {
                        try (Connection connection = source.getConnection()) {
                            acquired.incrementAndGet();
                            read += work(connection, mix);
                        }
                        closed.incrementAndGet();
                    }
                    sum.addAndGet(read);
                }));
            }
            tellBest(cell, times, settings.number("warmups"));
            tell(cell, runs, driver.calls(), before, mix.expected(threads * runs));
        }
        cell.count("getConnection", acquired.get() / runs);
        cell.count("connection closes", closed.get() / runs);
        if (sum.get() == 0) {
            throw new IllegalStateException("nothing was read");
        }
    }

    /** Tells the median of each run, and of the one with the lowest, warm-ups left out, median, mean and maximum. */
    private static void tellBest(CellRun cell, List<long[]> runs, int warmups) {
        double best = Double.POSITIVE_INFINITY;
        long[] times = {};
        for (int i = 0; i < runs.size(); i++) {
            double median = Summary.of(
                            Arrays.stream(runs.get(i)).asDoubleStream().toArray())
                    .median();
            cell.millis(i < warmups ? "median of warm-up " + (i + 1) : "median of run " + (i + 1 - warmups), median);
            if (i >= warmups && median < best) {
                best = median;
                times = runs.get(i);
            }
        }
        cell.millis("median", best);
        cell.millis("mean", Arrays.stream(times).average().orElse(Double.NaN));
        cell.millis("max", (double) Arrays.stream(times).max().orElse(0));
    }

    private static long work(Connection connection, Mix mix) throws SQLException {
        long sum = 0;
        for (int i = 0; i < mix.statements(); i++) {
            try (PreparedStatement insert = connection.prepareStatement(INSERT)) {
                for (int row = 0; row < mix.rows(); row++) {
                    for (int parameter = 1; parameter <= PARAMETERS; parameter++) {
                        insert.setInt(parameter, row + parameter);
                    }
                    insert.addBatch();
                }
                insert.executeBatch();
            }
            try (PreparedStatement select = connection.prepareStatement(SELECT);
                    ResultSet result = select.executeQuery()) {
                for (int row = 0; row < mix.rows() && result.next(); row++) {
                    sum += result.getInt(1);
                }
            }
        }
        return sum;
    }

    /** Tells what reached the driver in a run; refuses a result whose calls do not add up. */
    private static void tell(
            CellRun cell, int runs, Map<Call, Long> after, Map<Call, Long> before, Map<Call, Long> expected) {
        expected.forEach((call, number) -> {
            long seen = after.getOrDefault(call, 0L) - before.getOrDefault(call, 0L);
            // Some pools test connections with statements of their own: those come on top of these.
            if (seen < number || (seen > number && EXACT.contains(call))) {
                throw new IllegalStateException(
                        "the calls do not add up: %s %d (expected: %d)".formatted(call.label(), seen, number));
            }
            cell.count(call.label(), seen / runs);
        });
    }
}
