package dev.weir.lab.stub;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * Counts that the calls of the stub driver move with opaque reads and writes: as cheap as plain fields on the processor, yet
 * never removed, merged or hoisted by the compiler, so that a call cannot be optimized away. One a connection, as one thread
 * uses a connection at a time.
 */
@SuppressWarnings("EnumOrdinal") // an index of an array that lives no longer than the enum
final class Trace {
    private static final VarHandle COUNT = MethodHandles.arrayElementVarHandle(int[].class);

    private final int[] counts = new int[Call.values().length];

    int add(Call call) {
        int next = of(call) + 1;
        COUNT.setOpaque(counts, call.ordinal(), next);
        return next;
    }

    /** How often that was called, as far as the calling thread can know. */
    int of(Call call) {
        return (int) COUNT.getOpaque(counts, call.ordinal());
    }
}
