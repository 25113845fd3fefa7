package dev.weir.cli.demo;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.weir.PoolConfig;
import dev.weir.PoolStats;
import dev.weir.WeirDataSource;
import dev.weir.cli.shared.Stop;
import dev.weir.cli.shared.Terminal;
import java.io.PrintWriter;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Locale;
import java.util.function.IntSupplier;
import javax.sql.DataSource;
import org.HdrHistogram.Histogram;

/** The demo from start to end: database, table, load, spike, and the table of what happened. */
final class Demo {
    private static final Duration TIMEOUT = Duration.ofSeconds(5);
    private static final int SPIKE_IDLE = 5;
    private static final int WARM_UPS = 20;
    private static final Duration FILL_LIMIT = Duration.ofSeconds(30);

    private final DemoOptions options;
    private final Stop stop;
    private final PrintWriter out;
    private final Accounts accounts = new Accounts();
    private final Showed showed = new Showed();
    private boolean postgres;

    Demo(DemoOptions options, Stop stop, PrintWriter out) {
        this.options = options;
        this.stop = stop;
        this.out = out;
    }

    /** Returns 0 if all went well, or as far as it went until it was asked to stop. */
    int run() throws DemoFailure {
        Terminal.quiet();
        say(options.url() == null ? "Starting an embedded PostgreSQL ..." : "Connecting ...");
        try (Database database = Database.open(options)) {
            if (stop.isRequested()) {
                return 0;
            }
            Summary summary = new Summary();
            boolean whole = load(database, summary);
            if (whole && !stop.isRequested()) {
                spike(database, summary);
            }
            say("");
            say(summary.table());
            if (whole && !stop.isRequested()) {
                say(showed.sentence());
            }
            return whole ? 0 : 1;
        }
    }

    // The load.

    /** Runs the load on a pool of its own; returns whether the money was all there at the end. */
    private boolean load(Database database, Summary summary) throws DemoFailure {
        WeirDataSource pool = open(
                database,
                PoolConfig.builder()
                        .url(database.url())
                        .username(database.username())
                        .password(database.password())
                        .poolName("demo-load")
                        .minimumPoolSize(Math.min(2, options.poolSize()))
                        .maximumPoolSize(options.poolSize()));
        Meter meter = new Meter(pool);
        try (pool) {
            start(pool, database);
            describe(meter, database);
            boolean created = false;
            try (Connection connection = meter.acquire()) {
                accounts.create(connection);
                created = true;
                accounts.fill(connection);
            } catch (SQLException e) {
                throw new DemoFailure(
                        "The table " + accounts.table() + " could not be created and filled: " + database.explain(e),
                        e);
            } finally {
                if (created && stop.isRequested()) {
                    drop(meter, database);
                }
            }
            return !stop.isRequested() && loadOnTable(pool, meter, database);
        } finally {
            summary.add("load", pool.stats(), meter);
        }
    }

    private boolean loadOnTable(WeirDataSource pool, Meter meter, Database database) throws DemoFailure {
        try {
            say("Table " + accounts.table() + ": " + Accounts.COUNT + " accounts of " + Accounts.EACH + " each.");
            say(String.format(
                    Locale.ROOT,
                    "Load: %d threads on at most %d connections for %d s.",
                    options.threads(),
                    options.poolSize(),
                    options.load().toSeconds()));
            Load load = new Load(meter, accounts, stop);
            load.start(options.threads());
            watch(pool, meter);
            int left = load.end();
            if (left > 0) {
                throw new DemoFailure(left + " threads of the load did not end");
            }
            return sumUp(load, meter, database);
        } finally {
            drop(meter, database);
        }
    }

    private void watch(WeirDataSource pool, Meter meter) {
        LiveLine line = new LiveLine(out, options.terminal());
        Histogram acquires = new Histogram(3);
        Histogram queries = new Histogram(3);
        meter.takeAcquires();
        long start = System.nanoTime();
        long end = start + options.load().toNanos();
        long last = start;
        boolean over = false;
        while (!over) {
            long pause = Math.min(line.periodMillis() * 1_000_000, end - System.nanoTime());
            over = stop.await(Duration.ofNanos(Math.max(0, pause)));
            long now = System.nanoTime();
            over |= now >= end;
            Histogram lately = meter.takeAcquires();
            Histogram asked = meter.takeQueries();
            acquires.add(lately);
            queries.add(asked);
            line.show(
                    (now - start) / 1e9,
                    pool.stats(),
                    lately.getTotalCount() * 1e9 / Math.max(1, now - last),
                    lately,
                    asked);
            last = now;
        }
        line.end();
        showed.load(acquires.getTotalCount() * 1e9 / Math.max(1, last - start), options.poolSize());
        say(String.format(
                Locale.ROOT,
                "  In all: %,.0f acquires/s, acquire p50 %s p99 %s max %s ms, query p50 %s p99 %s max %s ms.",
                acquires.getTotalCount() * 1e9 / Math.max(1, last - start),
                LiveLine.millis(acquires, 50),
                LiveLine.millis(acquires, 99),
                LiveLine.millis(acquires, 100),
                LiveLine.millis(queries, 50),
                LiveLine.millis(queries, 99),
                LiveLine.millis(queries, 100)));
    }

    private boolean sumUp(Load load, Meter meter, Database database) throws DemoFailure {
        tellFailures(meter, database);
        long total;
        try (Connection connection = meter.acquire()) {
            total = accounts.total(connection);
        } catch (SQLException e) {
            throw new DemoFailure("The accounts could not be summed up: " + database.explain(e), e);
        }
        long expected = (long) Accounts.COUNT * Accounts.EACH;
        showed.undone(load.forgotten(), meter.timedOut(), meter.failures());
        say(String.format(
                Locale.ROOT,
                "  %,d reads, %,d transfers; %,d more were left without commit, and the pool rolled them back.",
                load.reads(),
                load.transfers(),
                load.forgotten()));
        say(String.format(
                Locale.ROOT,
                "  Money in all accounts: %,d before, %,d after%s",
                expected,
                total,
                total == expected ? "." : ": A TRANSACTION WAS NOT DONE WHOLE."));
        return total == expected;
    }

    private void describe(Meter meter, Database database) throws DemoFailure {
        try (Connection connection = meter.acquire()) {
            String product = connection.getMetaData().getDatabaseProductName();
            postgres = product.equals("PostgreSQL");
            say(String.format(
                    Locale.ROOT,
                    "Database: %s %s at %s%s",
                    product,
                    connection.getMetaData().getDatabaseProductVersion(),
                    database.shownUrl(),
                    database.isEmbedded() ? ", embedded" : ""));
        } catch (SQLException e) {
            throw new DemoFailure("Cannot ask the database for its name: " + database.explain(e), e);
        }
    }

    private void drop(Meter meter, Database database) {
        try (Connection connection = meter.acquire()) {
            accounts.drop(connection);
        } catch (SQLException e) {
            say("The table " + accounts.table() + " could not be dropped: " + database.explain(e));
        }
    }

    // The spike.

    private void spike(Database database, Summary summary) throws DemoFailure {
        if (options.besideHikari()) {
            warmUp(database);
        }
        say(String.format(
                Locale.ROOT,
                "Spike: %d requests at once on %d idle connections, at most %d; each asks a query of %d ms.",
                Spike.REQUESTS,
                SPIKE_IDLE,
                Spike.REQUESTS,
                Spike.QUERY.toMillis()));
        say(String.format(
                Locale.ROOT,
                "  Simulated: every connect takes %d ms longer than it does here%s.",
                options.connectDelay().toMillis(),
                postgres ? "" : ", and the query is a pause of the client"));
        FarSource source = new FarSource(database, options.connectDelay());
        WeirDataSource pool = open(
                database,
                PoolConfig.builder()
                        .dataSource(source)
                        .poolName("demo-spike")
                        .minimumPoolSize(SPIKE_IDLE)
                        .maximumPoolSize(Spike.REQUESTS));
        Meter meter = new Meter(pool);
        try (pool) {
            start(pool, database);
            if (awaitIdle(() -> pool.stats().idle())) {
                long opened = pool.stats().opened();
                long[] doneAt = new Spike(meter, postgres).run();
                showed.spike(doneAt[doneAt.length - 1], pool.stats().opened() - opened);
                tellSpike(doneAt, meter, pool.stats(), opened);
                tellFailures(meter, database);
            }
        } finally {
            summary.add("spike", pool.stats(), meter);
        }
        if (options.besideHikari() && !stop.isRequested()) {
            spikeBeside(database);
        }
    }

    /** Each pool has spikes before that do not count: the first one pays for the classes, and the load has run one of them alone. */
    private void warmUp(Database database) throws DemoFailure {
        say(String.format(Locale.ROOT, "Warm-up of both pools: %d spikes each.", WARM_UPS));
        FarSource source = new FarSource(database, Duration.ZERO);
        PoolConfig.Builder builder = PoolConfig.builder()
                .dataSource(source)
                .poolName("demo-warm-up")
                .minimumPoolSize(SPIKE_IDLE)
                .maximumPoolSize(SPIKE_IDLE);
        try (WeirDataSource weir = open(database, builder);
                HikariDataSource beside = hikari(source, SPIKE_IDLE)) {
            for (int i = 0; i < WARM_UPS && !stop.isRequested(); i++) {
                new Spike(new Meter(weir), postgres).run();
                new Spike(new Meter(beside), postgres).run();
            }
        }
    }

    private void spikeBeside(Database database) throws DemoFailure {
        FarSource source = new FarSource(database, options.connectDelay());
        say(String.format(
                Locale.ROOT,
                "The same spike on HikariCP, %d idle connections and at most %d:",
                SPIKE_IDLE,
                Spike.REQUESTS));
        try (HikariDataSource beside = hikari(source, Spike.REQUESTS)) {
            if (awaitIdle(() -> beside.getHikariPoolMXBean().getIdleConnections())) {
                Meter meter = new Meter(beside);
                long opened = source.connects();
                long[] doneAt = new Spike(meter, postgres).run();
                long meanwhile = source.connects() - opened;
                showed.beside(doneAt[doneAt.length - 1], meanwhile);
                tellDone(doneAt);
                tellAcquires(meter.takeAcquires(), meanwhile + " connections opened meanwhile.");
                tellFailures(meter, database);
            }
        }
    }

    /** A pool of HikariCP's, set up as the pool of the spike is. */
    private static HikariDataSource hikari(DataSource source, int most) {
        HikariConfig config = new HikariConfig();
        config.setDataSource(source);
        config.setMinimumIdle(SPIKE_IDLE);
        config.setMaximumPoolSize(most);
        config.setConnectionTimeout(TIMEOUT.toMillis());
        config.setPoolName("demo-beside");
        return new HikariDataSource(config);
    }

    /** Waits until a pool is filled; false if asked to stop meanwhile. */
    private boolean awaitIdle(IntSupplier idle) throws DemoFailure {
        long deadline = System.nanoTime() + FILL_LIMIT.toNanos();
        while (idle.getAsInt() < SPIKE_IDLE) {
            if (System.nanoTime() > deadline) {
                throw new DemoFailure("The pool had " + idle.getAsInt() + " of " + SPIKE_IDLE
                        + " idle connections after " + FILL_LIMIT.toSeconds() + " s");
            }
            if (stop.await(Duration.ofMillis(5))) {
                return false;
            }
        }
        return true;
    }

    private void tellSpike(long[] doneAt, Meter meter, PoolStats stats, long openedBefore) {
        Histogram acquires = meter.takeAcquires();
        tellDone(doneAt);
        long opened = stats.opened() - openedBefore;
        tellAcquires(acquires, opened + " connections opened meanwhile, " + stats.opening() + " being opened.");
    }

    private void tellAcquires(Histogram acquires, String opened) {
        say(String.format(
                Locale.ROOT,
                "  Acquire p50 %s p99 %s max %s ms; %s",
                LiveLine.millis(acquires, 50),
                LiveLine.millis(acquires, 99),
                LiveLine.millis(acquires, 100),
                opened));
    }

    private void tellDone(long[] doneAt) {
        int last = doneAt.length - 1;
        say(String.format(
                Locale.ROOT,
                "  Done: the first after %.1f ms, a quarter after %.1f, half after %.1f, all %d after %.1f ms.",
                doneAt[0] / 1e6,
                doneAt[last / 4] / 1e6,
                doneAt[last / 2] / 1e6,
                doneAt.length,
                doneAt[last] / 1e6));
    }

    // Both.

    private static WeirDataSource open(Database database, PoolConfig.Builder builder) throws DemoFailure {
        try {
            return new WeirDataSource(builder.connectionTimeout(TIMEOUT).build());
        } catch (IllegalArgumentException e) {
            throw new DemoFailure("The pool cannot be set up: " + database.explain(e), e);
        }
    }

    private void start(WeirDataSource pool, Database database) throws DemoFailure {
        long begun = System.nanoTime();
        try {
            pool.start();
        } catch (SQLException e) {
            throw new DemoFailure(
                    String.format(
                            Locale.ROOT,
                            "Cannot connect to %s%s; gave up after %.1f s.%n  %s",
                            database.shownUrl(),
                            database.username() == null ? "" : " as " + database.username(),
                            (System.nanoTime() - begun) / 1e9,
                            database.explain(e)),
                    e);
        }
    }

    private void tellFailures(Meter meter, Database database) {
        SQLException failure = meter.firstFailure();
        if (failure != null) {
            say(String.format(
                    Locale.ROOT,
                    "  %,d requests failed; the first one: %s",
                    meter.failures(),
                    database.explain(failure)));
        }
    }

    private void say(String line) {
        out.println(line);
        out.flush();
    }
}
