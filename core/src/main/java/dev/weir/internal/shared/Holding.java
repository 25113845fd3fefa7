package dev.weir.internal.shared;

import dev.weir.HeldConnection.Doing;
import dev.weir.internal.settings.Settings;
import dev.weir.internal.slots.LoanTrace;
import dev.weir.internal.slots.Place;
import dev.weir.internal.slots.PoolClock;
import dev.weir.internal.slots.Slot;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The hold on a connection at one moment, by any thread's racy look: by which thread, since when, and for which SQL.
 */
public final class Holding {
    /**
     * A loan that is left behind and lasts so long looks leaked, in the log, JMX and all that reads it; {@code weir explain} asks of a
     * loan at the end of a recording whether it lasts so long, as the recording has no stack of then.
     */
    static final long LEAKED_NANOS = TimeUnit.SECONDS.toNanos(10);

    final Slot slot;
    private final long word;
    public final long heldNanos;
    public final @Nullable Thread thread;
    final @Nullable String lastSql;
    private final boolean returning;
    private final @Nullable LoanTrace trace;
    private final Place.@Nullable Loan sampled;

    /** The loan of this word of the slot. */
    public Holding(Slot slot, long word, long now) {
        this.slot = slot;
        this.word = word;
        this.heldNanos = PoolClock.elapsed(now, slot.heldSince(word, now));
        this.thread = slot.holder;
        this.lastSql = Slot.isOfOneLoan(word, slot.lastSqlOf) ? slot.lastSql : null;
        this.returning = Slot.stateOf(word) == Slot.RETURNING;
        LoanTrace last = slot.trace;
        this.trace = last != null && Slot.isOfOneLoan(word, last.loanWord) ? last : null;
        Place.Loan seen = slot.sampled;
        this.sampled = seen != null && Slot.isOfOneLoan(word, seen.loanWord()) ? seen : null;
    }

    /** Where it was acquired: the stack of the user, or its first frames if it was sampled; empty if neither was noted. */
    public StackTraceElement[] acquiredAt() {
        return trace != null
                ? trace.acquiredAt()
                : sampled != null ? sampled.frames().toArray(StackTraceElement[]::new) : new StackTraceElement[0];
    }

    /**
     * What its thread does, whose stack this is, taken after this was made. A thread that a connection was handed to a moment ago may
     * be on its way out of the acquire still, and one that has just taken a slot may not be noted as its holder yet.
     */
    Doing doing(StackTraceElement[] stack, Settings settings, long momentNanos) {
        boolean over = !Slot.isOfOneLoan(word, slot.wordVolatile()) || !Slot.isHeld(slot.wordVolatile());
        if (!over && looksLeaked(stack)) {
            return Doing.LEAKED;
        }
        if (over || stack.length == 0 || isLeftBehind(stack)) {
            return Doing.UNKNOWN;
        }
        if (isAcquiring(stack)) {
            return heldNanos < momentNanos || isOldAndUnknown(stack, settings) ? Doing.UNKNOWN : Doing.WAITS;
        }
        boolean inDriver =
                Arrays.stream(stack).anyMatch(one -> one.getClassName().startsWith("dev.weir.internal."));
        return inDriver ? Doing.DATABASE : Doing.APPLICATION;
    }

    /** Whether its thread, whose stack this is, has ended, or the code that acquired it has returned, and it is old. */
    boolean looksLeaked(StackTraceElement[] stack) {
        return heldNanos >= LEAKED_NANOS && ((thread != null && stack.length == 0) || isLeftBehind(stack));
    }

    /** Whether it may be a leak of before: whoever takes a second connection has it by then, or has given up. */
    boolean isOldAndUnknown(StackTraceElement[] stack, Settings settings) {
        return heldNanos >= Math.max(LEAKED_NANOS, 2 * settings.connectionTimeoutNanos()) && mayBeLeftBehind(stack);
    }

    /** Whether it is not known where it was acquired, or its thread, which acquires anew, may have left that call. */
    boolean mayBeLeftBehind(StackTraceElement[] stack) {
        List<StackTraceElement> place = acquiredBy();
        return place.isEmpty()
                || (stack.length > 0 && UserFrames.mayHaveLeft(place, UserFrames.usersOf(List.of(stack))));
    }

    /**
     * Whether the code that acquired it has returned without it, as after a leak: neither the method that acquired it, which may be
     * a helper, nor the one that called that is in this stack of the thread; of one that acquires anew see
     * {@link UserFrames#hasLeft}. False if that is not known.
     */
    boolean isLeftBehind(StackTraceElement[] stack) {
        List<StackTraceElement> place = acquiredBy();
        if (place.isEmpty() || stack.length == 0) {
            return false;
        }
        List<StackTraceElement> now = UserFrames.usersOf(List.of(stack));
        return isAcquiring(stack)
                ? UserFrames.hasLeft(place, now)
                : place.stream().limit(2).noneMatch(frame -> UserFrames.isIn(now, frame));
    }

    /** The user's innermost frames of the acquire; empty if they are not known. */
    private List<StackTraceElement> acquiredBy() {
        return UserFrames.usersOf(List.of(acquiredAt())).stream()
                .limit(UserFrames.OF_A_PLACE)
                .toList();
    }

    /** By getConnection(), or with another poolMode by a statement. */
    private static boolean isAcquiring(StackTraceElement[] stack) {
        return Arrays.stream(stack).anyMatch(one -> one.getClassName().equals("dev.weir.internal.lending.Acquiring"));
    }

    /** Its name; where it has none, as a virtual thread, its number as thread dumps have it, {@code #42}. */
    public static String nameOf(Thread thread) {
        String name = thread.getName();
        return name.isEmpty() ? "#" + thread.getId() : name;
    }

    /** Who holds it and for what; where it was acquired is shown beside. */
    public String inWords(Settings settings) {
        return inWords(settings, "");
    }

    /** As {@link #inWords}, with the method that acquired it, as far as that is known. */
    String inWordsWithPlace(Settings settings) {
        return inWords(settings, atPlace());
    }

    /** The method that acquired it, after {@code ", acquired at "}; empty if that is not known. */
    String atPlace() {
        String place = trace != null ? UserFrames.nameOf(acquiredBy()) : sampled != null ? sampled.place().name : "";
        return place.isEmpty() ? "" : ", acquired at " + place;
    }

    private String inWords(Settings settings, String place) {
        String sql = settings.shownSql(lastSql);
        return slot + " held for " + TimeUnit.NANOSECONDS.toMillis(heldNanos) + " ms by "
                + (thread == null ? "an unknown thread" : "thread '" + nameOf(thread) + "'")
                + place
                + (returning ? ", now in close()" : "")
                + (sql == null ? "" : ", last SQL: " + sql);
    }

    public static String stack(StackTraceElement[] frames) {
        return Arrays.stream(frames)
                .map(frame -> System.lineSeparator() + "    at " + frame)
                .collect(Collectors.joining());
    }
}
