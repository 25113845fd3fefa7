package dev.weir.internal.text;

import java.sql.SQLException;
import java.util.IdentityHashMap;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * Failures of drivers and of users' code, as they may be shown to others: the very object where nothing in it has to be
 * taken out, else a copy of it, with copies of those of its causes, next exceptions and suppressed ones that need one.
 *
 * <p>A copy is a SQLException, with SQLState and vendor code of the original, or an Exception. It has the stack trace of the
 * original, and its message begins with the name of the original's class where that is another.
 *
 * <p>The original is somebody's code: any method of it may throw, or return null, or lead back to where it came from. Such a
 * failure is shown by the name of its class alone, and nothing that it does gets out of here.
 */
public final class RedactedFailure {
    /** So many failures are looked at: more than any chain known, and an end for those that have none. */
    private static final int LOOK_AT_MOST = 32;

    private static final String NOT_SHOWN_TEXT = "a failure that could not be shown";

    /** Stands for a failure when there is no memory, or no stack, to copy it. */
    @SuppressWarnings("StaticAssignmentOfThrowable") // it has neither a stack nor anything that can be changed
    private static final Exception NOT_SHOWN = new NotShown();

    private final UnaryOperator<String> redact;
    private final IdentityHashMap<Throwable, @Nullable Throwable> looked =
            new IdentityHashMap<>(); // null: being looked at

    private RedactedFailure(UnaryOperator<String> redact) {
        this.redact = redact;
    }

    /** This failure, or a copy of it; never throws. */
    public static Throwable of(Throwable failure, UnaryOperator<String> redact) {
        try {
            Throwable shown = new RedactedFailure(redact).shown(failure);
            return shown == null ? NOT_SHOWN : shown;
        } catch (Throwable e) {
            return NOT_SHOWN;
        }
    }

    /** The text of a failure, as it may be shown; never throws. */
    public static String textOf(Throwable failure, UnaryOperator<String> redact) {
        try {
            return redact.apply(failure.toString());
        } catch (Throwable e) {
            return NOT_SHOWN_TEXT;
        }
    }

    /** This failure or its copy, the same for the same; null for what leads back to where it came from, and beyond the bound. */
    private @Nullable Throwable shown(@Nullable Throwable original) {
        if (original == null || looked.containsKey(original) || looked.size() == LOOK_AT_MOST) {
            return original == null ? null : looked.get(original);
        }
        looked.put(original, null);
        Throwable shown;
        try {
            shown = cleanOrCopy(original);
        } catch (Throwable e) {
            shown = new Exception(original.getClass().getName() + ", " + NOT_SHOWN_TEXT);
        }
        looked.put(original, shown);
        return shown;
    }

    private Throwable cleanOrCopy(Throwable original) {
        String text = original.toString();
        boolean clean = isClean(text) && isClean(original.getMessage()) && isClean(original.getLocalizedMessage());
        Throwable copy = alone(original, text);
        Throwable cause = original.getCause();
        Throwable shownCause = shown(cause);
        clean &= shownCause == cause;
        if (shownCause != null) {
            copy.initCause(shownCause);
        }
        if (original instanceof SQLException sql && copy instanceof SQLException copied) {
            SQLException next = sql.getNextException();
            Throwable shownNext = shown(next);
            clean &= shownNext == next;
            if (shownNext instanceof SQLException one) {
                copied.setNextException(one);
            }
        }
        for (Throwable suppressed : original.getSuppressed()) {
            Throwable shownOne = shown(suppressed);
            clean &= shownOne == suppressed;
            if (shownOne != null) {
                copy.addSuppressed(shownOne);
            }
        }
        return clean ? original : copy;
    }

    private boolean isClean(@Nullable String text) {
        return text == null || redact.apply(text).equals(text);
    }

    private Throwable alone(Throwable original, String text) {
        boolean same = original.getClass() == SQLException.class || original.getClass() == Exception.class;
        String message = redact.apply(same && original.getMessage() != null ? original.getMessage() : text);
        Throwable copy = original instanceof SQLException sql
                ? new SQLException(message, sql.getSQLState(), sql.getErrorCode())
                : new Exception(message);
        copy.setStackTrace(original.getStackTrace());
        return copy;
    }

    private static final class NotShown extends Exception {
        private static final long serialVersionUID = 1;

        NotShown() {
            super(NOT_SHOWN_TEXT, null, false, false);
        }
    }
}
