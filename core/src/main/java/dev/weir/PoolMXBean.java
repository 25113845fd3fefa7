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

    /**
     * Returns how long acquires waited since the start, those that timed out included: how many of each length. An acquire that
     * found an idle connection is not counted. Entry i counts waits of at least 2^(10 + i/2) ns, for an odd i of half as much
     * again, and of less than entry i + 1 does; the first and the last have no other bound.
     */
    long[] getWaits();

    /**
     * Returns how long connections were in use since the start, those that were returned, in the entries of {@link #getWaits}: a
     * sample of all loans, as {@link PlaceStats} says, in which those that waited weigh no more than others.
     */
    long[] getUses();

    /** Returns whether it is suspended. */
    boolean isSuspended();

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

    /** Returns for how long the oldest connect has been under way, in milliseconds; 0 if none is. */
    long getOldestConnect();

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

    /**
     * Returns where connections were acquired, as in {@link PoolStats#places()}: by the place, {@code loans} and, in
     * milliseconds, {@code held}, {@code waited} and {@code longest}.
     */
    Map<String, Map<String, Long>> getPlaces();

    /** Returns where holders were seen idle inside a transaction, as in {@link LoanTimes#idlePlaces()}. */
    List<String> getIdlePlaces();

    /** Returns the most connections seen in use, as in {@link LoanTimes#mostInUse()}. */
    int getMostInUse();

    /** Returns how many would do, each lent for a transaction, as in {@link LoanTimes#neededForTransactions()}. */
    int getNeededForTransactions();

    /** Returns what would serve the pool better, as in {@link PoolStats#advice()}; empty if all is well. */
    List<String> getAdvice();

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

    /**
     * Returns the connections in use, the longest held first. An operation, as {@link #waiters}, so that whoever collects
     * attributes takes no stacks.
     *
     * @param most so many at most
     */
    List<Holder> holders(int most);

    /**
     * Returns the threads that wait for a connection, the longest first.
     *
     * @param most so many at most
     */
    List<Waiter> waiters(int most);

    /** Returns the last ten connects that failed, the newest first. */
    List<Failure> recentFailures();

    /** A connection in use, as {@link HeldConnection}. */
    interface Holder {
        /** Returns the connection's number in the pool. */
        long getConnection();

        /** Returns the server's number of its session, as in {@link HeldConnection#sessionId()}; 0 if that is not known. */
        long getSessionId();

        /** Returns how long it is held, at least. */
        long getHeldMillis();

        /** Returns the thread that acquired it, or null if that is not known. */
        @Nullable
        String getThread();

        /** Returns what was last prepared or executed, without literals; null if nothing was. */
        @Nullable
        String getLastSql();

        /** Returns what its thread does. */
        HeldConnection.Doing getDoing();

        /** Returns the method of the user's that its thread is in now, as {@code OrderView.render}; null if none is known. */
        @Nullable
        String getPlace();

        /** Returns the method of the user's that acquired it; null if that was not noted. */
        @Nullable
        String getAcquiredPlace();

        /** Returns the frames of its thread now, the innermost first. */
        List<String> getStack();

        /** Returns the frames that acquired it; empty if they were not noted. */
        List<String> getAcquiredAt();
    }

    /** A thread that waits for a connection. */
    interface Waiter {
        /** Returns the thread. */
        String getThread();

        /** Returns how long it has waited. */
        long getWaitedMillis();

        /** Returns the method of the user's that waits, as {@code OrderView.render}; null if none is known. */
        @Nullable
        String getPlace();

        /** Returns its frames, the innermost first. */
        List<String> getStack();
    }

    /** A connect that failed, as {@link OpenFailure}. */
    interface Failure {
        /** Returns when. */
        Date getAt();

        /** Returns the name of its {@link dev.weir.spi.FailureClass}. */
        String getKind();

        /** Returns what it said, without secrets. */
        String getMessage();
    }
}
