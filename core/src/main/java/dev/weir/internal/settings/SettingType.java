package dev.weir.internal.settings;

import dev.weir.internal.text.Redactor;
import java.math.BigInteger;
import java.time.Duration;
import java.util.List;
import java.util.Locale;

/** What kind of value a setting has: how it is read from whatever is given, and how it is written as text. */
public enum SettingType {
    /** Text that is not blank. */
    TEXT("text") {
        @Override
        public Object read(Object raw) {
            if (raw instanceof String text && !text.isBlank()) {
                return text.strip();
            }
            throw new IllegalArgumentException();
        }
    },
    /** Text that may be empty, taken as it is. */
    NAME("text") {
        @Override
        public Object read(Object raw) {
            if (raw instanceof String) {
                return raw;
            }
            throw new IllegalArgumentException();
        }
    },
    /** Text that may be empty, taken as it is, and is never shown. */
    SECRET("secret") {
        @Override
        public Object read(Object raw) {
            return NAME.read(raw);
        }

        @Override
        public String write(Object value) {
            return Redactor.MASK;
        }
    },
    INTEGER("number") {
        @Override
        public Object read(Object raw) {
            return new BigInteger(raw instanceof Number ? raw.toString() : textOf(raw)).intValueExact();
        }
    },
    BOOLEAN("true or false") {
        @Override
        public Object read(Object raw) {
            if (raw instanceof Boolean) {
                return raw;
            }
            return switch (textOf(raw).toLowerCase(Locale.ROOT)) {
                case "true" -> true;
                case "false" -> false;
                default -> throw new IllegalArgumentException();
            };
        }
    },
    DURATION("time") {
        @Override
        public Object read(Object raw) {
            if (raw instanceof Duration) {
                return raw;
            }
            return Durations.parse(raw instanceof Number ? raw.toString() : textOf(raw));
        }

        @Override
        public String write(Object value) {
            return Durations.format((Duration) value);
        }
    },
    /** One of the four levels that JDBC can set, as its name or number; the value is the number. */
    ISOLATION("isolation level") {
        @Override
        public Object read(Object raw) {
            String text = raw instanceof Number ? raw.toString() : textOf(raw).toUpperCase(Locale.ROOT);
            String name = text.startsWith("TRANSACTION_") ? text.substring(12) : text;
            for (int i = 0; i < LEVELS.size(); i++) {
                int level = 1 << i;
                if (name.equals(LEVELS.get(i)) || text.equals(Integer.toString(level))) {
                    return level;
                }
            }
            throw new IllegalArgumentException();
        }

        @Override
        public String write(Object value) {
            return "TRANSACTION_" + LEVELS.get(Integer.numberOfTrailingZeros((Integer) value));
        }
    };

    /** In the order of the JDBC numbers 1, 2, 4, 8. */
    static final List<String> LEVELS = List.of("READ_UNCOMMITTED", "READ_COMMITTED", "REPEATABLE_READ", "SERIALIZABLE");

    private final String label;

    SettingType(String label) {
        this.label = label;
    }

    /** What the documentation calls this kind of value. */
    String label() {
        return label;
    }

    /** Reads a value; throws IllegalArgumentException or ArithmeticException if it is not of this kind. */
    public abstract Object read(Object raw);

    /** Writes a value as {@link #read} reads it; a secret as a mask. */
    public String write(Object value) {
        return value.toString();
    }

    private static String textOf(Object raw) {
        if (raw instanceof String text) {
            return text.strip();
        }
        throw new IllegalArgumentException();
    }
}
