package dev.weir.internal.shared;

import dev.weir.internal.settings.Settings;
import dev.weir.internal.slots.LoanTrace;
import dev.weir.internal.slots.PoolClock;
import dev.weir.internal.slots.Slot;
import java.util.Arrays;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The hold on a connection at one moment, by any thread's racy look: by which thread, since when, and for which SQL.
 */
public final class Holding {
    final Slot slot;
    public final long heldNanos;
    public final @Nullable Thread thread;
    final @Nullable String lastSql;
    private final boolean returning;
    private final @Nullable LoanTrace trace;

    /** The loan of this word of the slot. */
    public Holding(Slot slot, long word, long now) {
        this.slot = slot;
        this.heldNanos = PoolClock.elapsed(now, slot.heldSince(word, now));
        this.thread = slot.holder;
        this.lastSql = Slot.isOfOneLoan(word, slot.lastSqlOf) ? slot.lastSql : null;
        this.returning = Slot.stateOf(word) == Slot.RETURNING;
        LoanTrace last = slot.trace;
        this.trace = last != null && Slot.isOfOneLoan(word, last.loanWord) ? last : null;
    }

    /** Where it was acquired; empty if that was not noted. */
    public StackTraceElement[] acquiredAt() {
        return trace == null ? new StackTraceElement[0] : trace.acquiredAt();
    }

    public String inWords(Settings settings) {
        String sql = settings.shownSql(lastSql);
        return slot + " held for " + TimeUnit.NANOSECONDS.toMillis(heldNanos) + " ms by "
                + (thread == null ? "an unknown thread" : "thread '" + thread.getName() + "'")
                + (returning ? ", now in close()" : "")
                + (sql == null ? "" : ", last SQL: " + sql);
    }

    public static String stack(StackTraceElement[] frames) {
        return Arrays.stream(frames)
                .map(frame -> System.lineSeparator() + "    at " + frame)
                .collect(Collectors.joining());
    }
}
