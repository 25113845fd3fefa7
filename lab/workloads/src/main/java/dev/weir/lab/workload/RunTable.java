package dev.weir.lab.workload;

import dev.weir.lab.runs.Cell;
import dev.weir.lab.runs.Failure;
import dev.weir.lab.runs.Measurement;
import dev.weir.lab.runs.RunFolder;
import dev.weir.lab.runs.Summary;
import dev.weir.lab.runs.Table;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;

/** What a run measured, as a table for the terminal: a line for each case and pool, medians of the rounds. */
public final class RunTable {
    private static final String REFERENCE = "hikari";
    private static final int WIDTH = 120;

    private record Key(String caseName, String pool, String metric) {}

    private final Map<Key, Map<Integer, Double>> values = new LinkedHashMap<>();
    private final Map<String, String> units = new LinkedHashMap<>();
    private final Set<Key> failed = new LinkedHashSet<>();
    private final RunFolder folder;

    private RunTable(RunFolder folder) throws IOException {
        this.folder = folder;
        for (Measurement one : folder.measurements()) {
            Cell cell = one.cell();
            values.computeIfAbsent(new Key(cell.caseName(), cell.pool(), one.metric()), key -> new LinkedHashMap<>())
                    .put(cell.round(), one.value());
            units.put(one.metric(), one.unit());
        }
        for (Failure failure : folder.failures()) {
            failed.add(new Key(failure.cell().caseName(), failure.cell().pool(), ""));
        }
    }

    /**
     * Returns the table.
     *
     * @param metrics the columns; the first has the ratio to HikariCP in brackets: of each round, then the median and its 95 % interval
     */
    public static String of(RunFolder folder, List<String> metrics) throws IOException {
        return new RunTable(folder).table(metrics);
    }

    private String table(List<String> metrics) throws IOException {
        List<String> header = new ArrayList<>(List.of("case", "pool"));
        List<String> columns = metrics.stream().filter(units::containsKey).toList();
        columns.forEach(metric -> header.add(metric + (unit(metric).isEmpty() ? "" : " " + unit(metric))));
        List<List<String>> lines = new ArrayList<>();
        Set<List<String>> rows = new LinkedHashSet<>();
        for (Cell cell : folder.info().cells()) {
            rows.add(List.of(cell.caseName(), cell.pool()));
        }
        for (List<String> row : rows) {
            List<String> cells = new ArrayList<>(row);
            for (String metric : columns) {
                cells.add(text(new Key(row.get(0), row.get(1), metric), metric.equals(metrics.get(0))));
            }
            lines.add(cells);
        }
        String whole = table(header, lines, 0, header.size());
        return widest(whole) <= WIDTH ? whole : byCase(header, lines);
    }

    /** The case as a heading, and as many metrics side by side as the terminal has room for. */
    private static String byCase(List<String> header, List<List<String>> lines) {
        StringBuilder text = new StringBuilder();
        for (String name :
                new LinkedHashSet<>(lines.stream().map(line -> line.get(0)).toList())) {
            List<List<String>> some =
                    lines.stream().filter(line -> line.get(0).equals(name)).toList();
            text.append(text.length() == 0 ? "" : "\n").append(name).append('\n');
            int from = 2;
            while (from < header.size()) {
                int to = header.size();
                while (to > from + 1 && widest(table(header, some, from, to)) > WIDTH) {
                    to--;
                }
                text.append(from == 2 ? "" : "\n").append(table(header, some, from, to));
                from = to;
            }
        }
        return text.toString();
    }

    /** The pool and these columns, or all of them from 0 on. */
    private static String table(List<String> header, List<List<String>> lines, int from, int to) {
        Table table = new Table(part(header, from, to).toArray(String[]::new));
        lines.forEach(line -> table.row(part(line, from, to)));
        return table.toString();
    }

    private static List<String> part(List<String> line, int from, int to) {
        List<String> part = new ArrayList<>(line.subList(from, to));
        if (from > 0) {
            part.add(0, line.get(1));
        }
        return part;
    }

    private static int widest(String text) {
        return text.lines().mapToInt(String::length).max().orElse(0);
    }

    private String unit(String metric) {
        return units.getOrDefault(metric, "");
    }

    private String text(Key key, boolean withRatio) {
        Map<Integer, Double> own = values.get(key);
        if (own == null) {
            return failed.contains(new Key(key.caseName(), key.pool(), "")) ? "failed" : "-";
        }
        String text = number(Summary.of(own.values()).median());
        Map<Integer, Double> reference =
                values.getOrDefault(new Key(key.caseName(), REFERENCE, key.metric()), Map.of());
        if (!withRatio || key.pool().equals(REFERENCE)) {
            return text;
        }
        List<Double> ratios = new ArrayList<>();
        own.forEach((round, value) -> {
            Double other = reference.get(round);
            if (other != null && other != 0 && Double.isFinite(value / other)) {
                ratios.add(value / other);
            }
        });
        return ratios.isEmpty() ? text : text + " (" + ratio(Summary.of(ratios), ratios.size()) + ")";
    }

    private static String ratio(Summary ratio, int rounds) {
        String median = String.format(Locale.ROOT, "%.2f", ratio.median());
        if (rounds < 2) {
            return median;
        }
        return median
                + String.format(Locale.ROOT, ", %.2f-%.2f", ratio.low(), ratio.high())
                + (ratio.mayBe(1) ? ", level" : "");
    }

    private static String number(double value) {
        double size = Math.abs(value);
        if (Double.isNaN(value)) {
            return "-";
        }
        return String.format(
                Locale.ROOT,
                size < 0.1 && size > 0 ? "%.3f" : size < 10 && value != Math.rint(value) ? "%.2f" : "%,.0f",
                value);
    }
}
