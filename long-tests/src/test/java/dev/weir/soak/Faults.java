package dev.weir.soak;

import java.sql.SQLException;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/** Throws what nobody expects, as often as the soak says. */
final class Faults {
    private static final String MARK = "soak: ";
    private static final String[] SQL_STATES = {"08006", "57P01", "40001", "42601", "25006", "53300", "HY000", null};

    private final long seed;
    private final AtomicLong draws = new AtomicLong();
    private final AtomicLong thrown = new AtomicLong();
    private volatile int perMille;

    Faults(long seed) {
        this.seed = seed;
    }

    /** From now on so many calls of a thousand fail. */
    void rate(int callsOfAThousand) {
        perMille = callsOfAThousand;
    }

    /** How many faults there were. */
    long thrown() {
        return thrown.get();
    }

    /** Whether the call that asks is to fail. */
    boolean strikes() {
        return perMille > 0 && draw(1000) < perMille;
    }

    boolean coin() {
        return draw(2) == 0;
    }

    int draw(int bound) {
        return new SplittableRandom(seed * 31 + draws.incrementAndGet()).nextInt(bound);
    }

    /** Throws an unchecked fault, or does nothing. */
    void maybe(String where) {
        if (strikes()) {
            throwUnchecked(where);
        }
    }

    /** One of the four kinds that need no declaration. */
    void throwUnchecked(String where) {
        thrown.incrementAndGet();
        switch (draw(4)) {
            case 0 -> throw new IllegalStateException(MARK + where);
            case 1 -> throw new OutOfMemoryError(MARK + where);
            case 2 -> throw new NoClassDefFoundError(MARK + where);
            default -> overflow();
        }
    }

    /** One of the five kinds. */
    void throwAny(String where) throws SQLException {
        if (draw(5) == 0) {
            thrown.incrementAndGet();
            throw draw(4) == 0
                    ? new Hostile(where)
                    : new SQLException(MARK + where, SQL_STATES[draw(SQL_STATES.length)]);
        }
        throwUnchecked(where);
    }

    /** A real overflow, with the stack trace of where it was asked for. */
    private static void overflow() {
        try {
            descend(0);
        } catch (StackOverflowError e) {
            throw (StackOverflowError) e.fillInStackTrace();
        }
    }

    @SuppressWarnings("InfiniteRecursion")
    private static long descend(long depth) {
        return 1 + descend(depth + 1);
    }

    /** A failure of a driver whose own methods fail. */
    private static final class Hostile extends SQLException {
        private static final long serialVersionUID = 1;

        Hostile(String where) {
            super(MARK + where);
        }

        @Override
        public @Nullable String getSQLState() {
            throw new IllegalStateException(MARK + "getSQLState");
        }
    }
}
