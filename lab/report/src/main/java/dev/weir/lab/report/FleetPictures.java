package dev.weir.lab.report;

import dev.weir.lab.report.Charts.Line;
import dev.weir.lab.report.Section.Figure;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import org.knowm.xchart.XYChart;
import org.knowm.xchart.XYSeries;
import org.knowm.xchart.XYSeries.XYSeriesRenderStyle;
import org.knowm.xchart.style.markers.SeriesMarkers;

/** Who of a fleet has how many connections over time: a picture for each pool, all on one scale, the members stacked. */
final class FleetPictures {
    private static final String TIME = "since_begin_ms";
    private static final String ALL = "sessions";
    private static final String MEMBER = "member_";
    private static final int COLUMNS = 260;

    private final Run run;
    private final String caseName;

    private FleetPictures(Run run, String caseName) {
        this.run = run;
        this.caseName = caseName;
    }

    /**
     * The pictures of a case; none without samples.
     *
     * @param pools in the order in which they are drawn
     */
    static List<Figure> of(Run run, String caseName, List<String> pools) {
        Map<String, Samples> all = Samples.ofCase(run, caseName, pools, TIME, ALL, MEMBER + 1);
        double most = 1;
        double end = 1;
        for (Samples samples : all.values()) {
            most = Math.max(most, Collections.max(samples.column(ALL)));
            end = Math.max(end, Collections.max(samples.column(TIME)));
        }
        FleetPictures pictures = new FleetPictures(run, caseName);
        List<Figure> figures = new ArrayList<>();
        for (Map.Entry<String, Samples> own : all.entrySet()) {
            figures.add(pictures.figure(own.getKey(), own.getValue().between(TIME, 0, end), most, end));
        }
        return figures;
    }

    private Figure figure(String pool, Samples samples, double most, double end) {
        List<Integer> shown = columns(samples.column(TIME), end);
        List<Double> time = new ArrayList<>();
        shown.forEach(row -> time.add(samples.column(TIME).get(row) / 1000));
        List<Line> stack = new ArrayList<>();
        List<Double> below = new ArrayList<>(Collections.nCopies(shown.size(), 0.0));
        for (int place = 1; samples.has(MEMBER + place); place++) {
            List<Double> own = samples.column(MEMBER + place);
            for (int i = 0; i < shown.size(); i++) {
                below.set(i, below.get(i) + own.get(shown.get(i)));
            }
            stack.add(new Line(
                    "member " + place,
                    Palette.part(place - 1),
                    Palette.stroke(""),
                    SeriesMarkers.NONE,
                    time,
                    List.copyOf(below)));
        }
        Collections.reverse(stack); // the lower ones are painted over the higher ones
        XYChart chart = Charts.lines(
                Palette.brief(pool), "time, s", "connections", Charts.HALF, XYSeriesRenderStyle.StepArea, stack);
        for (XYSeries series : chart.getSeriesCollection()) {
            series.setFillColor(series.getLineColor());
        }
        chart.getStyler().setYAxisMax(most * 1.06);
        Charts.horizontal(chart, 0, Math.ceil(end / 1000), Quantity::number);
        return new Figure(
                Picture.of(run.info().workload() + "-" + caseName + "-" + pool, chart),
                caption(pool),
                run.info().command());
    }

    /** Of each column of the picture the first sample. */
    private static List<Integer> columns(List<Double> time, double end) {
        List<Integer> shown = new ArrayList<>();
        long last = -1;
        for (int i = 0; i < time.size(); i++) {
            long column = (long) (time.get(i) * COLUMNS / end);
            if (column != last) {
                shown.add(i);
                last = column;
            }
        }
        return shown;
    }

    private String caption(String pool) {
        return "%s: at most %s connections, %s requests per second, %s errors, %s refused connects."
                .formatted(
                        pool,
                        median(pool, "most sessions"),
                        median(pool, "requests"),
                        median(pool, "errors"),
                        median(pool, "refused connects"));
    }

    private String median(String pool, String metric) {
        return Quantity.number(run.median(caseName, pool, metric));
    }
}
