package dev.weir.internal.text;

import java.lang.System.Logger.Level;
import java.text.MessageFormat;
import java.util.Arrays;
import java.util.Optional;
import java.util.ServiceConfigurationError;
import java.util.ServiceLoader;
import java.util.logging.Logger;
import org.jspecify.annotations.Nullable;

/**
 * The one way in which the engine logs. Nothing that a log handler throws gets out of here, Errors included: whoever
 * logs has work to finish. Never called with a lock held.
 *
 * <p>The logger is the service {@code System.Logger} that a library beside the pool provides, if there is one; Spring Boot's
 * starter does, since Spring Boot takes its handler out of java.util.logging before it closes the pool. Else it is the
 * platform's {@code System.Logger}.
 *
 * <p>At the end of the JVM java.util.logging takes its handlers away in a shutdown hook of its own, while the hook of the
 * application closes the pool. The last lines of the pool then go to System.err.
 */
@SuppressWarnings("SystemOut") // the only way that is left at the end of the JVM
public final class Log {
    private static final String NAME = "dev.weir";

    /** Not a constant: a search that a user's thread has no stack for is tried again. Any thread may write it, each the same. */
    private static volatile System.@Nullable Logger logger;

    private Log() {}

    private static System.Logger logger() {
        System.Logger known = logger;
        if (known == null) {
            known = find();
            logger = known;
        }
        return known;
    }

    private static System.Logger find() {
        try {
            Optional<System.Logger> found = ServiceLoader.load(System.Logger.class, Log.class.getClassLoader())
                    .findFirst();
            return found.orElseGet(() -> System.getLogger(NAME));
        } catch (ServiceConfigurationError | LinkageError e) { // of that library
            return System.getLogger(NAME);
        }
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
        log(level, message, (Object[]) null);
    }

    /** A message in the form of {@link MessageFormat}, with numbers as they are: in German 46200 would be 46.200. */
    public static void log(Level level, String format, @Nullable Object @Nullable ... parameters) {
        try {
            @Nullable
            Object @Nullable [] shown = parameters == null
                    ? null
                    : Arrays.stream(parameters)
                            .map(one -> one instanceof Number ? one.toString() : one)
                            .toArray();
            logger().log(level, format, shown);
            if (isLostAtShutdown(level)) {
                System.err.println(shown == null ? format : MessageFormat.format(format, shown));
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
                System.err.println(message + ": " + shown);
            }
        } catch (Throwable e) {
            // No way is left to report it.
        }
    }

    /**
     * Whether java.util.logging has no handler left because the JVM ends, and not by the user's wish. A JVM that ends
     * refuses a hook.
     */
    private static boolean isLostAtShutdown(Level level) {
        if (level.compareTo(Level.INFO) < 0
                || !logger().isLoggable(level)
                || !logger().getClass().getName().startsWith("sun.util.logging")
                || Logger.getLogger("").getHandlers().length > 0) {
            return false;
        }
        Thread hook = new Thread(() -> {}, "weir-shutdown-probe");
        try {
            Runtime.getRuntime().addShutdownHook(hook);
            Runtime.getRuntime().removeShutdownHook(hook);
            return false;
        } catch (IllegalStateException e) {
            return true;
        }
    }
}
