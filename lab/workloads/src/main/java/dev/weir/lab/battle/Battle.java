package dev.weir.lab.battle;

import dev.weir.lab.battle.shop.Downstream;
import dev.weir.lab.battle.shop.ShopApplication;
import dev.weir.lab.battle.shop.ShopDatabase;
import dev.weir.lab.contender.PoolSpec;
import dev.weir.lab.contender.PoolUnderTest;
import dev.weir.lab.workload.CellRun;
import dev.weir.lab.workload.Sampler;
import dev.weir.lab.workload.Settings;
import dev.weir.testkit.servers.PostgresServer;
import java.io.IOException;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.IntStream;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;

/** The application on one pool, under load: first unmeasured, then measured. For one thread. */
final class Battle {
    static final int PRODUCTS = 200;
    static final int CUSTOMERS_PER_USER = 10;
    private static final double[] SHOWN_PERCENTILES = {50, 90, 99, 99.9, 99.99};

    /** The points of the curve lie evenly where the share of the slower ones is drawn on a logarithmic axis. */
    private static final int POINTS_PER_DECADE = 20;

    private static final double LAST_PERCENTILE = 99.99;
    private static final int SPARE_CONNECTIONS = 20;
    private static final String OWNER = "shop";

    private final CellRun cell;
    private final Settings settings;
    private final boolean isOpenInView;
    private final List<User> users = new ArrayList<>();

    Battle(CellRun cell) {
        this.cell = cell;
        this.settings = cell.settings();
        this.isOpenInView = BattleWorkload.isOpenInView(settings);
    }

    void fight() throws Exception {
        if (!isOpenInView) {
            fight(null);
            return;
        }
        try (PostgresServer server = PostgresServer.builder()
                .maxConnections(settings.number("connections") + SPARE_CONNECTIONS)
                .role(OWNER, OWNER)
                .start()) {
            fight(PoolSpec.of(server.jdbcUrl("postgres"), OWNER, OWNER));
        }
    }

    /** On a server, or in memory. */
    private void fight(@Nullable PoolSpec server) throws Exception {
        int size = settings.number("connections");
        try (ShopDatabase database = new ShopDatabase(
                server == null ? null : server.physical(), settings.number("users") * CUSTOMERS_PER_USER, PRODUCTS)) {
            SlowSource physical = new SlowSource(database.source(), settings.millis("connect"));
            // The mode transaction needs the driver itself.
            PoolSpec spec = server == null ? PoolSpec.of(physical) : server;
            try (PoolUnderTest pool = cell.open(spec.size(size, size)
                    .maxLifetime(settings.millis("lifetime"))
                    .observed(true))) {
                TimedSource timed = new TimedSource(pool.dataSource());
                Downstream downstream = new Downstream(settings.millis("downstream"));
                try (ShopApplication application = new ShopApplication(timed, downstream, isOpenInView)) {
                    fight(application, database, physical, pool, timed);
                }
            }
        }
    }

    private void fight(
            ShopApplication application,
            ShopDatabase database,
            SlowSource physical,
            PoolUnderTest pool,
            TimedSource timed)
            throws Exception {
        long from = System.nanoTime() + settings.millis("warmup").toNanos();
        long to = from + settings.millis("measured").toNanos();
        timed.countFrom(from);
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < settings.number("users"); i++) {
            User user = new User(i, settings, application, to);
            users.add(user);
            Thread thread = new Thread(user, "battle-user-" + i);
            thread.setDaemon(true);
            threads.add(thread);
        }
        try (Sampler<int[]> sampler = new Sampler<>("battle-sampler", Duration.ofMillis(10), () ->
                new int[] {pool.counts().active(), physical.opened()})) {
            threads.forEach(Thread::start);
            for (Thread thread : threads) {
                thread.join();
            }
            List<int[]> looks = sampler.end().stream()
                    .filter(sample -> sample.nanos() >= from)
                    .map(sample -> sample.value())
                    .toList();
            if (!isOpenInView) {
                cell.count("connections at end", physical.open());
                cell.count("opened", physical.opened());
                cell.count("renewed", looks.isEmpty() ? 0 : physical.opened() - looks.get(0)[1]);
            }
            cell.measure(
                    isOpenInView ? BattleWorkload.BOUND : "in use",
                    looks.stream()
                            .mapToInt(look -> look[0])
                            .filter(active -> active >= 0)
                            .average()
                            .orElse(Double.NaN),
                    "");
            Map<String, Integer> failures = new TreeMap<>();
            users.forEach(user -> user.failures().forEach((what, times) -> failures.merge(what, times, Integer::sum)));
            cell.count(
                    "failed",
                    failures.values().stream().mapToLong(times -> times).sum());
            cell.writeErrors(failures);
            check(database, failures);
            tellResponses(responses().between(from, to), from, to);
            cell.millis("acquire p99.9", timed.took().getValueAtPercentile(99.9));
            cell.millis("acquire max", timed.took().getMaxValue());
        } finally {
            threads.forEach(Thread::interrupt);
        }
    }

    private Samples responses() {
        Samples all = new Samples();
        users.forEach(user -> all.addAll(user.samples()));
        return all;
    }

    /** Refuses a result where the counts of the users, warm-up included, and those of the database do not agree. */
    private void check(ShopDatabase database, Map<String, Integer> failures) throws SQLException {
        long orders = users.stream().mapToLong(User::ordersPlaced).sum();
        long lines = users.stream().mapToLong(User::linesPlaced).sum();
        long spent = users.stream().mapToLong(User::spent).sum();
        cell.count("answered", responses().size());
        cell.count("orders", database.orders());
        if (failures.isEmpty()
                && (orders != database.orders()
                        || lines != database.lines()
                        || spent != database.spent()
                        || spent != database.totals())) {
            throw new IllegalStateException(
                    "the users placed %d orders of %d lines for %d, and the database has %d of %d for %d and %d"
                            .formatted(
                                    orders,
                                    lines,
                                    spent,
                                    database.orders(),
                                    database.lines(),
                                    database.spent(),
                                    database.totals()));
        }
    }

    private void tellResponses(Samples responses, long from, long to) throws IOException {
        if (responses.size() == 0) {
            throw new IllegalStateException("no request was answered");
        }
        Histogram times = responses.times();
        cell.millis("mean", responses.mean());
        for (double percent : SHOWN_PERCENTILES) {
            String name = percent == Math.rint(percent) ? "p" + (long) percent : "p" + percent;
            cell.millis(name, times.getValueAtPercentile(percent));
        }
        double most = responses.longest();
        cell.millis("max", most);
        cell.measure("max over p99.9", most / times.getValueAtPercentile(99.9), "");
        cell.measure(
                isOpenInView ? BattleWorkload.REQUESTS : "throughput",
                responses.size() * (double) Duration.ofSeconds(1).toNanos() / (to - from),
                "1/s");
        cell.millis("first half mean", responses.between(from, (from + to) / 2).mean());
        cell.millis("second half mean", responses.between((from + to) / 2, to).mean());
        cell.writeRaw(
                "-responses",
                List.of("time_ms", "response_ms"),
                IntStream.range(0, responses.size())
                        .boxed()
                        .sorted((a, b) -> Long.compare(responses.begun(a), responses.begun(b)))
                        .map(i -> millis(responses.begun(i) - from) + "\t" + millis(responses.took(i))));
        cell.writeRaw("-percentiles", List.of("percentile", "value_ms", "count"), curve(times).stream());
    }

    /** How many did not take longer than each point of the curve. */
    private static List<String> curve(Histogram times) {
        List<String> lines = new ArrayList<>();
        double percent = 0;
        for (int i = 0; percent < LAST_PERCENTILE; i++) {
            percent = Math.min(LAST_PERCENTILE, 100 - 100 * Math.pow(10, -(double) i / POINTS_PER_DECADE));
            long value = times.getValueAtPercentile(percent);
            lines.add(String.format(
                    Locale.ROOT, "%.4f\t%s\t%d", percent, millis(value), times.getCountBetweenValues(0, value)));
        }
        return lines;
    }

    private static String millis(long nanos) {
        return String.format(Locale.ROOT, "%.3f", nanos / 1e6);
    }
}
