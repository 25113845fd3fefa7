package dev.weir.lab.report;

import dev.weir.lab.report.Palette.Ink;
import java.awt.BasicStroke;
import java.awt.Color;
import java.awt.Font;
import java.awt.Graphics2D;
import java.awt.geom.Line2D;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeSet;
import java.util.function.DoubleFunction;
import org.jspecify.annotations.Nullable;
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
import org.knowm.xchart.style.XYStyler;
import org.knowm.xchart.style.markers.Marker;
import org.knowm.xchart.style.markers.SeriesMarkers;

/** The kinds of chart that the report has, all in one style. */
final class Charts {
    static final int HALF = 560;
    static final int FULL = 1120;
    static final int HEIGHT = 340;

    private static final double WIDE = 30;
    private static final int LABELS_SIDE_BY_SIDE = 56;

    private Charts() {}

    /**
     * One value of a bar chart.
     *
     * @param label below the bar
     * @param ink of the bar
     * @param low end of the whisker
     * @param value height of the bar
     * @param high end of the whisker
     */
    record Bar(String label, Ink ink, double low, double value, double high) {}

    /** A line through points in the look of a pool. */
    record Line(String label, Ink ink, BasicStroke stroke, Marker marker, List<Double> x, List<Double> y) {
        static Line of(String pool, List<Double> x, List<Double> y) {
            return new Line(pool, Palette.of(pool), Palette.stroke(pool), Palette.marker(pool), x, y);
        }

        Line plain() {
            return new Line(label, ink, stroke, SeriesMarkers.NONE, x, y);
        }

        /**
         * The same line for the eye in a picture of so many columns: of each column the first, the lowest, the highest and the
         * last point.
         */
        Line thinned(int columns) {
            if (x.size() <= 4 * columns) {
                return this;
            }
            double from = x.get(0);
            double width = (x.get(x.size() - 1) - from) / columns;
            TreeSet<Integer> kept = new TreeSet<>();
            int begin = 0;
            while (begin < x.size()) {
                double column = Math.floor((x.get(begin) - from) / width);
                int end = begin;
                int low = begin;
                int high = begin;
                while (end + 1 < x.size() && Math.floor((x.get(end + 1) - from) / width) == column) {
                    end++;
                    low = y.get(end) < y.get(low) ? end : low;
                    high = y.get(end) > y.get(high) ? end : high;
                }
                kept.addAll(List.of(begin, low, high, end));
                begin = end + 1;
            }
            return new Line(
                    label,
                    ink,
                    stroke,
                    marker,
                    kept.stream().map(x::get).toList(),
                    kept.stream().map(y::get).toList());
        }

        /** The same points for the eye in a picture of so many pixels: of those that fall on one, the first. */
        Line thinnedToPixels(int columns, int rows) {
            if (x.size() <= columns) {
                return this;
            }
            double least = Collections.min(x);
            double width = (Collections.max(x) - least) / columns;
            double height = y.stream().mapToDouble(value -> value).max().orElse(1) / rows;
            Map<List<Long>, Integer> first = new LinkedHashMap<>();
            for (int i = 0; i < x.size(); i++) {
                first.putIfAbsent(List.of(Math.round((x.get(i) - least) / width), Math.round(y.get(i) / height)), i);
            }
            return new Line(
                    label,
                    ink,
                    stroke,
                    marker,
                    first.values().stream().map(x::get).toList(),
                    first.values().stream().map(y::get).toList());
        }

        Line named(String name) {
            return new Line(name, ink, stroke, marker, x, y);
        }
    }

    /**
     * Bars with whiskers; where the values are too far apart for bars, points on a logarithmic scale (the length of a bar says
     * nothing there).
     */
    static CategoryChart bars(String title, String axis, int width, List<Bar> bars) {
        return bars(title, axis, width, bars, isWide(bars));
    }

    static CategoryChart bars(String title, String axis, int width, List<Bar> bars, boolean logarithmic) {
        CategoryChart chart = new CategoryChartBuilder()
                .width(width)
                .height(HEIGHT)
                .title(title)
                .yAxisTitle(logarithmic ? axis + " (logarithmic)" : axis)
                .build();
        CategoryStyler styler = chart.getStyler();
        style(styler, title, width);
        styler.setOverlapped(true);
        styler.setAvailableSpaceFill(0.62);
        styler.setLegendVisible(false);
        styler.setYAxisLogarithmic(logarithmic);
        styler.setYAxisTickLabelsFormattingFunction(Quantity::number);
        List<String> labels =
                bars.stream().map(bar -> Palette.brief(bar.label())).toList();
        turnLabelsIfTight(chart.getStyler(), width, labels);
        for (int i = 0; i < bars.size(); i++) {
            Bar bar = bars.get(i);
            CategorySeries series = chart.addSeries("value " + i, labels, only(bars.size(), i, bar.value()));
            series.setFillColor(bar.ink().light());
            series.setLineColor(bar.ink().light());
            series.setMarker(SeriesMarkers.CIRCLE);
            series.setMarkerColor(bar.ink().light());
            series.setChartCategorySeriesRenderStyle(
                    logarithmic ? CategorySeriesRenderStyle.Scatter : CategorySeriesRenderStyle.Bar);
        }
        Whisker whisker = new Whisker(logarithmic ? null : Palette.INK.light());
        scatter(chart, "high", labels, bars.stream().map(Bar::high).toList(), whisker.end(bars, false));
        scatter(chart, "low", labels, bars.stream().map(Bar::low).toList(), whisker.end(bars, true));
        range(chart.getStyler(), bars, logarithmic);
        return chart;
    }

    static boolean isWide(List<Bar> bars) {
        double least = bars.stream().mapToDouble(Bar::value).min().orElse(0);
        double most = bars.stream().mapToDouble(Bar::high).max().orElse(0);
        return least > 0 && bars.stream().allMatch(bar -> bar.low() > 0) && most / least > WIDE;
    }

    private static void range(AxesChartStyler styler, List<Bar> bars, boolean logarithmic) {
        double most = bars.stream().mapToDouble(Bar::high).max().orElse(1);
        if (logarithmic) {
            double least = bars.stream().mapToDouble(Bar::low).min().orElse(1);
            decades(styler, least, most);
        } else {
            styler.setYAxisMin(0.0).setYAxisMax(most > 0 ? most * 1.06 : 1);
        }
    }

    private static void decades(AxesChartStyler styler, double least, double most) {
        styler.setYAxisMin(Math.pow(10, Math.floor(Math.log10(least) + 1e-9)))
                .setYAxisMax(Math.pow(10, Math.ceil(Math.log10(most) - 1e-9)))
                .setYAxisLogarithmicDecadeOnly(true);
    }

    private static void scatter(
            CategoryChart chart, String name, List<String> labels, List<Double> values, Marker marker) {
        CategorySeries series = chart.addSeries(name, labels, values);
        series.setChartCategorySeriesRenderStyle(CategorySeriesRenderStyle.Scatter);
        series.setMarker(marker);
        series.setMarkerColor(Palette.INK.light());
    }

    private static List<Double> only(int size, int place, double value) {
        List<Double> values = new ArrayList<>(Collections.nCopies(size, (Double) null));
        values.set(place, value);
        return values;
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
        XYStyler styler = chart.getStyler();
        style(styler, title, width);
        styler.setDefaultSeriesRenderStyle(style);
        styler.setXAxisTickLabelsFormattingFunction(Quantity::number);
        styler.setYAxisTickLabelsFormattingFunction(Quantity::number);
        double most = 0;
        for (Line whole : lines) {
            Line line = style == XYSeriesRenderStyle.Scatter
                    ? whole.thinnedToPixels(width, HEIGHT)
                    : whole.thinned(width / 2);
            XYSeries series = chart.addSeries(Palette.brief(line.label()), line.x(), line.y());
            series.setLineColor(line.ink().light());
            series.setLineStyle(line.stroke());
            series.setMarker(line.marker());
            series.setMarkerColor(line.ink().light());
            most = Math.max(
                    most,
                    line.y().stream()
                            .mapToDouble(y -> y)
                            .filter(Double::isFinite)
                            .max()
                            .orElse(0));
        }
        styler.setYAxisMin(0.0);
        styler.setYAxisMax(most > 0 ? most * 1.06 : 1);
        return chart;
    }

    /** Makes the vertical axis of a chart logarithmic; values of 0 are not to be in it. */
    static XYChart logarithmic(XYChart chart, List<Line> lines) {
        double[] positive = lines.stream()
                .flatMapToDouble(line -> line.y().stream().mapToDouble(y -> y))
                .filter(value -> value > 0)
                .toArray();
        chart.getStyler().setYAxisLogarithmic(true);
        decades(
                chart.getStyler(),
                Arrays.stream(positive).min().orElse(1),
                Arrays.stream(positive).max().orElse(10));
        chart.setYAxisTitle(chart.getYAxisTitle() + " (logarithmic)");
        return chart;
    }

    /** Labels of the horizontal axis by value, and its range. */
    static XYChart horizontal(XYChart chart, double min, double max, DoubleFunction<String> labels) {
        chart.getStyler().setXAxisMin(min).setXAxisMax(max).setXAxisTickLabelsFormattingFunction(labels::apply);
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
        styler.setXAxisTickMarkSpacingHint(18);
        styler.setValueFont(font(Font.PLAIN, 12));
        styler.setValueFontColor(new Color(0x1D232C));
        styler.setRangeColors(new Color[] {new Color(0xEAF2FA), new Color(0xF5C46B), new Color(0xE0703C)});
        styler.setHeatMapValueDecimalPattern("#,##0.#");
        styler.setPlotGridLinesVisible(false);
        styler.setLegendVisible(false);
        chart.addSeries("values", columns, rows, cells);
        return chart;
    }

    /** As large as the title allows, so that nothing of it is cut off. */
    private static Font titleFont(String title, int width) {
        int fitting = (width - 100) * 10 / Math.max(1, title.length() * 6);
        return font(Font.BOLD, Math.min(14, Math.max(8, fitting)));
    }

    static Font font(int style, int size) {
        return new Font(Font.SANS_SERIF, style, size);
    }

    private static void turnLabelsIfTight(AxesChartStyler styler, int width, List<String> labels) {
        int longest = labels.stream().mapToInt(String::length).max().orElse(0);
        int place = (width - 90) / Math.max(1, labels.size());
        styler.setXAxisTickMarkSpacingHint(1);
        if (place < Math.max(LABELS_SIDE_BY_SIDE, longest * 8)) {
            styler.setXAxisLabelRotation(labels.size() > 6 ? 45 : 25);
        }
    }

    private static void style(AxesChartStyler styler, String title, int width) {
        Color ink = Palette.INK.light();
        Color paper = Palette.PAPER.light();
        styler.setPlotGridLinesColor(Palette.GRID.light());
        styler.setPlotGridLinesStroke(new BasicStroke(1f));
        styler.setPlotGridVerticalLinesVisible(false);
        styler.setPlotTicksMarksVisible(false);
        styler.setAxisTickMarksColor(Palette.MUTED.light());
        styler.setAxisTickLabelsColor(ink);
        styler.setAxisTickLabelsFont(font(Font.PLAIN, 12));
        styler.setAxisTitleFont(font(Font.PLAIN, 12));
        styler.setXAxisTitleColor(ink);
        styler.setYAxisTitleColor(ink);
        styler.setPlotMargin(0);
        styler.setPlotContentSize(0.985);
        styler.setLocale(Locale.ROOT);
        styler.setChartBackgroundColor(paper);
        styler.setPlotBackgroundColor(paper);
        styler.setPlotBorderVisible(false);
        styler.setChartFontColor(ink);
        styler.setChartTitleFont(titleFont(title, width));
        styler.setChartTitleFontColor(ink);
        styler.setChartTitleBoxVisible(false);
        styler.setChartPadding(12);
        styler.setLegendBackgroundColor(paper);
        styler.setLegendBorderColor(paper);
        styler.setLegendFont(font(Font.PLAIN, 12));
        styler.setLegendPosition(LegendPosition.OutsideE);
        styler.setLegendSeriesLineLength(22);
        styler.setMarkerSize(8);
    }

    /** A line from the upper end to the lower end, with a dash at both; the chart paints the upper ends first. */
    private static final class Whisker {
        private static final double DASH = 4;
        private final Map<Double, Double> upper = new HashMap<>();
        private final @Nullable Color color;

        /** Of one colour, or if that is null of the colour of each bar. */
        Whisker(@Nullable Color color) {
            this.color = color;
        }

        Marker end(List<Bar> bars, boolean lower) {
            return new Marker() {
                private int painted;

                @Override
                public void paint(Graphics2D g, double x, double y, int markerSize) {
                    Bar bar = bars.get(painted++ % bars.size());
                    if (bar.low() == bar.high()) {
                        return;
                    }
                    g.setColor(color == null ? bar.ink().light() : color);
                    g.setStroke(new BasicStroke(1.4f));
                    g.draw(new Line2D.Double(x - DASH, y, x + DASH, y));
                    if (lower) {
                        g.draw(new Line2D.Double(x, upper.getOrDefault(x, y), x, y));
                    } else {
                        upper.put(x, y);
                    }
                }
            };
        }
    }
}
