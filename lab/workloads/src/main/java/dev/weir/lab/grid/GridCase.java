package dev.weir.lab.grid;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A case of the grid, which its name says and is read from.
 *
 * @param size connections of the pool
 * @param threads of the server that answer
 * @param clients connections to the server
 * @param rate requests offered per second, or 0 for a closed loop
 */
record GridCase(int size, int threads, int clients, int rate) {
    private static final Pattern NAME =
            Pattern.compile("(\\d+) connections, (\\d+) threads, (\\d+) clients, (?:closed|open at (\\d+)/s)");

    static GridCase of(String name) {
        Matcher parts = NAME.matcher(name);
        if (!parts.matches()) {
            throw new IllegalArgumentException("case: " + name);
        }
        return new GridCase(
                Integer.parseInt(parts.group(1)),
                Integer.parseInt(parts.group(2)),
                Integer.parseInt(parts.group(3)),
                parts.group(4) == null ? 0 : Integer.parseInt(parts.group(4)));
    }

    @Override
    public String toString() {
        return "%d connections, %d threads, %d clients, %s"
                .formatted(size, threads, clients, rate == 0 ? "closed" : "open at " + rate + "/s");
    }
}
