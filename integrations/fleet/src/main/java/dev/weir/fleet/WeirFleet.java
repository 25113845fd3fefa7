package dev.weir.fleet;

import dev.weir.PoolConfig;
import dev.weir.PoolStats;
import dev.weir.RetireReason;
import dev.weir.WeirDataSource;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * Makes a pool a member of a fleet: many JVMs share one budget of connections to their database. It sets the pool's
 * {@code maximumPoolSize} and {@code minimumPoolSize} while it runs, between 1 and what they were before, and {@code acquireSurge} to 1. Closing it
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
    private static final int URGENT_MILLIS = 50;
    private static final int GIVE_BACK_MILLIS = 25;
    private static final int RETRY_MILLIS = 500;
    private static final int RETRY_MAX_MILLIS = 2_000;

    /** How long a connect waits for the renewal that it asked for, or until it is the member's turn. */
    private static final long ASK_MILLIS = 2_000;

    /** So long the server may take to end a session whose client has closed it. */
    private static final long LINGER_MILLIS = 50;

    /** How long close() waits for a renewal that is under way, and to say that the member leaves. */
    private static final long LEAVE_MILLIS = 2_000;

    private final WeirDataSource pool;
    private final FleetOptions options;
    private final FleetBudget budget;
    private final @Nullable DatabaseBudget
            own; // whose connection is one of the member's; null: the budget is elsewhere
    private final Pledge pledge;
    private final String instance;
    private final @Nullable String tag;
    private final ScheduledThreadPoolExecutor thread;
    private volatile @Nullable Thread worker; // its only one
    private final AtomicBoolean closing = new AtomicBoolean();
    private volatile Runnable leaveJmx = () -> {}; // written once, when it has joined
    private final Demand demand = new Demand();
    private final int surge; // acquireSurge before it joined

    // confined to the thread that renews: the joining one, then the member's
    private int maximum;
    private int minimum;
    private int setMaximum; // by this, or seen
    private int setMinimum;
    private boolean setAtRunTime;
    private boolean warned;
    private boolean refused; // by the last renewal that failed
    private boolean throughDoor; // the connection that renews has no place unless this renewal gives it one
    private long sampledNanos = System.nanoTime();
    private int closedThen;
    private int heldFor; // renewals in a row in which the server had not ended all that was closed
    private long closedSinceNanos; // when the pool was found closed; 0: it is not

    // written by who renews, read by anybody
    private volatile @Nullable Grant last;
    private volatile long sentNanos;
    private volatile long dueNanos;
    private volatile int told; // what the fleet holds by the last answer
    private volatile int toldWants;
    private volatile boolean failing;
    private volatile long deadBefore; // connections that had died when the last claim that was answered was made
    private volatile long deadClaimed; // when the last claim was made
    private volatile int closedBefore; // connections closed that have surely ended at the server
    private volatile boolean suspended;
    private final AtomicLong renewals = new AtomicLong();
    private final AtomicLong failures = new AtomicLong();
    private volatile @Nullable String lastFailure;
    private volatile boolean asked; // a connect waits for a renewal, which is to begin now
    private volatile boolean confirms; // a connect waits for the next renewal, which may be bounded in rate

    private final Object news = new Object(); // over the pledge's monitor; nothing else is called with it
    private long begun; // guarded by news; renewals
    private long ended; // guarded by news; the number of the last that ended

    private WeirFleet(
            WeirDataSource pool,
            FleetOptions options,
            FleetBudget budget,
            @Nullable DatabaseBudget own,
            String instance,
            @Nullable String tag) {
        this.pool = pool;
        this.options = options;
        this.budget = budget;
        this.own = own;
        this.pledge =
                new Pledge(options.lease().toNanos(), options.forgetAfter().toNanos());
        this.instance = instance;
        this.tag = tag;
        this.maximum = pool.getMaximumPoolSize();
        this.minimum = pool.getMinimumPoolSize();
        this.surge = pool.getAcquireSurge();
        this.setMaximum = maximum;
        this.setMinimum = minimum;
        this.thread = new ScheduledThreadPoolExecutor(1, task -> {
            Thread made = new Thread(task, "weir-fleet-" + pool.getPoolName());
            made.setDaemon(true);
            worker = made;
            return made;
        });
        thread.setExecuteExistingDelayedTasksAfterShutdownPolicy(false);
    }

    /**
     * Joins a fleet whose budget is in the pool's own database. The pool is not started yet; it is when this returns
     * ready to start. If the database does not answer now, the member joins when it does, and the pool opens nothing
     * before.
     *
     * @throws FleetRefusedException if the options contradict those of the other members, or more is guaranteed than
     *     there is
     * @throws IllegalArgumentException if the pool's configuration is wrong or cannot take part
     * @throws IllegalStateException if the pool is started, or a member already
     */
    public static WeirFleet join(WeirDataSource pool, FleetOptions options) throws SQLException {
        PoolConfig config = requireFit(pool, options);
        String instance = newInstance();
        String url = pool.getUrl();
        String tag = SessionTag.give(pool, config.dataSourceProperties(), options.fleet(), instance);
        try {
            DatabaseBudget database = new DatabaseBudget(own(pool, config), options);
            return begin(new WeirFleet(pool, options, database, database, instance, tag));
        } catch (SQLException | RuntimeException | Error e) {
            SessionTag.take(pool, config.dataSourceProperties(), url);
            throw e;
        }
    }

    /** The pool of the one connection over which a member renews. */
    private static WeirDataSource own(WeirDataSource pool, PoolConfig config) {
        WeirDataSource source = new WeirDataSource(pool.config().toBuilder()
                .poolName(pool.getPoolName() + "-fleet")
                .maximumPoolSize(1)
                .minimumPoolSize(0)
                .minimumIdle(0)
                .registerMbeans(false)
                .leakDetectionThreshold(Duration.ZERO)
                .connectionTimeout(Duration.ofMillis(DatabaseBudget.TIMEOUT_MILLIS))
                .closeTimeout(Duration.ZERO)
                .autoCommit(false)
                .readOnly(false)
                .transactionIsolation((Integer) null) // see FleetSql.begin
                .build());
        config.listeners().forEach(source::removeListener); // they are the pool's
        return source;
    }

    private static String newInstance() {
        return UUID.randomUUID().toString().replace("-", "").substring(0, 12);
    }

    /**
     * Joins a fleet whose budget is somewhere else; it is closed with this.
     *
     * @throws FleetRefusedException if the budget refuses the member
     * @throws IllegalArgumentException if the pool's configuration is wrong or cannot take part
     * @throws IllegalStateException if the pool is started, or a member already
     */
    public static WeirFleet join(WeirDataSource pool, FleetOptions options, FleetBudget budget) throws SQLException {
        requireFit(pool, options);
        return begin(new WeirFleet(pool, options, budget, null, newInstance(), null));
    }

    private static WeirFleet begin(WeirFleet fleet) throws SQLException {
        Runnable undo = () -> {};
        try {
            undo = Gate.install(fleet.pool, fleet::pass);
            fleet.pool.setAcquireSurge(
                    1); // as many may be under way in a member that dies, and are held until it is forgotten
            fleet.apply();
            fleet.renew();
        } catch (SQLException | RuntimeException | Error e) {
            fleet.thread.shutdownNow();
            fleet.restore(undo);
            fleet.budget.close();
            throw e;
        }
        ScheduledFuture<?> unused = // look() lets nothing out, and ends with the thread
                fleet.thread.scheduleWithFixedDelay(fleet::look, LOOK_MILLIS, LOOK_MILLIS, TimeUnit.MILLISECONDS);
        fleet.leaveJmx = FleetBean.register(fleet);
        if (fleet.closing.get()) { // by its own thread, of a pool that was closed at once
            fleet.leaveJmx.run();
        }
        return fleet;
    }

    /** A pool that was refused is as it was. */
    private void restore(Runnable gate) {
        gate.run();
        pool.setMaximumPoolSize(maximum);
        pool.setMinimumPoolSize(minimum);
        pool.setAcquireSurge(surge);
    }

    private static PoolConfig requireFit(WeirDataSource pool, FleetOptions options) {
        if (pool.isRunning() || pool.isClosed()) {
            throw new IllegalStateException(
                    "fleet: " + pool + " (expected: not started; a pool joins before it opens)");
        }
        if (Gate.isInstalled(pool)) {
            throw new IllegalStateException(
                    "fleet: " + pool + " is a member already (expected: one fleet for one pool)");
        }
        PoolConfig config = pool.config();
        int most = pool.getMaximumPoolSize();
        int ofAll = options.budget() - 1 - Ledger.door(options.budget());
        if (options.budget() != FleetOptions.AUTO && most > ofAll) {
            throw new IllegalArgumentException("fleet: maximumPoolSize: " + most + " (expected: at most " + ofAll
                    + ", the budget of the fleet, " + options.budget() + ", less the member's own connection and "
                    + Ledger.door(options.budget()) + " for members that join)");
        }
        int ofOne = (options.guaranteed() + options.instances() - 1) / options.instances();
        if (most + 1 < ofOne) {
            throw new IllegalArgumentException("fleet: maximumPoolSize: " + most + " (expected: " + (ofOne - 1)
                    + " and more: of the " + options.guaranteed() + " connections that are guaranteed to application "
                    + options.application() + " with " + options.instances() + " or more instances, " + ofOne
                    + " are one instance's, its own connection included)");
        }
        return config;
    }

    // ------------------------------------------------------------- connects

    /**
     * Of a connect of the pool, which the pool counts already; on the thread of that connect. If a connection has died
     * since the last answer, the server may be another one, or be back after a restart: the member asks first.
     */
    private void pass() throws SQLException {
        long died = dead();
        if (own != null && died != deadBefore) {
            pledge.lost(died != deadClaimed);
            awaitRenewal();
        }
        await(pledge.pauseNanos(System.nanoTime()), () -> pledge.pauseNanos(System.nanoTime()) == 0); // its turn
        int lately = closed() - closedBefore;
        if (withOwn() + lately > pledge.allowed(System.nanoTime())) {
            // The place of one that was just closed is free when the server has ended its session.
            await(TimeUnit.MILLISECONDS.toNanos(LINGER_MILLIS), () -> false);
        }
        long limit = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(ASK_MILLIS);
        boolean goesOn = !suspended;
        while (goesOn && isShortByUnended()) {
            goesOn = awaitConfirmation(limit - System.nanoTime());
        }
        long now = System.nanoTime();
        if (!pledge.mayConnect(withOwn(), ended(), now)) {
            int unended = pledge.unended(ended(), System.nanoTime());
            throw Gate.shut(
                    options.fleet(),
                    "no place for one more connection now; this member may have " + pledge.allowed(now)
                            + ", its own included; "
                            + (unended == 0 ? "" : "the server may not have ended " + unended + " yet; ") + describe());
        }
    }

    /** Connections, with one that asks at the gate and a place for the member's own. */
    private int withOwn() {
        return pool.physicalConnections() + (own == null ? 1 : Math.max(1, own.physical()));
    }

    /** Whether there is a place but for what a renewal has yet to see ended. */
    private boolean isShortByUnended() {
        int open = withOwn();
        int allowed = pledge.allowed(System.nanoTime());
        return open <= allowed && open + pledge.unended(ended(), System.nanoTime()) > allowed;
    }

    /** Connections that were closed or lost, and connects that failed or were given up; the member's own included. */
    private long ended() {
        return ended(pool) + (own == null ? 0 : own.ended());
    }

    /** Connections that were closed or lost, and connects that failed or were given up, since the pool was made. */
    static long ended(WeirDataSource pool) {
        PoolStats stats = pool.stats();
        return stats.begun() - stats.total() - stats.opening();
    }

    /** Connections that broke, the member's own included. */
    private long dead() {
        return dead(pool) + (own == null ? 0 : own.dead());
    }

    /** Connections that broke, since the pool started. */
    static long dead(WeirDataSource pool) {
        Map<RetireReason, Long> retired = pool.stats().retired();
        return retired.getOrDefault(RetireReason.FAULT, 0L) + retired.getOrDefault(RetireReason.INVALID, 0L);
    }

    /** Waits until a renewal that begins now has ended, in whatever, for a bounded time. */
    private void awaitRenewal() throws SQLException {
        long target = nextRenewal();
        asked = true;
        try {
            thread.execute(this::look);
        } catch (RejectedExecutionException e) {
            return; // it is being closed, and so is the pool
        }
        await(TimeUnit.MILLISECONDS.toNanos(ASK_MILLIS), () -> ended >= target);
    }

    /** Waits until the next renewal has ended, which may be a little later; false if it has not within this time. */
    private boolean awaitConfirmation(long nanos) throws SQLException {
        long target = nextRenewal();
        confirms = true;
        return await(nanos, () -> ended >= target);
    }

    private long nextRenewal() {
        synchronized (news) {
            return begun + 1;
        }
    }

    /** Connections that were closed, since the pool started. */
    private int closed() {
        long all = 0;
        for (long ofReason : pool.stats().retired().values()) {
            all += ofReason;
        }
        return (int) all;
    }

    /**
     * Waits for so long, or until it is over or the member closes; whether it is over. {@code over} is asked with {@code news}
     * held.
     */
    private boolean await(long nanos, BooleanSupplier over) throws SQLException {
        long limit = System.nanoTime() + nanos;
        synchronized (news) {
            long left = nanos;
            while (left > 0 && !closing.get() && !over.getAsBoolean()) {
                try {
                    news.wait(left / 1_000_000 + 1);
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                    throw Gate.shut(options.fleet(), "interrupted while it waited for a place");
                }
                left = limit - System.nanoTime();
            }
            return over.getAsBoolean();
        }
    }

    private String describe() {
        Grant grant = last;
        return grant == null
                ? "it has not joined yet" + (lastFailure == null ? "" : ": " + lastFailure)
                : "the fleet has " + grant.budget() + " for " + grant.members() + " members"
                        + (!failing ? "" : "; last failed renewal: " + lastFailure);
    }

    /**
     * Has the pool keep to what is allowed now. What somebody else has set while the pool runs is the most, or the
     * least, from now on; it is seen or it stays, as each value is replaced in one step.
     */
    private void apply() {
        if (pool.isClosed()) {
            return;
        }
        long now = System.nanoTime();
        int allowed = pledge.allowed(now) - 1;
        applyMinimum(allowed, true);
        applyMaximum(allowed, pledge.isKept(now));
        applyMinimum(allowed, false);
        setAtRunTime = pool.isRunning();
    }

    private void applyMaximum(int allowed, boolean isKept) {
        boolean isApplied = false;
        while (!isApplied) {
            int found = pool.getMaximumPoolSize();
            if (setAtRunTime && found != setMaximum) { // a start that failed goes back to what was set before it
                maximum = found;
                setMaximum = found;
            }
            int most = Math.max(1, Math.min(maximum, allowed));
            if (isKept) { // those that are open stay, and are not replaced: the gate opens none
                most = Math.max(most, Math.min(setMaximum, pool.stats().total()));
            }
            isApplied = found == most || pool.compareAndSetMaximumPoolSize(found, most);
            setMaximum = isApplied ? most : setMaximum;
        }
    }

    /** Before the maximum is lowered, and after it is raised: a minimum above it would be refused. */
    private void applyMinimum(int allowed, boolean lowersOnly) {
        boolean isApplied = false;
        while (!isApplied) {
            int found = pool.getMinimumPoolSize();
            if (setAtRunTime && found != setMinimum) {
                minimum = found;
                setMinimum = found;
            }
            int least = Math.min(minimum, Math.max(0, Math.min(maximum, allowed)));
            if (lowersOnly && least >= found) {
                return;
            }
            isApplied = found == least || pool.compareAndSetMinimumPoolSize(found, least);
            setMinimum = isApplied ? least : setMinimum;
        }
    }

    private int physical() {
        return pool.physicalConnections() + (own == null ? 0 : own.physical());
    }

    // ------------------------------------------------------------- renewals

    /** A pool that closes has connections in use: the others get the places that it uses no more. */
    private void drain() throws SQLException {
        int left = physical();
        long since = (System.nanoTime() - sentNanos) / 1_000_000;
        boolean gives = told > left && since >= giveBackMillis();
        if (pledge.isJoined() && (gives || System.nanoTime() - dueNanos >= 0)) {
            renew();
        }
    }

    /** A pool that was closed alone still closes its connections; what hangs in that is not waited for. */
    private void followWhenEmpty() {
        long now = System.nanoTime();
        closedSinceNanos = closedSinceNanos == 0 ? now | 1 : closedSinceNanos;
        long limit = pool.config().closeTimeout().toNanos() + options.lease().toNanos();
        if (isEmpty() || now - closedSinceNanos > limit) {
            close();
        }
    }

    /** Those that were closed longer ago than the server takes to end them. */
    private void sampleClosed() {
        long now = System.nanoTime();
        if (now - sampledNanos >= TimeUnit.MILLISECONDS.toNanos(LINGER_MILLIS)) {
            sampledNanos = now;
            closedBefore = closedThen;
            closedThen = closed();
        }
    }

    /** Lets nothing out, Errors included: what a scheduled task throws ends its schedule. */
    @SuppressWarnings("CatchingUnchecked")
    private void look() {
        try {
            if (pool.isClosed()) {
                sampleClosed();
                drain();
                followWhenEmpty();
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
            sampleClosed();
            if (isDue(stats)) {
                renew();
            } else {
                apply(); // the lease may have ended
            }
        } catch (Throwable e) { // also of a pool that is being closed
            log(Level.DEBUG, "fleet {0}: {1}", options.fleet(), e);
        }
    }

    /** A log handler that fails is no fault of the member's. */
    private static void log(Level level, String text, Object... values) {
        try {
            LOG.log(level, text, values);
        } catch (RuntimeException | StackOverflowError | OutOfMemoryError e) {
            // nobody can be told
        }
    }

    private boolean isDue(PoolStats stats) {
        long now = System.nanoTime();
        if (asked || now - dueNanos >= 0) {
            return true;
        }
        Grant grant = last;
        if (grant == null || failing) {
            return false;
        }
        long since = (now - sentNanos) / 1_000_000;
        if (confirms && since >= giveBackMillis()) {
            return true;
        }
        int allowed = pledge.allowed(now);
        boolean lacks = stats.waiting() > 0 && stats.inUse() + stats.waiting() >= allowed && allowed <= maximum;
        boolean idles = grant.tight() && 2 * wants() < toldWants; // others may want it
        long urgent = Math.max(URGENT_MILLIS, 10L * grant.members());
        if ((lacks || idles) && since >= (grant.unended() > 0 ? Math.max(urgent, giveBackMillis()) : urgent)) {
            return true;
        }
        return told > allowed && counted() <= allowed && since >= giveBackMillis();
    }

    /** At first soon after it has closed what is too much; then ever later, as a session behind a cut network ends late. */
    private long giveBackMillis() {
        Grant grant = last;
        return Math.max(GIVE_BACK_MILLIS, grant == null ? 0 : 2L * grant.members()) << Math.min(heldFor, 6);
    }

    /** As many as the server may have. Where it does not show whose a session is, those that it has just to end count too. */
    private int counted() {
        int now = physical();
        return isShown() ? now : Math.max(now, Math.min(told, now + closed() - closedBefore));
    }

    /** Whether others see which sessions this member still has; a budget of another kind goes by what it is told. */
    private boolean isShown() {
        return own == null || (tag != null && SessionTag.isSeenByAll(pool.getUrl()));
    }

    /** Connections of the pool that are there, less those that came later; the pool counts one that comes in both at once. */
    private int standing(long openedBefore) {
        PoolStats stats = pool.stats();
        return (int) Math.max(0, stats.total() - (stats.opened() - openedBefore));
    }

    private boolean isEmpty() {
        return pool.physicalConnections() == 0 && (isShown() || closed() == closedBefore);
    }

    private int wants() {
        Grant grant = last;
        int looks = grant != null && grant.tight() ? Demand.SHORT : Demand.LONG;
        return 1 + Math.max(1, demand.peak(looks));
    }

    @SuppressWarnings("CatchingUnchecked") // a budget is user code
    private void renew() throws SQLException {
        long number;
        asked = false; // whoever asks from now on waits for the one after this
        confirms = false;
        synchronized (news) {
            number = ++begun;
        }
        try {
            apply();
            long died = dead();
            deadClaimed = died;
            long sent = System.nanoTime();
            throughDoor = own != null && own.physical() == 0 && !hasPlaceForOwn(sent);
            if (pool.isClosed()) {
                pledge.atMost(counted());
            }
            long opened = pool.stats().opened();
            Claim claim = pledge.claim(self(), this::counted, this::ended, wants(), sent);
            granted(claim, budget.renew(claim, () -> standing(opened)), sent, died);
        } catch (FleetRefusedException e) {
            failed(e);
            if (!pledge.isJoined()) {
                throw e;
            }
        } catch (Throwable e) {
            failed(e);
        } finally {
            synchronized (news) {
                ended = number;
                news.notifyAll();
            }
        }
        apply();
    }

    private Claim self() {
        int atOnce = pool.getAcquireIncrement() * pool.getAcquireSurge() + 1;
        return new Claim(
                options.application(),
                instance,
                options.weight(),
                options.guaranteed(),
                pool.isClosed() ? Math.max(1, counted()) : maximum + 1,
                atOnce + pool.stats().closing(), // a connect that was given up counts as closing, and may still come
                0,
                0,
                0,
                0,
                0,
                0,
                false,
                tag);
    }

    private void granted(Claim claim, Grant grant, long sent, long died) {
        sentNanos = sent;
        told = grant.held();
        boolean isHeld = told > Math.max(claim.has(), grant.ceiling());
        boolean lacks = grant.unended() > 0 && claim.open() + claim.unended() >= claim.has();
        heldFor = isHeld || lacks ? heldFor + 1 : 0;
        toldWants = claim.wants();
        last = grant;
        renewals.incrementAndGet();
        failing = false;
        deadBefore = died;
        pledge.granted(grant, sent);
        boolean crowded = 2 * grant.members() > grant.budget() - Ledger.door(grant.budget());
        if (crowded && !warned) {
            log(
                    Level.WARNING,
                    "fleet {0}: {1} members on {2} connections (expected: two for each at least, one of them to renew; else"
                            + " a member that starts may get none until others stop)",
                    options.fleet(),
                    grant.members(),
                    grant.budget());
        }
        warned = crowded;
        dueNanos = System.nanoTime()
                + jittered(grant.renewAfterMillis(options.lease().toMillis()));
        if (own != null && (grant.ceiling() == 0 || isOverFull(own, grant.held()))) {
            own.disconnect();
        }
    }

    private boolean hasPlaceForOwn(long now) {
        return pool.physicalConnections() + pledge.unended(ended(), now) + 1 <= pledge.allowed(now);
    }

    /** The server may have as many sessions as this, without the connection that renews: that came through the door. */
    private boolean isOverFull(DatabaseBudget direct, int held) {
        return pool.stats().total() + direct.physical() + pledge.unended(ended(), System.nanoTime()) > held;
    }

    private void failed(Throwable e) {
        boolean first = !failing;
        boolean isRefused = e instanceof FleetRefusedException;
        boolean isNews = first || (isRefused && !refused);
        failing = true;
        refused = isRefused;
        failures.incrementAndGet();
        lastFailure = e instanceof SQLException ? String.valueOf(e.getMessage()) : e.toString();
        pledge.failed(isHeard(e), e instanceof SQLException failure && DatabaseBudget.isWithoutTable(failure));
        dueNanos = System.nanoTime() + jittered(first ? RETRY_MILLIS : RETRY_MAX_MILLIS);
        log(isNews ? Level.WARNING : Level.DEBUG, "fleet {0}: no renewal: {1}", options.fleet(), lastFailure);
        if (own != null && throughDoor) {
            own.disconnect();
        }
    }

    /** The server said no; there was a connection to say it on. */
    private static boolean isHeard(Throwable e) {
        String state = e instanceof SQLException failure ? failure.getSQLState() : null;
        return state != null && !state.matches("(08|28|53|57P|01002|HYT).*");
    }

    private static long jittered(long millis) {
        return TimeUnit.MILLISECONDS.toNanos(
                millis * (80 + ThreadLocalRandom.current().nextInt(41)) / 100);
    }

    // ------------------------------------------------------------- for the user

    /** Returns the pool. */
    public WeirDataSource pool() {
        return pool;
    }

    /** Returns the name of this member, one in the fleet. */
    public String instance() {
        return instance;
    }

    /** Returns what the member has and wants, and what it knows of its fleet. */
    public FleetStats stats() {
        Grant grant = last;
        long now = System.nanoTime();
        return new FleetStats(
                options.fleet(),
                options.application(),
                instance,
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

    /**
     * Closes the pool, and gives its places to the others. Beside what the pool's own close takes it takes 2 s at most,
     * whatever the network does; the places are then free when the lease has ended. Does nothing the second time.
     */
    @Override
    public void close() {
        if (!closing.compareAndSet(false, true)) {
            return;
        }
        leaveJmx.run();
        synchronized (news) {
            news.notifyAll();
        }
        try {
            pool.close();
        } finally {
            if (Thread.currentThread() == worker) { // of a pool that was closed alone
                leave();
            } else {
                awaitLeave();
            }
            budget.close(); // ends what hangs
        }
    }

    private void awaitLeave() {
        long linger = isShown() ? 0 : LINGER_MILLIS; // as the server does not show what it still ends
        ScheduledFuture<?> unused = // after a renewal that is under way
                thread.schedule(this::leave, linger, TimeUnit.MILLISECONDS);
        try {
            boolean unusedToo = thread.awaitTermination(LEAVE_MILLIS, TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** The last thing that the member's thread does: a renewal after it would write the member's row again. */
    @SuppressWarnings("CatchingUnchecked")
    private void leave() {
        try {
            if (pool.physicalConnections() == 0 && pledge.isJoined()) {
                budget.leave(instance);
            }
        } catch (Throwable e) {
            log(Level.DEBUG, "fleet {0}: {1} did not say that it leaves: {2}", options.fleet(), instance, e);
        } finally {
            thread.shutdown();
        }
    }
}
