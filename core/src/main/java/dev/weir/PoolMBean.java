package dev.weir;

import dev.weir.internal.engine.ConnectionPool;
import dev.weir.internal.settings.Setting;
import dev.weir.internal.settings.Settings;
import java.time.Instant;
import java.util.Date;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
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
}
