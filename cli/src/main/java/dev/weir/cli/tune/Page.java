package dev.weir.cli.tune;

import java.awt.BasicStroke;
import java.awt.Color;
import java.io.IOException;
import java.util.Base64;
import java.util.List;
import java.util.Locale;
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
        StringBuilder html = new StringBuilder();
        html.append("<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\"><title>weir tune</title><style>")
                .append("body{font:16px/1.5 sans-serif;max-width:60em;margin:2em auto;padding:0 1em;color:#222}")
                .append(
                        "table{border-collapse:collapse}td,th{border:1px solid #ccc;padding:.2em .7em;text-align:right}")
                .append("pre{background:#f4f4f4;padding:.7em;overflow:auto}img{max-width:100%}</style></head><body>\n");
        html.append("<h1>maximumPoolSize: ").append(findings.advice().size()).append("</h1>\n");
        html.append("<p>")
                .append(escaped(heading))
                .append("</p><pre>")
                .append(escaped(sql))
                .append("</pre>\n<ul>");
        findings.advice()
                .reason()
                .forEach(line -> html.append("<li>").append(escaped(line)).append("</li>"));
        if (findings.stopped() != null) {
            html.append("<li>Stopped early: ")
                    .append(escaped(findings.stopped()))
                    .append("</li>");
        }
        html.append("</ul>\n");
        image(html, throughput(findings), "Throughput over connections");
        image(html, latency(findings), "Time of one execution over connections");
        table(html, "As many threads as connections", findings.sizes());
        if (!findings.queues().isEmpty()) {
            table(html, "More threads than connections, through the pool", findings.queues());
        }
        Settings.of(findings.advice().size())
                .forEach((name, text) -> html.append("<h2>")
                        .append(escaped(name))
                        .append("</h2><pre>")
                        .append(escaped(text))
                        .append("</pre>\n"));
        return html.append("</body></html>\n").toString();
    }

    private static void table(StringBuilder html, String title, List<Point> points) {
        html.append("<h2>")
                .append(title)
                .append("</h2><table><tr><th>connections<th>threads<th>1/s<th>mean, ms")
                .append("<th>p50, ms<th>p99, ms<th>errors</tr>\n");
        for (Point point : points) {
            html.append(String.format(
                    Locale.ROOT,
                    "<tr><td>%d<td>%d<td>%,.1f<td>%.3f<td>%.3f<td>%.3f<td>%d</tr>%n",
                    point.connections(),
                    point.threads(),
                    point.throughput(),
                    point.meanMillis(),
                    point.p50Millis(),
                    point.p99Millis(),
                    point.errors()));
        }
        html.append("</table>\n");
    }

    private static void image(StringBuilder html, XYChart chart, String text) throws IOException {
        String data = Base64.getEncoder().encodeToString(ChartEncoder.getBytes(chart, "png"));
        html.append("<p><img alt=\"")
                .append(text)
                .append("\" src=\"data:image/png;base64,")
                .append(data)
                .append("\"></p>\n");
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

    private static String escaped(String text) {
        return text.replace("&", "&amp;")
                .replace("<", "&lt;")
                .replace(">", "&gt;")
                .replace("\"", "&quot;");
    }
}
