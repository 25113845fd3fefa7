package dev.weir.internal.slots;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What a flight recording is told of one loan when it ends; made only while a recording wants loans. Exact, by a look at the clock
 * at each change of {@link SeenLoan what the loan does}.
 *
 * <p>Plain, as {@link Slot#doing}: threads that use one connection at the same time may lose the time between two of their notes.
 */
public final class LoanRecord {
    /** The recorder's event, which has begun. */
    public final Object event;

    public final long waitedNanos;

    /** The first frames of the user's code that acquired it; empty if they were not noted. */
    public final List<StackTraceElement> acquiredAt;

    /** By what {@link SeenLoan#doing} says. */
    private final long[] nanos = new long[4];

    private long sinceNanos;
    private int doing = SeenLoan.NOTHING_YET;

    /** What was last prepared or executed; taken when the loan ends, as the next loan may overwrite it. */
    private @Nullable String lastSql;

    public LoanRecord(Object event, long waitedNanos, List<StackTraceElement> acquiredAt) {
        this.event = event;
        this.waitedNanos = waitedNanos;
        this.acquiredAt = acquiredAt;
        this.sinceNanos = System.nanoTime();
    }

    /** The loan of this word does this from now on; told to the Keeper, and to a recording that asks. */
    public static void note(Slot slot, long loanWord, int doing) {
        slot.doing = SeenLoan.noted(loanWord, doing);
        LoanRecord record = slot.record();
        if (record != null) {
            record.note(doing);
        }
    }

    public void note(int next) {
        long now = System.nanoTime();
        nanos[doing] += now - sinceNanos;
        sinceNanos = now;
        doing = next;
    }

    /** By the owner, before the slot can be another's. */
    public void ends(Slot slot) {
        note(SeenLoan.IN_DRIVER);
        lastSql = Slot.isOfOneLoan(slot.wordVolatile(), slot.lastSqlOf) ? slot.lastSql : null;
    }

    public long nanos(int did) {
        return nanos[did];
    }

    public @Nullable String lastSql() {
        return lastSql;
    }
}
