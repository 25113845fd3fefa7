package dev.weir.lab.bench;

import dev.weir.lab.contender.ExtraClassPath;
import dev.weir.lab.contender.Profile;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.openjdk.jmh.profile.GCProfiler;
import org.openjdk.jmh.results.IterationResult;
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
 * @param benchmark which
 * @param pool as {@link dev.weir.lab.contender.Contenders#parse} reads it
 * @param profile how safe the pool is set up
 * @param parameters the benchmark's own, by name
 * @param threads how many; {@code many} has its own
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
        Benchmark benchmark,
        String pool,
        Profile profile,
        Map<String, String> parameters,
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
     * @param nanos mean time of one operation, as one thread sees it; of {@code many} the time and the number of threads, divided by
     *     the operations of all
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
        ChainedOptionsBuilder options = new OptionsBuilder()
                .include(benchmark.include())
                .param("pool", pool)
                .param("profile", profile.name())
                .threads(benchmark == Benchmark.MANY ? 1 : threads)
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
        parameters.forEach((name, value) -> options.param(name, value));
        if (benchmark == Benchmark.MANY) {
            options.param("crowd", "" + threads).param("millis", "" + iterationMillis);
        }
        if (forked) {
            options.jvmArgs(jvmOptions.toArray(String[]::new)).jvmArgsAppend(ExtraClassPath.option(classPath));
        }
        return score(new Runner(options.build()).runSingle());
    }

    private Score score(RunResult result) {
        Result<?> bytes = result.getSecondaryResults().get("gc.alloc.rate.norm");
        List<IterationResult> all = result.getBenchmarkResults().stream()
                .flatMap(fork -> fork.getIterationResults().stream())
                .toList();
        double[] means = all.stream().mapToDouble(this::nanos).toArray();
        double operations = benchmark == Benchmark.MANY // JMH takes each iteration of it for one
                ? all.stream()
                        .mapToDouble(one -> counted("operations", one))
                        .average()
                        .orElseThrow()
                : 1;
        int half = means.length / 2;
        return new Score(
                mean(means, 0, means.length),
                bytes == null ? Double.NaN : bytes.getScore() / operations,
                mean(means, 0, half),
                mean(means, means.length - half, means.length));
    }

    private double nanos(IterationResult iteration) {
        return benchmark == Benchmark.MANY
                ? threads * counted("nanos", iteration) / counted("operations", iteration)
                : iteration.getPrimaryResult().getScore();
    }

    private static double counted(String name, IterationResult iteration) {
        return Objects.requireNonNull(iteration.getSecondaryResults().get(name), name)
                .getScore();
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
