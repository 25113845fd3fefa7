package dev.weir.internal.engine;

import dev.weir.HeldConnection;
import dev.weir.PoolStats;
import dev.weir.RetireReason;
import dev.weir.internal.drivers.ConnectFailure;
import dev.weir.internal.drivers.ConnectionSource;
import dev.weir.internal.drivers.Session;
import dev.weir.internal.drivers.WatchedSockets;
import dev.weir.internal.handles.ConnectionHandle;
import dev.weir.internal.settings.Setting;
import dev.weir.internal.settings.Settings;
import dev.weir.internal.text.Log;
import dev.weir.internal.text.Version;
import dev.weir.internal.waiting.PoolClock;
import dev.weir.internal.waiting.Slot;
import dev.weir.internal.waiting.Slots;
import dev.weir.internal.waiting.WaitQueue;
import dev.weir.spi.FailureClass;
import dev.weir.spi.Ticker;
import java.lang.System.Logger.Level;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.function.LongConsumer;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * The engine: puts the parts of a pool together, and is what an operator works with. Connections are lent by {@link
 * Acquiring}, come home by {@link Returning}, and lose their places by {@link Retirement}.
 *
 * <p>Lock order: that of {@link Supply} before those of {@link Loans}, {@link Opener}, {@link WaitQueue}; {@code
 * Opener} before {@link Slots}; none is held across driver or user code.
 */
public final class ConnectionPool implements Strays.EndedPool {
    public final Settings settings;
    final PoolClock clock;
    public final Slots slots = new Slots();
    final WaitQueue queue;
    final PoolState state;
    final Keeper keeper;
    final Housekeeper housekeeper;
    public final Opener opener;
    final Supply supply;
    final Lifecycle lifecycle;
    final Listeners listeners;
    final Retirement retirement;
    public final Returning returning;
    public final Acquiring acquiring;

    final IdleTester tester;
    private final ServerName serverName;
    private final ServerMaximum serverMaximum;
    private final @Nullable DataSource made;
    private final Loans loans;
    private final Strays strays;
    private final Refusals refusals;
    private final Ticks ticks;
    private final Shutdown shutdown;
    private final Demand demand;

    public ConnectionPool(Settings settings, ConnectionSource source, Ticker ticker) {
        this(
                settings,
                source,
                ticker,
                new Listeners(settings.config().listeners()),
                new HelperThreads(settings.poolName(), settings.config().threadFactory()));
    }

    public ConnectionPool(
            Settings settings, ConnectionSource source, Ticker ticker, Listeners listeners, HelperThreads helpers) {
        this(settings, source, ticker, listeners, helpers, new Strays(), null);
    }

    /** {@code strays}: what earlier pools of the same data source left; {@code observer}: is called about the start. */
    public ConnectionPool(
            Settings settings,
            ConnectionSource source,
            Ticker ticker,
            Listeners listeners,
            HelperThreads helpers,
            Strays strays,
            Lifecycle.@Nullable Observer observer) {
        Calls calls = new Calls(settings, slots, listeners);
        this.settings = settings;
        this.listeners = listeners;
        this.strays = strays;
        listeners.redactBy(settings);
        made = source.made();
        settings.choose(Setting.LIVENESS, source.watchesSockets() ? "socket" : "test");
        long idle = settings.validateAfterIdleNanos();
        long period =
                Math.min(Math.max(idle / 5, TimeUnit.MILLISECONDS.toNanos(10)), TimeUnit.MILLISECONDS.toNanos(100));
        clock = new PoolClock(ticker, idle, period);
        queue = new WaitQueue(clock);
        state = new PoolState(settings, clock, slots, queue);
        loans = new Loans(settings, slots, calls.new Nanos(Calls.Nanos.LEAKED));
        keeper = new Keeper(settings, clock, helpers);
        LongConsumer nudge = calls.new Nanos(Calls.Nanos.NUDGE);
        tester = new IdleTester(settings, clock, slots, helpers, nudge, new Tests());
        Closer closer = new Closer(
                state, helpers, calls.new Nanos(Calls.Nanos.CLOSE_BEGUN), calls.new Then(Calls.Then.PLACE_FREED));
        opener = new Opener(state, source, helpers, strays, closer, new Connects());
        supply = new Supply(state, loans, opener);
        LoanTimer timer = new LoanTimer(clock, supply);
        retirement = new Retirement(
                state,
                closer,
                timer,
                listeners,
                calls.new Then(Calls.Then.TEST_SUSPECTS),
                calls.new SlotAt(Calls.SlotAt.USELESS));
        returning = new Returning(
                state,
                retirement,
                timer,
                listeners,
                calls.new Nanos(Calls.Nanos.WAKE_CLOCK),
                calls.new SlotAt(Calls.SlotAt.TEST),
                calls.new Then(Calls.Then.PROVED));
        refusals = new Refusals(state, loans, new Facts());
        shutdown = new Shutdown(state, keeper, opener, retirement, tester, helpers);
        lifecycle = new Lifecycle(state, keeper, opener, refusals, shutdown, helpers, observer);
        demand = new Demand(state, keeper, tester, opener, supply, lifecycle);
        acquiring = new Acquiring(settings, clock, slots, queue, state, loans, timer, listeners, refusals, demand);
        Need need = new Need(state, calls.new StartWaits());
        housekeeper = new Housekeeper(state, tester, opener, retirement, need, nudge);
        ticks = new Ticks(state, loans, opener, supply, need);
        serverName = new ServerName(
                state,
                settings.config().text(Setting.URL),
                new ServerName.OfJvm(),
                helpers,
                calls.new SlotAt(Calls.SlotAt.RENEW));
        serverMaximum = new ServerMaximum(state, tester, nudge);
        calls.clock = clock;
        calls.queue = queue;
        calls.keeper = keeper;
        calls.tester = tester;
        calls.opener = opener;
        calls.supply = supply;
        calls.retirement = retirement;
        calls.housekeeper = housekeeper;
        calls.lifecycle = lifecycle;
        calls.shutdown = shutdown;
        calls.demand = demand;
        calls.loans = loans;
        calls.ticks = ticks;
        calls.serverName = serverName;
        calls.serverMaximum = serverMaximum;
        keeper.setSteps(calls.new Passes(helpers));
        helpers.onBacklog(calls.new Then(Calls.Then.BACKLOG));
    }

    /** As {@link Acquiring#acquire()}. */
    public ConnectionHandle acquire() throws SQLException {
        return acquiring.acquire(0);
    }

    // ------------------------------------- what the parts below tell those above them

    @Override
    public long begun() {
        return opener.counts().begun();
    }

    @Override
    public long opened() {
        return opener.counts().opened();
    }

    @Nullable
    ConnectFailure lastFailure() {
        ConnectFailure failure = opener.lastFailure();
        return failure == null ? strays.lastFailureAsOf(clock.now()) : failure;
    }

    private final class Facts implements Refusals.Facts {
        @Override
        public PoolStats stats() {
            return ConnectionPool.this.stats();
        }

        @Override
        public @Nullable ConnectFailure lastFailure() {
            return ConnectionPool.this.lastFailure();
        }

        @Override
        public long oldestConnectNanos() {
            return opener.oldestSinceNanos();
        }
    }

    private final class Tests implements IdleTester.Outcome {
        @Override
        public void testPassed(Slot slot) {
            if (slot.isCondemned()) {
                retirement.retireCondemned(slot);
                demand.demandAnother(clock.now());
                return;
            }
            if (retirement.isMisledAbout(slot)) {
                retirement.retire(slot, RetireReason.INVALID, null);
                demand.demandAnother(clock.now());
                return;
            }
            retirement.testPassed(slot);
            // Of a crowd, who runs has it sooner than the head. Not where that would look at its sockets again: a
            // server that
            // says something all the time would have it tested for ever.
            returning.circulate(slot, slot.sockets != null);
        }

        @Override
        public void testFailed(Slot slot, Throwable failure, long startedNanos) {
            retirement.retireInvalid(slot, failure, startedNanos);
            if (!state.isClosed()) {
                demand.demandAnother(clock.now());
            }
        }
    }

    private final class Connects implements Connector.Outcome {
        @Override
        public boolean isWaitedFor() {
            return queue.sizeVolatile() > 0 || lifecycle.startWaits();
        }

        @Override
        public Slot newSlot(
                Connection physical, @Nullable WatchedSockets sockets, Session session, long id, long openedNanos) {
            Slot slot = new Slot(returning, physical, session, id, openedNanos);
            slot.sockets = sockets;
            housekeeper.plan(slot);
            retirement.noteRole(session);
            slot.serverAddresses = serverName.known();
            return slot;
        }

        @Override
        public void connectionOpened(Slot slot, @Nullable Slot replaced, long tookNanos) {
            lifecycle.connectionOpened();
            supply.connected(tookNanos, clock.now());
            returning.circulate(slot, true);
            supply.replenishByConnect(); // before the Keeper, which is told next, looks for what is missing
            housekeeper.noteOpened(replaced);
            serverMaximum.connectionOpened();
            if (state.isClosed()) {
                retirement.condemn(slot, RetireReason.CLOSED);
            }
            listeners.connectionOpened(name(), tookNanos);
        }

        @Override
        public void openedInVain() {
            lifecycle.connectEnded();
            supply.replenishIfWanted();
        }

        @Override
        public void openFailed(ConnectFailure failure, long tookNanos) {
            if (failure.kind() == FailureClass.AUTHENTICATION) {
                stillRefused(failure);
            } else {
                lifecycle.connectEnded();
                keeper.nudge(clock.now());
            }
            listeners.openFailed(name(), tookNanos, failure.kind());
        }

        @Override
        public void stillRefused(ConnectFailure refusal) {
            lifecycle.connectEnded();
            if (slots.live() == 0) {
                queue.failAll(() -> refusals.refused(refusal));
            }
            keeper.nudge(clock.now());
        }

        @Override
        public void abandonedEnded() {
            shutdown.wake();
        }
    }

    // -------------------------------------------------------------- operations

    int waiting() {
        return queue.sizeVolatile();
    }

    public boolean isSuspended() {
        return state.isSuspended();
    }

    boolean isClosed() {
        return state.isClosed();
    }

    /** As {@link Lifecycle#start}. */
    public void start() throws SQLException {
        lifecycle.start();
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
                        + driver() + (settings.followServerName() ? ", followServerName" : "") + ", maximumPoolSize "
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
    public @Nullable DataSource made() {
        return made;
    }

    /** As {@link Lifecycle#close}. */
    public void close() {
        lifecycle.close();
    }

    public void suspend() {
        state.suspend();
    }

    public void resume() {
        if (!state.resume()) {
            return;
        }
        long now = clock.now();
        opener.gate.tryAgain(now);
        keeper.wakeClock(now);
        queue.signal(false);
        keeper.nudge(now);
        demand.demandAnother(now);
    }

    public void evictIdle() {
        for (Slot slot : slots.all()) {
            if (slot.isAvailable()) {
                retirement.condemn(slot, RetireReason.EVICTED);
            }
        }
        tryAgain();
    }

    public void evictAll() {
        for (Slot slot : slots.all()) {
            retirement.condemn(slot, RetireReason.EVICTED);
        }
        tryAgain();
    }

    private void tryAgain() {
        long now = clock.now();
        opener.gate.tryAgain(now);
        keeper.nudge(now);
    }

    /** The limits or periods in {@link #settings} changed. */
    public void settingsChanged() {
        opener.gate.tryAgain(clock.now());
        acquiring.settingsChanged();
        retirement.shrinkTo(settings.maximumPoolSize());
        housekeeper.planAnew();
        supply.replenish(clock.now());
    }

    /** The holder of each connection, since when, and its SQL; one line a connection. */
    public String dump() {
        Map<String, Integer> servers = servers();
        int allowed = serverMaximum.allowed();
        return "pool '" + name() + "'" + refusals.counts() + driver()
                + (servers.isEmpty() ? "" : ", servers " + servers)
                + (allowed == 0 ? "" : ", the server allows " + allowed)
                + loans.dump(clock.now()) + refusals.nested();
    }

    /** The loans, the longest first. */
    public List<HeldConnection> held() {
        return loans.held(clock.now());
    }

    public PoolStats stats() {
        ConnectFailure failure = opener.lastFailure();
        Opener.Counts counts = opener.counts();
        Slots.Counts lent = slots.counts();
        return new PoolStats(
                counts.live(),
                lent.inUse(),
                lent.idle(),
                queue.sizeVolatile(),
                counts.opening(),
                counts.closing(),
                acquiring.lent(),
                acquiring.timedOut(),
                counts.begun(),
                counts.opened(),
                counts.openFailed(),
                counts.retired(),
                servers(),
                serverMaximum.allowed(),
                failure == null ? null : failure.at(),
                failure == null ? null : failure.text());
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

    // ------------------------------------------------------- after a start that failed

    @Override
    public int holding() {
        return opener.holding();
    }

    @Override
    public int physical() {
        return opener.physical();
    }

    @Override
    public @Nullable ConnectFailure lastFailureAsOf(long now) {
        ConnectFailure f = opener.lastFailure();
        return f == null
                ? null
                : new ConnectFailure(f.cause(), f.text(), f.kind(), now - clock.now() + f.atNanos(), f.at());
    }

    @Override
    public void awaitEnd() {
        shutdown.awaitEnd();
    }

    String name() {
        return settings.poolName();
    }
}
