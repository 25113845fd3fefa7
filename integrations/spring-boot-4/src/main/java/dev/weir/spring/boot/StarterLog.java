package dev.weir.spring.boot;

import java.text.MessageFormat;
import java.util.ResourceBundle;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;

/**
 * Where the pools of an application log to: to Spring's own log, which is SLF4J where that is there, and not to
 * java.util.logging, whose way to SLF4J Spring Boot takes away before the last pool is closed.
 */
public final class StarterLog implements System.Logger {
    private final Log log = LogFactory.getLog("dev.weir");

    /** For the pool, which finds this as a service. */
    public StarterLog() {}

    @Override
    public String getName() {
        return "dev.weir";
    }

    @Override
    public boolean isLoggable(Level level) {
        return switch (level) {
            case ALL, TRACE -> log.isTraceEnabled();
            case DEBUG -> log.isDebugEnabled();
            case INFO -> log.isInfoEnabled();
            case WARNING -> log.isWarnEnabled();
            case ERROR -> log.isErrorEnabled();
            case OFF -> false;
        };
    }

    @Override
    public void log(
            Level level, @Nullable ResourceBundle bundle, @Nullable String message, @Nullable Throwable reason) {
        switch (level) {
            case ALL, TRACE -> log.trace(message, reason);
            case DEBUG -> log.debug(message, reason);
            case INFO -> log.info(message, reason);
            case WARNING -> log.warn(message, reason);
            case ERROR -> log.error(message, reason);
            case OFF -> {}
        }
    }

    @Override
    public void log(
            Level level,
            @Nullable ResourceBundle bundle,
            @Nullable String format,
            @Nullable Object @Nullable ... parameters) {
        if (isLoggable(level)) {
            boolean isText = format == null || parameters == null || parameters.length == 0;
            log(level, bundle, isText ? format : MessageFormat.format(format, parameters), (Throwable) null);
        }
    }
}
