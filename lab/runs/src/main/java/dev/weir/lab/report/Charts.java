package dev.weir.lab.report;

import java.awt.BasicStroke;
import java.awt.Color;
import java.awt.Font;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.function.UnaryOperator;
import org.knowm.xchart.CategoryChart;
import org.knowm.xchart.CategoryChartBuilder;
import org.knowm.xchart.CategorySeries;
import org.knowm.xchart.CategorySeries.CategorySeriesRenderStyle;
import org.knowm.xchart.HeatMapChart;
import org.knowm.xchart.HeatMapChartBuilder;
import org.knowm.xchart.XYChart;
import org.knowm.xchart.XYChartBuilder;
import org.knowm.xchart.XYSeries;
import org.knowm.xchart.XYSeries.XYSeriesRenderStyle;
import org.knowm.xchart.style.AxesChartStyler;
import org.knowm.xchart.style.CategoryStyler;
import org.knowm.xchart.style.HeatMapStyler;
import org.knowm.xchart.style.Styler.LegendPosition;
import org.knowm.xchart.style.markers.SeriesMarkers;

/** XChart's charts in one look: a pool has the same colour in every picture. */
final class Charts {
    static final int HALF = 560;
    static final int FULL = 1120;
    static final Color INK = new Color(0x1D232B);
    static final Color MUTED = new Color(0x69727D);
    static final Color ACCENT = new Color(0x8A3FA8);
    private static final int HEIGHT = 340;

    /** How many times the least value the greatest may be before a scale is logarithmic. */
    private static final double FAR_APART = 30;

    private static final Map<String, Color> POOLS = Map.ofEntries(
            Map.entry("weir", new Color(0x0068B5)),
            Map.entry("hikari", new Color(0xD2540A)),
            Map.entry("tomcat", new Color(0x138A5E)),
            Map.entry("dbcp2", new Color(0xB0479A)),
            Map.entry("c3p0", new Color(0x8F6B00)),
            Map.entry("bonecp", new Color(0x7A4A2B)),
            Map.entry("vibur", new Color(0x00808F)),
            Map.entry("agroal", new Color(0x5B3FB0)),
            Map.entry("beecp", new Color(0xC2213F)),
            Map.entry("druid", new Color(0x5F7F12)),
            Map.entry("none", new Color(0x7D7D7D)));

    private Charts() {}

    /** The colour of a pool, whatever its parameters. */
    static Color color(String pool) {
        return POOLS.getOrDefault(pool.replaceFirst("\\[.*", ""), new Color(0x2F2F2F));
    }

    /** Points that are joined. */
    record Line(String label, Color color, List<Double> x, List<Double> y) {}

    /**
     * A bar for each median, and a point for each round; points alone where bars would be too far apart.
     *
     * @param poolOf the pool of a bar by the bar's name, for its colour
     */
    static CategoryChart bars(
            String title,
            String axis,
            Map<String, Double> medians,
            Map<String, Collection<Double>> rounds,
            UnaryOperator<String> poolOf) {
        List<Double> all = new ArrayList<>(medians.values());
        rounds.values().forEach(all::addAll);
        // A point at 0 has no place on a logarithmic scale.
        boolean logarithmic = Collections.min(all) > 0 && isWide(medians.values());
        CategoryChart chart = new CategoryChartBuilder()
                .width(HALF)
                .height(HEIGHT)
                .title(title)
                .yAxisTitle(logarithmic ? axis + " (logarithmic)" : axis)
                .build();
        CategoryStyler styler = chart.getStyler();
        style(styler, title, HALF);
        styler.setOverlapped(true);
        styler.setAvailableSpaceFill(0.62);
        styler.setLegendVisible(false);
        styler.setYAxisTickLabelsFormattingFunction(Quantity::number);
        List<String> pools = List.copyOf(medians.keySet());
        List<String> labels = brief(pools);
        boolean fits =
                labels.size() <= 6 && labels.stream().mapToInt(String::length).sum() <= 55;
        styler.setXAxisLabelRotation(fits ? 0 : 45);
        styler.setXAxisTickMarkSpacingHint(1);
        for (int i = 0; i < pools.size(); i++) {
            Color color = color(poolOf.apply(pools.get(i)));
            List<Double> only = new ArrayList<>(Collections.nCopies(pools.size(), (Double) null));
            only.set(i, medians.get(pools.get(i)));
            CategorySeries series = chart.addSeries(pools.get(i), labels, only);
            series.setFillColor(color);
            series.setMarker(SeriesMarkers.SQUARE);
            series.setMarkerColor(color);
            series.setChartCategorySeriesRenderStyle(
                    logarithmic ? CategorySeriesRenderStyle.Scatter : CategorySeriesRenderStyle.Bar);
        }
        int most = rounds.values().stream().mapToInt(Collection::size).max().orElse(0);
        for (int round = 0; round < most && most > 1; round++) {
            int at = round;
            List<Double> values = pools.stream()
                    .map(pool -> List.copyOf(rounds.getOrDefault(pool, List.of())))
                    .map(own -> at < own.size() ? own.get(at) : own.get(0))
                    .toList();
            CategorySeries series = chart.addSeries("round " + (round + 1), labels, values);
            series.setChartCategorySeriesRenderStyle(CategorySeriesRenderStyle.Scatter);
            series.setMarker(SeriesMarkers.CIRCLE);
            series.setMarkerColor(INK);
        }
        styler.setMarkerSize(5);
        scale(styler, all, logarithmic);
        return chart;
    }

    private static boolean isWide(Collection<Double> values) {
        return Collections.max(values) / Collections.min(values) > FAR_APART;
    }

    private static void scale(AxesChartStyler styler, Collection<Double> values, boolean logarithmic) {
        double most = values.stream().mapToDouble(value -> value).max().orElse(1);
        if (logarithmic) {
            double least = Collections.min(values);
            styler.setYAxisLogarithmic(true)
                    .setYAxisLogarithmicDecadeOnly(true)
                    .setYAxisMin(Math.pow(10, Math.floor(Math.log10(least / 1.5))))
                    .setYAxisMax(Math.pow(10, Math.ceil(Math.log10(most * 1.5))));
        } else {
            styler.setYAxisMin(0.0).setYAxisMax(most > 0 ? most * 1.06 : 1);
        }
    }

    /** Lines, from point to point straight or as steps, or the points alone. */
    static XYChart lines(
            String title, String xAxis, String yAxis, int width, XYSeriesRenderStyle style, List<Line> lines) {
        XYChart chart = new XYChartBuilder()
                .width(width)
                .height(HEIGHT)
                .title(title)
                .xAxisTitle(xAxis)
                .yAxisTitle(yAxis)
                .build();
        style(chart.getStyler(), title, width);
        chart.getStyler().setDefaultSeriesRenderStyle(style);
        chart.getStyler().setXAxisTickLabelsFormattingFunction(Quantity::number);
        chart.getStyler().setYAxisTickLabelsFormattingFunction(Quantity::number);
        List<Double> all = new ArrayList<>();
        int dashed = 0;
        List<String> labels = brief(lines.stream().map(Line::label).toList());
        for (int i = 0; i < lines.size(); i++) {
            Line line = lines.get(i);
            // Lines of one pool have one colour: dashes tell its parameters apart.
            float[] dashes = line.label().contains("[") ? new float[] {9f / ++dashed, 4f} : null;
            XYSeries series = chart.addSeries(labels.get(i), line.x(), line.y());
            series.setLineColor(line.color());
            series.setLineStyle(new BasicStroke(
                    line.label().equals(Results.OURS) ? 2.6f : 1.6f,
                    BasicStroke.CAP_BUTT,
                    BasicStroke.JOIN_ROUND,
                    1f,
                    dashes,
                    0f));
            series.setMarker(style == XYSeriesRenderStyle.Scatter ? SeriesMarkers.CIRCLE : SeriesMarkers.NONE);
            series.setMarkerColor(line.color());
            line.y().stream().filter(Double::isFinite).forEach(all::add);
        }
        scale(chart.getStyler(), all, false);
        return chart;
    }

    /**
     * Values over two scales, darker for more, each with its number.
     *
     * @param cells column, row, value; what is missing stays empty
     */
    static HeatMapChart heatMap(
            String title, String xAxis, String yAxis, List<?> columns, List<?> rows, List<Number[]> cells) {
        HeatMapChart chart = new HeatMapChartBuilder()
                .width(HALF)
                .height(HEIGHT)
                .title(title)
                .xAxisTitle(xAxis)
                .yAxisTitle(yAxis)
                .build();
        HeatMapStyler styler = chart.getStyler();
        style(styler, title, HALF);
        styler.setShowValue(true);
        styler.setValueFont(font(Font.PLAIN, 12));
        styler.setValueFontColor(INK);
        styler.setXAxisTickMarkSpacingHint(18);
        styler.setRangeColors(new Color[] {new Color(0xEAF2FA), new Color(0xF5C46B), new Color(0xE0703C)});
        styler.setHeatMapValueDecimalPattern("#,##0.#");
        styler.setPlotGridLinesVisible(false);
        styler.setLegendVisible(false);
        chart.addSeries("values", columns, rows, cells);
        return chart;
    }

    /** {@code c3p0[helperThreads=10]} is {@code c3p0[10]} where that tells them all apart. */
    private static List<String> brief(List<String> labels) {
        List<String> brief = labels.stream()
                .map(label -> label.replaceAll("([\\[;])[^\\[=;]*=", "$1"))
                .toList();
        return Set.copyOf(brief).size() == labels.size() ? brief : labels;
    }

    private static Font font(int style, int size) {
        return new Font(Font.SANS_SERIF, style, size);
    }

    private static void style(AxesChartStyler styler, String title, int width) {
        styler.setPlotGridLinesColor(new Color(0xDEE2E7));
        styler.setPlotGridVerticalLinesVisible(false);
        styler.setPlotTicksMarksVisible(false);
        styler.setAxisTickLabelsFont(font(Font.PLAIN, 12));
        styler.setAxisTitleFont(font(Font.PLAIN, 12));
        styler.setPlotMargin(0);
        styler.setPlotContentSize(0.985);
        styler.setLocale(Locale.ROOT);
        styler.setChartBackgroundColor(Color.WHITE);
        styler.setPlotBorderVisible(false);
        styler.setChartFontColor(INK);
        // As large as the title allows, so that nothing of it is cut off.
        styler.setChartTitleFont(font(
                Font.BOLD, Math.min(14, Math.max(8, (width - 100) * 10 / Math.max(1, title.length() * 6)))));
        styler.setChartTitleBoxVisible(false);
        styler.setChartPadding(12);
        styler.setLegendBorderColor(Color.WHITE);
        styler.setLegendFont(font(Font.PLAIN, 12));
        styler.setLegendPosition(LegendPosition.OutsideE);
        styler.setMarkerSize(8);
    }
}
