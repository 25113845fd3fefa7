package dev.weir.lab.bench;

import dev.weir.lab.report.Json;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import org.openjdk.jmh.profile.GCProfiler;
import org.openjdk.jmh.results.Result;
import org.openjdk.jmh.results.RunResult;
import org.openjdk.jmh.results.format.ResultFormatType;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.options.ChainedOptionsBuilder;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import org.openjdk.jmh.runner.options.TimeValue;

/** Runs a plan through JMH, one measurement at a time, and keeps JMH's own files beside the summary. */
final class Bench {
    private final BenchPlan plan;
    private final Path folder;
    private final PrintStream out;

    Bench(BenchPlan plan, Path folder, PrintStream out) {
        this.plan = plan;
        this.folder = folder;
        this.out = out;
    }

    BenchResults run() throws RunnerException {
        BenchResults results = new BenchResults(plan.pools());
        for (int round = 1; round <= plan.rounds(); round++) {
            for (BenchPlan.Case what : plan.cases()) {
                for (String pool : plan.pools()) {
                    if (what.canRun(pool)) {
                        BenchResults.Sample sample = measure(what, pool, round);
                        results.add(what, pool, sample);
                        out.printf(
                                "round %d of %d, %s, %s: %,.1f ns, %.0f bytes%n",
                                round, plan.rounds(), what.label(), pool, sample.nanos(), sample.bytes());
                    }
                }
            }
        }
        return results;
    }

    void write(BenchResults results, String command) throws IOException {
        Files.writeString(folder.resolve("bench.json"), Json.write(results.asMap(command)));
        Files.writeString(folder.resolve("bench.md"), results.table());
    }

    private BenchResults.Sample measure(BenchPlan.Case what, String pool, int round) throws RunnerException {
        String file = "%d-%s-%d-%s".formatted(round, what.benchmark().getSimpleName(), what.threads(), pool);
        ChainedOptionsBuilder options = new OptionsBuilder()
                .include("\\b" + what.benchmark().getSimpleName() + "\\.cycle$")
                .param("pool", pool)
                .threads(what.threads())
                .forks(plan.forks())
                .warmupIterations(plan.warmups())
                .warmupTime(TimeValue.milliseconds(plan.iterationMillis()))
                .measurementIterations(plan.iterations())
                .measurementTime(TimeValue.milliseconds(plan.iterationMillis()))
                .shouldFailOnError(true)
                .addProfiler(GCProfiler.class)
                .output(folder.resolve(file + ".log").toString())
                .resultFormat(ResultFormatType.JSON)
                .result(folder.resolve(file + ".json").toString());
        if (plan.forks() > 0) {
            options.jvmArgs("-Xms1g", "-Xmx1g");
        }
        RunResult result = new Runner(options.build()).runSingle();
        Result<?> bytes = result.getSecondaryResults().get("gc.alloc.rate.norm");
        return new BenchResults.Sample(
                result.getPrimaryResult().getScore(), bytes == null ? Double.NaN : bytes.getScore());
    }
}
