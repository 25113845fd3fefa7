package dev.weir.lab.workload.failover;

import dev.weir.lab.contender.PoolSpec;
import dev.weir.lab.contender.PoolUnderTest;
import dev.weir.lab.workload.CellRun;
import dev.weir.lab.workload.Settings;
import dev.weir.lab.workload.Users;
import dev.weir.lab.workload.Users.Request;
import dev.weir.testkit.Await;
import dev.weir.testkit.TcpProxy;
import dev.weir.testkit.servers.PostgresServer;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * Many pools of one process on one server that goes away and comes back: whether their connects come all at once. Each pool
 * has a proxy of its own, so that its connects can be told from those of others; all proxies fail and return together.
 */
final class Herd {
    private static final String USER = "herd";
    private static final String PASSWORD = "herd";
    private static final String STATEMENT = "SELECT pg_sleep(0.002)";
    private static final int SPARE_CONNECTIONS = 40;
    private static final long BUCKET_NANOS = TimeUnit.MILLISECONDS.toNanos(10);
    private static final Duration LEAST_AFTER = Duration.ofSeconds(1);

    private final CellRun cell;
    private final Settings settings;
    private final int connections;
    private final List<Member> members = new ArrayList<>();

    private Herd(CellRun cell) {
        this.cell = cell;
        this.settings = cell.settings();
        this.connections = settings.number("connections");
    }

    /** One pool, its proxy, and when connects came there. */
    private record Member(TcpProxy proxy, Arrivals arrivals, PoolUnderTest pool) {}

    /** When connects came; thread-safe. */
    private static final class Arrivals implements Runnable {
        private final List<Long> nanos = new ArrayList<>();

        @Override
        public synchronized void run() {
            nanos.add(System.nanoTime());
        }

        synchronized long[] since(long from) {
            return nanos.stream().mapToLong(at -> at).filter(at -> at >= from).toArray();
        }
    }

    static void run(CellRun cell) throws Exception {
        Herd herd = new Herd(cell);
        int pools = cell.settings().number("herd-pools");
        try (PostgresServer server = PostgresServer.builder()
                .maxConnections(pools * herd.connections + SPARE_CONNECTIONS)
                .role(USER, PASSWORD)
                .start()) {
            try {
                for (int i = 0; i < pools; i++) {
                    herd.add(server);
                }
                herd.measure();
            } finally {
                herd.close();
            }
        }
    }

    private void add(PostgresServer server) throws Exception {
        TcpProxy proxy = new TcpProxy("127.0.0.1", server.port());
        try {
            Arrivals arrivals = new Arrivals();
            proxy.onAccept(arrivals);
            PoolUnderTest pool = cell.open(PoolSpec.of(server.jdbcUrl("postgres", proxy.port()), USER, PASSWORD)
                    .size(connections, connections)
                    .connectionTimeout(settings.millis("timeout"))
                    .validationTimeout(settings.millis("timeout").dividedBy(2)));
            members.add(new Member(proxy, arrivals, pool));
            CellRun.fill(pool, connections);
        } catch (Exception e) {
            proxy.close();
            throw e;
        }
    }

    private void close() throws Exception {
        for (Member member : members) {
            member.pool.close();
            member.proxy.close();
        }
    }

    private void measure() throws Exception {
        List<Users> users = new ArrayList<>();
        int each = settings.number("herd-users");
        try {
            for (Member member : members) {
                users.add(new Users("herd", member.pool.dataSource(), STATEMENT, each, settings.millis("herd-think")));
            }
            TimeUnit.MILLISECONDS.sleep(settings.number("before"));
            long struck = System.nanoTime();
            members.forEach(member -> member.proxy.turnAway());
            members.forEach(member -> member.proxy.resetAll());
            TimeUnit.MILLISECONDS.sleep(settings.number("down"));
            int whileAway = members.stream()
                    .mapToInt(member -> member.arrivals.since(struck).length)
                    .sum();
            long back = System.nanoTime();
            members.forEach(member -> member.proxy.accept());
            boolean whole = Await.becomesTrue(settings.millis("watch"), this::isWhole);
            double allConnected = whole ? (System.nanoTime() - back) / 1e6 : Double.NaN;
            boolean ignored = Await.becomesTrue(LEAST_AFTER, () -> System.nanoTime() - back >= LEAST_AFTER.toNanos());
            cell.measure("all connected", allConnected, "ms");
            cell.count("connects while away", whileAway);
            cell.measure("all served", allServedMillis(users, back), "ms");
            arrivals(back, System.nanoTime());
        } finally {
            users.forEach(Users::close);
        }
    }

    private boolean isWhole() {
        return members.stream().allMatch(member -> member.proxy.open() >= connections);
    }

    /** Milliseconds until each pool had served somebody; NaN if one has not. */
    private static double allServedMillis(List<Users> users, long back) {
        return users.stream()
                .mapToDouble(own -> own
                        .requests()
                        .filter(request -> request.served() && request.endNanos() >= back)
                        .mapToLong(Request::endNanos)
                        .min()
                        .stream()
                        .mapToDouble(end -> (end - back) / 1e6)
                        .findFirst()
                        .orElse(Double.NaN))
                .reduce(0, Math::max);
    }

    /** How many connects came in each hundredth of a second, of all pools, and of the one that had the most in it. */
    private void arrivals(long back, long end) throws IOException {
        int buckets = (int) ((end - back) / BUCKET_NANOS) + 1;
        int[] all = new int[buckets];
        int[] mostOfOne = new int[buckets];
        int connects = 0;
        for (Member member : members) {
            int[] own = new int[buckets];
            for (long at : member.arrivals.since(back)) {
                int bucket = (int) ((at - back) / BUCKET_NANOS);
                if (bucket < buckets) {
                    own[bucket]++;
                    connects++;
                }
            }
            for (int i = 0; i < buckets; i++) {
                all[i] += own[i];
                mostOfOne[i] = Math.max(mostOfOne[i], own[i]);
            }
        }
        cell.count("most connects in 10 ms", max(all));
        cell.count("most in 10 ms of one pool", max(mostOfOne));
        cell.count("connects after", connects);
        List<String> lines = new ArrayList<>();
        for (int i = 0; i < buckets; i++) {
            lines.add("%s\t%d\t%d".formatted(i * BUCKET_NANOS / 1e6, all[i], mostOfOne[i]));
        }
        cell.writeRaw("", List.of("since_back_ms", "connects", "most_of_one_pool"), lines.stream());
    }

    private static int max(int[] counts) {
        int max = 0;
        for (int count : counts) {
            max = Math.max(max, count);
        }
        return max;
    }
}
