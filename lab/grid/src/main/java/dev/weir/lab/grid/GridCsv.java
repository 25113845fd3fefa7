package dev.weir.lab.grid;

import de.siegmar.fastcsv.reader.CsvParseException;
import de.siegmar.fastcsv.reader.CsvReader;
import de.siegmar.fastcsv.reader.NamedCsvRecord;
import de.siegmar.fastcsv.writer.CsvWriter;
import de.siegmar.fastcsv.writer.LineDelimiter;
import dev.weir.lab.grid.GridRow.Metric;
import dev.weir.lab.runs.Cell;
import dev.weir.lab.runs.Measurement;
import dev.weir.lab.runs.RunFolder;
import java.io.IOException;
import java.io.StringWriter;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.NoSuchElementException;

/** {@code grid.csv}: a row a cell. */
final class GridCsv {
    static final String FILE = "grid.csv";

    private GridCsv() {}

    /** Writes the file anew from the run's measurements, which are what a resumed run goes on from. */
    static List<GridRow> write(RunFolder folder) throws IOException {
        List<GridRow> rows = rows(folder.measurements());
        StringWriter text = new StringWriter();
        try (CsvWriter writer =
                CsvWriter.builder().lineDelimiter(LineDelimiter.LF).build(text)) {
            List<String> header = new ArrayList<>(List.of("config", "pool_size", "max_threads", "clients", "mode"));
            for (Metric metric : Metric.values()) {
                header.add(metric.column);
            }
            writer.writeRecord(header);
            rows.forEach(row -> writer.writeRecord(record(row)));
        }
        Path fresh = folder.path().resolve(FILE + ".new");
        Files.writeString(fresh, text.toString());
        Files.move(
                fresh,
                folder.path().resolve(FILE),
                StandardCopyOption.REPLACE_EXISTING,
                StandardCopyOption.ATOMIC_MOVE);
        return rows;
    }

    private static List<GridRow> rows(List<Measurement> measurements) {
        Map<Cell, Map<Metric, Double>> cells = new LinkedHashMap<>();
        for (Measurement one : measurements) {
            Map<Metric, Double> values = cells.computeIfAbsent(one.cell(), cell -> new EnumMap<>(Metric.class));
            for (Metric metric : Metric.values()) {
                if (metric.text.equals(one.metric())) {
                    values.put(metric, one.value());
                }
            }
        }
        List<GridRow> rows = new ArrayList<>();
        cells.forEach((cell, values) -> rows.add(new GridRow(GridCell.of(cell), values)));
        return rows;
    }

    private static List<String> record(GridRow row) {
        GridCell cell = row.cell();
        List<String> fields = new ArrayList<>(List.of(
                cell.pool(),
                Integer.toString(cell.size()),
                Integer.toString(cell.threads()),
                Integer.toString(cell.clients()),
                cell.mode()));
        for (Metric metric : Metric.values()) {
            double value = row.get(metric);
            fields.add(Double.isNaN(value) ? "" : text(value));
        }
        return fields;
    }

    private static String text(double value) {
        return BigDecimal.valueOf(value)
                .setScale(3, RoundingMode.HALF_UP)
                .stripTrailingZeros()
                .toPlainString();
    }

    /**
     * Reads such a file, of this laboratory or of others with the same columns.
     *
     * @throws IOException if it cannot be read, or is none, with the line at fault
     */
    static List<GridRow> read(Path file) throws IOException {
        List<GridRow> rows = new ArrayList<>();
        try (CsvReader<NamedCsvRecord> reader = CsvReader.builder().ofNamedCsvRecord(file)) {
            for (NamedCsvRecord line : reader) {
                rows.add(row(file, line));
            }
        } catch (CsvParseException e) {
            throw new IOException(file + ": " + e.getMessage(), e);
        }
        return rows;
    }

    private static GridRow row(Path file, NamedCsvRecord line) throws IOException {
        try {
            Map<Metric, Double> values = new EnumMap<>(Metric.class);
            for (Metric metric : Metric.values()) {
                String text = line.findField(metric.column).orElse("");
                if (!text.isBlank()) {
                    values.put(metric, Double.parseDouble(text));
                }
            }
            String mode = line.getField("mode");
            return new GridRow(
                    new GridCell(
                            line.getField("config"),
                            Integer.parseInt(line.getField("pool_size")),
                            Integer.parseInt(line.getField("max_threads")),
                            Integer.parseInt(line.getField("clients")),
                            mode.equals("closed") ? 0 : Integer.parseInt(mode.replaceAll("\\D", ""))),
                    values);
        } catch (NoSuchElementException | NumberFormatException e) {
            throw new IOException(
                    file + ", line " + line.getStartingLineNumber() + ": " + e.getMessage()
                            + " (expected: the columns of grid.csv)",
                    e);
        }
    }
}
