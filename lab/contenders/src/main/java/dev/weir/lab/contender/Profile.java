package dev.weir.lab.contender;

import java.util.Locale;

/** How a pool is set up for a comparison. */
public enum Profile {
    /**
     * As safe as Weir is, as far as the pool can be told to: a connection that was idle for half a second is tested before it
     * is lent, what was not committed is rolled back, the state is reset, statements are closed, closed handles are dead.
     */
    EQUAL,
    /** With its own default settings, but for the number of connections and the connection timeout. */
    DEFAULTS;

    /** Returns the name in options and files. */
    public String label() {
        return name().toLowerCase(Locale.ROOT);
    }
}
