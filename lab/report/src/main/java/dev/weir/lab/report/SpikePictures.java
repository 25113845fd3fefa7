package dev.weir.lab.report;

import dev.weir.lab.report.Charts.Line;
import dev.weir.lab.report.Palette.Ink;
import dev.weir.lab.report.Section.Figure;
import java.awt.BasicStroke;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.knowm.xchart.XYChart;
import org.knowm.xchart.XYSeries.XYSeriesRenderStyle;
import org.knowm.xchart.style.markers.SeriesMarkers;

/** What a pool looks like from outside while a crowd comes: threads waiting, connections in all, in use and idle. */
final class SpikePictures {
    private static final String TIME = "time_us";
    private static final String[] COUNTS = {"waiting", "total", "active", "idle"};
    private static final Ink TOTAL = Palette.INK;
    private static final Ink ACTIVE = Palette.ACCENT;
    private static final Ink IDLE = Palette.MUTED;
    private static final double MICROS_OF_MILLI = 1_000;

    /** Where a logarithmic scale of time begins, in ms. */
    private static final double EARLIEST = 0.1;

    private static final double FAR_APART = 12;

    private SpikePictures() {}

    /** Of every pool under one case, the earliest done first; empty if there are no samples. */
    static Map<String, Samples> samples(Run run, String caseName) {
        Map<String, Samples> all =
                Samples.ofCase(run, caseName, run.pools(caseName), TIME, COUNTS[0], COUNTS[1], COUNTS[2], COUNTS[3]);
        all.replaceAll((pool, own) -> own.since(TIME, begin(own)).scaled(TIME, MICROS_OF_MILLI));
        Map<String, Samples> sorted = new LinkedHashMap<>();
        all.entrySet().stream()
                .sorted(Comparator.comparingDouble(own -> end(own.getValue())))
                .forEach(own -> sorted.put(own.getKey(), own.getValue()));
        return sorted;
    }

    /**
     * One picture for each pool, all on the same scales; but a pool that takes so much longer than the quickest that this one
     * would not be seen has a time scale of its own, and its caption says so.
     */
    static List<Figure> perPool(Run run, String caseName, Map<String, Samples> samples) {
        double most = most(samples);
        double shortest =
                samples.values().stream().mapToDouble(SpikePictures::end).min().orElse(1);
        double common = samples.values().stream()
                        .mapToDouble(SpikePictures::end)
                        .filter(end -> end <= FAR_APART * shortest)
                        .max()
                        .orElse(1)
                * 1.06;
        List<Figure> figures = new ArrayList<>();
        samples.forEach((pool, own) -> figures.add(new Figure(
                Picture.of(
                        run.info().workload() + "-" + caseName + "-" + pool,
                        chart(pool, own, Math.max(common, end(own) * 1.06), most, Charts.HALF)),
                sentence(pool, own) + (end(own) > common ? " On a time scale of its own." : ""),
                run.info().command())));
        return figures;
    }

    /** Two pools side by side, on the same scales. */
    static Picture sideBySide(String name, Map<String, Samples> samples, String left, String right) {
        Samples one = Objects.requireNonNull(samples.get(left), left);
        Samples other = Objects.requireNonNull(samples.get(right), right);
        double end = Math.max(end(one), end(other)) * 1.06;
        double most = most(Map.of(left, one, right, other));
        return Picture.of(name, chart(left, one, end, most, Charts.HALF), chart(right, other, end, most, Charts.HALF));
    }

    /** All pools in one picture, one of the counts. */
    static Picture together(Run run, String caseName, Map<String, Samples> samples, String count, String axis) {
        double[] ends =
                samples.values().stream().mapToDouble(SpikePictures::end).toArray();
        double longest = Arrays.stream(ends).max().orElse(1);
        double shortest = Arrays.stream(ends).min().orElse(1);
        boolean logarithmic = longest > FAR_APART * shortest;
        List<Line> lines = new ArrayList<>();
        // What is drawn last is on top.
        samples.entrySet().stream()
                .sorted(Comparator.comparing(own -> own.getKey().equals(Run.OURS)))
                .forEach(own -> {
                    Samples shown = own.getValue()
                            .between(TIME, logarithmic ? EARLIEST : 0, longest * 1.05)
                            .changesOf(count);
                    lines.add(Line.of(own.getKey(), shown.column(TIME), shown.column(count))
                            .plain());
                });
        XYChart chart = Charts.lines(
                axis + " of all pools",
                "time since the crowd came, ms" + (logarithmic ? " (logarithmic)" : ""),
                axis,
                Charts.FULL,
                XYSeriesRenderStyle.Step,
                lines);
        if (logarithmic) {
            chart.getStyler().setXAxisLogarithmic(true).setXAxisLogarithmicDecadeOnly(true);
            Charts.horizontal(chart, EARLIEST, Math.pow(10, Math.ceil(Math.log10(longest))), Quantity::number);
        } else {
            Charts.horizontal(chart, 0, longest * 1.05, Quantity::number);
        }
        return Picture.of(run.info().workload() + "-" + caseName + "-all-" + count, chart);
    }

    /** When the last sample was taken before anybody came, in microseconds: samples begin before the crowd does. */
    private static double begin(Samples samples) {
        List<Double> time = samples.column(TIME);
        for (int i = 0; i < time.size(); i++) {
            if (samples.column("waiting").get(i) > 0 || samples.column("active").get(i) > 0) {
                return time.get(Math.max(0, i - 1));
            }
        }
        return 0;
    }

    /** When the last thread waits or works, in milliseconds. */
    static double end(Samples samples) {
        List<Double> time = samples.column(TIME);
        List<Double> waiting = samples.column("waiting");
        List<Double> active = samples.column("active");
        for (int i = time.size() - 1; i >= 0; i--) {
            if (waiting.get(i) > 0 || active.get(i) > 0) {
                return time.get(Math.min(i + 1, time.size() - 1));
            }
        }
        return time.get(time.size() - 1);
    }

    static double greatest(Samples samples, String count) {
        return samples.column(count).stream().mapToDouble(value -> value).max().orElse(0);
    }

    private static String sentence(String pool, Samples samples) {
        Samples during = samples.between(TIME, Double.NEGATIVE_INFINITY, end(samples));
        List<Double> total = during.column("total");
        String waiting = greatest(during, "waiting") < 0
                ? "it does not tell how many threads wait"
                : "up to " + Quantity.number(greatest(during, "waiting")) + " threads wait";
        return "%s: %s; the last one is served after %s, with %s connections at that moment, from %s before the crowd."
                .formatted(
                        pool,
                        waiting,
                        Quantity.withUnit(end(samples), "ms"),
                        Quantity.number(total.get(total.size() - 1)),
                        Quantity.number(total.get(0)));
    }

    private static double most(Map<String, Samples> samples) {
        double most = 1;
        for (Samples own : samples.values()) {
            for (String count : COUNTS) {
                most = Math.max(most, greatest(own, count));
            }
        }
        return most;
    }

    private static XYChart chart(String pool, Samples all, double end, double most, int width) {
        Samples samples = all.between(TIME, 0, end).changesOf(COUNTS);
        List<Double> time = samples.column(TIME);
        List<Line> lines = new ArrayList<>();
        lines.add(line("threads waiting", Palette.of(pool), 2.6f, time, samples.column("waiting")));
        lines.add(line("connections", TOTAL, 2f, time, samples.column("total")));
        lines.add(line("  in use", ACTIVE, 1.5f, time, samples.column("active")));
        lines.add(line("  idle", IDLE, 1.2f, time, samples.column("idle")));
        XYChart chart = Charts.lines(
                pool, "time since the crowd came, ms", "threads, connections", width, XYSeriesRenderStyle.Step, lines);
        chart.getStyler().setYAxisMax(most * 1.06);
        return Charts.horizontal(chart, 0, end, Quantity::number);
    }

    private static Line line(String label, Ink ink, float width, List<Double> x, List<Double> y) {
        BasicStroke stroke = new BasicStroke(width, BasicStroke.CAP_SQUARE, BasicStroke.JOIN_MITER);
        return new Line(label, ink, stroke, SeriesMarkers.NONE, x, y);
    }
}
