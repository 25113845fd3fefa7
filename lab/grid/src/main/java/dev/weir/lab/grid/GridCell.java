package dev.weir.lab.grid;

import dev.weir.lab.runs.Cell;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * One place of the grid.
 *
 * @param pool its name
 * @param size connections of the pool
 * @param threads of the server that answer
 * @param clients connections to the server
 * @param rate requests offered per second, or 0 for a closed loop
 */
record GridCell(String pool, int size, int threads, int clients, int rate) {
    private static final Pattern CASE =
            Pattern.compile("(\\d+) connections, (\\d+) threads, (\\d+) clients, (?:closed|open at (\\d+)/s)");

    /** The cell as a run keeps it. */
    Cell toCell() {
        return new Cell(
                1, "%d connections, %d threads, %d clients, %s".formatted(size, threads, clients, mode()), pool);
    }

    static GridCell of(Cell cell) {
        Matcher parts = CASE.matcher(cell.caseName());
        if (!parts.matches()) {
            throw new IllegalArgumentException("case: " + cell.caseName() + " (expected: one of the grid)");
        }
        return new GridCell(
                cell.pool(),
                Integer.parseInt(parts.group(1)),
                Integer.parseInt(parts.group(2)),
                Integer.parseInt(parts.group(3)),
                parts.group(4) == null ? 0 : Integer.parseInt(parts.group(4)));
    }

    /** {@code closed}, or {@code open at 500/s}. */
    String mode() {
        return rate == 0 ? "closed" : "open at " + rate + "/s";
    }
}
