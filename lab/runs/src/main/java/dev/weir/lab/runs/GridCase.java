package dev.weir.lab.runs;

import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A case of the workload {@code grid}, which its name says and is read from.
 *
 * @param size connections of the pool
 * @param threads of the server that answer
 * @param clients connections to the server
 * @param rate requests offered per second, or 0 for a closed loop
 */
public record GridCase(int size, int threads, int clients, int rate) {
    private static final Pattern NAME =
            Pattern.compile("(\\d+) connections, (\\d+) threads, (\\d+) clients, (?:closed|open at (\\d+)/s)");

    /** Reads a name; empty if it is of no such case. */
    public static Optional<GridCase> of(String name) {
        Matcher parts = NAME.matcher(name);
        return parts.matches()
                ? Optional.of(new GridCase(
                        Integer.parseInt(parts.group(1)),
                        Integer.parseInt(parts.group(2)),
                        Integer.parseInt(parts.group(3)),
                        parts.group(4) == null ? 0 : Integer.parseInt(parts.group(4))))
                : Optional.empty();
    }

    /** Returns what it has in common with the cases of other sizes and threads: {@code 100 clients, open at 500/s}. */
    public String load() {
        return clients + " clients, " + (rate == 0 ? "closed" : "open at " + rate + "/s");
    }

    /** Returns the name. */
    @Override
    public String toString() {
        return size + " connections, " + threads + " threads, " + load();
    }
}
