package dev.weir.lab.workload;

import dev.weir.lab.runs.Summary;
import java.util.Arrays;

/**
 * How long the threads of a crowd took.
 *
 * @param median of the threads, in nanoseconds
 * @param mean of the threads, in nanoseconds
 * @param max of the threads, in nanoseconds
 */
public record PerThread(double median, double mean, double max) {

    /** Sums up the times of threads. */
    public static PerThread of(long[] nanos) {
        double[] values = Arrays.stream(nanos).asDoubleStream().toArray();
        Summary summary = Summary.of(values);
        return new PerThread(summary.median(), Arrays.stream(values).average().orElse(Double.NaN), summary.max());
    }

    /** One run of a crowd. */
    @FunctionalInterface
    public interface Run {
        PerThread run() throws Exception;
    }

    /**
     * Warms up, runs several times, and tells of the run with the lowest median: its median, mean and maximum, and the
     * median of every run, the warm-ups included.
     *
     * @param warmups runs that do not count
     * @param runs runs of which the best counts, 1 or more
     */
    public static void bestOf(CellRun cell, int warmups, int runs, Run run) throws Exception {
        for (int i = 1; i <= warmups; i++) {
            cell.measure("median of warm-up " + i, run.run().median() / 1e6, "ms");
        }
        PerThread best = run.run();
        cell.measure("median of run 1", best.median() / 1e6, "ms");
        for (int i = 2; i <= runs; i++) {
            PerThread next = run.run();
            cell.measure("median of run " + i, next.median() / 1e6, "ms");
            best = next.median() < best.median() ? next : best;
        }
        cell.measure("median", best.median() / 1e6, "ms");
        cell.measure("mean", best.mean() / 1e6, "ms");
        cell.measure("max", best.max() / 1e6, "ms");
    }
}
