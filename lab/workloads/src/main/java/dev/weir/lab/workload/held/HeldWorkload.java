package dev.weir.lab.workload.held;

import dev.weir.lab.contender.Entrant;
import dev.weir.lab.contender.PoolSpec;
import dev.weir.lab.contender.PoolUnderTest;
import dev.weir.lab.workload.CellRun;
import dev.weir.lab.workload.Crowd;
import dev.weir.lab.workload.Sampler;
import dev.weir.lab.workload.Settings;
import dev.weir.lab.workload.Settings.Setting;
import dev.weir.lab.workload.Users;
import dev.weir.lab.workload.Users.Request;
import dev.weir.lab.workload.Workload;
import dev.weir.testkit.TcpProxy;
import dev.weir.testkit.servers.PgBouncer;
import dev.weir.testkit.servers.PostgresServer;
import java.io.IOException;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.HdrHistogram.Histogram;

/** Requests that hold their connection for ten times as long as they use it, as while a view is rendered. */
public final class HeldWorkload extends Workload {
    /** HikariCP with a connection for each thread, to a PgBouncer that has few at the server. */
    private static final String BOUNCED = "pgbouncer";

    private static final int SPARE_CONNECTIONS = 20;
    private static final int REQUESTS_ALONE = 10;
    private static final String SESSIONS = "SELECT count(*), count(*) FILTER (WHERE state <> 'idle') FROM"
            + " pg_stat_activity WHERE backend_type = 'client backend' AND pid <> pg_backend_pid()";

    public HeldWorkload() {
        super(
                "held",
                "Requests of two short transactions hold their connection for ten times as long, on a PostgreSQL.",
                List.of(
                        "weir",
                        "weir[poolMode=lazy]",
                        "weir[poolMode=transaction]",
                        "hikari",
                        "hikari[connectionFetch=lazy]",
                        BOUNCED + "=com.zaxxer.hikari.HikariDataSource?jdbcUrl={url}&username={user}"
                                + "&password={password}&maximumPoolSize={maximum}&connectionTimeout={timeout}"),
                List.of("requests", "p50", "p99", "sessions", "sessions at work", "round trips", "failed"));
    }

    @Override
    public List<Setting> settings() {
        return List.of(
                Setting.number("platform", "platform threads", 200, 200, 1, 10_000),
                Setting.number("virtual", "virtual threads, from JDK 21 on", 1_000, 1_000, 1, 10_000),
                Setting.number("connections", "connections at the server", 10, 10, 1, 200),
                Setting.words(
                        "pauses",
                        "when a request pauses: around its transactions, before its first statement, or never",
                        "all,first,none",
                        "all,first,none",
                        List.of("all", "first", "none")),
                Setting.number("pause", "how long a request pauses in all, in ms", 18, 18, 1, 60_000),
                Setting.number("warmup", "load before the measurement, in ms", 1_000, 500, 0, 600_000),
                Setting.number("measure", "length of the measurement, in ms", 2_000, 1_500, 1, 600_000));
    }

    @Override
    public List<String> cases(Settings settings) {
        return List.of("platform", "virtual").stream()
                .filter(kind -> Crowd.HAS_VIRTUAL || kind.equals("platform"))
                .flatMap(kind -> settings.words("pauses").stream().map(word -> caseName(kind, word, settings)))
                .toList();
    }

    private static String caseName(String kind, String pauses, Settings settings) {
        return "%d %s threads, %d connections, pauses: %s"
                .formatted(settings.number(kind), kind, settings.number("connections"), pauses);
    }

    @Override
    public boolean canRun(String caseName, Entrant entrant, Settings settings) {
        return super.canRun(caseName, entrant, settings)
                && (!entrant.label().equals(BOUNCED) || PgBouncer.isInstalled());
    }

    @Override
    public Duration about(String caseName, Settings settings) {
        return Duration.ofSeconds(2).plus(settings.millis("warmup")).plus(settings.millis("measure"));
    }

    @Override
    public void run(CellRun cell) throws Exception {
        int connections = cell.settings().number("connections");
        String kind = cell.caseName().contains(" virtual ") ? "virtual" : "platform";
        int threads = cell.settings().number(kind);
        try (PostgresServer server = PostgresServer.builder()
                        .maxConnections(connections + SPARE_CONNECTIONS)
                        .role("held", "held")
                        .start();
                PgBouncer bouncer = cell.entrant().label().equals(BOUNCED)
                        ? new PgBouncer(server.port(), "held", "held", connections, threads + SPARE_CONNECTIONS)
                        : null) {
            // PgBouncer before 1.21 knows no prepared statements.
            String options = bouncer == null ? "" : "?prepareThreshold=0";
            int port = bouncer == null ? server.port() : bouncer.port();
            try (TcpProxy counting = new TcpProxy("127.0.0.1", port)) {
                countRoundTrips(cell, counting, spec(server.jdbcUrl("postgres", counting.port()) + options));
            }
            PoolSpec spec = spec(server.jdbcUrl("postgres", port) + options);
            try (PoolUnderTest pool = cell.openFilled(spec, bouncer == null ? connections : threads);
                    Connection eye = server.connect()) {
                measure(cell, pool, kind, threads, eye);
            }
        }
    }

    /** With a timeout that is longer than any wait. */
    private static PoolSpec spec(String url) {
        return PoolSpec.of(url, "held", "held").connectionTimeout(Duration.ofMinutes(2));
    }

    /** Of a thread alone, on a pool of its own, in its second ten requests: by then the driver has prepared its statements. */
    private static void countRoundTrips(CellRun cell, TcpProxy counting, PoolSpec spec) throws Exception {
        try (PoolUnderTest pool = cell.openFilled(spec, 1)) {
            long before = 0;
            for (int i = 0; i < 2 * REQUESTS_ALONE; i++) {
                before = i == REQUESTS_ALONE ? counting.roundTrips() : before;
                try (Connection connection = pool.dataSource().getConnection()) {
                    request(connection, 0, 0);
                }
            }
            cell.measure("round trips", (double) (counting.roundTrips() - before) / REQUESTS_ALONE, "");
        }
    }

    /** Two transactions, each as a transaction manager has it. */
    private static void request(Connection connection, long before, long after) throws Exception {
        TimeUnit.NANOSECONDS.sleep(before);
        for (int i = 0; i < 2; i++) {
            connection.setAutoCommit(false);
            try (PreparedStatement statement = connection.prepareStatement("SELECT pg_sleep(0.001)")) {
                statement.execute();
            }
            connection.commit();
            connection.setAutoCommit(true);
            TimeUnit.NANOSECONDS.sleep(after);
        }
    }

    private static void measure(CellRun cell, PoolUnderTest pool, String kind, int threads, Connection eye)
            throws Exception {
        Settings settings = cell.settings();
        String pauses = cell.word("pauses", word -> caseName(kind, word, settings));
        long third = pauses.equals("none") ? 0 : settings.millis("pause").toNanos() / 3;
        Users.Work work = connection ->
                request(connection, pauses.equals("first") ? 3 * third : third, pauses.equals("first") ? 0 : third);
        try (PreparedStatement sessions = eye.prepareStatement(SESSIONS);
                Sampler<int[]> sampler = new Sampler<>("held-sampler", Duration.ofMillis(20), () -> look(sessions));
                Users users =
                        new Users("held", pool.dataSource(), work, threads, kind.equals("virtual"), Duration.ZERO)) {
            TimeUnit.MILLISECONDS.sleep(settings.number("warmup"));
            long from = System.nanoTime();
            TimeUnit.MILLISECONDS.sleep(settings.number("measure"));
            long to = System.nanoTime();
            List<int[]> looks = sampler.end().stream()
                    .filter(sample -> sample.nanos() >= from)
                    .map(sample -> sample.value())
                    .toList();
            cell.count(
                    "sessions", looks.stream().mapToInt(look -> look[0]).max().orElse(0));
            cell.measure(
                    "sessions at work",
                    looks.stream().mapToInt(look -> look[1]).average().orElse(Double.NaN),
                    "");
            cell.count("stuck", users.end());
            tell(
                    cell,
                    users.requests()
                            .filter(one -> one.beginNanos() < to && one.endNanos() >= from)
                            .toList(),
                    from,
                    to);
        }
    }

    private static int[] look(PreparedStatement sessions) throws SQLException {
        try (ResultSet row = sessions.executeQuery()) {
            row.next();
            return new int[] {row.getInt(1), row.getInt(2)};
        }
    }

    /** A request that was under way at the end counts in the percentiles with its length so far, and nowhere else. */
    private static void tell(CellRun cell, List<Request> requests, long from, long to) throws IOException {
        List<Request> served = requests.stream()
                .filter(one -> one.served() && one.endNanos() < to)
                .toList();
        cell.writeErrors(Users.errors(requests));
        if (served.isEmpty()) {
            throw new IllegalStateException(
                    "nobody was served: " + Users.errors(requests).keySet());
        }
        cell.writeRaw(
                "",
                List.of("begun_us", "got_us", "took_us"),
                served.stream()
                        .map(one -> "%d\t%d\t%d"
                                .formatted(
                                        (one.beginNanos() - from) / 1_000,
                                        one.getNanos() / 1_000,
                                        (one.endNanos() - one.beginNanos()) / 1_000)));
        Histogram times = new Histogram(3);
        requests.forEach(one -> times.recordValue(Math.min(one.endNanos(), to) - one.beginNanos()));
        double seconds = (to - from) / 1e9;
        long late = served.stream()
                .filter(one -> (one.endNanos() - from) / 1e9 >= seconds / 2)
                .count();
        cell.measure("requests", served.size() / seconds, "1/s");
        cell.measure("first half mean", (served.size() - late) / seconds * 2, "1/s");
        cell.measure("second half mean", late / seconds * 2, "1/s");
        cell.millis("p50", times.getValueAtPercentile(50));
        cell.millis("p99", times.getValueAtPercentile(99));
        cell.millis("max", times.getMaxValue());
        cell.count("failed", requests.stream().filter(one -> !one.served()).count());
    }
}
