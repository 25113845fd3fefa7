package dev.weir.internal.text;

import java.sql.SQLException;
import java.util.Arrays;
import java.util.IdentityHashMap;
import java.util.concurrent.Callable;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * Failures of drivers and of users' code, as they may be shown to others: the very object where nothing in it has to be
 * taken out, else a copy of it and of all that hangs on it, its causes, next exceptions and suppressed ones.
 *
 * <p>A copy is a SQLException, with SQLState and vendor code of the original, or an Exception. It has the stack trace of the
 * original, and its message begins with the name of the original's class where that is another.
 *
 * <p>The original is somebody's code: any method of it may throw, or return null, or lead back to where it came from. A part that
 * fails is left out, and nothing that it does gets out of here.
 */
public final class RedactedFailure {
    /** So many failures are looked at and copied: more than any chain known, and an end for those that have none. */
    private static final int LOOK_AT_MOST = 32;

    /** Stands for a failure when there is no memory, or no stack, to copy it. */
    @SuppressWarnings("StaticAssignmentOfThrowable") // it has neither a stack nor anything that can be changed
    private static final Exception NOT_SHOWN = new NotShown();

    private final UnaryOperator<String> redact;
    private final IdentityHashMap<Throwable, Boolean> seen =
            new IdentityHashMap<>(); // false: on the way to what is looked at now
    private final IdentityHashMap<Throwable, @Nullable Throwable> copies = new IdentityHashMap<>(); // null: being made

    private RedactedFailure(UnaryOperator<String> redact) {
        this.redact = redact;
    }

    /** This failure, or a copy of it; never throws. */
    public static Throwable of(Throwable failure, UnaryOperator<String> redact) {
        try {
            RedactedFailure redacted = new RedactedFailure(redact);
            if (redacted.isClean(failure)) {
                return failure;
            }
            Throwable copy = redacted.copy(failure);
            return copy == null ? NOT_SHOWN : copy;
        } catch (Throwable e) {
            return NOT_SHOWN;
        }
    }

    /** The text of a failure, as it may be shown; never throws. */
    public static String textOf(Throwable failure, UnaryOperator<String> redact) {
        try {
            String text = ask(failure::toString);
            return redact.apply(text == null ? failure.getClass().getName() : text);
        } catch (Throwable e) {
            return "a failure that could not be shown";
        }
    }

    // Looking.

    private boolean isClean(Throwable failure) throws Exception {
        Boolean known = seen.get(failure);
        if (known != null) {
            return known;
        }
        if (seen.size() == LOOK_AT_MOST) {
            return false;
        }
        seen.put(failure, false);
        boolean clean = isCleanAlone(failure) && hangOnCleanly(failure);
        seen.put(failure, clean);
        return clean;
    }

    private boolean isCleanAlone(Throwable failure) {
        try {
            if (failure instanceof SQLException sql) {
                sql.getSQLState();
                sql.getErrorCode();
            }
            if (Arrays.asList(failure.getStackTrace()).contains(null)) {
                return false;
            }
            String text = failure.toString();
            return text != null
                    && isClean(text)
                    && isClean(failure.getMessage())
                    && isClean(failure.getLocalizedMessage());
        } catch (Throwable e) {
            return false;
        }
    }

    private boolean isClean(@Nullable String text) {
        return text == null || redact.apply(text).equals(text);
    }

    private boolean hangOnCleanly(Throwable failure) {
        try {
            Throwable cause = failure.getCause();
            boolean clean = cause == null || isClean(cause);
            if (failure instanceof SQLException sql) {
                SQLException next = sql.getNextException();
                clean = clean && (next == null || isClean(next));
            }
            for (Throwable suppressed : failure.getSuppressed()) {
                clean = clean && isClean(suppressed);
            }
            return clean;
        } catch (Throwable e) {
            return false;
        }
    }

    // Copying.

    /** A copy, the same for the same; null for what is being copied already, and beyond the bound. */
    private @Nullable Throwable copy(@Nullable Throwable original) {
        if (original == null || copies.containsKey(original) || copies.size() == LOOK_AT_MOST) {
            return original == null ? null : copies.get(original);
        }
        copies.put(original, null);
        Throwable copy = alone(original);
        StackTraceElement[] stack = ask(original::getStackTrace);
        if (stack != null) {
            ask(() -> {
                copy.setStackTrace(stack);
                return copy;
            });
        }
        Throwable cause = copy(ask(original::getCause));
        if (cause != null) {
            copy.initCause(cause);
        }
        if (original instanceof SQLException sql
                && copy instanceof SQLException copied
                && copy(ask(sql::getNextException)) instanceof SQLException next) {
            copied.setNextException(next);
        }
        Throwable[] suppressed = ask(original::getSuppressed);
        for (Throwable one : suppressed == null ? new Throwable[0] : suppressed) {
            Throwable copied = copy(one);
            if (copied != null) {
                copy.addSuppressed(copied);
            }
        }
        copies.put(original, copy);
        return copy;
    }

    private Throwable alone(Throwable original) {
        boolean same = original.getClass() == SQLException.class || original.getClass() == Exception.class;
        String message = ask(original::getMessage);
        String clean = message == null ? "" : redact.apply(message);
        String shown = same ? clean : original.getClass().getName() + (clean.isEmpty() ? "" : ": " + clean);
        if (original instanceof SQLException sql) {
            Integer code = ask(sql::getErrorCode);
            return new SQLException(shown, ask(sql::getSQLState), code == null ? 0 : code);
        }
        return new Exception(shown);
    }

    /** The result of a method of the original; null if it throws. */
    private static <T> @Nullable T ask(Callable<@Nullable T> method) {
        try {
            return method.call();
        } catch (Throwable e) {
            return null;
        }
    }

    private static final class NotShown extends Exception {
        private static final long serialVersionUID = 1;

        NotShown() {
            super("a failure that could not be shown", null, false, false);
        }
    }
}
