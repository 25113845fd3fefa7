package dev.weir.lab.report;

import dev.weir.lab.report.Charts.Line;
import dev.weir.lab.report.Section.Figure;
import dev.weir.lab.runs.Summary;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.knowm.xchart.XYChart;
import org.knowm.xchart.XYSeries.XYSeriesRenderStyle;

/**
 * What order costs and brings: for each pool a point for each case, its requests against the p99 of its waits, both in
 * multiples of the reference's in that case, the median of the rounds. A pool that serves strictly in turn stands low and
 * left, one that serves whoever runs high and right.
 */
final class FrontierPicture {
    private static final String SERVED = "throughput";
    private static final String TAIL = "p99";

    private FrontierPicture() {}

    /** Empty unless the reference and another pool were measured. */
    static Optional<Figure> of(Run run, List<String> pools) {
        List<Line> lines = new ArrayList<>();
        for (String pool : pools) {
            Line line = line(run, pool);
            if (!line.x().isEmpty()) {
                lines.add(line);
            }
        }
        if (lines.size() < 2 || line(run, Run.REFERENCE).x().isEmpty()) {
            return Optional.empty();
        }
        double least = least(lines);
        XYChart chart = Charts.logarithmic(
                Charts.lines(
                        "What order costs: " + run.cases().size() + " cases",
                        "requests, times " + Run.REFERENCE + "'s",
                        "p99 of the wait, times " + Run.REFERENCE + "'s",
                        Charts.FULL,
                        XYSeriesRenderStyle.Scatter,
                        lines),
                lines);
        Charts.horizontal(chart, Math.floor(least * 10) / 10, Math.ceil(most(lines) * 10) / 10, Quantity::number);
        return Optional.of(new Figure(
                Picture.of(run.info().workload() + "-frontier", chart),
                "Each point is a case, in multiples of " + Run.REFERENCE
                        + "'s, which is at 1 and 1, the median of the rounds. Lower: shorter waits;"
                        + " further right: more requests.",
                run.info().command()));
    }

    static Line line(Run run, String pool) {
        List<Double> served = new ArrayList<>();
        List<Double> tail = new ArrayList<>();
        for (String caseName : run.cases()) {
            double requests = ratio(run, caseName, pool, SERVED);
            double wait = ratio(run, caseName, pool, TAIL);
            if (Double.isFinite(requests) && Double.isFinite(wait) && wait > 0) {
                served.add(requests);
                tail.add(wait);
            }
        }
        return Line.of(pool, served, tail);
    }

    /** As the tables have it, of each round; NaN if there is none. */
    private static double ratio(Run run, String caseName, String pool, String metric) {
        return run.ratios(caseName, pool, metric).map(Summary::median).orElse(Double.NaN);
    }

    private static double least(List<Line> lines) {
        return lines.stream()
                .flatMap(line -> line.x().stream())
                .mapToDouble(x -> x)
                .min()
                .orElse(0);
    }

    private static double most(List<Line> lines) {
        return lines.stream()
                .flatMap(line -> line.x().stream())
                .mapToDouble(x -> x)
                .max()
                .orElse(1);
    }
}
