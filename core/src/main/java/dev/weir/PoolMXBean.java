package dev.weir;

import java.util.Date;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A pool as JMX shows it, under {@code dev.weir:type=Pool,name=...}. Times are in milliseconds. What can be set takes
 * effect at once; a wrong value is refused with an IllegalArgumentException that names the setting. Thread-safe.
 */
public interface PoolMXBean {

    /** Returns the name of the pool. */
    String getPoolName();

    /** Returns the greatest number of connections, idle and in use. */
    int getMaximumPoolSize();

    /** Sets the greatest number of connections; what is surplus is closed as it comes home. */
    void setMaximumPoolSize(int value);

    /** Returns the least number of connections, idle and in use. */
    int getMinimumPoolSize();

    /** Sets the least number of connections. */
    void setMinimumPoolSize(int value);

    /** Returns the greatest number of connects under way at a time. */
    int getAcquireIncrement();

    /** Sets the greatest number of connects under way at a time. */
    void setAcquireIncrement(int value);

    /** Returns the failures in a row after which, while nobody waits, the pause doubles. */
    int getAcquireRetries();

    /** Sets the failures in a row after which, while nobody waits, the pause doubles. */
    void setAcquireRetries(int value);

    /** Returns the longest pause after a failed connect; a tenth of it while somebody waits. */
    long getAcquireRetryDelay();

    /** Sets the longest pause after a failed connect; a tenth of it while somebody waits. */
    void setAcquireRetryDelay(long millis);

    /** Returns the time within which getConnection() returns or throws. */
    long getConnectionTimeout();

    /** Sets the time within which getConnection() returns or throws. */
    void setConnectionTimeout(long millis);

    /** Returns the time after which surplus connections are closed, 0 for never. */
    long getIdleTimeout();

    /** Sets the time after which surplus connections are closed, 0 for never. */
    void setIdleTimeout(long millis);

    /** Returns the age at which a connection is replaced, 0 for never. */
    long getMaxLifetime();

    /** Sets the age at which a connection is replaced, 0 for never. */
    void setMaxLifetime(long millis);

    /** Returns the time held after which a connection is reported, 0 for never. */
    long getLeakDetectionThreshold();

    /** Sets the time held after which a connection is reported, 0 for never. */
    void setLeakDetectionThreshold(long millis);

    /** Returns how many physical connections exist. */
    int getTotal();

    /** Returns how many connections are in use. */
    int getInUse();

    /** Returns how many connections could be lent at once. */
    int getIdle();

    /** Returns how many threads wait for a connection. */
    int getWaiting();

    /** Returns how many connects are under way. */
    int getOpening();

    /** Returns how many connections were lent since the start. */
    long getAcquired();

    /** Returns how many acquires timed out since the start. */
    long getTimedOut();

    /** Returns how many connects succeeded since the start. */
    long getOpened();

    /** Returns how many connects failed since the start. */
    long getOpenFailed();

    /** Returns how many connections the pool closed since the start, by the name of the {@link RetireReason}. */
    Map<String, Long> getRetired();

    /** Returns when a connect last failed, or null if none did. */
    @Nullable
    Date getLastOpenFailureAt();

    /** Returns what the last failure to connect said, or null if there was none. */
    @Nullable
    String getLastOpenFailure();

    /** Closes the connections that are idle now. */
    void evictIdle();

    /** Closes all connections: the idle ones now, those in use when they come home. */
    void evictAll();

    /** Lends nothing until {@link #resume}; who asks waits, within connectionTimeout. */
    void suspend();

    /** Lends again. */
    void resume();

    /** Returns who holds what, since when, running what; one line a connection. */
    String dump();
}
