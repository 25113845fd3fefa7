package dev.weir.testkit;

import java.sql.SQLException;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Supplier;

/** The throwables that a driver may throw. */
final class Failings {

    private Failings() {}

    /** The errors, after which nobody knows what state a connection is in. */
    static Map<String, Supplier<Throwable>> errors() {
        Map<String, Supplier<Throwable>> errors = new LinkedHashMap<>();
        errors.put("OutOfMemoryError", () -> new OutOfMemoryError("as asked"));
        errors.put("StackOverflowError", () -> new StackOverflowError("as asked"));
        errors.put("NoClassDefFoundError", () -> new NoClassDefFoundError("as asked"));
        return errors;
    }

    /** All kinds, and one that cannot be asked what it is. */
    static Map<String, Supplier<Throwable>> all() {
        Map<String, Supplier<Throwable>> all = new LinkedHashMap<>(errors());
        all.put("SQLException", () -> new SQLException("as asked", "XX000"));
        all.put("RuntimeException", () -> new IllegalStateException("as asked"));
        all.put("a failure that cannot be asked", Mute::new);
        return all;
    }

    /** A failure whose own methods fail, as one does whose texts are looked up when they are asked for. */
    static final class Mute extends SQLException {
        private static final long serialVersionUID = 1L;

        private static IllegalStateException mute() {
            return new IllegalStateException("this failure cannot be asked");
        }

        @Override
        public String getSQLState() {
            throw mute();
        }

        @Override
        public int getErrorCode() {
            throw mute();
        }

        @Override
        public SQLException getNextException() {
            throw mute();
        }

        @Override
        public String getMessage() {
            throw mute();
        }

        @Override
        public synchronized Throwable getCause() {
            throw mute();
        }

        @Override
        public String toString() {
            throw mute();
        }
    }
}
