package dev.weir.lab.bench;

import dev.weir.lab.contender.ExtraClassPath;
import dev.weir.lab.contender.Profile;
import java.util.List;
import org.openjdk.jmh.profile.GCProfiler;
import org.openjdk.jmh.results.Result;
import org.openjdk.jmh.results.RunResult;
import org.openjdk.jmh.results.format.ResultFormatType;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.options.ChainedOptionsBuilder;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import org.openjdk.jmh.runner.options.TimeValue;

/**
 * One measurement by JMH: one benchmark, one pool, one number of threads.
 *
 * @param benchmark {@code connection}, {@code contended}, {@code statement} or {@code full}
 * @param pool as {@link dev.weir.lab.contender.Contenders#parse} reads it
 * @param profile how safe the pool is set up
 * @param threads how many
 * @param forked whether JMH starts a JVM of its own: without, it only shows that the benchmark works
 * @param warmups iterations that do not count
 * @param iterations iterations that do
 * @param iterationMillis how long each of them takes
 * @param classPath where the classes of pools are that are not the laboratory's own
 * @param jvmOptions for the JVM of JMH
 * @param log the file for what JMH says
 * @param result the file for JMH's own account of the measurement, in JSON
 */
public record BenchRun(
        String benchmark,
        String pool,
        Profile profile,
        int threads,
        boolean forked,
        int warmups,
        int iterations,
        int iterationMillis,
        List<String> classPath,
        List<String> jvmOptions,
        String log,
        String result) {

    /**
     * What was measured.
     *
     * @param nanos mean time of one operation, as one thread sees it
     * @param bytes allocated in one operation; NaN where JMH cannot tell
     * @param firstHalf mean time in the first half of the iterations
     * @param secondHalf mean time in the second half
     */
    public record Score(double nanos, double bytes, double firstHalf, double secondHalf) {}

    /**
     * Measures.
     *
     * @throws RunnerException if JMH or the pool fails
     */
    public Score run() throws RunnerException {
        boolean isContended = benchmark.equals("contended");
        ChainedOptionsBuilder options = new OptionsBuilder()
                .include("\\bCycle\\." + (isContended ? "connection" : benchmark) + "$")
                .param("size", isContended ? "4" : "32")
                .param("pool", pool)
                .param("profile", profile.name())
                .threads(threads)
                .forks(forked ? 1 : 0)
                .warmupIterations(warmups)
                .warmupTime(TimeValue.milliseconds(iterationMillis))
                .measurementIterations(iterations)
                .measurementTime(TimeValue.milliseconds(iterationMillis))
                .shouldFailOnError(true)
                .addProfiler(GCProfiler.class)
                .output(log)
                .resultFormat(ResultFormatType.JSON)
                .result(result);
        if (forked) {
            options.jvmArgs(jvmOptions.toArray(String[]::new)).jvmArgsAppend(ExtraClassPath.option(classPath));
        }
        return score(new Runner(options.build()).runSingle());
    }

    private Score score(RunResult result) {
        Result<?> bytes = result.getSecondaryResults().get("gc.alloc.rate.norm");
        double[] means = result.getBenchmarkResults().stream()
                .flatMap(fork -> fork.getIterationResults().stream())
                .mapToDouble(iteration -> iteration.getPrimaryResult().getScore())
                .toArray();
        int half = means.length / 2;
        return new Score(
                mean(means, 0, means.length),
                bytes == null ? Double.NaN : bytes.getScore(),
                mean(means, 0, half),
                mean(means, means.length - half, means.length));
    }

    /** Of one iteration alone there are no halves. */
    private static double mean(double[] values, int from, int to) {
        double sum = 0;
        for (int i = from; i < to; i++) {
            sum += values[i];
        }
        return to > from ? sum / (to - from) : Double.NaN;
    }
}
