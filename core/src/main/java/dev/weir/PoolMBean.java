package dev.weir;

import java.time.Instant;
import java.util.Date;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** Shows one pool to JMX. */
final class PoolMBean implements PoolMXBean {
    private final ConnectionPool pool;
    private final Settings settings;

    PoolMBean(ConnectionPool pool) {
        this.pool = pool;
        this.settings = pool.settings;
    }

    private void change(Setting setting, Object value) {
        settings.change(setting, value);
        pool.settingsChanged();
    }

    @Override
    public String getPoolName() {
        return settings.poolName();
    }

    @Override
    public int getMaximumPoolSize() {
        return settings.maximumPoolSize();
    }

    @Override
    public void setMaximumPoolSize(int value) {
        change(Setting.MAXIMUM_POOL_SIZE, value);
    }

    @Override
    public int getMinimumPoolSize() {
        return settings.minimumPoolSize();
    }

    @Override
    public void setMinimumPoolSize(int value) {
        change(Setting.MINIMUM_POOL_SIZE, value);
    }

    @Override
    public int getAcquireIncrement() {
        return settings.acquireIncrement();
    }

    @Override
    public void setAcquireIncrement(int value) {
        change(Setting.ACQUIRE_INCREMENT, value);
    }

    @Override
    public int getAcquireRetries() {
        return settings.acquireRetries();
    }

    @Override
    public void setAcquireRetries(int value) {
        change(Setting.ACQUIRE_RETRIES, value);
    }

    @Override
    public long getAcquireRetryDelay() {
        return TimeUnit.NANOSECONDS.toMillis(settings.acquireRetryDelayNanos());
    }

    @Override
    public void setAcquireRetryDelay(long millis) {
        change(Setting.ACQUIRE_RETRY_DELAY, millis);
    }

    @Override
    public long getConnectionTimeout() {
        return TimeUnit.NANOSECONDS.toMillis(settings.connectionTimeoutNanos());
    }

    @Override
    public void setConnectionTimeout(long millis) {
        change(Setting.CONNECTION_TIMEOUT, millis);
    }

    @Override
    public long getIdleTimeout() {
        return TimeUnit.NANOSECONDS.toMillis(settings.idleTimeoutNanos());
    }

    @Override
    public void setIdleTimeout(long millis) {
        change(Setting.IDLE_TIMEOUT, millis);
    }

    @Override
    public long getMaxLifetime() {
        return TimeUnit.NANOSECONDS.toMillis(settings.maxLifetimeNanos());
    }

    @Override
    public void setMaxLifetime(long millis) {
        change(Setting.MAX_LIFETIME, millis);
    }

    @Override
    public long getLeakDetectionThreshold() {
        return TimeUnit.NANOSECONDS.toMillis(settings.leakDetectionThresholdNanos());
    }

    @Override
    public void setLeakDetectionThreshold(long millis) {
        change(Setting.LEAK_DETECTION_THRESHOLD, millis);
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
