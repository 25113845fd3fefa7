package dev.weir.internal.observing;

import dev.weir.internal.observing.Events.ConnectionEvent;
import dev.weir.internal.observing.Events.PoolEvent;
import jdk.jfr.Description;
import jdk.jfr.EventType;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;
import jdk.jfr.Timespan;
import org.jspecify.annotations.Nullable;

/** The flight recorder's events of single loans, and of how many there are; as {@link Events}. */
@SuppressWarnings("UnusedVariable") // the flight recorder reads the fields
public final class LoanEvents {
    private LoanEvents() {}

    /**
     * Registers all types once there is a recorder: at each turn of the Keeper, so that it is rarely a user's thread that needs
     * them first. An initializer that meets the end of a stack fails for good.
     */
    public static void prepare() {
        if (Events.isRecorderThere()) {
            EventType ignored = Events.Types.OPENED;
            EventType ignoredToo = Types.LOAN;
        }
    }

    /** Whether a recording wants loans: then each begins with {@link #beginLoan} and ends with {@link #loan}. */
    public static boolean areLoansRecorded() {
        return Events.isRecorderThere() && Types.LOAN.isEnabled();
    }

    public static boolean areHeldRecorded() {
        return Events.isRecorderThere() && Types.HELD.isEnabled();
    }

    public static boolean areCountsRecorded() {
        return Events.isRecorderThere() && Types.COUNTED.isEnabled();
    }

    /** An object, as others must not link to the recorder. */
    public static Object beginLoan() {
        Loan event = new Loan();
        event.begin();
        return event;
    }

    /** The loan of this event has ended; whether it was long enough for a recording. */
    public static boolean isWanted(Object begun) {
        Loan event = (Loan) begun;
        event.end();
        return event.shouldCommit();
    }

    public static void loan(
            Object begun,
            String pool,
            long connectionId,
            long sessionId,
            long waitedNanos,
            long beforeFirstStatementNanos,
            long inDriverNanos,
            long betweenTransactionsNanos,
            long idleInTransactionNanos,
            @Nullable String sql,
            String acquiredAt) {
        Loan event = (Loan) begun;
        event.pool = pool;
        event.connectionId = connectionId;
        event.sessionId = sessionId;
        event.waited = waitedNanos;
        event.beforeFirstStatement = beforeFirstStatementNanos;
        event.inDriver = inDriverNanos;
        event.betweenTransactions = betweenTransactionsNanos;
        event.idleInTransaction = idleInTransactionNanos;
        event.sql = sql;
        event.acquiredAt = acquiredAt.isEmpty() ? null : acquiredAt;
        event.commit();
    }

    public static void loanHeld(
            String pool,
            long connectionId,
            long sessionId,
            long heldNanos,
            @Nullable String holder,
            @Nullable String sql,
            @Nullable String acquiredAt) {
        LoanHeld event = new LoanHeld();
        event.pool = pool;
        event.connectionId = connectionId;
        event.sessionId = sessionId;
        event.held = heldNanos;
        event.holder = holder;
        event.sql = sql;
        event.acquiredAt = acquiredAt;
        event.commit();
    }

    public static void counted(String pool, int inUse, int idle, int waiting, int opening, int maximum) {
        ConnectionsCounted event = new ConnectionsCounted();
        event.pool = pool;
        event.inUse = inUse;
        event.idle = idle;
        event.waiting = waiting;
        event.opening = opening;
        event.maximum = maximum;
        event.commit();
    }

    /** As that of {@link Events}. */
    private static final class Types {
        static final EventType LOAN = EventType.getEventType(Loan.class);
        static final EventType HELD = EventType.getEventType(LoanHeld.class);
        static final EventType COUNTED = EventType.getEventType(ConnectionsCounted.class);
    }

    @Name("dev.weir.Loan")
    @Label("Loan")
    @Description("A connection was out, from its acquire to its return; the stack is that of the return")
    @StackTrace(true)
    private static final class Loan extends ConnectionEvent {
        @Label("Waited")
        @Timespan(Timespan.NANOSECONDS)
        long waited;

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

        @Label("SQL")
        @Description("The last text, without its literals")
        @Nullable
        String sql;

        @Label("Acquired At")
        @Description("Where it was acquired, if that was noted")
        @Nullable
        String acquiredAt;
    }

    @Name("dev.weir.LoanHeld")
    @Label("Loan Held")
    @Description("A connection has been out for ten seconds or more; again every ten seconds")
    private static final class LoanHeld extends ConnectionEvent {
        @Label("Held")
        @Timespan(Timespan.NANOSECONDS)
        long held;

        @Label("Holder")
        @Description("Name of the thread that acquired it")
        @Nullable
        String holder;

        @Label("SQL")
        @Description("The last text, without its literals")
        @Nullable
        String sql;

        @Label("Acquired At")
        @Description("Where it was acquired, if that was noted")
        @Nullable
        String acquiredAt;
    }

    @Name("dev.weir.ConnectionsCounted")
    @Label("Connections Counted")
    @Description("How many connections are what, every 100 ms while the pool is at work")
    private static final class ConnectionsCounted extends PoolEvent {
        @Label("In Use")
        int inUse;

        @Label("Idle")
        int idle;

        @Label("Waiting")
        @Description("Threads that wait")
        int waiting;

        @Label("Opening")
        @Description("Connects under way")
        int opening;

        @Label("Maximum")
        int maximum;
    }
}
