package dev.weir.cli.migrate;

import org.jspecify.annotations.Nullable;

/**
 * One property of another pool.
 *
 * @param name as it is written there
 * @param byDefault the value there where none is given; empty for none
 * @param setting the setting of Weir's, or empty if there is none
 * @param unit how the value is written there
 * @param differs what differs and why, or what to do instead
 */
record ForeignProperty(String name, String byDefault, String setting, Unit unit, String differs) {

    /** How a value is written, where it must be put in another form. */
    enum Unit {
        /** As in Weir. */
        SAME,
        /** Milliseconds; zero and less mean never, or for ever. */
        MILLIS,
        /** Seconds; zero and less mean never, or for ever. */
        SECONDS
    }

    static ForeignProperty same(String name, String byDefault, String setting, String differs) {
        return new ForeignProperty(name, byDefault, setting, Unit.SAME, differs);
    }

    static ForeignProperty millis(String name, String byDefault, String setting, String differs) {
        return new ForeignProperty(name, byDefault, setting, Unit.MILLIS, differs);
    }

    static ForeignProperty seconds(String name, String byDefault, String setting, String differs) {
        return new ForeignProperty(name, byDefault, setting, Unit.SECONDS, differs);
    }

    /** A property that has no setting here, and why. */
    static ForeignProperty none(String name, String byDefault, String why) {
        return new ForeignProperty(name, byDefault, "", Unit.SAME, why);
    }

    /** The value as Weir takes it, or null if it says the same as to set nothing. */
    @Nullable
    String translated(String value) {
        if (unit == Unit.SAME || value.contains("${")) {
            return value;
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

    private @Nullable String zero() {
        return switch (setting) {
            case "connectionTimeout" -> "365d"; // there: for ever
            case "validationTimeout", "connectTimeout" -> null; // there: the driver's
            default -> "0";
        };
    }
}
