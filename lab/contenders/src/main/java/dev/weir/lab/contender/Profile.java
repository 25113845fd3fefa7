package dev.weir.lab.contender;

import java.util.Locale;

/** How safe a pool is set up. */
public enum Profile {
    /** As safe as the pool can be told to be: tested after half a second idle, reset, rolled back, statements closed. */
    EQUAL,

    /** With the pool's own defaults. */
    DEFAULTS;

    /** Returns the name in options and files. */
    public String label() {
        return name().toLowerCase(Locale.ROOT);
    }
}
