package dev.weir.lab.report;

import dev.weir.lab.report.Charts.Bar;
import dev.weir.lab.report.Charts.Line;
import dev.weir.lab.report.Section.Figure;
import dev.weir.lab.report.Section.Row;
import dev.weir.lab.report.Section.Table;
import dev.weir.lab.report.Verdict.Loss;
import dev.weir.lab.runs.GridCase;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeSet;
import java.util.function.ToDoubleFunction;
import java.util.stream.Stream;
import org.knowm.xchart.XYChart;
import org.knowm.xchart.XYSeries.XYSeriesRenderStyle;

/** Pool size times server threads. */
final class GridPictures {
    private static final int EXTREMES = 5;
    private static final double TOP_GROUP = 1.03;
    private static final double FEW_ERRORS = 0.01;

    private final Run run;
    private final Section section;

    private GridPictures(Run run, Section section) {
        this.run = run;
        this.section = section;
    }

    /** One cell; times in milliseconds. */
    record Cell(
            String pool,
            int size,
            int threads,
            double requests,
            double mean,
            double p50,
            double p90,
            double p99,
            double errors) {
        String place() {
            return size + "/" + threads;
        }

        /** Whether what it served is to be compared: one that refuses is quick. */
        boolean isSound() {
            return requests > 0 && errors <= FEW_ERRORS * (requests + errors);
        }
    }

    /** A figure of this experiment that others have published. */
    private record Published(String pool, int size, int threads, double value) {}

    /** What a picture or table is about. */
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

        /** The best first. */
        Comparator<Cell> order() {
            Comparator<Cell> rising = Comparator.comparingDouble(of);
            return more ? rising.reversed() : rising;
        }

        List<Published> best() {
            return switch (this) {
                case MEAN -> List.of(new Published("hikari", 4, 4, 8.035), new Published("hikari", 16, 4, 8.174));
                case P99 -> List.of(new Published("hikari", 16, 8, 35.517));
                case REQUESTS -> List.of(new Published("hikari", 4, 4, 869_924));
            };
        }

        List<Published> worst() {
            return switch (this) {
                case MEAN -> List.of(new Published("hikari", 1, 4, 27.325));
                case P99 -> List.of(new Published("hikari", 32, 64, 157.454));
                case REQUESTS -> List.of(new Published("hikari", 1, 4, 226_305));
            };
        }
    }

    static void write(Run run, Section section) {
        GridPictures pictures = new GridPictures(run, section);
        byLoad(run).forEach(pictures::write);
    }

    private static Map<String, List<Cell>> byLoad(Run run) {
        Map<String, List<Cell>> loads = new LinkedHashMap<>();
        for (String caseName : run.cases()) {
            GridCase.of(caseName)
                    .ifPresent(place -> run.pools(caseName)
                            .forEach(pool -> loads.computeIfAbsent(place.load(), load -> new ArrayList<>())
                                    .add(cell(run, place, pool))));
        }
        return loads;
    }

    private static Cell cell(Run run, GridCase place, String pool) {
        String caseName = place.toString();
        return new Cell(
                pool,
                place.size(),
                place.threads(),
                run.median(caseName, pool, "requests"),
                run.median(caseName, pool, "mean") / 1000,
                run.median(caseName, pool, "p50") / 1000,
                run.median(caseName, pool, "p90") / 1000,
                run.median(caseName, pool, "p99") / 1000,
                run.median(caseName, pool, "errors"));
    }

    /**
     * The measures in which the best cell of all, of those without errors, is not one of Weir's. With several rounds each cell has an
     * interval of its own, and the defeats are those of the cells.
     */
    static List<Loss> losses(Run run) {
        List<Loss> losses = new ArrayList<>();
        if (run.rounds() > 1) {
            return losses;
        }
        byLoad(run).forEach((load, cells) -> {
            for (Measure measure : Measure.values()) {
                loss(load, measure, cells).ifPresent(losses::add);
            }
        });
        return losses;
    }

    private static Optional<Loss> loss(String load, Measure measure, List<Cell> cells) {
        List<Cell> sound = sound(cells);
        Optional<Cell> ours = of(sound, Run.OURS).stream().min(measure.order());
        Optional<Cell> best = sound.stream().min(measure.order());
        if (best.isEmpty()
                || best.get().pool().equals(Run.OURS)
                || of(cells, Run.OURS).isEmpty()) {
            return Optional.empty();
        }
        double mine = ours.map(measure.of::applyAsDouble).orElse(Double.NaN);
        double other = measure.of.applyAsDouble(best.get());
        return Optional.of(new Loss(
                Chapter.GRID.id(),
                load + ", best cell of each pool",
                measure.label,
                best.get().pool() + " at " + best.get().place(),
                text(measure, best.get()),
                ours.map(cell -> text(measure, cell) + " at " + cell.place())
                        .orElse("errors, or nothing, in every cell"),
                measure.more ? other / mine : mine / other,
                "one round"));
    }

    private void write(String load, List<Cell> all) {
        section.heading(load);
        List<Cell> cells = all.stream().filter(cell -> cell.requests() > 0).toList();
        if (cells.size() < all.size()) {
            section.text(
                    "%d of %d cells served nothing and are left out.".formatted(all.size() - cells.size(), all.size()));
        }
        if (cells.isEmpty()) {
            return;
        }
        List<Cell> sound = sound(cells);
        if (sound.size() < cells.size()) {
            section.text(
                    "%d of %d cells have errors in more than 1 %% of their answers, and are in the tables of the worst alone."
                            .formatted(cells.size() - sound.size(), cells.size()));
        }
        double errors = cells.stream().mapToDouble(Cell::errors).sum();
        section.text(steadiness(sound) + " " + topGroup(cells)
                + " Answers other than 200, broken connections and what was never answered or begun are no requests served: "
                + Quantity.number(errors) + " in all.");
        if (!sound.isEmpty()) {
            pictures(load, sound);
        }
        for (Measure measure : Measure.values()) {
            if (!sound.isEmpty()) {
                section.table(extremes(measure, sound, true));
            }
            section.table(extremes(measure, cells, false));
        }
    }

    private void pictures(String load, List<Cell> cells) {
        for (Measure measure : Measure.values()) {
            section.figure(
                    Picture.of("grid-" + load + "-" + measure.label + "-by-size", bySize(measure, cells)),
                    sentence(measure, cells) + " A point is a cell; cells of the same size stand side by side.",
                    run.info().command());
        }
        section.figures(byThreads(load, cells));
        section.figures(heatMaps(load, cells));
    }

    private static String sentence(Measure measure, List<Cell> cells) {
        List<Cell> sorted = cells.stream().sorted(measure.order()).toList();
        Cell best = sorted.get(0);
        Cell worst = sorted.get(sorted.size() - 1);
        return "Best %s: %s at %s (connections/server threads), %s; worst: %s at %s, %s."
                .formatted(
                        measure.label,
                        best.pool(),
                        best.place(),
                        text(measure, best),
                        worst.pool(),
                        worst.place(),
                        text(measure, worst));
    }

    private static String text(Measure measure, Cell cell) {
        return Quantity.number(measure.of.applyAsDouble(cell)) + (measure.more ? "" : " ms");
    }

    /** How far a wrong size throws each pool back: its worst p99 against its best, one connection left out. */
    private static String steadiness(List<Cell> cells) {
        List<String> parts = new ArrayList<>();
        for (String pool : pools(cells)) {
            double[] p99 = of(cells, pool).stream()
                    .filter(cell -> cell.size() > 1)
                    .mapToDouble(Cell::p99)
                    .sorted()
                    .toArray();
            if (p99.length > 1) {
                parts.add("%s %s".formatted(pool, Quantity.ratio(p99[p99.length - 1] / p99[0])));
            }
        }
        return parts.isEmpty()
                ? ""
                : "Worst p99 over best p99 with more than one connection: " + String.join(", ", parts)
                        + " (published for hikari, another machine: 4.43).";
    }

    /** In how many of the places where another pool was measured too Weir is within 3 % of the best of the place, by the medians. */
    private static String topGroup(List<Cell> cells) {
        List<Cell> ours = of(cells, Run.OURS).stream()
                .filter(own -> !rivals(own, cells).isEmpty())
                .toList();
        if (ours.isEmpty()) {
            return "";
        }
        List<String> parts = new ArrayList<>();
        for (Measure measure : Measure.values()) {
            long top = ours.stream()
                    .filter(own -> isTop(measure, own, rivals(own, cells)))
                    .count();
            parts.add("%s %d of %d".formatted(measure.label, top, ours.size()));
        }
        return "By the medians Weir is within 3 % of the best pool of the same size and threads in: "
                + String.join(", ", parts) + " (an aim takes the ratios of the rounds, and their median).";
    }

    private static List<Cell> rivals(Cell own, List<Cell> cells) {
        return cells.stream()
                .filter(cell -> cell.place().equals(own.place()) && !cell.pool().equals(own.pool()))
                .toList();
    }

    private static boolean isTop(Measure measure, Cell own, List<Cell> rivals) {
        double mine = measure.of.applyAsDouble(own);
        return own.isSound()
                && sound(rivals).stream()
                        .mapToDouble(measure.of)
                        .allMatch(other -> measure.more ? mine * TOP_GROUP >= other : mine <= other * TOP_GROUP);
    }

    private static XYChart bySize(Measure measure, List<Cell> cells) {
        List<String> pools = pools(cells);
        List<Line> lines = new ArrayList<>();
        for (int i = 0; i < pools.size(); i++) {
            double beside = (i - (pools.size() - 1) / 2.0) * Math.min(0.16, 0.7 / pools.size());
            List<Cell> own = of(cells, pools.get(i));
            lines.add(Line.of(
                    pools.get(i),
                    own.stream().map(cell -> log2(cell.size()) + beside).toList(),
                    own.stream().map(measure.of::applyAsDouble).toList()));
        }
        XYChart chart = Charts.lines(
                "", "connections of the pool", measure.axis, Charts.FULL, XYSeriesRenderStyle.Scatter, lines);
        double last =
                cells.stream().mapToDouble(cell -> log2(cell.size())).max().orElse(1);
        return Charts.horizontal(chart, -0.5, last + 0.5, GridPictures::powerOfTwo);
    }

    private static double log2(double value) {
        return Math.log(value) / Math.log(2);
    }

    private static String powerOfTwo(double exponent) {
        if (Math.abs(exponent - Math.rint(exponent)) < 0.01 && exponent > -0.01) {
            // The longest label, the first of them, says how high labels are: that one is not to be blank.
            return Quantity.number(Math.pow(2, Math.rint(exponent))) + "  ";
        }
        // The ends of the axis are to differ, else it would have no labels; between them equal ones make it coarser.
        return exponent < 0 ? " " : "  ";
    }

    /** Each pool at the size at which its best cell is. */
    private List<Figure> byThreads(String load, List<Cell> cells) {
        List<Figure> figures = new ArrayList<>();
        double most = cells.stream()
                .filter(cell -> cell.size() == bestSize(cells, cell.pool()))
                .mapToDouble(cell -> Math.max(cell.mean(), cell.p90()))
                .max()
                .orElse(1);
        for (String pool : pools(cells)) {
            int size = bestSize(cells, pool);
            List<Cell> own = of(cells, pool).stream()
                    .filter(cell -> cell.size() == size)
                    .sorted(Comparator.comparingInt(Cell::threads))
                    .toList();
            List<Bar> bars = own.stream()
                    .map(cell -> new Bar(
                            Integer.toString(cell.threads()), Palette.of(pool), cell.p50(), cell.mean(), cell.p90()))
                    .toList();
            Cell best = own.stream().min(Measure.MEAN.order()).orElseThrow();
            Cell worst = own.stream().max(Measure.MEAN.order()).orElseThrow();
            var chart = Charts.bars(
                    pool + ", " + size + " connections: by server threads",
                    "mean response time, ms",
                    Charts.HALF,
                    bars,
                    false);
            chart.getStyler().setYAxisMax(most * 1.06);
            figures.add(new Figure(
                    Picture.of("grid-" + load + "-" + pool + "-by-threads", chart),
                    "%s is best at %d connections. There: %s ms with %d server threads, %s ms with %d. (Bars: mean; whiskers: median to p90.)"
                            .formatted(
                                    pool,
                                    size,
                                    Quantity.number(best.mean()),
                                    best.threads(),
                                    Quantity.number(worst.mean()),
                                    worst.threads()),
                    run.info().command()));
        }
        return figures;
    }

    private static int bestSize(List<Cell> cells, String pool) {
        return of(cells, pool).stream().min(Measure.MEAN.order()).orElseThrow().size();
    }

    private List<Figure> heatMaps(String load, List<Cell> cells) {
        List<Integer> sizes = distinct(cells.stream().map(Cell::size));
        List<Integer> threads = distinct(cells.stream().map(Cell::threads));
        double least = cells.stream().mapToDouble(Cell::mean).min().orElse(0);
        double most = cells.stream().mapToDouble(Cell::mean).max().orElse(1);
        List<Figure> figures = new ArrayList<>();
        for (String pool : pools(cells)) {
            List<Number[]> values = of(cells, pool).stream()
                    .map(cell ->
                            new Number[] {sizes.indexOf(cell.size()), threads.indexOf(cell.threads()), cell.mean()})
                    .toList();
            var chart = Charts.heatMap(
                    pool + ": mean response time, ms", "connections", "server threads", sizes, threads, values);
            chart.getStyler().setMin(least).setMax(most > least ? most : least + 1);
            Cell best = of(cells, pool).stream().min(Measure.MEAN.order()).orElseThrow();
            figures.add(new Figure(
                    Picture.of("grid-" + load + "-" + pool + "-map", chart),
                    "%s: lowest at %s (connections/server threads), %s ms. The colours mean the same in every map."
                            .formatted(pool, best.place(), Quantity.number(best.mean())),
                    run.info().command()));
        }
        return figures;
    }

    private Table extremes(Measure measure, List<Cell> cells, boolean best) {
        Comparator<Cell> order = best ? measure.order() : measure.order().reversed();
        List<Row> rows = Stream.concat(
                        cells.stream()
                                .sorted(order)
                                .limit(EXTREMES)
                                .map(cell -> Row.ofPool(
                                        cell.pool(),
                                        List.of(
                                                cell.pool(),
                                                cell.place(),
                                                text(measure, cell),
                                                Quantity.number(cell.errors())))),
                        (best ? measure.best() : measure.worst())
                                .stream()
                                        .map(other -> Row.of(
                                                "foreign",
                                                other.pool() + " (published, another machine"
                                                        + (measure.more ? ", 60 s)" : ")"),
                                                other.size() + "/" + other.threads(),
                                                Quantity.number(other.value()) + (measure.more ? "" : " ms"),
                                                "-")))
                .toList();
        return new Table(
                "%s %d cells by %s".formatted(best ? "Best" : "Worst", Math.min(EXTREMES, cells.size()), measure.label),
                List.of("pool", "connections/server threads", measure.label, "errors"),
                rows);
    }

    private static List<Cell> sound(List<Cell> cells) {
        return cells.stream().filter(Cell::isSound).toList();
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
