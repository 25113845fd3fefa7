package dev.weir.internal.text;

import java.io.EOFException;
import java.io.IOException;
import java.net.ConnectException;
import java.net.NoRouteToHostException;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.net.UnknownHostException;
import java.security.GeneralSecurityException;
import java.sql.BatchUpdateException;
import java.sql.SQLClientInfoException;
import java.sql.SQLDataException;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;
import java.sql.SQLIntegrityConstraintViolationException;
import java.sql.SQLInvalidAuthorizationSpecException;
import java.sql.SQLNonTransientConnectionException;
import java.sql.SQLNonTransientException;
import java.sql.SQLRecoverableException;
import java.sql.SQLSyntaxErrorException;
import java.sql.SQLTimeoutException;
import java.sql.SQLTransactionRollbackException;
import java.sql.SQLTransientConnectionException;
import java.sql.SQLTransientException;
import java.sql.SQLWarning;
import java.util.Arrays;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.function.Function;
import java.util.function.UnaryOperator;
import javax.net.ssl.SSLException;
import org.jspecify.annotations.Nullable;

/**
 * Failures of drivers and of users' code, as they may be shown to others: the very object where nothing in it has to be
 * taken out, else a copy of it and of all that hangs on it, its causes, next exceptions and suppressed ones.
 *
 * <p>A copy has SQLState, vendor code and stack trace of the original, and is of the nearest class of the JDK that the
 * original is an instance of; where that is not its own class, the message begins with the name of its own. The classes that
 * are known here are listed, because to make one by reflection needs metadata in a native image.
 *
 * <p>The original is somebody's code: any method of it may throw, or return null, or lead back to where it came from. What it
 * does not say is left out, and nothing that it does gets out of here.
 */
public final class RedactedFailure {
    /** So many failures are looked at and copied: more than any chain known, and an end for those that have none. */
    private static final int LOOK_AT_MOST = 32;

    /** Stands for a failure when there is no memory, or no stack, to copy it. */
    @SuppressWarnings("StaticAssignmentOfThrowable") // it has neither a stack nor anything that can be changed
    private static final Exception NOT_SHOWN = new NotShown();

    private static final Map<Class<?>, Maker> SQL = sql();
    private static final Map<Class<?>, Function<@Nullable String, Throwable>> OTHERS = others();

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

    /** What a failure says of itself in one text, as it may be shown; never throws. */
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
        if (original instanceof SQLException sql) {
            return alone(sql);
        }
        Class<?> type = original.getClass();
        Function<@Nullable String, Throwable> maker = OTHERS.get(type);
        while (maker == null) {
            type = type.getSuperclass(); // at the latest Throwable
            maker = OTHERS.get(type);
        }
        return maker.apply(message(original, type));
    }

    private SQLException alone(SQLException original) {
        Class<?> type = original.getClass();
        Maker maker = SQL.get(type);
        while (maker == null) {
            type = type.getSuperclass(); // at the latest SQLException
            maker = SQL.get(type);
        }
        Integer code = ask(original::getErrorCode);
        return maker.make(message(original, type), ask(original::getSQLState), code == null ? 0 : code);
    }

    private @Nullable String message(Throwable original, Class<?> type) {
        String message = ask(original::getMessage);
        String clean = message == null ? null : redact.apply(message);
        if (type == original.getClass()) {
            return clean;
        }
        return original.getClass().getName() + (clean == null ? "" : ": " + clean);
    }

    /** What a method of the original returns; null if it throws. */
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

    private interface Maker {
        SQLException make(@Nullable String message, @Nullable String state, int code);
    }

    private static Map<Class<?>, Maker> sql() {
        Map<Class<?>, Maker> makers = new HashMap<>();
        makers.put(SQLException.class, SQLException::new);
        makers.put(SQLNonTransientException.class, SQLNonTransientException::new);
        makers.put(SQLNonTransientConnectionException.class, SQLNonTransientConnectionException::new);
        makers.put(SQLInvalidAuthorizationSpecException.class, SQLInvalidAuthorizationSpecException::new);
        makers.put(SQLFeatureNotSupportedException.class, SQLFeatureNotSupportedException::new);
        makers.put(SQLSyntaxErrorException.class, SQLSyntaxErrorException::new);
        makers.put(SQLDataException.class, SQLDataException::new);
        makers.put(SQLIntegrityConstraintViolationException.class, SQLIntegrityConstraintViolationException::new);
        makers.put(SQLTransientException.class, SQLTransientException::new);
        makers.put(SQLTransientConnectionException.class, SQLTransientConnectionException::new);
        makers.put(SQLTimeoutException.class, SQLTimeoutException::new);
        makers.put(SQLTransactionRollbackException.class, SQLTransactionRollbackException::new);
        makers.put(SQLRecoverableException.class, SQLRecoverableException::new);
        makers.put(SQLWarning.class, SQLWarning::new);
        makers.put(
                BatchUpdateException.class, (m, state, code) -> new BatchUpdateException(m, state, code, new int[0]));
        makers.put(
                SQLClientInfoException.class, (m, state, code) -> new SQLClientInfoException(m, state, code, Map.of()));
        return makers;
    }

    private static Map<Class<?>, Function<@Nullable String, Throwable>> others() {
        Map<Class<?>, Function<@Nullable String, Throwable>> makers = new HashMap<>();
        makers.put(Throwable.class, Throwable::new);
        makers.put(Exception.class, Exception::new);
        makers.put(IOException.class, IOException::new);
        makers.put(EOFException.class, EOFException::new);
        makers.put(SocketException.class, SocketException::new);
        makers.put(ConnectException.class, ConnectException::new);
        makers.put(NoRouteToHostException.class, NoRouteToHostException::new);
        makers.put(SocketTimeoutException.class, SocketTimeoutException::new);
        makers.put(UnknownHostException.class, UnknownHostException::new);
        makers.put(SSLException.class, SSLException::new);
        makers.put(GeneralSecurityException.class, GeneralSecurityException::new);
        makers.put(InterruptedException.class, InterruptedException::new);
        makers.put(RuntimeException.class, RuntimeException::new);
        makers.put(IllegalArgumentException.class, IllegalArgumentException::new);
        makers.put(IllegalStateException.class, IllegalStateException::new);
        makers.put(UnsupportedOperationException.class, UnsupportedOperationException::new);
        makers.put(Error.class, Error::new);
        makers.put(LinkageError.class, LinkageError::new);
        makers.put(NoClassDefFoundError.class, NoClassDefFoundError::new);
        makers.put(OutOfMemoryError.class, OutOfMemoryError::new);
        makers.put(StackOverflowError.class, StackOverflowError::new);
        return makers;
    }
}
