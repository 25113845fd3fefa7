package dev.weir.internal.text;

import java.sql.SQLException;
import java.util.IdentityHashMap;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * Failures of drivers and of users' code, as they may be shown to others: the very object where nothing has to be taken
 * out of it and of all that hangs on it, else a copy, with copies of its causes, next exceptions and suppressed ones.
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
    private final IdentityHashMap<Throwable, @Nullable Throwable> copies =
            new IdentityHashMap<>(); // null: being looked at

    /** Whether nothing had to be taken out, of any failure looked at. */
    private boolean clean = true;

    private RedactedFailure(UnaryOperator<String> redact) {
        this.redact = redact;
    }

    /** This failure, or a copy of it; never throws. */
    public static Throwable of(Throwable failure, UnaryOperator<String> redact) {
        try {
            RedactedFailure looked = new RedactedFailure(redact);
            Throwable copy = looked.copy(failure);
            return looked.clean ? failure : copy == null ? NOT_SHOWN : copy;
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

    /**
     * The copy of this failure, always the same one; null for a failure that leads back to where it came from, and
     * beyond the bound.
     */
    private @Nullable Throwable copy(@Nullable Throwable original) {
        if (original == null) {
            return null;
        }
        if (copies.containsKey(original) || copies.size() == LOOK_AT_MOST) {
            Throwable known = copies.get(original);
            clean &= known != null;
            return known;
        }
        copies.put(original, null);
        Throwable copy;
        try {
            copy = copyOf(original);
        } catch (Throwable e) {
            clean = false;
            copy = new Exception(original.getClass().getName() + ", " + NOT_SHOWN_TEXT);
        }
        copies.put(original, copy);
        return copy;
    }

    private Throwable copyOf(Throwable original) {
        String text = original.toString();
        String own = original.getMessage();
        clean &= isClean(text) && isClean(own) && isClean(original.getLocalizedMessage());
        boolean same = original.getClass() == SQLException.class || original.getClass() == Exception.class;
        String message = redact.apply(same && own != null ? own : text);
        Throwable copy = new Exception(message);
        if (original instanceof SQLException sql) {
            SQLException copied = new SQLException(message, sql.getSQLState(), sql.getErrorCode());
            if (copy(sql.getNextException()) instanceof SQLException next) {
                copied.setNextException(next);
            }
            copy = copied;
        }
        copy.setStackTrace(original.getStackTrace());
        Throwable cause = copy(original.getCause());
        if (cause != null) {
            copy.initCause(cause);
        }
        for (Throwable suppressed : original.getSuppressed()) {
            Throwable copied = copy(suppressed);
            if (copied != null) {
                copy.addSuppressed(copied);
            }
        }
        return copy;
    }

    private boolean isClean(@Nullable String text) {
        return text == null || redact.apply(text).equals(text);
    }

    private static final class NotShown extends Exception {
        private static final long serialVersionUID = 1;

        NotShown() {
            super(NOT_SHOWN_TEXT, null, false, false);
        }
    }
}
