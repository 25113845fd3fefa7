package dev.weir.lab.report;

import dev.weir.lab.report.Charts.Line;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.function.ToDoubleFunction;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.knowm.xchart.HeatMapChart;
import org.knowm.xchart.XYChart;
import org.knowm.xchart.XYSeries.XYSeriesRenderStyle;

/** Pool size times server threads: pictures of all cells, and tables of the best and the worst. */
final class Grid {
    private static final Pattern NAME = Pattern.compile("(\\d+) connections, (\\d+) threads, (\\d+ clients, .*)");
    private static final int EXTREMES = 5;

    /** Of its answers; a cell with more errors is quick since it refuses, and stands in the tables of the worst alone. */
    private static final double FEW_ERRORS = 0.01;

    private final List<Cell> all = new ArrayList<>();
    private final String load;

    private Grid(String load) {
        this.load = load;
    }

    /** A cell; times in milliseconds. */
    private record Cell(String pool, int size, int threads, double requests, double mean, double p99, double errors) {
        String place() {
            return size + "/" + threads;
        }

        boolean isSound() {
            return requests > 0 && errors <= FEW_ERRORS * (requests + errors);
        }
    }

    /** What a picture or a table is about. */
    private enum Measure {
        MEAN("mean", "mean response time, ms", Cell::mean, false),
        P99("p99", "p99 of the response time, ms", Cell::p99, false),
        REQUESTS("requests", "requests served", Cell::requests, true);

        private final String label;
        private final String axis;

        @SuppressWarnings("ImmutableEnumChecker") // accessors of a record
        private final ToDoubleFunction<Cell> of;

        private final boolean more;

        Measure(String label, String axis, ToDoubleFunction<Cell> of, boolean more) {
            this.label = label;
            this.axis = axis;
            this.of = of;
            this.more = more;
        }

        Comparator<Cell> bestFirst() {
            Comparator<Cell> rising = Comparator.comparingDouble(of);
            return more ? rising.reversed() : rising;
        }
    }

    /** The grids of a run, one for each load; none if it is another workload's. */
    static List<Grid> of(Results results) {
        Map<String, Grid> grids = new LinkedHashMap<>();
        for (String caseName : results.cases()) {
            Matcher name = NAME.matcher(caseName);
            if (name.matches()) {
                Grid grid = grids.computeIfAbsent(name.group(3), Grid::new);
                for (String pool : results.pools(caseName)) {
                    grid.all.add(new Cell(
                            pool,
                            Integer.parseInt(name.group(1)),
                            Integer.parseInt(name.group(2)),
                            results.median(caseName, pool, "requests"),
                            results.median(caseName, pool, "mean") / 1e3,
                            results.median(caseName, pool, "p99") / 1e3,
                            results.median(caseName, pool, "errors")));
                }
            }
        }
        return List.copyOf(grids.values());
    }

    List<Picture> write(Page page) {
        List<Cell> sound = all.stream().filter(Cell::isSound).toList();
        page.heading(2, load)
                .text(
                        "%d of %d cells have errors in at most 1 %% of their answers; the others are in the tables of the worst alone."
                                .formatted(sound.size(), all.size()));
        List<Picture> pictures = new ArrayList<>();
        if (!sound.isEmpty()) {
            for (Measure measure : Measure.values()) {
                pictures.add(bySize(measure, sound));
            }
            pools(sound).forEach(pool -> pictures.add(byThreads(pool, sound)));
            pools(sound).forEach(pool -> pictures.add(map(pool, sound)));
        }
        page.pictures(pictures);
        for (Measure measure : Measure.values()) {
            page.table(extremes("best", measure, sound, measure.bestFirst()));
            page.table(extremes("worst", measure, all, measure.bestFirst().reversed()));
        }
        return pictures;
    }

    private static Table extremes(String what, Measure measure, List<Cell> cells, Comparator<Cell> order) {
        Table table = new Table(List.of(
                what + " by " + measure.label,
                "connections/threads",
                measure.more ? measure.label : measure.label + ", ms",
                "errors"));
        cells.stream()
                .sorted(order)
                .limit(EXTREMES)
                .forEach(cell -> table.row(List.of(
                        cell.pool(),
                        cell.place(),
                        Quantity.number(measure.of.applyAsDouble(cell)),
                        Quantity.number(cell.errors()))));
        return table;
    }

    /** A point is a cell; cells of one size stand side by side. */
    private Picture bySize(Measure measure, List<Cell> cells) {
        List<String> pools = pools(cells);
        List<Integer> sizes = distinct(cells.stream().map(Cell::size));
        List<Line> lines = new ArrayList<>();
        for (int i = 0; i < pools.size(); i++) {
            double beside = (i - (pools.size() - 1) / 2.0) * Math.min(0.16, 0.7 / pools.size());
            List<Cell> own = of(cells, pools.get(i));
            lines.add(new Line(
                    pools.get(i),
                    Charts.color(pools.get(i)),
                    own.stream()
                            .map(cell -> sizes.indexOf(cell.size()) + beside)
                            .toList(),
                    own.stream().map(measure.of::applyAsDouble).toList()));
        }
        XYChart chart = Charts.lines(
                measure.axis + ", by pool size",
                "connections of the pool",
                measure.axis,
                Charts.FULL,
                XYSeriesRenderStyle.Scatter,
                lines);
        chart.getStyler()
                .setXAxisMin(-0.5)
                .setXAxisMax(sizes.size() - 0.5)
                .setXAxisTickMarkSpacingHint(Charts.FULL / Math.max(2, 2 * sizes.size()))
                .setXAxisTickLabelsFormattingFunction(place -> {
                    int at = (int) Math.round(place);
                    return Math.abs(place - at) < 0.01 && at >= 0 && at < sizes.size()
                            ? sizes.get(at) + "  "
                            : place < 0 ? " " : "  ";
                });
        return Picture.of("grid-" + load + "-" + measure.label + "-by-size", measure.axis + " by pool size", chart);
    }

    /** A pool at the size of its best cell. */
    private Picture byThreads(String pool, List<Cell> cells) {
        int size = of(cells, pool).stream()
                .min(Measure.MEAN.bestFirst())
                .orElseThrow()
                .size();
        Map<String, Double> means = new LinkedHashMap<>();
        of(cells, pool).stream()
                .filter(cell -> cell.size() == size)
                .sorted(Comparator.comparingInt(Cell::threads))
                .forEach(cell -> means.put(Integer.toString(cell.threads()), cell.mean()));
        String title = pool + ", " + size + " connections: mean by server threads";
        return Picture.of(
                "grid-" + load + "-" + pool + "-by-threads",
                title,
                Charts.bars(title, "mean response time, ms", means, Map.of(), threads -> pool));
    }

    private Picture map(String pool, List<Cell> cells) {
        List<Integer> sizes = distinct(cells.stream().map(Cell::size));
        List<Integer> threads = distinct(cells.stream().map(Cell::threads));
        double most = cells.stream().mapToDouble(Cell::mean).max().orElse(1);
        double least = cells.stream().mapToDouble(Cell::mean).min().orElse(0);
        String title = pool + ": mean response time, ms";
        HeatMapChart chart = Charts.heatMap(
                title,
                "connections",
                "server threads",
                sizes,
                threads,
                of(cells, pool).stream()
                        .map(cell ->
                                new Number[] {sizes.indexOf(cell.size()), threads.indexOf(cell.threads()), cell.mean()})
                        .toList());
        chart.getStyler().setMin(least).setMax(most > least ? most : least + 1);
        return Picture.of("grid-" + load + "-" + pool + "-map", title, chart);
    }

    private static List<Cell> of(List<Cell> cells, String pool) {
        return cells.stream().filter(cell -> cell.pool().equals(pool)).toList();
    }

    private static List<String> pools(List<Cell> cells) {
        return cells.stream().map(Cell::pool).distinct().sorted().toList();
    }

    private static List<Integer> distinct(Stream<Integer> values) {
        return List.copyOf(new TreeSet<>(values.toList()));
    }
}
