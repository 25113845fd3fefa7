package dev.weir.lab.report;

import dev.weir.lab.report.Charts.Line;
import dev.weir.lab.runs.RunInfo;
import java.awt.Color;
import java.io.IOException;
import java.text.DecimalFormat;
import java.text.DecimalFormatSymbols;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.IntStream;
import org.knowm.xchart.XYChart;
import org.knowm.xchart.XYSeries.XYSeriesRenderStyle;

/** The pictures of a case: its first metric as bars, and what its raw samples show over time. */
final class Pictures {
    private static final String TIME = "time_us";
    private static final List<String> COUNTS = List.of("waiting", "total", "active", "idle");
    private static final int MOMENTS = 120;
    private static final DecimalFormat NINES =
            new DecimalFormat("0.#####", DecimalFormatSymbols.getInstance(Locale.ROOT));

    /** Columns of samples that are shown as a line for each pool: time, value, and the names of both axes. */
    private record Timeline(String time, String value, String xAxis, String yAxis) {}

    private static final List<Timeline> TIMELINES = List.of(
            new Timeline("since_back_ms", "served", "time since the database is back, ms", "requests served in 50 ms"),
            new Timeline("since_back_ms", "connects", "time since the database is back, ms", "connects in 10 ms"),
            new Timeline("since_ready_ms", "good", "time since the new primary is ready, ms", "writes in 50 ms"),
            new Timeline("since_begin_ms", "sessions", "time, ms", "sessions at the server"));

    private Pictures() {}

    static List<Picture> ofCase(Results results, String caseName) throws IOException {
        List<Picture> pictures = new ArrayList<>();
        List<String> shown = results.shown(caseName);
        if (!shown.isEmpty() && RunInfo.isRepeated(results.info().workload())) {
            pictures.add(bars(results, caseName, shown.get(0)));
        }
        for (Timeline timeline : TIMELINES) {
            timeline(results, caseName, timeline, pictures);
        }
        responses(results, caseName, pictures);
        percentiles(results, caseName, pictures);
        spike(results, caseName, pictures);
        return pictures;
    }

    private static Picture bars(Results results, String caseName, String metric) {
        Map<String, Double> medians = new LinkedHashMap<>();
        Map<String, Collection<Double>> rounds = new LinkedHashMap<>();
        for (String pool : results.ranking(caseName, metric)) {
            medians.put(pool, results.median(caseName, pool, metric));
            rounds.put(pool, results.rounds(caseName, pool, metric).values());
        }
        return Picture.of(
                caseName + "-" + metric,
                "%s: %s, median of the rounds, and a point for each".formatted(caseName, metric),
                Charts.bars(caseName, Quantity.named(metric, results.unit(metric)), medians, rounds, pool -> pool));
    }

    private static void timeline(Results results, String caseName, Timeline what, List<Picture> pictures)
            throws IOException {
        List<Line> lines = new ArrayList<>();
        Samples.ofCase(results, caseName, List.of(what.time, what.value))
                .forEach((pool, own) ->
                        lines.add(new Line(pool, Charts.color(pool), own.column(what.time), own.column(what.value))));
        add(
                pictures,
                caseName + "-" + what.value,
                "%s: %s".formatted(caseName, what.yAxis),
                lines,
                what.xAxis,
                what.yAxis,
                XYSeriesRenderStyle.Line);
    }

    private static void add(
            List<Picture> pictures,
            String name,
            String title,
            List<Line> lines,
            String xAxis,
            String yAxis,
            XYSeriesRenderStyle style) {
        if (!lines.isEmpty()) {
            lines.sort((a, b) ->
                    Boolean.compare(a.label().equals(Results.OURS), b.label().equals(Results.OURS)));
            pictures.add(Picture.of(name, title, Charts.lines(title, xAxis, yAxis, Charts.FULL, style, lines)));
        }
    }

    /** The slowest response of each moment: every single one would be a black bar. */
    private static void responses(Results results, String caseName, List<Picture> pictures) throws IOException {
        List<Line> lines = new ArrayList<>();
        Samples.ofCase(results, caseName, List.of("time_ms", "response_ms")).forEach((pool, own) -> {
            List<Double> time = own.column("time_ms");
            double width = Math.max(1, time.get(time.size() - 1) / MOMENTS);
            Map<Double, Double> slowest = new TreeMap<>();
            for (int i = 0; i < time.size(); i++) {
                slowest.merge(
                        Math.floor(time.get(i) / width) * width / 1e3,
                        own.column("response_ms").get(i),
                        Math::max);
            }
            lines.add(new Line(pool, Charts.color(pool), List.copyOf(slowest.keySet()), List.copyOf(slowest.values())));
        });
        add(
                pictures,
                caseName + "-responses",
                "slowest response of each moment",
                lines,
                "time, s",
                "response time, ms",
                XYSeriesRenderStyle.Line);
    }

    /** The share of the slower ones on a logarithmic scale. */
    private static void percentiles(Results results, String caseName, List<Picture> pictures) throws IOException {
        List<Line> lines = new ArrayList<>();
        Samples.ofCase(results, caseName, List.of("percentile", "value_ms"))
                .forEach((pool, own) -> lines.add(new Line(
                        pool,
                        Charts.color(pool),
                        own.column("percentile").stream()
                                .map(percent -> -Math.log10(1 - percent / 100))
                                .toList(),
                        own.column("value_ms"))));
        if (!lines.isEmpty()) {
            String title = "response times by percentile";
            XYChart chart = Charts.lines(
                    title, "percentile", "response time, ms", Charts.FULL, XYSeriesRenderStyle.Line, lines);
            // A tick a nine: 0, 90, 99, 99.9 and so on.
            double nines = lines.stream()
                    .flatMap(line -> line.x().stream())
                    .filter(Double::isFinite)
                    .mapToDouble(Math::ceil)
                    .max()
                    .orElse(1);
            chart.getStyler()
                    .setXAxisMin(0.0)
                    .setXAxisMax(nines)
                    .setXAxisTickMarkSpacingHint((int) (Charts.FULL / Math.max(2, nines + 2)))
                    .setXAxisTickLabelsFormattingFunction(nine -> NINES.format(100 - 100 * Math.pow(10, -nine)));
            pictures.add(Picture.of(caseName + "-percentiles", title, chart));
        }
    }

    /** Threads that wait and connections, in all, in use and idle, of each pool; and the waiting threads of all pools. */
    private static void spike(Results results, String caseName, List<Picture> pictures) throws IOException {
        List<String> columns = new ArrayList<>(COUNTS);
        columns.add(TIME);
        Map<String, Samples> samples = Samples.ofCase(results, caseName, columns);
        double shortest =
                samples.values().stream().mapToDouble(Pictures::end).min().orElse(1);
        double common = samples.values().stream()
                .mapToDouble(Pictures::end)
                .filter(end -> end <= 12 * shortest)
                .max()
                .orElse(1);
        List<Line> waiting = new ArrayList<>();
        samples.forEach((pool, own) -> {
            double end = Math.max(common, end(own)) * 1.06;
            Color[] colors = {Charts.color(pool), Charts.INK, Charts.ACCENT, Charts.MUTED};
            String[] labels = {"threads waiting", "connections", "in use", "idle"};
            List<Line> lines = new ArrayList<>();
            for (int i = 0; i < labels.length; i++) {
                lines.add(steps(labels[i], colors[i], own, COUNTS.get(i), end));
            }
            String title = pool + ", " + caseName;
            XYChart chart = Charts.lines(
                    title,
                    "time since the threads came, ms",
                    "threads, connections",
                    Charts.HALF,
                    XYSeriesRenderStyle.Step,
                    lines);
            chart.getStyler().setXAxisMin(0.0).setXAxisMax(end);
            pictures.add(Picture.of(caseName + "-" + pool, title, chart));
            waiting.add(steps(pool, Charts.color(pool), own, "waiting", common * 1.06));
        });
        add(
                pictures,
                caseName + "-waiting",
                caseName + ": threads waiting",
                waiting,
                "time since the threads came, ms",
                "threads waiting",
                XYSeriesRenderStyle.Step);
    }

    /** Those samples at which a count changes, from the moment on at which the threads came. */
    private static Line steps(String label, Color color, Samples samples, String count, double end) {
        List<Double> time = samples.column(TIME);
        List<Double> values = samples.column(count);
        double begin = begin(samples);
        List<Double> x = new ArrayList<>();
        List<Double> y = new ArrayList<>();
        for (int i = 0; i < time.size(); i++) {
            double millis = (time.get(i) - begin) / 1e3;
            boolean isLast = i == time.size() - 1 || (time.get(i + 1) - begin) / 1e3 > end;
            if (millis >= 0
                    && millis <= end
                    && (x.isEmpty() || isLast || !values.get(i).equals(values.get(i - 1)))) {
                x.add(millis);
                y.add(values.get(i));
            }
        }
        return new Line(label, color, x, y);
    }

    /** When the last sample was taken before anybody came, in microseconds. */
    private static double begin(Samples samples) {
        int first = IntStream.range(0, samples.size())
                .filter(i -> isBusy(samples, i))
                .findFirst()
                .orElse(0);
        return samples.column(TIME).get(Math.max(0, first - 1));
    }

    /** How long the last thread waited or worked, in milliseconds. */
    private static double end(Samples samples) {
        int last = IntStream.range(0, samples.size())
                .filter(i -> isBusy(samples, i))
                .max()
                .orElse(samples.size() - 1);
        return (samples.column(TIME).get(Math.min(last + 1, samples.size() - 1)) - begin(samples)) / 1e3;
    }

    private static boolean isBusy(Samples samples, int row) {
        return samples.column("waiting").get(row) > 0
                || samples.column("active").get(row) > 0;
    }
}
