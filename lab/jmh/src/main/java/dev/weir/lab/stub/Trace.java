package dev.weir.lab.stub;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * A count that every call of the stub driver moves with opaque reads and writes: as cheap as a plain field on the processor,
 * yet never removed, merged or hoisted by the compiler, so that a call cannot be optimized away. One a connection, as one
 * thread uses a connection at a time.
 */
final class Trace {
    private static final VarHandle CALLS;

    static {
        try {
            CALLS = MethodHandles.lookup().findVarHandle(Trace.class, "calls", int.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    @SuppressWarnings("unused") // through CALLS
    private int calls;

    int call() {
        int next = (int) CALLS.getOpaque(this) + 1;
        CALLS.setOpaque(this, next);
        return next;
    }
}
