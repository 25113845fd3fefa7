package dev.weir;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import java.util.logging.SimpleFormatter;
import java.util.stream.Collectors;

/** Collects what the pool logs, and keeps it off the console, until it is closed. */
public final class LogCapture implements AutoCloseable {
    private final Logger logger = Logger.getLogger("dev.weir");
    private final boolean toParent = logger.getUseParentHandlers();
    private final List<LogRecord> records = new CopyOnWriteArrayList<>();

    private final Handler handler = new Handler() {
        @Override
        public void publish(LogRecord record) {
            records.add(record);
        }

        @Override
        public void flush() {}

        @Override
        public void close() {}
    };

    public LogCapture() {
        logger.setUseParentHandlers(false);
        logger.addHandler(handler);
    }

    /** The messages of at least this level, oldest first. */
    List<String> messages(Level least) {
        SimpleFormatter formatter = new SimpleFormatter();
        return records.stream()
                .filter(record -> record.getLevel().intValue() >= least.intValue())
                .map(formatter::formatMessage)
                .toList();
    }

    /** All that a log file would have: messages, and stacks with their causes. */
    public String text() {
        SimpleFormatter formatter = new SimpleFormatter();
        return records.stream().map(formatter::format).collect(Collectors.joining());
    }

    public List<String> warnings() {
        return messages(Level.WARNING);
    }

    public List<String> infos() {
        return messages(Level.INFO);
    }

    @Override
    public void close() {
        logger.removeHandler(handler);
        logger.setUseParentHandlers(toParent);
    }
}
