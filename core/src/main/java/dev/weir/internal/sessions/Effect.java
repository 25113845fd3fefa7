package dev.weir.internal.sessions;

import java.util.Set;

/**
 * What a text may leave on a session. Immutable.
 *
 * @param kind the strongest of the text's statements
 * @param names settings that the text changes, in lower case and without quotes; of all its statements
 * @param reason why it is of this kind, for messages; empty for {@link Kind#CLEAR}. Never a literal of the text
 * @param trace what it has to do with the answer that the session keeps of its last statement
 */
public record Effect(Kind kind, Set<String> names, String reason, Trace trace) {

    /** In order: a text of several statements has the strongest. */
    public enum Kind {
        /** Nothing. */
        CLEAR,
        /** What no text shows: a trigger, a default or the like may leave something. */
        LEAVES,
        /** Values of the settings that are named. */
        SETS,
        /** Advisory locks of the session. */
        LOCKS,
        /** Something that stays with the session, or that is not understood. */
        PINS
    }

    /** Of what the session keeps of its last statement. */
    public enum Trace {
        NONE,
        /** The text reads what is of the text before it, whichever that was: its rows, its warnings. */
        LAST,
        /** The text reads what a text before it made: {@code LAST_INSERT_ID()}. */
        READ,
        /** The text makes that. */
        MADE
    }

    static final Effect NOTHING = new Effect(Kind.CLEAR, Set.of(), "");

    public Effect {
        names = Set.copyOf(names);
    }

    public Effect(Kind kind, Set<String> names, String reason) {
        this(kind, names, reason, Trace.NONE);
    }

    static Effect pins(String reason) {
        return new Effect(Kind.PINS, Set.of(), reason);
    }
}
