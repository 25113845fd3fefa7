package dev.weir.lab.runs;

import java.io.PrintStream;
import java.time.Duration;
import java.util.Locale;
import me.tongfei.progressbar.ConsoleProgressBarConsumer;
import me.tongfei.progressbar.ProgressBar;
import me.tongfei.progressbar.ProgressBarBuilder;
import me.tongfei.progressbar.ProgressBarStyle;
import org.jspecify.annotations.Nullable;

/** How far long work is, and how long it still takes: a bar on a terminal, a line a step elsewhere. One thread at a time. */
public final class Progress implements AutoCloseable {
    private static final int WIDTH = 110;

    private final PrintStream out;
    private final long start = System.nanoTime();
    private final long skipped;
    private final long steps;
    private final @Nullable ProgressBar bar;
    private long done;

    /**
     * Begins.
     *
     * @param steps how many there are in all
     * @param done how many of them were done before
     * @param terminal whether lines can be written over
     */
    public Progress(PrintStream out, String task, long steps, long done, boolean terminal) {
        this.out = out;
        this.steps = steps;
        this.done = done;
        this.skipped = done;
        this.bar = terminal
                ? new ProgressBarBuilder()
                        .setTaskName(task)
                        .setInitialMax(steps)
                        .startsFrom(done, Duration.ZERO)
                        .setStyle(ProgressBarStyle.ASCII)
                        .continuousUpdate()
                        .setUpdateIntervalMillis(500)
                        .setConsumer(new ConsoleProgressBarConsumer(out, WIDTH))
                        .setEtaFunction(state -> java.util.Optional.ofNullable(left(state.getCurrent())))
                        .build()
                : null;
    }

    /** Says what comes next. */
    public void next(String what) {
        if (bar != null) {
            bar.setExtraMessage(what);
        }
    }

    /** A step is done. */
    public void step(String what) {
        done++;
        if (bar != null) {
            bar.step();
            return;
        }
        Duration left = left(done);
        out.printf(
                Locale.ROOT,
                "%d of %d%s: %s%n",
                done,
                steps,
                left == null || done == steps ? "" : ", about " + words(left) + " left",
                what);
    }

    /** From the steps of this time alone, since those done before took their time before. */
    private @Nullable Duration left(long current) {
        long here = current - skipped;
        return here <= 0 ? null : Duration.ofNanos((System.nanoTime() - start) / here * (steps - current));
    }

    private static String words(Duration time) {
        long seconds = Math.max(1, time.toSeconds());
        return seconds < 90 ? seconds + " s" : Math.round(seconds / 60.0) + " min";
    }

    @Override
    public void close() {
        if (bar != null) {
            bar.close();
        }
    }
}
