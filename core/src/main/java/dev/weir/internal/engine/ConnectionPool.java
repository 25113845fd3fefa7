package dev.weir.internal.engine;

import dev.weir.HeldConnection;
import dev.weir.OpenFailure;
import dev.weir.PoolStats;
import dev.weir.RetireReason;
import dev.weir.internal.handles.ConnectionHandle;
import dev.weir.internal.handles.LoanHandle;
import dev.weir.internal.keeping.Ages;
import dev.weir.internal.keeping.Ending;
import dev.weir.internal.keeping.Keeper;
import dev.weir.internal.keeping.LeakScan;
import dev.weir.internal.keeping.Need;
import dev.weir.internal.keeping.Opening;
import dev.weir.internal.keeping.Retiring;
import dev.weir.internal.keeping.RetryGate;
import dev.weir.internal.keeping.ReturnWatch;
import dev.weir.internal.keeping.ServerMaximum;
import dev.weir.internal.keeping.ServerName;
import dev.weir.internal.keeping.Testing;
import dev.weir.internal.keeping.WaitWarning;
import dev.weir.internal.lending.Acquiring;
import dev.weir.internal.lending.Returning;
import dev.weir.internal.observing.Events;
import dev.weir.internal.observing.Listeners;
import dev.weir.internal.sessions.Failures;
import dev.weir.internal.sessions.TransactionState;
import dev.weir.internal.settings.Setting;
import dev.weir.internal.settings.Settings;
import dev.weir.internal.shared.Advice;
import dev.weir.internal.shared.Faults;
import dev.weir.internal.shared.Holders;
import dev.weir.internal.shared.LoanWatch;
import dev.weir.internal.shared.PoolState;
import dev.weir.internal.shared.Refusals;
import dev.weir.internal.shared.Starting;
import dev.weir.internal.slots.Inbox;
import dev.weir.internal.slots.PoolClock;
import dev.weir.internal.slots.Slot;
import dev.weir.internal.slots.Slots;
import dev.weir.internal.slots.WaitQueue;
import dev.weir.internal.slots.Waiter;
import dev.weir.internal.sources.ConnectFailure;
import dev.weir.internal.sources.ConnectionSource;
import dev.weir.internal.text.Log;
import dev.weir.internal.text.Redactor;
import dev.weir.internal.text.Version;
import dev.weir.internal.working.Workers;
import dev.weir.spi.FailureClass;
import dev.weir.spi.Ticker;
import java.lang.System.Logger.Level;
import java.sql.SQLException;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.random.RandomGenerator;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/** A pool: puts its parts together, and is what an operator works with. See {@link Keeper} for who decides. */
public final class ConnectionPool {
    /**
     * Classes with an initializer, which a user's thread might be the first to need. One that fails for want of stack or memory
     * fails for as long as the JVM lives; so they are initialized with the first pool.
     */
    private static final List<Class<?>> INITIALIZED_FIRST = List.of(
            LoanHandle.class,
            Events.class,
            Failures.class,
            FailureClass.class,
            TransactionState.class,
            RetireReason.class,
            Redactor.class);

    static {
        try {
            for (Class<?> type : INITIALIZED_FIRST) {
                Class.forName(type.getName(), true, type.getClassLoader());
            }
        } catch (ClassNotFoundException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    public final Settings settings;
    public final PoolClock clock;
    public final Slots slots = new Slots();
    final WaitQueue queue;
    public final PoolState state;
    public final Keeper keeper;
    final RetryGate gate;
    final Opening opening;
    final Testing testing;
    final Starting starting;
    public final Ending ending;
    public final Listeners listeners;
    public final Returning returning;
    public final Acquiring acquiring;

    private final @Nullable DataSource driverDataSource;
    private final Holders holders;
    private final LoanWatch loans;
    private final Advice advice;
    private final Refusals refusals;

    /**
     * @param failed the pool of the start before, which failed; null if there was none
     * @param onceLending runs on a worker once the pool lends; null for nothing
     */
    public ConnectionPool(
            Settings settings,
            ConnectionSource source,
            Ticker ticker,
            Listeners listeners,
            Workers workers,
            @Nullable ConnectionPool failed,
            @Nullable Runnable onceLending,
            Inbox inbox,
            RandomGenerator random) {
        this.settings = settings;
        this.listeners = listeners;
        listeners.redactBy(settings);
        driverDataSource = source.driverDataSource();
        settings.choose(Setting.LIVENESS, source.watchesSockets() ? "socket" : "test");
        long idle = settings.validateAfterIdleNanos();
        long period =
                Math.min(Math.max(idle / 5, TimeUnit.MILLISECONDS.toNanos(10)), TimeUnit.MILLISECONDS.toNanos(100));
        clock = new PoolClock(ticker, idle, period);
        queue = new WaitQueue(clock);
        state = new PoolState(
                settings, clock, slots, queue, inbox, random, failed == null ? null : failed.state, onceLending);
        holders = new Holders(state);
        Faults faults = new Faults(state);
        returning = new Returning(state, faults, listeners);
        loans = new LoanWatch(state, listeners, returning);
        advice = new Advice(state, loans, holders);
        refusals = new Refusals(state, holders, loans);
        gate = new RetryGate(settings, random);
        Need need = new Need(state);
        testing = new Testing(state, workers, faults);
        Retiring retiring = new Retiring(state, workers, listeners, gate);
        ServerName serverName =
                new ServerName(state, settings.config().text(Setting.URL), ServerName.Resolver.OF_JVM, workers);
        opening = new Opening(state, source, workers, returning, listeners, refusals, retiring, need, gate, serverName);
        starting = new Starting(state, refusals);
        ending = new Ending(state, starting, retiring, workers);
        LeakScan leaks = new LeakScan(state, workers, listeners);
        keeper = new Keeper(
                state,
                opening,
                testing,
                retiring,
                new Ages(state, testing, opening, need),
                new ReturnWatch(state, faults, workers),
                leaks,
                serverName,
                new ServerMaximum(state, testing),
                need,
                loans,
                advice,
                new WaitWarning(state, refusals, gate, workers),
                starting,
                ending,
                workers);
        starting.keepBy(workers.newKeeper(keeper));
        acquiring = new Acquiring(state, listeners, refusals, starting);
    }

    /** As {@link Acquiring#acquire()}. */
    public ConnectionHandle acquire() throws SQLException {
        return acquiring.acquire(0);
    }

    // -------------------------------------------------------------- operations

    public boolean isSuspended() {
        return state.isSuspended();
    }

    /** As {@link Starting#start}. */
    public void start() throws SQLException {
        starting.start();
    }

    /** Says once, in the log, which pool this is. */
    public void logStarted() {
        DataSource driver = settings.config().dataSource();
        String url = settings.config().text(Setting.URL);
        String source = driver != null
                ? "a " + driver.getClass().getName()
                : url != null ? Setting.URL.shown(url) : settings.config().text(Setting.DATA_SOURCE_CLASS_NAME);
        Log.log(
                Level.INFO,
                "pool '" + name() + "': started, Weir " + Version.text() + ", " + source
                        + driver() + (settings.followServerName() ? ", followServerName" : "")
                        + (settings.poolMode().equals("session") ? "" : ", poolMode " + settings.poolMode())
                        + ", maximumPoolSize "
                        + settings.maximumPoolSize()
                        + ", minimumPoolSize "
                        + settings.minimumPoolSize());
    }

    /** The driver, as far as it is known as soon as there is a connection, and how its connections prove that they live. */
    private String driver() {
        Slot[] all = slots.all();
        return (all.length == 0 ? "" : ", " + all[0].session.describe()) + ", liveness "
                + settings.get(Setting.LIVENESS);
    }

    /** The driver's DataSource that connections come from, if the pool made one. */
    public @Nullable DataSource driverDataSource() {
        return driverDataSource;
    }

    /** As {@link Ending#close}. */
    public void close() {
        ending.close();
    }

    public void suspend() {
        state.suspend();
    }

    public void resume() {
        if (state.resume()) {
            tryAgain();
            state.wakeClock(clock.now());
            queue.signal(false);
        }
    }

    public void evictIdle() {
        for (Slot slot : slots.all()) {
            if (slot.isIdle()) {
                state.condemn(slot, RetireReason.EVICTED);
            }
        }
        tryAgain();
    }

    public void evictAll() {
        for (Slot slot : slots.all()) {
            state.condemn(slot, RetireReason.EVICTED);
        }
        tryAgain();
    }

    private void tryAgain() {
        state.inbox.say(Inbox.OPERATOR_ACTED);
        state.nudge();
    }

    /** The limits or periods in {@link #settings} changed. */
    public void settingsChanged() {
        acquiring.settingsChanged();
        shrink();
        state.inbox.say(Inbox.SETTINGS_CHANGED);
        tryAgain();
    }

    /**
     * Retires what is above a lowered maximum: idle ones now, of those in use as many as remain when they are returned.
     */
    private void shrink() {
        int surplus = slots.live() - settings.maximumPoolSize();
        for (Slot slot : slots.all()) {
            surplus -= slot.isCondemned() || slot.state() == Slot.RETIRED ? 1 : 0;
        }
        for (Slot slot : slots.all()) {
            if (surplus > 0 && slot.isIdle()) {
                state.condemn(slot, RetireReason.SURPLUS);
                surplus--;
            }
        }
        for (Slot slot : slots.all()) {
            if (surplus > 0 && slot.state() != Slot.RETIRED && !slot.isCondemned()) {
                state.condemn(slot, RetireReason.SURPLUS);
                surplus--;
            }
        }
    }

    /** The holder of each connection, since when, and its SQL; one line a connection. */
    public String dump() {
        Map<String, Integer> servers = servers();
        int allowed = state.serverMaximum;
        String measured = loans.sinceStart();
        String connect = refusals.oldestConnect();
        List<String> advised = advice.now();
        return "pool '" + name() + "'" + refusals.counts() + (connect.isEmpty() ? "" : ", " + connect) + driver()
                + (servers.isEmpty() ? "" : ", servers " + servers)
                + (allowed == 0 ? "" : ", the server allows " + allowed)
                + state.pins.inWords()
                + (measured == null ? "" : System.lineSeparator() + measured)
                + (advised.isEmpty() ? "" : System.lineSeparator() + String.join(System.lineSeparator(), advised))
                + holders.dump() + refusals.nested();
    }

    /** The loans, the longest first. */
    public List<HeldConnection> held() {
        return held(Integer.MAX_VALUE);
    }

    /** The loans, the longest first, so many at most. */
    public List<HeldConnection> held(int most) {
        return holders.held(most);
    }

    /** Those that wait, the longest first, so many at most. Their threads are not to be kept. */
    public List<Waiter> waiters(int most) {
        return queue.first(most);
    }

    public PoolStats stats() {
        ConnectFailure failure = state.connects.lastFailure;
        Slots.Counts counts = slots.counts();
        return new PoolStats(
                counts.live(),
                counts.inUse(),
                counts.idle(),
                queue.sizeVolatile(),
                counts.opening(),
                counts.closing() + state.physicalBefore(),
                acquiring.lent(),
                acquiring.timedOut(),
                counts.begun(),
                counts.opened(),
                counts.openFailed(),
                counts.retired(),
                servers(),
                state.serverMaximum,
                failure == null ? null : failure.at(),
                failure == null ? null : failure.text(),
                state.pins.counts(),
                loans.times(),
                state.places.stats(),
                advice.now());
    }

    /** The last failures to open, the newest first. */
    public List<OpenFailure> recentFailures() {
        return state.connects.recentFailures;
    }

    private Map<String, Integer> servers() {
        Map<String, Integer> counts = new TreeMap<>();
        for (Slot slot : slots.all()) {
            String server = slot.session.serverName();
            if (server != null) {
                counts.merge(server, 1, Integer::sum);
            }
        }
        return Collections.unmodifiableMap(counts);
    }

    /** Whether it has ended because it could not be started. */
    public boolean isFailed() {
        return state.phase.get() == PoolState.Phase.FAILED;
    }

    /** Whether it is started and not closed. */
    public boolean isRunning() {
        return state.phase.get() == PoolState.Phase.STARTED;
    }

    /** Connections, connects and closes that have not come to their end, those of failed starts before it included. */
    public int physical() {
        return slots.unfinished() + state.physicalBefore();
    }

    String name() {
        return settings.poolName();
    }
}
