package dev.weir.lab.battle;

import java.util.Arrays;
import org.HdrHistogram.Histogram;

/** When requests began, and how long they took, in nanoseconds. Not thread-safe. */
final class Samples {
    private long[] begun = new long[1024];
    private long[] took = new long[1024];
    private int size;

    void add(long begunNanos, long tookNanos) {
        if (size == begun.length) {
            begun = Arrays.copyOf(begun, size * 2);
            took = Arrays.copyOf(took, size * 2);
        }
        begun[size] = begunNanos;
        took[size] = tookNanos;
        size++;
    }

    void addAll(Samples other) {
        for (int i = 0; i < other.size; i++) {
            add(other.begun[i], other.took[i]);
        }
    }

    /** Those that began within these times. */
    Samples between(long fromNanos, long toNanos) {
        Samples some = new Samples();
        for (int i = 0; i < size; i++) {
            if (begun[i] >= fromNanos && begun[i] < toNanos) {
                some.add(begun[i], took[i]);
            }
        }
        return some;
    }

    int size() {
        return size;
    }

    long begun(int at) {
        return begun[at];
    }

    long took(int at) {
        return took[at];
    }

    /** How long each took, to four digits. */
    Histogram times() {
        Histogram times = new Histogram(4);
        for (int i = 0; i < size; i++) {
            times.recordValue(took[i]);
        }
        return times;
    }

    /** The longest, in nanoseconds; 0 of none. */
    long longest() {
        return Arrays.stream(took, 0, size).max().orElse(0);
    }

    /** The mean in nanoseconds; 0 of none. */
    double mean() {
        return Arrays.stream(took, 0, size).average().orElse(0);
    }
}
