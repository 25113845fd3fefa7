package dev.weir.dying;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.weir.PoolConfig;
import dev.weir.WeirDataSource;
import dev.weir.testkit.Await;
import dev.weir.testkit.TcpProxy;
import dev.weir.testkit.servers.PostgresServer;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import javax.sql.DataSource;

/** A pool of five connections, through a proxy of its own. */
final class Side implements AutoCloseable {
    /** The pools; the settings that both have are alike, all others are the defaults. */
    enum Kind {
        WEIR,
        WEIR_WITHOUT_SOCKETS,
        HIKARI
    }

    /** What the uses after the end met; {@code idleMillis}: how long the connections had been idle by then. */
    record Outcome(int errors, long longestMillis, long idleMillis) {}

    static final int SIZE = 5;
    private static final int USES = 100;

    /** More threads than connections, so that each connection is lent again as soon as it comes home. */
    private static final int BUSY_THREADS = 8;

    private static final int USES_BEFORE = 5;
    private static final int USES_AFTER = 20;
    private static final Duration SOON = Duration.ofSeconds(20);
    private static final AtomicInteger SIDES = new AtomicInteger();

    final PostgresServer server;
    final TcpProxy proxy;
    private final String application = "side-" + SIDES.incrementAndGet();
    private final DataSource pool;
    private final List<String> frozen = new ArrayList<>();
    private long idleSinceNanos;
    private int dying = SIZE;
    private volatile boolean ended;

    Side(Kind kind, PostgresServer server, int socketTimeoutSeconds) throws Exception {
        this.server = server;
        this.proxy = new TcpProxy("127.0.0.1", server.port());
        String url = server.jdbcUrl("postgres", proxy.port()) + "?socketTimeout=" + socketTimeoutSeconds
                + "&ApplicationName=" + application;
        this.pool = kind == Kind.HIKARI ? hikari(url) : weir(url, kind);
        fill();
        awaitIdle(300); // Weir asks the server once what it allows, and that is an answer
    }

    private static DataSource weir(String url, Kind kind) {
        return new WeirDataSource(PoolConfig.builder()
                .url(url)
                .username("weir")
                .password("weir")
                .minimumPoolSize(SIZE)
                .maximumPoolSize(SIZE)
                .validationTimeout(Duration.ofSeconds(1))
                .connectionTimeout(SOON)
                .liveness(kind == Kind.WEIR ? "socket" : "test")
                .registerMbeans(false)
                .build());
    }

    private static DataSource hikari(String url) {
        HikariConfig config = new HikariConfig();
        config.setJdbcUrl(url);
        config.setUsername("weir");
        config.setPassword("weir");
        config.setMaximumPoolSize(SIZE);
        config.setValidationTimeout(TimeUnit.SECONDS.toMillis(1));
        config.setConnectionTimeout(SOON.toMillis());
        return new HikariDataSource(config);
    }

    /** All connections are open and answer, and are idle from now on. */
    void fill() throws Exception {
        signal("CONT");
        frozen.clear();
        Await.await("all answer", Duration.ofMinutes(1), this::allAnswer);
        idleSinceNanos = System.nanoTime();
    }

    /** False if one is left that an earlier cell ended. */
    private boolean allAnswer() {
        List<Connection> held = new ArrayList<>();
        boolean all = true;
        try {
            for (int i = 0; i < SIZE; i++) {
                held.add(pool.getConnection());
            }
        } catch (SQLException e) {
            all = false;
        }
        for (Connection connection : held) {
            try (connection) {
                use(connection);
            } catch (SQLException e) {
                all = false;
            }
        }
        return all;
    }

    void awaitIdle(long millis) {
        long end = idleSinceNanos + TimeUnit.MILLISECONDS.toNanos(millis);
        for (long left = end - System.nanoTime(); left > 0; left = end - System.nanoTime()) {
            LockSupport.parkNanos(left);
        }
    }

    private static void use(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet result = statement.executeQuery("SELECT 1")) {
            result.next();
        }
    }

    /** 100 uses by one thread, or by five that all hold a connection at first. */
    Outcome uses(boolean busy) throws Exception {
        long idle = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - idleSinceNanos);
        int threads = busy ? SIZE : 1;
        CyclicBarrier held = new CyclicBarrier(threads);
        List<FutureTask<Outcome>> tasks = new ArrayList<>();
        for (int i = 1; i < threads; i++) {
            FutureTask<Outcome> task = new FutureTask<>(() -> uses(USES / threads, held));
            tasks.add(task);
            Thread thread = new Thread(task, application + "-" + i);
            thread.setDaemon(true);
            thread.start();
        }
        Outcome own = uses(USES / threads, held);
        return sum(tasks, new Outcome(own.errors(), own.longestMillis(), idle));
    }

    private static Outcome sum(List<FutureTask<Outcome>> tasks, Outcome first) throws Exception {
        int errors = first.errors();
        long longest = first.longestMillis();
        for (FutureTask<Outcome> task : tasks) {
            Outcome other = task.get(2, TimeUnit.MINUTES);
            errors += other.errors();
            longest = Math.max(longest, other.longestMillis());
        }
        return new Outcome(errors, longest, first.idleMillis());
    }

    private Outcome uses(int count, CyclicBarrier held) throws Exception {
        int errors = 0;
        long longest = 0;
        for (int i = 0; i < count; i++) {
            long begun = System.nanoTime();
            try (Connection connection = pool.getConnection()) {
                if (i == 0) {
                    held.await(1, TimeUnit.MINUTES);
                }
                use(connection);
            } catch (SQLException e) {
                errors++;
            }
            longest = Math.max(longest, System.nanoTime() - begun);
        }
        return new Outcome(errors, TimeUnit.NANOSECONDS.toMillis(longest), 0);
    }

    /** Uses without a pause by eight threads, in the midst of which so many of the connections end. */
    Outcome usesWhile(Way way, int connections) throws Exception {
        dying = connections;
        proxy.spare(SIZE - connections);
        CountDownLatch inUse = new CountDownLatch(BUSY_THREADS * USES_BEFORE);
        List<FutureTask<Outcome>> tasks = new ArrayList<>();
        for (int i = 0; i < BUSY_THREADS; i++) {
            FutureTask<Outcome> task = new FutureTask<>(() -> usesUntilAfter(inUse));
            tasks.add(task);
            Thread thread = new Thread(task, application + "-" + i);
            thread.setDaemon(true);
            thread.start();
        }
        try {
            boolean all = inUse.await(1, TimeUnit.MINUTES);
            assertThat(all).as("all threads use connections").isTrue();
            way.end(this);
        } finally {
            ended = true;
        }
        return sum(tasks, new Outcome(0, 0, 0));
    }

    private Outcome usesUntilAfter(CountDownLatch inUse) {
        int errors = 0;
        long longest = 0;
        for (int left = USES_AFTER; left > 0; left -= ended ? 1 : 0) {
            long begun = System.nanoTime();
            try (Connection connection = pool.getConnection()) {
                use(connection);
            } catch (SQLException e) {
                errors++;
            }
            longest = Math.max(longest, System.nanoTime() - begun);
            inUse.countDown();
        }
        return new Outcome(errors, TimeUnit.NANOSECONDS.toMillis(longest), 0);
    }

    void terminate() throws SQLException {
        List<String> pids = dyingPids();
        String those = "FROM pg_stat_activity WHERE pid IN (" + String.join(", ", pids) + ")";
        server.execute("SELECT pg_terminate_backend(pid) " + those);
        Await.await("they are gone", SOON, () -> server.number("SELECT count(*) " + those) == 0);
    }

    void freeze() throws Exception {
        frozen.addAll(dyingPids());
        signal("STOP");
    }

    private List<String> dyingPids() throws SQLException {
        List<String> found = new ArrayList<>();
        try (Connection connection = server.connect();
                Statement statement = connection.createStatement();
                ResultSet pids = statement.executeQuery("SELECT pid FROM pg_stat_activity WHERE application_name = '"
                        + application + "' ORDER BY pid LIMIT " + dying)) {
            while (pids.next()) {
                found.add(pids.getString(1));
            }
        }
        return found;
    }

    private void signal(String name) throws Exception {
        for (String pid : frozen) {
            int ignored = new ProcessBuilder("kill", "-" + name, pid).start().waitFor();
        }
    }

    @Override
    public void close() throws Exception {
        signal("CONT");
        ((AutoCloseable) pool).close();
        proxy.close();
    }
}
