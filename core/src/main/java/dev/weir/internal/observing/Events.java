package dev.weir.internal.observing;

import dev.weir.LoanTimes;
import dev.weir.RetireReason;
import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Enabled;
import jdk.jfr.Event;
import jdk.jfr.EventType;
import jdk.jfr.FlightRecorder;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;
import jdk.jfr.Timespan;
import org.jspecify.annotations.Nullable;

/**
 * The pool's flight recorder events. Each is off until a recording enables it by name.
 *
 * <p>Until a flight recording runs, an event costs the read of one static field, and neither an event class
 * nor the recorder is initialized by us; after that, the read of the flag of its type. An event object is made only to
 * be written.
 */
@SuppressWarnings("UnusedVariable") // the flight recorder reads the fields
public final class Events {
    /** Nothing here links to a class of the recorder where there is none. */
    private static final boolean HAS_RECORDER = hasRecorder();

    private Events() {}

    /** A runtime may lack it, and a container's class loader (JBoss Modules, OSGi) hide the one that is there. */
    private static boolean hasRecorder() {
        try {
            boolean ignored = FlightRecorder.isInitialized();
            return true;
        } catch (LinkageError e) {
            return false;
        }
    }

    static boolean isRecorderThere() {
        return HAS_RECORDER && FlightRecorder.isInitialized();
    }

    public static void connectionOpened(String pool, long connectionId, long sessionId, long tookNanos) {
        if (isRecorderThere() && Types.OPENED.isEnabled()) {
            ConnectionOpened event = new ConnectionOpened();
            event.pool = pool;
            event.connectionId = connectionId;
            event.sessionId = sessionId;
            event.took = tookNanos;
            event.commit();
        }
    }

    public static void openFailed(String pool, long tookNanos, @Nullable String sqlState, @Nullable String message) {
        if (isRecorderThere() && Types.OPEN_FAILED.isEnabled()) {
            ConnectionOpenFailed event = new ConnectionOpenFailed();
            event.pool = pool;
            event.took = tookNanos;
            event.sqlState = sqlState;
            event.message = message;
            event.commit();
        }
    }

    public static void retired(String pool, long connectionId, long sessionId, RetireReason reason, long ageNanos) {
        if (isRecorderThere() && Types.RETIRED.isEnabled()) {
            ConnectionRetired event = new ConnectionRetired();
            event.pool = pool;
            event.connectionId = connectionId;
            event.sessionId = sessionId;
            event.reason = reason.name();
            event.age = ageNanos;
            event.commit();
        }
    }

    public static void acquireWaited(String pool, long waitedNanos, int waiting) {
        if (isRecorderThere() && Types.WAITED.isEnabled()) {
            AcquireWaited event = new AcquireWaited();
            event.pool = pool;
            event.waited = waitedNanos;
            event.waiting = waiting;
            event.commit();
        }
    }

    public static void acquireTimedOut(
            String pool, long waitedNanos, int inUse, int idle, int waiting, int opening, int closing) {
        if (isRecorderThere() && Types.TIMED_OUT.isEnabled()) {
            AcquireTimedOut event = new AcquireTimedOut();
            event.pool = pool;
            event.waited = waitedNanos;
            event.inUse = inUse;
            event.idle = idle;
            event.waiting = waiting;
            event.opening = opening;
            event.closing = closing;
            event.commit();
        }
    }

    public static void leaked(
            String pool,
            long connectionId,
            long sessionId,
            String holder,
            long heldNanos,
            String acquiredAt,
            String stack) {
        if (isRecorderThere() && Types.LEAKED.isEnabled()) {
            ConnectionLeaked event = new ConnectionLeaked();
            event.pool = pool;
            event.connectionId = connectionId;
            event.sessionId = sessionId;
            event.holder = holder;
            event.held = heldNanos;
            event.acquiredAt = acquiredAt;
            event.stack = stack;
            event.commit();
        }
    }

    public static void loanTimes(String pool, LoanTimes times) {
        if (isRecorderThere() && Types.LOANS_MEASURED.isEnabled()) {
            LoansMeasured event = new LoansMeasured();
            event.pool = pool;
            event.loans = times.loans();
            event.beforeFirstStatement = times.beforeFirstStatement().toNanos();
            event.inDriver = times.inDriver().toNanos();
            event.betweenTransactions = times.betweenTransactions().toNanos();
            event.idleInTransaction = times.idleInTransaction().toNanos();
            event.commit();
        }
    }

    public static void pinned(String pool, String reason, @Nullable String sql, @Nullable String place) {
        if (isRecorderThere() && Types.PINNED.isEnabled()) {
            ConnectionPinned event = new ConnectionPinned();
            event.pool = pool;
            event.reason = reason;
            event.sql = sql;
            event.place = place;
            event.commit();
        }
    }

    /** Initialized with the first event that meets a flight recorder; registers the types with it. */
    static final class Types {
        static final EventType OPENED = EventType.getEventType(ConnectionOpened.class);
        static final EventType OPEN_FAILED = EventType.getEventType(ConnectionOpenFailed.class);
        static final EventType RETIRED = EventType.getEventType(ConnectionRetired.class);
        static final EventType WAITED = EventType.getEventType(AcquireWaited.class);
        static final EventType TIMED_OUT = EventType.getEventType(AcquireTimedOut.class);
        static final EventType PINNED = EventType.getEventType(ConnectionPinned.class);
        static final EventType LEAKED = EventType.getEventType(ConnectionLeaked.class);
        static final EventType LOANS_MEASURED = EventType.getEventType(LoansMeasured.class);
    }

    /** The common part of all events: the pool. */
    @Category("Weir")
    @Enabled(false)
    @StackTrace(false)
    abstract static class PoolEvent extends Event {
        @Label("Pool")
        @Nullable
        String pool;
    }

    /** The common part of what happens to one connection. */
    abstract static class ConnectionEvent extends PoolEvent {
        @Label("Connection")
        @Description("Number of the connection in its pool")
        long connectionId;

        @Label("Session")
        @Description("The server's number of its session when it was opened: PostgreSQL's process, MariaDB's and"
                + " MySQL's thread; 0 if the driver does not tell")
        long sessionId;
    }

    @Name("dev.weir.ConnectionOpened")
    @Label("Connection Opened")
    @Description("A physical connection was opened")
    private static final class ConnectionOpened extends ConnectionEvent {
        @Label("Took")
        @Timespan(Timespan.NANOSECONDS)
        long took;
    }

    @Name("dev.weir.ConnectionOpenFailed")
    @Label("Connection Open Failed")
    @Description("A physical connection could not be opened")
    private static final class ConnectionOpenFailed extends PoolEvent {
        @Label("Took")
        @Timespan(Timespan.NANOSECONDS)
        long took;

        @Label("SQLState")
        @Nullable
        String sqlState;

        @Label("Message")
        @Nullable
        String message;
    }

    @Name("dev.weir.ConnectionRetired")
    @Label("Connection Retired")
    @Description("A physical connection was closed by the pool")
    private static final class ConnectionRetired extends ConnectionEvent {
        @Label("Reason")
        @Nullable
        String reason;

        @Label("Age")
        @Timespan(Timespan.NANOSECONDS)
        long age;
    }

    @Name("dev.weir.AcquireWaited")
    @Label("Acquire Waited")
    @Description("A thread got a connection, but had to wait for it")
    @StackTrace(true)
    private static final class AcquireWaited extends PoolEvent {
        @Label("Waited")
        @Timespan(Timespan.NANOSECONDS)
        long waited;

        @Label("Waiting")
        @Description("Threads that still wait")
        int waiting;
    }

    @Name("dev.weir.AcquireTimedOut")
    @Label("Acquire Timed Out")
    @Description("A thread got no connection within connectionTimeout")
    @StackTrace(true)
    private static final class AcquireTimedOut extends PoolEvent {
        @Label("Waited")
        @Timespan(Timespan.NANOSECONDS)
        long waited;

        @Label("In Use")
        int inUse;

        @Label("Idle")
        int idle;

        @Label("Waiting")
        @Description("Threads that still wait")
        int waiting;

        @Label("Opening")
        @Description("Connects under way")
        int opening;

        @Label("Closing")
        @Description("Connections that are being closed, and connects that were given up and have not ended")
        int closing;
    }

    @Name("dev.weir.ConnectionLeaked")
    @Label("Connection Leaked")
    @Description("A connection is held for longer than leakDetectionThreshold")
    private static final class ConnectionLeaked extends ConnectionEvent {
        @Label("Holder")
        @Description("Name of the thread that acquired it")
        @Nullable
        String holder;

        @Label("Held")
        @Timespan(Timespan.NANOSECONDS)
        long held;

        @Label("Acquired At")
        @Description("Where it was acquired")
        @Nullable
        String acquiredAt;

        @Label("Stack")
        @Description("Where the holder is")
        @Nullable
        String stack;
    }

    @Name("dev.weir.ConnectionPinned")
    @Label("Connection Pinned")
    @Description(
            "A connection stays with its user until it is closed, though the pool gives them back between transactions")
    private static final class ConnectionPinned extends PoolEvent {
        @Label("Reason")
        @Nullable
        String reason;

        @Label("SQL")
        @Description("The text that was the first to pin for this reason, without its literals")
        @Nullable
        String sql;

        @Label("Place")
        @Description("Where that was")
        @Nullable
        String place;
    }

    @Name("dev.weir.LoansMeasured")
    @Label("Loans Measured")
    @Description("Where the time of loans went since the event before, ten seconds ago or more")
    private static final class LoansMeasured extends PoolEvent {
        @Label("Loans")
        @Description("Acquires")
        long loans;

        @Label("Before First Statement")
        @Timespan(Timespan.NANOSECONDS)
        long beforeFirstStatement;

        @Label("In Driver")
        @Timespan(Timespan.NANOSECONDS)
        long inDriver;

        @Label("Between Transactions")
        @Timespan(Timespan.NANOSECONDS)
        long betweenTransactions;

        @Label("Idle In Transaction")
        @Timespan(Timespan.NANOSECONDS)
        long idleInTransaction;
    }
}
