package dev.weir.lab.grid;

import dev.weir.lab.grid.GridRow.Metric;
import dev.weir.lab.runs.Table;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** The five best and the five worst cells, beside what others published of this experiment on another machine. */
final class GridTables {
    private static final int SHOWN = 5;
    private static final double FEW_ERRORS = 0.01;

    /** By what cells are compared. */
    private enum Measure {
        MEAN(Metric.MEAN, "mean", false),
        P99(Metric.P99, "p99", false),
        REQUESTS(Metric.REQUESTS, "requests", true);

        private final Metric metric;
        private final String label;
        private final boolean more;

        Measure(Metric metric, String label, boolean more) {
            this.metric = metric;
            this.label = label;
            this.more = more;
        }

        private Comparator<GridRow> bestFirst() {
            Comparator<GridRow> rising = Comparator.comparingDouble(row -> row.get(metric));
            return more ? rising.reversed() : rising;
        }

        private String text(double value) {
            return String.format(Locale.ROOT, more ? "%,.0f" : "%,.0f us", value);
        }
    }

    /** A figure of others, 60 s a cell. */
    private record Published(Measure measure, boolean isBest, String pool, int size, int threads, double value) {}

    private static final List<Published> PUBLISHED = List.of(
            new Published(Measure.MEAN, true, "hikari", 4, 4, 8_035),
            new Published(Measure.MEAN, true, "hikari", 16, 4, 8_174),
            new Published(Measure.MEAN, false, "hikari", 1, 4, 27_325),
            new Published(Measure.P99, true, "hikari", 16, 8, 35_517),
            new Published(Measure.P99, false, "hikari", 32, 64, 157_454),
            new Published(Measure.REQUESTS, true, "hikari", 4, 4, 869_924),
            new Published(Measure.REQUESTS, false, "hikari", 1, 4, 226_305));

    private GridTables() {}

    /** Returns the tables of each load, for a terminal. */
    static String text(List<GridRow> rows) {
        Map<String, List<GridRow>> loads = new LinkedHashMap<>();
        for (GridRow row : rows) {
            String load = row.cell().clients() + " clients, " + row.cell().mode();
            loads.computeIfAbsent(load, name -> new ArrayList<>()).add(row);
        }
        StringBuilder text = new StringBuilder();
        loads.forEach((load, all) -> {
            List<GridRow> served =
                    all.stream().filter(row -> row.get(Metric.REQUESTS) > 0).toList();
            text.append("\n== ").append(load).append(" ==\n");
            if (served.size() < all.size()) {
                text.append(String.format(
                        "%d of %d cells served nothing and are left out.%n", all.size() - served.size(), all.size()));
            }
            List<GridRow> sound = served.stream().filter(GridTables::isSound).toList();
            if (sound.size() < served.size()) {
                text.append(String.format(
                        "%d of %d cells have errors in more than 1 %% of their answers, and are among the worst alone.%n",
                        served.size() - sound.size(), served.size()));
            }
            for (Measure measure : Measure.values()) {
                text.append('\n').append(table(measure, sound, true));
                text.append('\n').append(table(measure, served, false));
            }
            text.append(steadiness(sound));
        });
        return text.toString();
    }

    /** One that refuses is quick. */
    private static boolean isSound(GridRow row) {
        double errors = row.get(Metric.ERRORS);
        return errors <= FEW_ERRORS * (row.get(Metric.REQUESTS) + errors);
    }

    private static Table table(Measure measure, List<GridRow> rows, boolean isBest) {
        Table table = new Table(
                (isBest ? "best " : "worst ") + measure.label, "connections/threads", measure.label, "errors");
        rows.stream()
                .sorted(isBest ? measure.bestFirst() : measure.bestFirst().reversed())
                .limit(SHOWN)
                .forEach(row -> table.row(
                        row.cell().pool(),
                        row.cell().size() + "/" + row.cell().threads(),
                        measure.text(row.get(measure.metric)),
                        String.format(Locale.ROOT, "%,.0f", row.get(Metric.ERRORS))));
        PUBLISHED.stream()
                .filter(one -> one.measure() == measure && one.isBest() == isBest)
                .forEach(one -> table.row(
                        one.pool() + " (published, another machine)",
                        one.size() + "/" + one.threads(),
                        measure.text(one.value()),
                        ""));
        return table;
    }

    /** How far a wrong size throws a pool back, sizes above 1 alone. */
    private static String steadiness(List<GridRow> rows) {
        Map<String, List<Double>> byPool = new LinkedHashMap<>();
        rows.stream()
                .filter(row -> row.cell().size() > 1)
                .forEach(row -> byPool.computeIfAbsent(row.cell().pool(), pool -> new ArrayList<>())
                        .add(row.get(Metric.P99)));
        StringBuilder text = new StringBuilder();
        byPool.forEach((pool, p99) -> {
            double best = p99.stream().mapToDouble(Double::doubleValue).min().orElseThrow();
            double worst = p99.stream().mapToDouble(Double::doubleValue).max().orElseThrow();
            text.append(String.format(
                    Locale.ROOT, "%n%s: worst p99 is %.2f times the best, sizes above 1.", pool, worst / best));
        });
        return text.length() == 0 ? "" : text + String.format("%nhikari (published, another machine): 4.43 times.%n");
    }
}
