package dev.weir.lab.report;

import dev.weir.lab.runs.RunFolder;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** The raw samples of a cell, column by column; what is no number is NaN. */
final class Samples {
    private final Map<String, List<Double>> columns;

    private Samples(Map<String, List<Double>> columns) {
        this.columns = columns;
    }

    /** Reads a file of tab-separated values with a header. A last line that was cut off is left out. */
    static Samples read(Path file) throws IOException {
        List<String> lines = Files.readAllLines(file);
        if (lines.isEmpty()) {
            return new Samples(Map.of());
        }
        String[] header = lines.get(0).split("\t", -1);
        List<String[]> rows = lines.stream()
                .skip(1)
                .map(line -> line.split("\t", -1))
                .filter(row -> row.length == header.length)
                .toList();
        Map<String, List<Double>> columns = new LinkedHashMap<>();
        for (int i = 0; i < header.length; i++) {
            int column = i;
            columns.put(header[i], rows.stream().map(row -> number(row[column])).toList());
        }
        return new Samples(columns);
    }

    /**
     * The samples of every pool under a case that have these columns, each of the lowest round that is there.
     *
     * @param pools in the order in which they are wanted
     */
    static Map<String, Samples> ofCase(Run run, String caseName, Iterable<String> pools, String... columns) {
        Path folder = run.folder().path().resolve("raw").resolve(RunFolder.fileName(caseName));
        Map<String, Samples> found = new LinkedHashMap<>();
        if (!Files.isDirectory(folder)) {
            return found;
        }
        for (String pool : pools) {
            Pattern name = Pattern.compile(Pattern.quote(RunFolder.fileName(pool)) + "-\\d+(-.*)?\\.tsv");
            try (Stream<Path> files = Files.list(folder)) {
                for (Path file : files.filter(
                                f -> name.matcher(f.getFileName().toString()).matches())
                        .sorted()
                        .toList()) {
                    if (!found.containsKey(pool) && has(file, columns)) {
                        found.put(pool, read(file));
                    }
                }
            } catch (IOException e) {
                throw new UncheckedIOException(e);
            }
        }
        found.values().removeIf(Samples::isEmpty);
        return found;
    }

    private static boolean has(Path file, String... columns) throws IOException {
        try (Stream<String> lines = Files.lines(file)) {
            return lines.findFirst()
                    .map(line -> Arrays.asList(line.split("\t", -1)).containsAll(List.of(columns)))
                    .orElse(false);
        }
    }

    boolean isEmpty() {
        return size() == 0;
    }

    int size() {
        return columns.values().stream().findFirst().map(List::size).orElse(0);
    }

    boolean has(String name) {
        return columns.containsKey(name);
    }

    List<Double> column(String name) {
        List<Double> values = columns.get(name);
        if (values == null) {
            throw new IllegalArgumentException("column: " + name + " (expected: one of " + columns.keySet() + ")");
        }
        return values;
    }

    /** Those rows at which one of the columns differs from the row before or after; the steps between look the same. */
    Samples changesOf(String... names) {
        List<Integer> kept = new ArrayList<>();
        for (int i = 0; i < size(); i++) {
            if (i == 0 || i == size() - 1 || differs(i, i - 1, names)) {
                kept.add(i);
            }
        }
        return rows(kept);
    }

    /** The rows whose value in a column is within a range. */
    Samples between(String name, double from, double to) {
        List<Double> values = column(name);
        List<Integer> kept = new ArrayList<>();
        for (int i = 0; i < values.size(); i++) {
            if (values.get(i) >= from && values.get(i) <= to) {
                kept.add(i);
            }
        }
        return rows(kept);
    }

    /** The same with another zero in a column. */
    Samples since(String name, double zero) {
        Map<String, List<Double>> moved = new LinkedHashMap<>(columns);
        moved.put(name, column(name).stream().map(value -> value - zero).toList());
        return new Samples(moved);
    }

    /** The same with a column in a larger unit. */
    Samples scaled(String name, double divisor) {
        Map<String, List<Double>> scaled = new LinkedHashMap<>(columns);
        scaled.put(name, column(name).stream().map(value -> value / divisor).toList());
        return new Samples(scaled);
    }

    private boolean differs(int row, int other, String... names) {
        for (String name : names) {
            if (!column(name).get(row).equals(column(name).get(other))) {
                return true;
            }
        }
        return false;
    }

    private Samples rows(List<Integer> kept) {
        Map<String, List<Double>> some = new LinkedHashMap<>();
        columns.forEach(
                (name, values) -> some.put(name, kept.stream().map(values::get).toList()));
        return new Samples(some);
    }

    private static double number(String text) {
        try {
            return Double.parseDouble(text);
        } catch (NumberFormatException e) {
            return Double.NaN;
        }
    }
}
