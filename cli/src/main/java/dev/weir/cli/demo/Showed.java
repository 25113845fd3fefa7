package dev.weir.cli.demo;

import java.util.Locale;

/** What the demo showed, in a sentence or two. */
final class Showed {
    private String load = "";
    private String undone = "";
    private String spike = "";
    private String beside = "";

    void load(double acquiresPerSecond, int connections) {
        load = String.format(
                Locale.ROOT,
                "The pool served %,.0f requests a second on %d connections",
                acquiresPerSecond,
                connections);
    }

    void undone(long forgotten, long timedOut, long failed) {
        undone = String.format(
                Locale.ROOT,
                "%s, and rolled back all %,d transactions that were left without commit, so that no money was lost.",
                timedOut + failed == 0
                        ? " without a timeout"
                        : String.format(Locale.ROOT, " (%,d timeouts, %,d failures)", timedOut, failed),
                forgotten);
    }

    void spike(long nanos, long opened) {
        spike = String.format(
                Locale.ROOT,
                " It served %d requests that came at once on its idle connections within %.1f ms, and opened %d more for them",
                Spike.REQUESTS,
                nanos / 1e6,
                opened);
    }

    void beside(long nanos, long opened) {
        beside = String.format(
                Locale.ROOT,
                "; HikariCP served them within %.1f ms, and opened %d (one spike each: see ./weir lab spike for many)",
                nanos / 1e6,
                opened);
    }

    String sentence() {
        return "What this showed: " + load + undone + (spike.isEmpty() ? "" : spike + beside + ".");
    }
}
