package dev.weir.lab.contender;

/**
 * What a pool says of itself; -1 where it does not tell.
 *
 * @param total connections
 * @param active connections in use
 * @param idle connections that nobody uses
 * @param waiting threads that wait for one
 */
public record Counts(int total, int active, int idle, int waiting) {
    static final Counts UNKNOWN = new Counts(-1, -1, -1, -1);
}
