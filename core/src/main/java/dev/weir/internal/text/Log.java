package dev.weir.internal.text;

import java.lang.System.Logger.Level;
import java.text.MessageFormat;
import java.time.LocalDateTime;
import java.time.ZoneId;
import java.time.temporal.ChronoUnit;
import java.util.logging.Logger;
import org.jspecify.annotations.Nullable;

/**
 * The one way in which the engine logs. Nothing that a log handler throws gets out of here, Errors included: whoever
 * logs has work to finish. Never called with a lock held.
 *
 * <p>At the end of the JVM java.util.logging takes its handlers away in a shutdown hook of its own, while the hook of the
 * application closes the pool. What the pool has to say then goes to System.err.
 */
public final class Log {
    private static final String NAME = "dev.weir";

    /** Not a constant: what a user's thread has no stack for is tried again. Any thread may write it, each the same. */
    private static volatile System.@Nullable Logger logger;

    private Log() {}

    private static System.Logger logger() {
        System.Logger known = logger;
        if (known == null) {
            known = System.getLogger(NAME);
            logger = known;
        }
        return known;
    }

    /**
     * Finds the logger, which takes its time in a JVM that has not logged yet: a step of the Keeper, so that no user's thread
     * is the first to need it. It is never due again.
     */
    public static long prepare() {
        System.Logger ignored = logger();
        return Long.MAX_VALUE;
    }

    /** Whether a message of this level would be written; false if the logger fails to say it. */
    public static boolean isLoggable(Level level) {
        try {
            return logger().isLoggable(level);
        } catch (Throwable e) {
            return false;
        }
    }

    /** A message, taken as it is. */
    public static void log(Level level, String message) {
        try {
            logger().log(level, message);
            if (isLostAtShutdown(level)) {
                printLost(level, message);
            }
        } catch (Throwable e) {
            // No way is left to report it.
        }
    }

    /** A message in the form of {@link java.text.MessageFormat}. */
    public static void log(Level level, String format, @Nullable Object... parameters) {
        try {
            logger().log(level, format, parameters);
            if (isLostAtShutdown(level)) {
                printLost(level, MessageFormat.format(format, parameters));
            }
        } catch (Throwable e) {
            // No way is left to report it.
        }
    }

    /**
     * A message, taken as it is, with the stack of its reason, out of which the secrets of the pool are taken already.
     */
    public static void log(Level level, String message, Throwable reason) {
        try {
            Throwable shown = RedactedFailure.of(reason, Redactor::redact);
            logger().log(level, message, shown);
            if (isLostAtShutdown(level)) {
                printLost(level, message + ": " + shown);
            }
        } catch (Throwable e) {
            // No way is left to report it.
        }
    }

    /** Whether java.util.logging is what logs, has no handler left, and the JVM ends: the reason is not the user's wish. */
    private static boolean isLostAtShutdown(Level level) {
        return level.compareTo(Level.INFO) >= 0
                && logger().isLoggable(level)
                && logger().getClass().getName().startsWith("sun.util.logging")
                && hasNoHandler()
                && isShuttingDown();
    }

    private static boolean hasNoHandler() {
        Logger logger = Logger.getLogger(NAME);
        while (logger != null && logger.getHandlers().length == 0) {
            logger = logger.getUseParentHandlers() ? logger.getParent() : null;
        }
        return logger == null;
    }

    /** The JVM tells it by refusing a hook. */
    private static boolean isShuttingDown() {
        Thread hook = new Thread(() -> {}, "weir-shutdown-probe");
        try {
            Runtime.getRuntime().addShutdownHook(hook);
            Runtime.getRuntime().removeShutdownHook(hook);
            return false;
        } catch (IllegalStateException e) {
            return true;
        }
    }

    @SuppressWarnings("SystemOut") // the only way that is left
    private static void printLost(Level level, String message) {
        System.err.println(LocalDateTime.now(ZoneId.systemDefault()).truncatedTo(ChronoUnit.SECONDS) + " " + level + " "
                + NAME + ": " + message);
    }
}
