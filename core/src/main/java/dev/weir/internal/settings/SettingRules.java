package dev.weir.internal.settings;

import dev.weir.internal.text.Redactor;
import dev.weir.internal.text.SqlText;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The common part of every {@link Setting}: it reads, checks and shows a value. The settings themselves are rows of the table in
 * {@code codegen}, {@code SettingTable}, from which the constants are generated.
 */
interface SettingRules {

    /** The name that users write. */
    String settingName();

    SettingType type();

    /** The value where none is given, or null if then there is none, or it follows another setting. */
    @Nullable
    Object byDefault();

    /** The least value, or null where there is no range. */
    @Nullable
    Comparable<?> least();

    /** The greatest value, or null where there is no range. */
    @Nullable
    Comparable<?> most();

    /** Whether it can be changed while the pool runs. */
    boolean changeable();

    /** One line of documentation. */
    String doc();

    /** The other names that it goes by. */
    List<String> aliases();

    /** This value, or null where it says that there is none: a template leaves the name of a class empty. */
    default @Nullable Object orNone(@Nullable Object raw) {
        boolean className = this == Setting.DRIVER_CLASS_NAME || this == Setting.DATA_SOURCE_CLASS_NAME;
        return className && raw instanceof String text && text.isBlank() ? null : raw;
    }

    /** Reads a value; throws IllegalArgumentException that names the setting, the value and what is expected. */
    default Object parse(Object raw) {
        Object value;
        try {
            value = type().read(raw);
        } catch (IllegalArgumentException | ArithmeticException e) {
            throw new IllegalArgumentException(fault(raw, expected()), e);
        }
        if (!isInRange(value)) {
            throw new IllegalArgumentException(fault(raw, range().isEmpty() ? expected() : range()));
        }
        return value;
    }

    private boolean isInRange(Object value) {
        if (value instanceof Integer number && least() instanceof Integer low && most() instanceof Integer high) {
            return number >= low && number <= high;
        }
        if (value instanceof Duration time && least() instanceof Duration low && most() instanceof Duration high) {
            return time.compareTo(low) >= 0
                    && time.compareTo(high) <= 0
                    && Duration.ofMillis(time.toMillis()).equals(time);
        }
        return this != Setting.URL || ((String) value).startsWith("jdbc:");
    }

    /** The range as it is written in messages and in the documentation. */
    default String expected() {
        return switch (type()) {
            case TEXT -> this == Setting.URL ? "jdbc:..." : "text, not blank";
            case NAME, SECRET -> "text";
            case INTEGER -> range();
            case BOOLEAN -> "true or false";
            case DURATION -> range() + " in whole milliseconds, written as 1500, 1500ms, 30s, 5m, 2h, 1d or ISO-8601";
            case ISOLATION -> String.join(", ", SettingType.LEVELS) + ", or 1, 2, 4, 8";
            case LIVENESS, POOL_MODE -> type().label();
        };
    }

    /** The range of a number or a time; empty for what has none. */
    default String range() {
        if (least() instanceof Duration low && most() instanceof Duration high) {
            return Durations.format(low) + ".." + Durations.format(high);
        }
        return least() == null ? "" : least() + ".." + most();
    }

    /** The one form in which a wrong value is reported. */
    default String fault(@Nullable Object value, String expected) {
        return settingName() + ": " + shown(value) + " (expected: " + expected + ")";
    }

    private boolean isSql() {
        return this == Setting.CONNECTION_TEST_QUERY
                || this == Setting.CONNECTION_INIT_SQL
                || this == Setting.RESET_SQL;
    }

    /** A value as it may be shown to anybody. */
    default String shown(@Nullable Object value) {
        if (value == null) {
            return "not set";
        }
        if (type() == SettingType.SECRET) {
            return Redactor.MASK;
        }
        String text;
        if (value instanceof String raw) {
            text = raw.isBlank()
                    ? '"' + raw + '"'
                    : this == Setting.URL
                            ? Redactor.redactUrl(raw)
                            : Redactor.redact(isSql() ? SqlText.withoutLiterals(raw) : raw);
        } else if (value instanceof Duration time) {
            text = Durations.format(time);
        } else if (value instanceof Number || value instanceof Boolean) {
            text = value.toString();
        } else {
            text = "a " + value.getClass().getName();
        }
        return text.length() <= 200 ? text : text.substring(0, 200) + "...";
    }
}
