package dev.weir.lab.contender;

/**
 * What a pool says of itself; -1 where it does not tell.
 *
 * @param total connections
 * @param active connections in use
 */
public record Counts(int total, int active) {
    static final Counts UNKNOWN = new Counts(-1, -1);
}
