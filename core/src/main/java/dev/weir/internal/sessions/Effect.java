package dev.weir.internal.sessions;

import java.util.Set;

/**
 * What an SQL text may leave on the session that runs it. Immutable.
 *
 * @param names the settings that it changes, in lower case and without quotes
 * @param reason what it leaves, in words for messages; never a literal of the text
 */
public record Effect(Kind kind, Set<String> names, String reason) {

    /** From the least to the most. */
    public enum Kind {
        /** Nothing. */
        CLEAR,
        /** Nothing that the text shows; but a trigger, a default or the like may leave anything. */
        LEAVES,
        /** Values of the settings that are named, and nothing else. */
        SETS,
        /** Advisory locks of the session. */
        LOCKS,
        /** Anything that cannot be had again on another session, or that is not known. */
        PINS
    }

    public static final Effect CLEAR = new Effect(Kind.CLEAR, Set.of(), "");
}
