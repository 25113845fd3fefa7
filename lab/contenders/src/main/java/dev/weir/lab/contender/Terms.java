package dev.weir.lab.contender;

/**
 * On what terms a pool is compared: what it does for each loan beside lending. Immutable.
 *
 * @param tested when a connection is tested before it is lent
 * @param counts what is counted for each loan, in the pool or in what asks it
 */
public record Terms(String tested, String counts) {
    static final String NO_COUNTS = "nothing";
    static final String NEVER = "never";

    /** After half a second without a use. */
    static final String IDLE = "after 500 ms idle";
}
