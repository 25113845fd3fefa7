package dev.weir.internal.text;

import java.lang.System.Logger.Level;
import org.jspecify.annotations.Nullable;

/**
 * The one way in which the engine logs. Nothing that a log handler throws gets out of here, Errors included: whoever
 * logs has work to finish. Never called with a lock held.
 */
public final class Log {
    private static final System.Logger LOGGER = System.getLogger("dev.weir");

    private Log() {}

    /** Whether a message of this level would be written; false if the logger fails to say it. */
    public static boolean isLoggable(Level level) {
        try {
            return LOGGER.isLoggable(level);
        } catch (Throwable e) {
            return false;
        }
    }

    /** A message, taken as it is. */
    public static void log(Level level, String message) {
        try {
            LOGGER.log(level, message);
        } catch (Throwable e) {
            // No way is left to report it.
        }
    }

    /** A message in the form of {@link java.text.MessageFormat}. */
    public static void log(Level level, String format, @Nullable Object... parameters) {
        try {
            LOGGER.log(level, format, parameters);
        } catch (Throwable e) {
            // No way is left to report it.
        }
    }

    /**
     * A message, taken as it is, with the stack of its reason, out of which the secrets of the pool are taken already.
     */
    public static void log(Level level, String message, Throwable reason) {
        try {
            LOGGER.log(level, message, RedactedFailure.of(reason, Redactor::redact));
        } catch (Throwable e) {
            // No way is left to report it.
        }
    }
}
