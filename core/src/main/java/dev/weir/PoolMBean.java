package dev.weir;

import dev.weir.internal.engine.ConnectionPool;
import dev.weir.internal.settings.Setting;
import dev.weir.internal.settings.Settings;
import dev.weir.internal.shared.Holding;
import dev.weir.internal.shared.Pins;
import dev.weir.internal.slots.PoolClock;
import java.time.Instant;
import java.util.Date;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** Shows one pool to JMX. */
final class PoolMBean extends ChangeableSettingsBean implements PoolMXBean {
    private final ConnectionPool pool;
    private final Settings settings;

    PoolMBean(ConnectionPool pool) {
        this.pool = pool;
        this.settings = pool.settings;
    }

    @Override
    Object value(Setting setting) {
        return settings.config().required(setting);
    }

    @Override
    void change(Setting setting, Object value) {
        settings.change(setting, value);
        pool.settingsChanged();
    }

    @Override
    public String getPoolName() {
        return settings.poolName();
    }

    @Override
    public int getTotal() {
        return pool.stats().total();
    }

    @Override
    public int getInUse() {
        return pool.stats().inUse();
    }

    @Override
    public int getIdle() {
        return pool.stats().idle();
    }

    @Override
    public int getWaiting() {
        return pool.stats().waiting();
    }

    @Override
    public int getOpening() {
        return pool.stats().opening();
    }

    @Override
    public int getClosing() {
        return pool.stats().closing();
    }

    @Override
    public long getAcquired() {
        return pool.stats().acquired();
    }

    @Override
    public long getTimedOut() {
        return pool.stats().timedOut();
    }

    @Override
    public long getOpened() {
        return pool.stats().opened();
    }

    @Override
    public long getOldestConnect() {
        return TimeUnit.NANOSECONDS.toMillis(pool.state.connects.underWayNanos(pool.clock.now()));
    }

    @Override
    public long getOpenFailed() {
        return pool.stats().openFailed();
    }

    @Override
    public Map<String, Long> getRetired() {
        Map<String, Long> byName = new TreeMap<>();
        pool.stats().retired().forEach((reason, count) -> byName.put(reason.name(), count));
        return byName;
    }

    @Override
    public String getPoolMode() {
        return pool.settings.poolMode();
    }

    @Override
    public Map<String, Long> getPinned() {
        return pool.stats().pinned();
    }

    @Override
    public Map<String, Integer> getServers() {
        return pool.stats().servers();
    }

    @Override
    public Map<String, Long> getLoanTimes() {
        LoanTimes times = pool.stats().loanTimes();
        return new TreeMap<>(Map.of(
                "beforeFirstStatement", times.beforeFirstStatement().toMillis(),
                "inDriver", times.inDriver().toMillis(),
                "betweenTransactions", times.betweenTransactions().toMillis(),
                "idleInTransaction", times.idleInTransaction().toMillis()));
    }

    @Override
    public Map<String, Map<String, Long>> getPlaces() {
        Map<String, Map<String, Long>> places = new LinkedHashMap<>();
        for (PlaceStats place : pool.stats().places()) {
            places.put(
                    place.place(),
                    Map.of(
                            "loans", place.loans(),
                            "held", place.held().toMillis(),
                            "waited", place.waited().toMillis(),
                            "longest", place.longest().toMillis()));
        }
        return places;
    }

    @Override
    public List<String> getIdlePlaces() {
        return pool.stats().loanTimes().idlePlaces();
    }

    @Override
    public int getMostInUse() {
        return pool.stats().loanTimes().mostInUse();
    }

    @Override
    public int getNeededForTransactions() {
        return pool.stats().loanTimes().neededForTransactions();
    }

    @Override
    public List<String> getAdvice() {
        return pool.stats().advice();
    }

    @Override
    public @Nullable Date getLastOpenFailureAt() {
        Instant at = pool.stats().lastOpenFailureAt();
        return at == null ? null : Date.from(at);
    }

    @Override
    public @Nullable String getLastOpenFailure() {
        return pool.stats().lastOpenFailure();
    }

    @Override
    public void evictIdle() {
        pool.evictIdle();
    }

    @Override
    public void evictAll() {
        pool.evictAll();
    }

    @Override
    public void suspend() {
        pool.suspend();
    }

    @Override
    public void resume() {
        pool.resume();
    }

    @Override
    public String dump() {
        return pool.dump();
    }

    @Override
    public long[] getWaits() {
        return pool.acquiring.waits();
    }

    @Override
    public long[] getUses() {
        return pool.state.places.uses();
    }

    @Override
    public boolean isSuspended() {
        return pool.isSuspended();
    }

    @Override
    public List<Holder> holders(int most) {
        return pool.held(Math.max(0, most)).stream().<Holder>map(Held::new).toList();
    }

    @Override
    public List<Waiter> waiters(int most) {
        long now = pool.clock.now();
        return pool.waiters(Math.max(0, most)).stream()
                .<Waiter>map(waiter -> new Waiting(
                        Holding.nameOf(waiter.thread()),
                        TimeUnit.NANOSECONDS.toMillis(PoolClock.elapsed(now, waiter.sinceNanos)),
                        List.of(waiter.thread().getStackTrace())))
                .toList();
    }

    @Override
    public List<Failure> recentFailures() {
        return pool.recentFailures().stream().<Failure>map(Failed::new).toList();
    }

    private static List<String> frames(List<StackTraceElement> stack) {
        return stack.stream().map(StackTraceElement::toString).toList();
    }

    private record Held(HeldConnection held) implements Holder {
        @Override
        public long getConnection() {
            return held.id();
        }

        @Override
        public long getSessionId() {
            return held.sessionId();
        }

        @Override
        public long getHeldMillis() {
            return held.heldFor().toMillis();
        }

        @Override
        public @Nullable String getThread() {
            return held.thread();
        }

        @Override
        public @Nullable String getLastSql() {
            return held.lastSql();
        }

        @Override
        public HeldConnection.Doing getDoing() {
            return held.doing();
        }

        @Override
        public @Nullable String getPlace() {
            return Pins.placeIn(held.stack());
        }

        @Override
        public @Nullable String getAcquiredPlace() {
            return Pins.placeIn(held.acquiredAt());
        }

        @Override
        public List<String> getStack() {
            return frames(held.stack());
        }

        @Override
        public List<String> getAcquiredAt() {
            return frames(held.acquiredAt());
        }
    }

    private record Waiting(String thread, long millis, List<StackTraceElement> stack) implements Waiter {
        @Override
        public String getThread() {
            return thread;
        }

        @Override
        public long getWaitedMillis() {
            return millis;
        }

        @Override
        public @Nullable String getPlace() {
            return Pins.placeIn(stack);
        }

        @Override
        public List<String> getStack() {
            return frames(stack);
        }
    }

    private record Failed(OpenFailure failure) implements Failure {
        @Override
        public Date getAt() {
            return Date.from(failure.at());
        }

        @Override
        public String getKind() {
            return failure.kind().name();
        }

        @Override
        public String getMessage() {
            return failure.message();
        }
    }
}
