package dev.weir.internal.waiting;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/** Keeps the word off the cache lines of whatever the collector puts before it. */
@SuppressWarnings("unused") // the fields are there for the room they take
abstract class HintsPadding {
    private long p0;
    private long p1;
    private long p2;
    private long p3;
    private long p4;
    private long p5;
    private long p6;
    private long p7;
}

/** A bit for each group of slots. Set: one of the group may be idle. Clear: none is. {@link Slots} says why that is enough. */
final class Hints extends HintsPadding {
    /** The groups of a pool. */
    static final int GROUPS = Long.SIZE;

    private static final VarHandle WORD;

    static {
        try {
            WORD = MethodHandles.lookup().findVarHandle(Hints.class, "word", long.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    /** Read directly by each release: there no call is to be made that is not needed. Written through WORD alone. */
    volatile long word = -1;

    void setVolatile(long bit) {
        WORD.getAndBitwiseOr(this, bit);
    }

    void clearVolatile(long bit) {
        WORD.getAndBitwiseAnd(this, ~bit);
    }
}
