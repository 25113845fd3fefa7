package dev.weir.lab.report;

import dev.weir.lab.runs.RunFolder;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * The raw samples of a cell, column by column; what is no number is NaN. Immutable.
 *
 * @param columns by their names
 */
record Samples(Map<String, List<Double>> columns) {
    /** Reads a file of tab-separated values with a header. A last line that was cut off is left out; of an empty file nothing is known. */
    static Samples read(Path file) throws IOException {
        List<String> lines = Files.readAllLines(file);
        if (lines.isEmpty()) {
            return new Samples(Map.of());
        }
        List<String> header = Arrays.asList(lines.get(0).split("\t", -1));
        List<String[]> rows = lines.stream()
                .skip(1)
                .map(line -> line.split("\t", -1))
                .filter(row -> row.length == header.size())
                .toList();
        Map<String, List<Double>> columns = new LinkedHashMap<>();
        for (int i = 0; i < header.size(); i++) {
            int column = i;
            columns.put(
                    header.get(i), rows.stream().map(row -> number(row[column])).toList());
        }
        return new Samples(columns);
    }

    private static double number(String text) {
        try {
            return Double.parseDouble(text);
        } catch (NumberFormatException e) {
            return Double.NaN;
        }
    }

    /** The samples of each pool under a case that have these columns, of the lowest round that is there. */
    static Map<String, Samples> ofCase(Results results, String caseName, List<String> columns) throws IOException {
        Path folder = results.folder().path().resolve("raw").resolve(RunFolder.fileName(caseName));
        Map<String, Samples> found = new LinkedHashMap<>();
        if (!Files.isDirectory(folder)) {
            return found;
        }
        for (String pool : results.pools(caseName)) {
            Pattern name = Pattern.compile(Pattern.quote(RunFolder.fileName(pool)) + "-\\d+(-.*)?\\.tsv");
            try (Stream<Path> files = Files.list(folder)) {
                for (Path file : files.filter(one ->
                                name.matcher(one.getFileName().toString()).matches())
                        .sorted()
                        .toList()) {
                    if (!found.containsKey(pool)) {
                        Samples samples = read(file);
                        if (samples.columns.keySet().containsAll(columns) && samples.size() > 0) {
                            found.put(pool, samples);
                        }
                    }
                }
            }
        }
        return found;
    }

    int size() {
        return columns.values().stream().findFirst().map(List::size).orElse(0);
    }

    List<Double> column(String name) {
        List<Double> values = columns.get(name);
        if (values == null) {
            throw new IllegalArgumentException("column: " + name + " (expected: one of " + columns.keySet() + ")");
        }
        return values;
    }
}
