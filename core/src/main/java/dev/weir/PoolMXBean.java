package dev.weir;

import java.util.Date;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A pool as JMX shows it, under {@code dev.weir:type=Pool,name=...}. Times are in milliseconds. A setter takes
 * effect at once; a wrong value is refused with an IllegalArgumentException that names the setting. Thread-safe.
 */
public interface PoolMXBean extends ChangeableSettings {

    /** Returns the name of the pool. */
    String getPoolName();

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

    /** Returns how many connections are being closed, and connects were given up and have not ended. */
    int getClosing();

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

    /** Returns how many connections there are to each server, as in {@link PoolStats#servers()}. */
    Map<String, Integer> getServers();

    /** Returns the setting {@code poolMode}. */
    String getPoolMode();

    /** Returns how often connections were pinned, by what, as in {@link PoolStats#pinned()}. */
    Map<String, Long> getPinned();

    /** Returns where the time of loans went since the start, in milliseconds, by the names of {@link LoanTimes}. */
    Map<String, Long> getLoanTimes();

    /** Returns where holders were seen idle inside a transaction, as in {@link LoanTimes#idlePlaces()}. */
    List<String> getIdlePlaces();

    /** Returns the most connections seen in use, as in {@link LoanTimes#mostInUse()}. */
    int getMostInUse();

    /** Returns how many would do, each lent for a transaction, as in {@link LoanTimes#neededForTransactions()}. */
    int getNeededForTransactions();

    /** Returns when a connect last failed, or null if none did. */
    @Nullable
    Date getLastOpenFailureAt();

    /** Returns the message of the last failure to connect, or null if there was none. */
    @Nullable
    String getLastOpenFailure();

    /** Closes the connections that are idle now. */
    void evictIdle();

    /** Closes all connections: the idle ones now, those in use when they are returned. */
    void evictAll();

    /** Lends nothing until {@link #resume}; an acquire waits, within connectionTimeout. */
    void suspend();

    /** Lends again. */
    void resume();

    /** Returns the holders, since when and with which SQL; one line a connection. */
    String dump();
}
