package dev.weir.cli.migrate;

import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * One property of another pool.
 *
 * @param name as it is written there
 * @param byDefault the value there where none is given; empty for none
 * @param setting the setting of Weir's, or empty if there is none
 * @param unit how the value is written there
 * @param always whether the pool does without a setting what the property is for, so that nothing is lost
 * @param reason what differs for a value that is set, or why there is no setting and what to do instead; empty for nothing
 * @param whenUnset what differs only where the property is not set, for the guide; empty for nothing
 */
record ForeignProperty(
        String name, String byDefault, String setting, Unit unit, boolean always, String reason, String whenUnset) {

    private static final Pattern TIME =
            Pattern.compile("(\\d+)\\s*(ms|millis\\w*|s|secs?|seconds?|m|mins?|minutes?|h|hours?|d|days?)");
    private static final String FOREVER = "There, 0 and less wait for ever, and become 365d";

    /** How a value is written, where it must be put in another form. */
    enum Unit {
        /** As in Weir. */
        SAME,
        /** Milliseconds; zero and less mean never, or for ever. */
        MILLIS,
        /** Seconds; zero and less mean never, or for ever. */
        SECONDS,
        /** A number and a unit in letters, as Dropwizard and Quarkus have them: {@code 1 minute}, {@code 5M}, {@code PT5S}. */
        DURATION
    }

    static ForeignProperty same(String name, String byDefault, String setting, String differs) {
        return new ForeignProperty(name, byDefault, setting, Unit.SAME, false, differs, "");
    }

    static ForeignProperty millis(String name, String byDefault, String setting, String differs) {
        return new ForeignProperty(name, byDefault, setting, Unit.MILLIS, false, differs, "");
    }

    static ForeignProperty seconds(String name, String byDefault, String setting, String differs) {
        return new ForeignProperty(name, byDefault, setting, Unit.SECONDS, false, differs, "");
    }

    static ForeignProperty duration(String name, String byDefault, String setting, String differs) {
        return new ForeignProperty(name, byDefault, setting, Unit.DURATION, false, differs, "");
    }

    /** A property that has no counterpart here, and why. */
    static ForeignProperty none(String name, String byDefault, String why) {
        return new ForeignProperty(name, byDefault, "", Unit.SAME, false, why, "");
    }

    /** A property for what the pool does in any case, or has in another form that needs no setting. */
    static ForeignProperty always(String name, String byDefault, String why) {
        return new ForeignProperty(name, byDefault, "", Unit.SAME, true, why, "");
    }

    /** The same with what differs where the property is not set. */
    ForeignProperty unset(String differs) {
        return new ForeignProperty(name, byDefault, setting, unit, always, reason, differs);
    }

    /** All that differs, for the guide. */
    String differs() {
        return Stream.of(reason, waitsForEver() ? FOREVER : "", whenUnset)
                .filter(text -> !text.isEmpty())
                .collect(Collectors.joining(". "));
    }

    /** What to know about this value, or empty. */
    String note(String value) {
        return waitsForEver() && "365d".equals(translated(value)) ? FOREVER : reason;
    }

    private boolean waitsForEver() {
        return (unit == Unit.MILLIS || unit == Unit.SECONDS) && setting.equals("connectionTimeout");
    }

    /** The value as Weir takes it, or null if it says the same as to set nothing. */
    @Nullable
    String translated(String value) {
        if (setting.equals("transactionIsolation")
                && (value.strip().equals("-1") || value.strip().equals("default"))) {
            return null; // there: unset
        }
        if (unit == Unit.SAME || value.contains("${")) {
            return value;
        }
        if (unit == Unit.DURATION) {
            return shortened(value.strip().toLowerCase(Locale.ROOT));
        }
        long number;
        try {
            number = Long.parseLong(value.strip());
        } catch (NumberFormatException e) {
            return value; // Weir says what is wrong with it
        }
        if (number <= 0) {
            return zero();
        }
        return unit == Unit.SECONDS ? number + "s" : Long.toString(number);
    }

    /** {@code 1 minute} and {@code pt1m} as {@code 1m}; what is no such text stays, and Weir says what is wrong with it. */
    private static String shortened(String value) {
        if (value.matches("\\d+")) {
            return value + "s"; // Quarkus; Dropwizard refuses it
        }
        String text = value.startsWith("pt") ? value.substring(2) : value;
        Matcher matcher = TIME.matcher(text);
        if (!matcher.matches()) {
            return value;
        }
        String letters = matcher.group(2);
        return matcher.group(1) + (letters.startsWith("ms") || letters.startsWith("milli") ? "ms" : letters.charAt(0));
    }

    private @Nullable String zero() {
        return switch (setting) {
            case "connectionTimeout" -> "365d"; // there: for ever
            case "validationTimeout", "connectTimeout" -> null; // there: the driver's
            default -> "0";
        };
    }
}
