package dev.weir.internal.settings;

import dev.weir.internal.text.Redactor;
import java.math.BigInteger;
import java.time.Duration;
import java.util.List;
import java.util.Locale;

/** The kind of value that a setting has: how it is read from whatever is given, and how it is written as text. */
public enum SettingType {
    /** Text that is not blank. */
    TEXT("text"),
    /** Text that may be empty, taken as it is. */
    NAME("text"),
    /** Text that may be empty, taken as it is, and is never shown. */
    SECRET("secret"),
    INTEGER("number"),
    BOOLEAN("true or false"),
    DURATION("time"),
    /** One of the four levels that JDBC can set, as its name or number; the value is the number. */
    ISOLATION("isolation level"),
    /** {@code socket} or {@code test}. */
    LIVENESS("socket or test"),
    /** {@code session}, {@code lazy} or {@code transaction}. */
    POOL_MODE("session, lazy or transaction");

    /** In the order of the JDBC numbers 1, 2, 4, 8. */
    static final List<String> LEVELS = List.of("READ_UNCOMMITTED", "READ_COMMITTED", "REPEATABLE_READ", "SERIALIZABLE");

    private final String label;

    SettingType(String label) {
        this.label = label;
    }

    /** The name of this kind of value in the documentation. */
    String label() {
        return label;
    }

    /** Reads a value; throws IllegalArgumentException or ArithmeticException if it is not of this kind. */
    public Object read(Object raw) {
        return switch (this) {
            case TEXT -> notBlank(textOf(raw).strip());
            case NAME, SECRET -> textOf(raw);
            case INTEGER -> new BigInteger(numberOf(raw)).intValueExact();
            case BOOLEAN -> raw instanceof Boolean ? raw : truth(textOf(raw).strip());
            case DURATION -> raw instanceof Duration ? raw : Durations.parse(numberOf(raw));
            case ISOLATION -> level(numberOf(raw).toUpperCase(Locale.ROOT));
            case LIVENESS, POOL_MODE -> word(textOf(raw).strip().toLowerCase(Locale.ROOT));
        };
    }

    /** Writes a value as {@link #read} reads it; a secret as a mask. */
    public String write(Object value) {
        return switch (this) {
            case SECRET -> Redactor.MASK;
            case DURATION -> Durations.format((Duration) value);
            case ISOLATION -> "TRANSACTION_" + LEVELS.get(Integer.numberOfTrailingZeros((Integer) value));
            default -> value.toString();
        };
    }

    private static String textOf(Object raw) {
        if (raw instanceof String text) {
            return text;
        }
        throw new IllegalArgumentException();
    }

    private static String notBlank(String text) {
        if (text.isEmpty()) {
            throw new IllegalArgumentException();
        }
        return text;
    }

    /** A number as text, or text that may be one. */
    private static String numberOf(Object raw) {
        return raw instanceof Number ? raw.toString() : textOf(raw).strip();
    }

    private static boolean truth(String text) {
        return switch (text.toLowerCase(Locale.ROOT)) {
            case "true" -> true;
            case "false" -> false;
            default -> throw new IllegalArgumentException();
        };
    }

    /** One of the words of the label. */
    private String word(String text) {
        if (List.of(label.split(", | or ")).contains(text)) {
            return text;
        }
        throw new IllegalArgumentException();
    }

    private static int level(String text) {
        String name = text.startsWith("TRANSACTION_") ? text.substring(12) : text;
        for (int i = 0; i < LEVELS.size(); i++) {
            int level = 1 << i;
            if (name.equals(LEVELS.get(i)) || text.equals(Integer.toString(level))) {
                return level;
            }
        }
        throw new IllegalArgumentException();
    }
}
