package dev.weir.cli.tune;

import com.samskivert.mustache.Mustache;
import java.awt.BasicStroke;
import java.awt.Color;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.Reader;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.function.ToDoubleFunction;
import java.util.stream.IntStream;
import org.knowm.xchart.ChartEncoder;
import org.knowm.xchart.XYChart;
import org.knowm.xchart.XYChartBuilder;
import org.knowm.xchart.XYSeries;
import org.knowm.xchart.style.Styler.LegendPosition;
import org.knowm.xchart.style.markers.SeriesMarkers;

/** The findings as one HTML file that needs no other. */
final class Page {
    private static final Color MEASURED = new Color(0x1f77b4);
    private static final Color FITTED = new Color(0x7f7f7f);
    private static final Color ANSWER = new Color(0xd62728);
    private static final Color SLOWEST = new Color(0xff7f0e);

    private Page() {}

    /**
     * Writes the page.
     *
     * @param heading what was measured, without secrets
     */
    static String of(Findings findings, String heading, String sql) throws IOException {
        Map<String, Object> values = new HashMap<>();
        values.put("size", findings.advice().size());
        values.put("heading", heading);
        values.put("sql", sql);
        values.put("reasons", reasons(findings));
        values.put(
                "images",
                List.of(
                        new Image("Throughput over connections", data(throughput(findings))),
                        new Image("Time of one execution over connections", data(latency(findings)))));
        List<Table> tables = new ArrayList<>();
        tables.add(Table.of("As many threads as connections", findings.sizes()));
        if (!findings.queues().isEmpty()) {
            tables.add(Table.of("More threads than connections, through the pool", findings.queues()));
        }
        values.put("tables", tables);
        values.put("settings", Settings.of(findings.advice().size()).entrySet());
        try (Reader template = new InputStreamReader(
                Objects.requireNonNull(Page.class.getResourceAsStream("page.mustache")), StandardCharsets.UTF_8)) {
            return Mustache.compiler().compile(template).execute(values);
        }
    }

    /** A picture, as the text of a PNG. */
    private record Image(String text, String data) {}

    /** A table with its cells as text. */
    private record Table(String title, List<List<String>> rows) {
        static Table of(String title, List<Point> points) {
            return new Table(title, points.stream().map(Page::row).toList());
        }
    }

    private static List<String> row(Point point) {
        return List.of(
                Integer.toString(point.connections()),
                Integer.toString(point.threads()),
                String.format(Locale.ROOT, "%,.1f", point.throughput()),
                String.format(Locale.ROOT, "%.3f", point.meanMillis()),
                String.format(Locale.ROOT, "%.3f", point.p50Millis()),
                String.format(Locale.ROOT, "%.3f", point.p99Millis()),
                Long.toString(point.errors()));
    }

    private static List<String> reasons(Findings findings) {
        List<String> reasons = new ArrayList<>(findings.advice().reason());
        if (findings.stopped() != null) {
            reasons.add("Stopped early: " + findings.stopped());
        }
        return reasons;
    }

    private static String data(XYChart chart) throws IOException {
        return Base64.getEncoder().encodeToString(ChartEncoder.getBytes(chart, "png"));
    }

    private static XYChart throughput(Findings findings) {
        Advice advice = findings.advice();
        XYChart chart = chart("Throughput", "executions per second");
        int largest = largest(findings);
        double[] sizes = IntStream.rangeClosed(1, largest).asDoubleStream().toArray();
        double[] curve = IntStream.rangeClosed(1, largest)
                .mapToDouble(advice.curve()::throughput)
                .toArray();
        XYSeries fitted = chart.addSeries("fitted curve (USL)", sizes, curve);
        fitted.setMarker(SeriesMarkers.NONE).setLineColor(FITTED);
        XYSeries measured = chart.addSeries("measured", sizes(findings), values(findings, Point::throughput));
        measured.setMarker(SeriesMarkers.CIRCLE).setMarkerColor(MEASURED).setLineStyle(new BasicStroke(0));
        measured.setXYSeriesRenderStyle(XYSeries.XYSeriesRenderStyle.Scatter);
        double highest =
                findings.sizes().stream().mapToDouble(Point::throughput).max().orElseThrow();
        mark(chart, advice.size(), highest);
        return chart;
    }

    private static XYChart latency(Findings findings) {
        XYChart chart = chart("Time of one execution", "milliseconds");
        chart.addSeries("median", sizes(findings), values(findings, Point::p50Millis))
                .setMarker(SeriesMarkers.CIRCLE)
                .setMarkerColor(MEASURED)
                .setLineColor(MEASURED);
        chart.addSeries("99th percentile", sizes(findings), values(findings, Point::p99Millis))
                .setMarker(SeriesMarkers.DIAMOND)
                .setMarkerColor(SLOWEST)
                .setLineColor(SLOWEST);
        double highest =
                findings.sizes().stream().mapToDouble(Point::p99Millis).max().orElseThrow();
        mark(chart, findings.advice().size(), highest);
        return chart;
    }

    private static XYChart chart(String title, String unit) {
        XYChart chart = new XYChartBuilder()
                .width(900)
                .height(450)
                .title(title)
                .xAxisTitle("connections")
                .yAxisTitle(unit)
                .build();
        chart.getStyler().setLegendPosition(LegendPosition.OutsideS);
        chart.getStyler().setYAxisMin(0.0);
        chart.getStyler().setXAxisMin(0.0);
        return chart;
    }

    private static void mark(XYChart chart, int size, double highest) {
        chart.addSeries("recommended: " + size, new double[] {size, size}, new double[] {0, highest})
                .setMarker(SeriesMarkers.NONE)
                .setLineColor(ANSWER);
    }

    private static int largest(Findings findings) {
        return findings.sizes().stream().mapToInt(Point::connections).max().orElseThrow();
    }

    private static double[] sizes(Findings findings) {
        return values(findings, Point::connections);
    }

    private static double[] values(Findings findings, ToDoubleFunction<Point> value) {
        return findings.sizes().stream().mapToDouble(value).toArray();
    }
}
