package dev.weir.lab.contender;

/**
 * What a pool says about itself; -1 where it cannot tell.
 *
 * @param total connections that exist
 * @param active of them lent
 * @param idle of them not lent
 * @param waiting threads that wait for one
 */
public record Counts(int total, int active, int idle, int waiting) {
    /** Of a pool that tells nothing. */
    public static final Counts UNKNOWN = new Counts(-1, -1, -1, -1);
}
