package dev.weir.cli.tune;

import dev.weir.PoolConfig;
import dev.weir.WeirDataSource;
import dev.weir.cli.shared.Target;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.TreeSet;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Measures a database: first with as many threads as connections, more and more of them; then around the likely answer; at
 * last with more threads than connections, through the pool. It stops early where executions fail or the throughput has
 * fallen far below its best, for a user's database is not to be brought down to learn where it breaks.
 */
final class Tuner {
    /** The rest is for connects. */
    private static final int PERCENT_MEASURING = 90;

    private static final int STEPS_AROUND_ANSWER = 3;
    private static final int STEPS_OF_QUEUES = 3;
    private static final int MOST_THREADS = 256;
    private static final double FALLEN = 0.5;
    private static final Duration WAIT_IN_POOL = Duration.ofMinutes(1);

    /** How one point is measured: by a {@link Load}. */
    interface Measure {
        Point run(Load.Lender lender, int connections, int threads, Duration time) throws InterruptedException;
    }

    private final Target target;
    private final Query query;
    private final Measure measure;
    private final int max;
    private final Consumer<Point> listener;
    private final List<Integer> plan;
    private final Duration step;
    private final long deadline;
    private final List<Point> points = new ArrayList<>();

    /** Why not everything planned was measured. */
    private @Nullable String stopped;

    /** Whether nothing more is measured: executions fail, connections are refused, or the time is up. */
    private boolean isOver;

    /**
     * @param max most connections at a time
     * @param time for everything
     * @param listener is told each point when it is measured
     */
    Tuner(Target target, Query query, int max, Duration time, Consumer<Point> listener) {
        this(target, query, max, time, listener, loads(target, query));
    }

    Tuner(Target target, Query query, int max, Duration time, Consumer<Point> listener, Measure measure) {
        this.target = target;
        this.query = query;
        this.measure = measure;
        this.max = max;
        this.listener = listener;
        this.plan = doubling(max);
        this.step = stepOf(max, time);
        this.deadline = System.nanoTime() + time.toNanos();
    }

    static Measure loads(Target target, Query query) {
        AtomicInteger rows = new AtomicInteger();
        return (lender, connections, threads, time) ->
                new Load(query, target, lender, rows).run(connections, threads, time);
    }

    /** How long each number of connections is measured if everything together takes this time. */
    static Duration stepOf(int max, Duration time) {
        long steps = 1L + doubling(max).size() + STEPS_AROUND_ANSWER + STEPS_OF_QUEUES;
        return time.multipliedBy(PERCENT_MEASURING).dividedBy(100 * steps);
    }

    private static List<Integer> doubling(int max) {
        TreeSet<Integer> sizes = new TreeSet<>();
        for (int n = 1; n < max; n *= 2) {
            sizes.add(n);
        }
        sizes.add(max);
        return List.copyOf(sizes);
    }

    /**
     * Measures.
     *
     * @throws TuneFailure if nothing could be measured
     */
    Findings run() throws TuneFailure, InterruptedException {
        List<Connection> connections = new ArrayList<>();
        try {
            measureSizes(connections);
        } finally {
            connections.forEach(this::close);
        }
        List<Point> queues = measureQueues();
        return new Findings(sorted(), queues, Advice.from(points, queues), stopped);
    }

    private void measureSizes(List<Connection> connections) throws TuneFailure, InterruptedException {
        if (!grow(connections, 1)) {
            throw new TuneFailure(String.valueOf(stopped));
        }
        // Warms up the driver, and the pages that the statement reads.
        measure.run(lender(connections), 1, 1, step);
        for (int size : plan) {
            if (!measure(connections, size)) {
                if (!isOver && size < max) {
                    stopped = String.format(
                            Locale.ROOT,
                            "the throughput at %d connections is less than half of the best, so larger sizes were left out",
                            size);
                }
                break;
            }
        }
        if (points.isEmpty()) {
            throw new TuneFailure(stopped == null ? "--time: too short to measure anything" : stopped);
        }
        int largest = points.stream().mapToInt(Point::connections).max().orElseThrow();
        int likely = advice().size();
        for (int size : new TreeSet<>(List.of(likely, likely * 3 / 4, (likely * 4 + 2) / 3))) {
            if (!isOver
                    && size >= 1
                    && size <= largest
                    && points.stream().noneMatch(point -> point.connections() == size)) {
                measure(connections, size);
            }
        }
    }

    /** Measures one size; returns whether larger ones are worth it. */
    private boolean measure(List<Connection> connections, int size) throws InterruptedException {
        if (isTimeUp() || !grow(connections, size) || isTimeUp()) {
            return false;
        }
        Point point = measure.run(lender(connections), size, size, step);
        listener.accept(point);
        if (point.isUnsound()) {
            end(errorsAt(point));
            return false;
        }
        points.add(point);
        double best = points.stream().mapToDouble(Point::throughput).max().orElseThrow();
        return point.throughput() >= FALLEN * best;
    }

    private void end(String why) {
        isOver = true;
        stopped = stopped == null ? why : stopped + "; " + why;
    }

    private static String errorsAt(Point point) {
        StringBuilder text = new StringBuilder(String.format(
                Locale.ROOT, "with %d connections and %d threads ", point.connections(), point.threads()));
        if (point.errors() == 0 && point.gaveUp() == 0) {
            return text.append("no execution ended in time; try a longer --time")
                    .toString();
        }
        text.append(String.format(
                Locale.ROOT, "%,d of %,d executions failed", point.errors(), point.executions() + point.errors()));
        if (point.gaveUp() > 0) {
            text.append(String.format(
                    Locale.ROOT, "; threads that lost their connection or never came back: %d", point.gaveUp()));
        }
        return text.append(point.failure() == null ? "" : ": " + point.failure())
                .toString();
    }

    private boolean isTimeUp() {
        if (System.nanoTime() + step.toNanos() - deadline <= 0) {
            return false;
        }
        end("the time was up");
        return true;
    }

    /** Opens connections up to this many; returns false, and says why, if the database does not give them in time. */
    private boolean grow(List<Connection> connections, int size) {
        while (connections.size() < size) {
            if (isTimeUp()) {
                return false;
            }
            try {
                Connection connection = target.connect();
                connections.add(connection);
                query.prepare(connection);
            } catch (SQLException e) {
                end("connection " + (connections.size() + 1) + " could not be opened: " + target.explain(e));
                return false;
            }
        }
        return true;
    }

    /** Each thread has a connection of its own. */
    private static Load.Lender lender(List<Connection> connections) {
        return new Load.Lender() {
            @Override
            public Connection take(int thread) {
                return connections.get(thread);
            }

            @Override
            public void giveBack(Connection connection) {}
        };
    }

    private List<Point> measureQueues() throws InterruptedException {
        List<Point> queues = new ArrayList<>();
        int size = advice().size();
        int most = Math.min(MOST_THREADS, 4 * size);
        for (int threads : new TreeSet<>(List.of(Math.min(most, 2 * size), most))) {
            if (threads > size) {
                queue(queues, size, threads);
            }
        }
        if (Math.min(most, max) > size) {
            queue(queues, Math.min(most, max), most);
        }
        return queues;
    }

    private void queue(List<Point> queues, int size, int threads) throws InterruptedException {
        if (isOver || isTimeUp()) {
            return;
        }
        PoolConfig config = PoolConfig.builder()
                .url(target.url())
                .username(target.user())
                .password(target.password())
                .poolName("tune")
                .minimumPoolSize(size)
                .maximumPoolSize(size)
                .readOnly(!query.isWrite())
                .autoCommit(false)
                .connectionTimeout(WAIT_IN_POOL)
                .build();
        try (WeirDataSource pool = new WeirDataSource(config)) {
            Load.Lender lender = new Load.Lender() {
                @Override
                public Connection take(int thread) throws SQLException {
                    return pool.getConnection();
                }

                @Override
                public void giveBack(Connection connection) throws SQLException {
                    connection.close();
                }
            };
            Point point = measure.run(lender, size, threads, step);
            listener.accept(point);
            if (point.isUnsound()) {
                end(errorsAt(point));
            } else {
                queues.add(point);
            }
        }
    }

    private List<Point> sorted() {
        return points.stream()
                .sorted(Comparator.comparingInt(Point::connections))
                .toList();
    }

    private Advice advice() {
        return Advice.from(points);
    }

    private void close(Connection connection) {
        try {
            connection.close();
        } catch (SQLException e) {
            // It is gone either way; what matters was said when the execution failed.
        }
    }
}
