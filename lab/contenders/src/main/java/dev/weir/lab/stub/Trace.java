package dev.weir.lab.stub;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * Counts that the calls of the stub driver move with opaque reads and writes: as cheap as plain fields on the processor, yet
 * never removed, merged or hoisted by the compiler, so that a call cannot be optimized away. One a connection, as one thread
 * uses a connection at a time.
 */
final class Trace {
    private static final VarHandle OTHERS = handle("others");
    private static final VarHandle TESTS = handle("tests");
    private static final VarHandle PREPARES = handle("prepares");
    private static final VarHandle SETS = handle("sets");
    private static final VarHandle ADDS = handle("adds");
    private static final VarHandle BATCHES = handle("batches");
    private static final VarHandle QUERIES = handle("queries");
    private static final VarHandle STATEMENT_CLOSES = handle("statementCloses");
    private static final VarHandle NEXTS = handle("nexts");
    private static final VarHandle GETS = handle("gets");
    private static final VarHandle RESULT_CLOSES = handle("resultCloses");

    // through the handles only
    @SuppressWarnings("unused")
    private int others;

    @SuppressWarnings("unused")
    private int tests;

    @SuppressWarnings("unused")
    private int prepares;

    @SuppressWarnings("unused")
    private int sets;

    @SuppressWarnings("unused")
    private int adds;

    @SuppressWarnings("unused")
    private int batches;

    @SuppressWarnings("unused")
    private int queries;

    @SuppressWarnings("unused")
    private int statementCloses;

    @SuppressWarnings("unused")
    private int nexts;

    @SuppressWarnings("unused")
    private int gets;

    @SuppressWarnings("unused")
    private int resultCloses;

    int call() {
        return add(OTHERS);
    }

    int test() {
        return add(TESTS);
    }

    /** How often the connection was asked whether it is well, as far as the calling thread can know. */
    int tests() {
        return read(TESTS);
    }

    int prepare() {
        return add(PREPARES);
    }

    int set() {
        return add(SETS);
    }

    int add() {
        return add(ADDS);
    }

    int batch() {
        return add(BATCHES);
    }

    int query() {
        return add(QUERIES);
    }

    int closeStatement() {
        return add(STATEMENT_CLOSES);
    }

    int next() {
        return add(NEXTS);
    }

    int get() {
        return add(GETS);
    }

    int closeResult() {
        return add(RESULT_CLOSES);
    }

    /** What was called so far, as far as the calling thread can know. */
    StubCalls calls() {
        return new StubCalls(
                read(PREPARES),
                read(SETS),
                read(ADDS),
                read(BATCHES),
                read(QUERIES),
                read(STATEMENT_CLOSES),
                read(NEXTS),
                read(GETS),
                read(RESULT_CLOSES));
    }

    private int add(VarHandle count) {
        int next = (int) count.getOpaque(this) + 1;
        count.setOpaque(this, next);
        return next;
    }

    private int read(VarHandle count) {
        return (int) count.getOpaque(this);
    }

    private static VarHandle handle(String field) {
        try {
            return MethodHandles.lookup().findVarHandle(Trace.class, field, int.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }
}
