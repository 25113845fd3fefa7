package dev.weir.fleet;

import dev.weir.PoolConfig;
import dev.weir.PoolStats;
import dev.weir.WeirDataSource;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.nio.charset.StandardCharsets;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Locale;
import java.util.Properties;
import java.util.UUID;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * Makes a pool a member of a fleet: many JVMs share one budget of connections to their database. It sets the pool's
 * {@code maximumPoolSize} and {@code minimumPoolSize} while it runs, between 1 and what they were before. Closing it
 * closes the pool and takes the member out; if the pool is closed alone, it follows. Thread-safe.
 *
 * <pre>{@code
 * try (WeirDataSource pool = new WeirDataSource(config);
 *         WeirFleet fleet = WeirFleet.join(pool, FleetOptions.of("shop", "orders"))) {
 *     ...
 * }
 * }</pre>
 */
public final class WeirFleet implements AutoCloseable {
    private static final Logger LOG = System.getLogger(WeirFleet.class.getName());
    private static final long LOOK_MILLIS = 25;
    private static final int URGENT_MILLIS = 100;
    private static final int GIVE_BACK_MILLIS = 50;
    private static final int RETRY_MILLIS = 500;
    private static final int RETRY_MAX_MILLIS = 2_000;
    private static final int TAG_MAX = 63;

    private final WeirDataSource pool;
    private final FleetOptions options;
    private final ConnectionBudget budget;
    private final @Nullable DatabaseBudget
            own; // whose connection is one of the member's; null: the budget is elsewhere
    private final Pledge pledge;
    private final Claim self;
    private final int maximum;
    private final int minimum;
    private final ScheduledExecutorService thread;
    private final Object renewing = new Object(); // one renewal at a time; not held while a user waits

    private boolean left; // guarded by renewing

    private final Demand demand = new Demand();

    // written by who renews, read by anybody
    private volatile @Nullable Grant last;
    private volatile long sentNanos;
    private volatile long dueNanos;
    private volatile int told; // has of the last claim
    private volatile int toldWants;
    private volatile boolean failing;
    private volatile boolean suspended;
    private final AtomicLong renewals = new AtomicLong();
    private final AtomicLong failures = new AtomicLong();
    private volatile @Nullable String lastFailure;

    private WeirFleet(
            WeirDataSource pool,
            FleetOptions options,
            ConnectionBudget budget,
            @Nullable DatabaseBudget own,
            String instance,
            @Nullable String tag) {
        this.pool = pool;
        this.options = options;
        this.budget = budget;
        this.own = own;
        this.pledge =
                new Pledge(options.lease().toNanos(), options.forgetAfter().toNanos());
        this.maximum = pool.getMaximumPoolSize();
        this.minimum = pool.getMinimumPoolSize();
        this.self = new Claim(
                options.application(),
                instance,
                options.weight(),
                options.guaranteed(),
                maximum + 1,
                pool.getAcquireIncrement() + 1,
                0,
                0,
                0,
                0,
                0,
                false,
                tag);
        this.thread = new ScheduledThreadPoolExecutor(1, task -> {
            Thread made = new Thread(task, "weir-fleet-" + pool.getPoolName());
            made.setDaemon(true);
            return made;
        });
    }

    /**
     * Joins a fleet whose budget is in the pool's own database. The pool is not started yet; it is when this returns
     * ready to start. If the database does not answer now, the member joins when it does, and the pool opens nothing
     * before.
     *
     * @throws FleetRefusedException if the options contradict those of the other members, or more is guaranteed than
     *     there is
     * @throws IllegalArgumentException if the pool's configuration is wrong or cannot take part
     * @throws IllegalStateException if the pool is started
     */
    public static WeirFleet join(WeirDataSource pool, FleetOptions options) throws SQLException {
        String instance = UUID.randomUUID().toString().replace("-", "").substring(0, 12);
        PoolConfig config = requireFit(pool, options);
        String tag = tag(pool, config, options, instance);
        PoolConfig.Builder renewer = pool.config().toBuilder();
        WeirDataSource source = new WeirDataSource(renewer.poolName(pool.getPoolName() + "-fleet")
                .maximumPoolSize(1)
                .minimumPoolSize(0)
                .minimumIdle(0)
                .registerMbeans(false)
                .leakDetectionThreshold(Duration.ZERO)
                .connectionTimeout(Duration.ofMillis(DatabaseBudget.TIMEOUT_MILLIS))
                .build());
        DatabaseBudget database = new DatabaseBudget(source, options);
        return begin(new WeirFleet(pool, options, database, database, instance, tag));
    }

    /**
     * Joins a fleet whose budget is somewhere else; it is closed with this.
     *
     * @throws FleetRefusedException if the budget refuses the member
     * @throws IllegalArgumentException if the pool's configuration is wrong or cannot take part
     * @throws IllegalStateException if the pool is started
     */
    public static WeirFleet join(WeirDataSource pool, FleetOptions options, ConnectionBudget budget)
            throws SQLException {
        String instance = UUID.randomUUID().toString().replace("-", "").substring(0, 12);
        requireFit(pool, options);
        return begin(new WeirFleet(pool, options, budget, null, instance, null));
    }

    private static WeirFleet begin(WeirFleet fleet) throws SQLException {
        try {
            Gate.install(fleet.pool, fleet::pass);
            fleet.apply();
            fleet.renew();
        } catch (SQLException | RuntimeException e) {
            fleet.thread.shutdownNow();
            fleet.budget.close();
            throw e;
        }
        ScheduledFuture<?> unused = // look() lets nothing out, and ends with the thread
                fleet.thread.scheduleWithFixedDelay(fleet::look, LOOK_MILLIS, LOOK_MILLIS, TimeUnit.MILLISECONDS);
        FleetBean.register(fleet);
        return fleet;
    }

    private static PoolConfig requireFit(WeirDataSource pool, FleetOptions options) {
        if (pool.isRunning() || pool.isClosed()) {
            throw new IllegalStateException(
                    "fleet: " + pool + " (expected: not started; a pool joins before it opens)");
        }
        PoolConfig config = pool.config();
        int most = pool.getMaximumPoolSize();
        if (options.budget() != FleetOptions.AUTO && most > options.budget() - 1) {
            throw new IllegalArgumentException("fleet: maximumPoolSize: " + most + " (expected: at most "
                    + (options.budget() - 1) + ", the budget of the fleet without the member's own connection)");
        }
        if (options.guaranteed() > 0 && options.guaranteed() > 1000 * (most + 1)) {
            throw new IllegalArgumentException("fleet: maximumPoolSize: " + most + " (expected: more, since "
                    + options.guaranteed() + " connections are guaranteed to the application)");
        }
        return config;
    }

    /** What the server shows of the pool's sessions: a name of the fleet's own, unless the user has given one. */
    private static @Nullable String tag(WeirDataSource pool, PoolConfig config, FleetOptions options, String instance) {
        String url = pool.getUrl();
        boolean named = config.dataSourceProperties().keySet().stream()
                .anyMatch(name -> name.equalsIgnoreCase("ApplicationName"));
        if (url == null
                || !url.startsWith("jdbc:postgresql:")
                || named
                || url.toLowerCase(Locale.ROOT).contains("applicationname=")) {
            return null;
        }
        String tag = DatabaseBudget.tagPrefix(options.fleet()) + instance;
        if (tag.getBytes(StandardCharsets.UTF_8).length > TAG_MAX) {
            throw new IllegalStateException(tag);
        }
        Properties properties = new Properties();
        properties.setProperty("ApplicationName", tag);
        pool.setDataSourceProperties(properties);
        return tag;
    }

    // ------------------------------------------------------------- connects

    /** Of a connect of the pool, which the pool counts already. */
    private void pass() throws SQLException {
        long now = System.nanoTime();
        int others = own == null ? 1 : Math.max(1, own.physical());
        if (!pledge.mayConnect(pool.physicalConnections() + others, now)) {
            throw Gate.shut(
                    options.fleet(),
                    "no place for one more connection now; this member may have " + pledge.allowed(now)
                            + ", its own included; " + describe());
        }
    }

    private String describe() {
        Grant grant = last;
        return grant == null
                ? "it has not joined yet" + (lastFailure == null ? "" : ": " + lastFailure)
                : "the fleet has " + grant.budget() + " for " + grant.members() + " members"
                        + (!failing ? "" : "; last failed renewal: " + lastFailure);
    }

    /** Has the pool keep to what is allowed now. */
    private void apply() {
        int most = Math.max(1, Math.min(maximum, pledge.allowed(System.nanoTime()) - 1));
        int least = Math.min(minimum, Math.max(0, pledge.allowed(System.nanoTime()) - 1));
        if (least < pool.getMinimumPoolSize()) {
            pool.setMinimumPoolSize(least);
        }
        if (most != pool.getMaximumPoolSize()) {
            pool.setMaximumPoolSize(most);
        }
        if (least > pool.getMinimumPoolSize()) {
            pool.setMinimumPoolSize(least);
        }
    }

    private int physical() {
        return pool.physicalConnections() + (own == null ? 0 : own.physical());
    }

    // ------------------------------------------------------------- renewals

    private void look() {
        try {
            if (pool.isClosed()) {
                close();
                return;
            }
            if (suspended) {
                if (own != null) {
                    own.disconnect();
                }
                return;
            }
            PoolStats stats = pool.stats();
            demand.seen(stats);
            if (isDue(stats)) {
                renew();
            } else {
                apply(); // the lease may have ended
            }
        } catch (SQLException | RuntimeException e) { // also of a pool that is being closed
            LOG.log(Level.DEBUG, "fleet {0}: {1}", options.fleet(), e);
        }
    }

    private boolean isDue(PoolStats stats) {
        long now = System.nanoTime();
        if (now - dueNanos >= 0) {
            return true;
        }
        Grant grant = last;
        if (grant == null || failing) {
            return false;
        }
        long since = (now - sentNanos) / 1_000_000;
        int allowed = pledge.allowed(now);
        boolean lacks = stats.waiting() > 0 && stats.inUse() + stats.waiting() > allowed - 1 && allowed <= maximum;
        boolean idles = grant.tight() && 2 * wants() < toldWants; // others may want it
        if ((lacks || idles) && since >= Math.max(URGENT_MILLIS, 10L * grant.members())) {
            return true;
        }
        return told > allowed && physical() <= allowed && since >= Math.max(GIVE_BACK_MILLIS, 2L * grant.members());
    }

    private int wants() {
        Grant grant = last;
        int looks = grant != null && grant.tight() ? Demand.SHORT : Demand.LONG;
        return 1 + Math.max(1, demand.peak(looks));
    }

    private void renew() throws SQLException {
        synchronized (renewing) {
            if (left) {
                return;
            }
            apply();
            long sent = System.nanoTime();
            Claim claim = pledge.claim(self, this::physical, wants(), sent);
            try {
                Grant grant = budget.renew(claim);
                sentNanos = sent;
                told = Math.max(claim.has(), grant.ceiling());
                toldWants = claim.wants();
                last = grant;
                renewals.incrementAndGet();
                failing = false;
                pledge.granted(grant, sent);
                dueNanos = System.nanoTime() + jittered(grant.renewAfterMillis());
                if (grant.ceiling() == 0 && own != null) {
                    own.disconnect();
                }
            } catch (FleetRefusedException e) {
                failed(e);
                if (!pledge.isJoined()) {
                    throw e;
                }
            } catch (SQLException | RuntimeException e) {
                failed(e);
            }
            apply();
        }
    }

    private void failed(Exception e) {
        boolean first = !failing;
        failing = true;
        failures.incrementAndGet();
        lastFailure = String.valueOf(e.getMessage());
        pledge.failed(isAnswer(e));
        dueNanos = System.nanoTime() + jittered(first ? RETRY_MILLIS : RETRY_MAX_MILLIS);
        LOG.log(first ? Level.WARNING : Level.DEBUG, "fleet {0}: no renewal: {1}", options.fleet(), lastFailure);
    }

    /** The server answered, and would answer everybody so: nobody can get a place that this member has. */
    private static boolean isAnswer(Exception e) {
        String state = e instanceof SQLException failure ? failure.getSQLState() : null;
        return state != null
                && (state.startsWith("42") || state.startsWith("25") || state.equals("55P03") || state.equals("57014"));
    }

    private static long jittered(long millis) {
        return TimeUnit.MILLISECONDS.toNanos(
                millis * (90 + ThreadLocalRandom.current().nextInt(21)) / 100);
    }

    // ------------------------------------------------------------- for the user

    /** Returns the pool. */
    public WeirDataSource pool() {
        return pool;
    }

    /** Returns the name of this member, one in the fleet. */
    public String instance() {
        return self.instance();
    }

    /** Returns what the member has and wants, and what it knows of its fleet. */
    public FleetStatus status() {
        Grant grant = last;
        long now = System.nanoTime();
        return new FleetStatus(
                options.fleet(),
                options.application(),
                self.instance(),
                pledge.allowed(now),
                grant == null ? 0 : grant.share(),
                wants(),
                grant == null ? 0 : grant.budget(),
                grant == null ? 0 : grant.free(),
                grant == null ? 0 : grant.members(),
                renewals.get(),
                failures.get(),
                pledge.isJoined() && pledge.leaseEndsNanos() - now > 0,
                lastFailure);
    }

    /**
     * Renews nothing, and soon holds no connection of the member's own, until {@link #resume}: for while the pool is
     * suspended and empty, as for a checkpoint of the JVM. When the lease has ended the others get the member's places.
     */
    public void suspend() {
        suspended = true;
    }

    /** Renews again, now first. */
    public void resume() {
        dueNanos = System.nanoTime();
        suspended = false;
    }

    /** Closes the pool, and gives its places to the others. Does nothing the second time. */
    @Override
    public void close() {
        thread.shutdown();
        pool.close();
        synchronized (renewing) {
            if (left) {
                return;
            }
            left = true;
            FleetBean.unregister(this);
            try {
                if (pool.physicalConnections() == 0 && pledge.isJoined()) {
                    budget.leave(self.instance());
                }
            } catch (SQLException | RuntimeException e) {
                LOG.log(
                        Level.DEBUG,
                        "fleet {0}: {1} did not say that it leaves: {2}",
                        options.fleet(),
                        self.instance(),
                        e.getMessage());
            } finally {
                budget.close();
            }
        }
    }
}
