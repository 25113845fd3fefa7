package dev.weir.cli.demo;

import dev.weir.PoolStats;
import java.io.PrintWriter;
import java.util.Locale;
import org.HdrHistogram.Histogram;

/** How the load is doing: one line that is written over on a terminal, a line a second elsewhere. */
final class LiveLine {
    private static final String START_OF_LINE = "\r";
    private static final String CLEAR_REST = "\u001b[K";

    private final PrintWriter out;
    private final boolean terminal;

    LiveLine(PrintWriter out, boolean terminal) {
        this.out = out;
        this.terminal = terminal;
    }

    long periodMillis() {
        return terminal ? 250 : 1_000;
    }

    void show(double seconds, PoolStats stats, double acquiresPerSecond, Histogram acquires, Histogram queries) {
        String line = String.format(
                Locale.ROOT,
                "%5.1f s  in use %2d, idle %2d, waiting %2d | %,7.0f acquires/s, p50 %s p99 %s ms | query"
                        + " p50 %s p99 %s ms",
                seconds,
                stats.inUse(),
                stats.idle(),
                stats.waiting(),
                acquiresPerSecond,
                millis(acquires, 50),
                millis(acquires, 99),
                millis(queries, 50),
                millis(queries, 99));
        if (terminal) {
            out.print(START_OF_LINE + line + CLEAR_REST);
        } else {
            out.println(line);
        }
        out.flush();
    }

    void end() {
        if (terminal) {
            out.println();
            out.flush();
        }
    }

    static String millis(Histogram histogram, double percentile) {
        double millis = (double) histogram.getValueAtPercentile(percentile) / 1e6;
        return String.format(Locale.ROOT, millis < 0.01 ? "%.4f" : millis < 1 ? "%.3f" : "%.2f", millis);
    }
}
