package dev.weir.lab.workload.spike;

import java.util.Arrays;
import java.util.Locale;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** Looks at a {@link Scene} again and again, at fixed moments, from a thread of its own. */
final class Sampler {
    private static final int COLUMNS = 4;
    private static final int TIME = 0;
    private static final int TOTAL = 1;
    private static final int ACTIVE = 2;
    private static final int WAITING = 3;

    private final Scene scene;
    private final long start;
    private final long periodNanos;
    private final Thread thread;
    private volatile boolean over;

    // Written by the thread, read when it has ended.
    private long[] samples = new long[COLUMNS * 1_024];
    private int count;

    private Sampler(Scene scene, long start, long periodMicros) {
        this.scene = scene;
        this.start = start;
        this.periodNanos = periodMicros * 1_000;
        this.thread = new Thread(this::run, "sampler");
        thread.setDaemon(true);
    }

    /** Begins; times are counted from {@code start}, a reading of System.nanoTime. */
    static Sampler start(Scene scene, long start, long periodMicros) {
        Sampler sampler = new Sampler(scene, start, periodMicros);
        sampler.thread.start();
        return sampler;
    }

    private void run() {
        long next = System.nanoTime();
        while (!over) {
            take(System.nanoTime() - start);
            next += periodNanos;
            long left = next - System.nanoTime();
            while (left > 0 && !over) {
                LockSupport.parkNanos(left);
                left = next - System.nanoTime();
            }
        }
    }

    private void take(long nanos) {
        int at = count * COLUMNS;
        if (at + COLUMNS > samples.length) {
            samples = Arrays.copyOf(samples, samples.length * 2);
        }
        samples[at + TIME] = nanos;
        samples[at + TOTAL] = scene.total();
        samples[at + ACTIVE] = scene.active();
        samples[at + WAITING] = scene.waiting();
        count++;
    }

    void stop() throws InterruptedException {
        over = true;
        LockSupport.unpark(thread);
        thread.join();
    }

    /** The most connections that a sample saw. */
    long peak() {
        return IntStream.range(0, count)
                .mapToLong(i -> samples[i * COLUMNS + TOTAL])
                .max()
                .orElse(0);
    }

    /** Lines of {@code time_us total active idle waiting}, separated by tabs. */
    Stream<String> lines() {
        return IntStream.range(0, count).mapToObj(i -> {
            int at = i * COLUMNS;
            long total = samples[at + TOTAL];
            long active = samples[at + ACTIVE];
            return String.format(
                    Locale.ROOT,
                    "%d\t%d\t%d\t%d\t%d",
                    samples[at + TIME] / 1_000,
                    total,
                    active,
                    Math.max(0, total - active),
                    samples[at + WAITING]);
        });
    }
}
