package dev.weir.soak;

/** What is to be expected of the users and of those who trouble them. */
enum Mood {
    /** Anything may happen, and may fail. */
    WILD,
    /** Nothing happens any more; what happened may still show. */
    CALM,
    /** Nothing happens, and nothing may fail. */
    STRICT
}
