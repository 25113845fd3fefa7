package dev.weir.cli.tune;

import com.samskivert.mustache.Mustache;
import de.erichseifert.vectorgraphics2d.VectorGraphics2D;
import de.erichseifert.vectorgraphics2d.svg.SVGProcessor;
import de.erichseifert.vectorgraphics2d.util.PageSize;
import java.awt.BasicStroke;
import java.awt.Color;
import java.awt.Font;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.Reader;
import java.nio.charset.StandardCharsets;
import java.text.DecimalFormat;
import java.text.DecimalFormatSymbols;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.function.ToDoubleFunction;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import org.knowm.xchart.XYChart;
import org.knowm.xchart.XYChartBuilder;
import org.knowm.xchart.XYSeries;
import org.knowm.xchart.style.Styler.LegendLayout;
import org.knowm.xchart.style.Styler.LegendPosition;
import org.knowm.xchart.style.XYStyler;
import org.knowm.xchart.style.markers.SeriesMarkers;

/** The findings as one HTML file that needs no other. */
final class Page {
    private static final Color PAPER = new Color(0xFFFFFE);
    private static final Color INK = new Color(0x1D232B);
    private static final Color MUTED = new Color(0x69727D);
    private static final Color GRID = new Color(0xDEE2E7);
    private static final Color MEASURED = new Color(0x0068B5);
    private static final Color SLOWEST = new Color(0xD2540A);
    private static final Color ANSWER = new Color(0x138A5E);

    /** The colours of the pictures, each with that of the page that takes its place: pages in dark have others. */
    private static final Map<Color, String> ROLES = Map.of(
            PAPER,
            "paper",
            INK,
            "ink",
            MUTED,
            "muted",
            GRID,
            "grid",
            MEASURED,
            "measured",
            SLOWEST,
            "slowest",
            ANSWER,
            "answer");

    private static final Pattern COLOUR = Pattern.compile("rgb\\((\\d+),(\\d+),(\\d+)\\)");
    private static final Pattern DECIMALS = Pattern.compile("(\\d+\\.\\d)\\d+");
    private static final int WIDTH = 720;
    private static final int HEIGHT = 340;

    private Page() {}

    /**
     * Writes the page.
     *
     * @param heading what was measured, without secrets
     */
    static String of(Findings findings, String heading, String sql) throws IOException {
        Map<String, Object> values = new HashMap<>();
        values.put("headline", findings.advice().headline());
        values.put("heading", heading);
        values.put("sql", sql);
        values.put("reasons", reasons(findings));
        values.put(
                "images",
                List.of(
                        new Image("Throughput over connections", svg(throughput(findings), "throughput")),
                        new Image("Time of one execution over connections", svg(latency(findings), "time"))));
        List<Table> tables = new ArrayList<>();
        tables.add(Table.of("As many threads as connections", findings.sizes()));
        if (!findings.queues().isEmpty()) {
            tables.add(Table.of("More threads than connections, through the pool", findings.queues()));
        }
        values.put("tables", tables);
        values.put("settings", Settings.of(findings.advice()).entrySet());
        try (Reader template = new InputStreamReader(
                Objects.requireNonNull(Page.class.getResourceAsStream("page.mustache")), StandardCharsets.UTF_8)) {
            return Mustache.compiler().compile(template).execute(values);
        }
    }

    /** A picture, as the text of an SVG. */
    private record Image(String text, String svg) {}

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
                Advice.number(point.throughput()),
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

    private static String svg(XYChart chart, String name) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        VectorGraphics2D graphics = new VectorGraphics2D();
        chart.paint(graphics, WIDTH, HEIGHT);
        new SVGProcessor()
                .getDocument(graphics.getCommands(), new PageSize(0, 0, WIDTH, HEIGHT))
                .writeTo(bytes);
        String text = bytes.toString(StandardCharsets.UTF_8);
        // What stands before the root names a document type by address; the root is written anew.
        String body =
                text.substring(text.indexOf('>', text.indexOf("<svg")) + 1).replace("clip", name + "-clip");
        return String.format(
                        Locale.ROOT,
                        "<svg xmlns=\"http://www.w3.org/2000/svg\" role=\"img\" viewBox=\"0 0 %d %d\" width=\"%d\">",
                        WIDTH,
                        HEIGHT,
                        WIDTH)
                + COLOUR.matcher(DECIMALS.matcher(body).replaceAll("$1"))
                        .replaceAll(Page::variable)
                        .replaceAll(">\\s+<", "><");
    }

    private static String variable(MatchResult found) {
        Color color = new Color(
                Integer.parseInt(found.group(1)), Integer.parseInt(found.group(2)), Integer.parseInt(found.group(3)));
        String role = ROLES.get(color);
        return Matcher.quoteReplacement(role == null ? found.group() : "var(--" + role + ")");
    }

    private static XYChart throughput(Findings findings) {
        Advice advice = findings.advice();
        XYChart chart = chart("Throughput", "executions per second");
        int largest = largest(findings);
        double[] sizes = IntStream.rangeClosed(1, largest).asDoubleStream().toArray();
        double[] curve = IntStream.rangeClosed(1, largest)
                .mapToDouble(advice.curve()::throughput)
                .toArray();
        if (advice.isFitted()) {
            XYSeries fitted = chart.addSeries("fitted curve (USL)", sizes, curve);
            fitted.setMarker(SeriesMarkers.NONE).setLineColor(MUTED).setLineWidth(2);
        }
        XYSeries measured = chart.addSeries("measured", sizes(findings), values(findings, Point::throughput));
        measured.setMarker(SeriesMarkers.CIRCLE).setMarkerColor(MEASURED).setLineStyle(new BasicStroke(0));
        measured.setXYSeriesRenderStyle(XYSeries.XYSeriesRenderStyle.Scatter);
        double highest =
                findings.sizes().stream().mapToDouble(Point::throughput).max().orElseThrow();
        mark(chart, advice, highest);
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
        mark(chart, findings.advice(), highest);
        return chart;
    }

    private static XYChart chart(String title, String unit) {
        XYChart chart = new XYChartBuilder()
                .width(WIDTH)
                .height(HEIGHT)
                .title(title)
                .xAxisTitle("connections")
                .yAxisTitle(unit)
                .build();
        XYStyler styler = chart.getStyler();
        styler.setLegendPosition(LegendPosition.OutsideS).setLegendLayout(LegendLayout.Horizontal);
        styler.setLegendBorderColor(PAPER).setLegendBackgroundColor(PAPER).setLegendFont(font(Font.PLAIN));
        styler.setChartBackgroundColor(PAPER).setChartFontColor(INK).setChartTitleFont(font(Font.BOLD));
        styler.setChartTitleBoxVisible(false).setChartPadding(8);
        styler.setPlotBackgroundColor(PAPER).setPlotBorderVisible(false);
        styler.setPlotGridLinesColor(GRID).setPlotGridLinesStroke(new BasicStroke(1f));
        styler.setPlotGridVerticalLinesVisible(false).setPlotTicksMarksVisible(false);
        styler.setAxisTickLabelsColor(INK)
                .setAxisTickLabelsFont(font(Font.PLAIN))
                .setAxisTickMarksColor(MUTED);
        styler.setAxisTitleFont(font(Font.PLAIN)).setXAxisTitleColor(INK).setYAxisTitleColor(INK);
        styler.setLocale(Locale.ROOT).setMarkerSize(8);
        styler.setYAxisMin(0.0);
        styler.setXAxisMin(0.0);
        DecimalFormat ticks = new DecimalFormat("#,##0.######", DecimalFormatSymbols.getInstance(Locale.ROOT));
        styler.setYAxisTickLabelsFormattingFunction(value -> ticks.format(value));
        return chart;
    }

    private static Font font(int style) {
        return new Font(Font.SANS_SERIF, style, 12);
    }

    private static void mark(XYChart chart, Advice advice, double highest) {
        if (!advice.isFitted()) {
            return;
        }
        int size = advice.size();
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
