package dev.weir.lab.runs;

import de.siegmar.fastcsv.reader.CsvReader;
import de.siegmar.fastcsv.reader.NamedCsvRecord;
import de.siegmar.fastcsv.writer.CsvWriter;
import de.siegmar.fastcsv.writer.LineDelimiter;
import java.io.IOException;
import java.io.StringWriter;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.LocalDateTime;
import java.time.OffsetDateTime;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Stream;

/**
 * The folder of one run, {@code <root>/<yyyy-MM-dd>/<workload>/<HHmmss>}. A cell is appended when it is done, in one write, so that
 * a run that was stopped can go on. One process at a time writes it. Not thread-safe.
 */
public final class RunFolder {
    private static final String INFO = "run.json";
    private static final String MEASUREMENTS = "measurements.csv";
    private static final String FAILURES = "failures.csv";
    private static final String LIMITS = "limits.csv";
    private static final int DEPTH = 4;

    private final Path path;
    private RunInfo info;

    private RunFolder(Path path, RunInfo info) {
        this.path = path;
        this.info = info;
    }

    /**
     * Makes the folder of a run that begins now.
     *
     * @param root where runs are kept
     * @throws IOException if it cannot be made
     */
    public static RunFolder create(Path root, RunInfo info, List<Limit> limits) throws IOException {
        LocalDateTime now = LocalDateTime.now(ZoneId.systemDefault());
        Path parent = Files.createDirectories(root.toAbsolutePath()
                .normalize()
                .resolve(DateTimeFormatter.ISO_LOCAL_DATE.format(now))
                .resolve(info.workload()));
        RunFolder folder = new RunFolder(
                fresh(parent, DateTimeFormatter.ofPattern("HHmmss").format(now)), info);
        folder.begin(MEASUREMENTS, "round,case,pool,metric,value,unit");
        folder.begin(FAILURES, "round,case,pool,message");
        folder.begin(LIMITS, "pool,limit");
        folder.append(
                LIMITS,
                limits.stream()
                        .map(limit -> List.of(limit.pool(), limit.limit()))
                        .toList());
        Json.write(folder.path.resolve(INFO), info);
        return folder;
    }

    private static Path fresh(Path parent, String name) throws IOException {
        for (int count = 1; ; count++) {
            try {
                return Files.createDirectory(parent.resolve(count == 1 ? name : name + "-" + count));
            } catch (FileAlreadyExistsException e) {
                // another run of the same second has it
            }
        }
    }

    private void begin(String file, String header) throws IOException {
        Files.writeString(path.resolve(file), header + "\n");
    }

    /**
     * Opens the folder of a run.
     *
     * @throws IOException if it is not one
     */
    public static RunFolder read(Path path) throws IOException {
        if (!Files.isRegularFile(path.resolve(INFO))) {
            throw new IOException(path + " (expected: the folder of a run, with " + INFO + ")");
        }
        return new RunFolder(path.toAbsolutePath().normalize(), Json.read(path.resolve(INFO), RunInfo.class));
    }

    /** Returns the runs in and below a folder, oldest first. */
    public static List<RunFolder> find(Path root) throws IOException {
        if (!Files.isDirectory(root)) {
            return List.of();
        }
        List<RunFolder> found = new ArrayList<>();
        try (Stream<Path> files = Files.find(
                root, DEPTH, (file, attributes) -> file.getFileName().toString().equals(INFO))) {
            for (Path file : files.toList()) {
                found.add(read(file.resolveSibling("")));
            }
        }
        found.sort(Comparator.comparing((RunFolder folder) -> OffsetDateTime.parse(folder.info.started()))
                .thenComparing(RunFolder::path));
        return found;
    }

    public Path path() {
        return path;
    }

    public RunInfo info() {
        return info;
    }

    /** Keeps what a cell measured. */
    public void append(Cell cell, List<Measurement> measurements) throws IOException {
        if (measurements.isEmpty()) {
            throw new IllegalArgumentException(cell + " measured nothing");
        }
        append(
                MEASUREMENTS,
                measurements.stream()
                        .map(one -> List.of(
                                Integer.toString(cell.round()),
                                cell.caseName(),
                                cell.pool(),
                                one.metric(),
                                number(one.value()),
                                one.unit()))
                        .toList());
    }

    /** Keeps why a cell measured nothing. */
    public void fail(Cell cell, String message) throws IOException {
        String line = message.strip().replaceAll("\\s*\\R\\s*", " | ");
        append(FAILURES, List.of(List.of(Integer.toString(cell.round()), cell.caseName(), cell.pool(), line)));
    }

    /** Keeps what was seen of the machine while the run was under way. */
    public void observe(Map<String, Object> machine) throws IOException {
        info = info.withMachine(machine);
        Json.write(path.resolve(INFO), info);
    }

    /** Marks the run as finished. */
    public void finish() throws IOException {
        info = info.endedAt(now());
        Json.write(path.resolve(INFO), info);
    }

    /** Returns this moment as {@link RunInfo} keeps it. */
    public static String now() {
        return OffsetDateTime.now(ZoneId.systemDefault())
                .truncatedTo(ChronoUnit.SECONDS)
                .format(DateTimeFormatter.ISO_OFFSET_DATE_TIME);
    }

    public List<Measurement> measurements() throws IOException {
        return read(
                MEASUREMENTS,
                row -> new Measurement(
                        cellOf(row),
                        row.getField("metric"),
                        Double.parseDouble(row.getField("value")),
                        row.getField("unit")));
    }

    public List<Failure> failures() throws IOException {
        return read(FAILURES, row -> new Failure(cellOf(row), row.getField("message")));
    }

    public List<Limit> limits() throws IOException {
        return read(LIMITS, row -> new Limit(row.getField("pool"), row.getField("limit")));
    }

    /**
     * Returns a file for what belongs to a cell, whether it exists or not; its folder exists.
     *
     * @param run the folder of the run
     * @param end how its name ends, as {@code .tsv}
     */
    public static Path raw(Path run, Cell cell, String end) throws IOException {
        Path folder = Files.createDirectories(run.resolve("raw").resolve(fileName(cell.caseName())));
        return folder.resolve(fileName(cell.pool()) + "-" + cell.round() + end);
    }

    /** Returns a text as a part of a path: what is neither letter, digit, dot nor equals sign becomes one dash. */
    public static String fileName(String text) {
        return text.replaceAll("[^A-Za-z0-9.=]+", "-").replaceAll("^-|-$", "");
    }

    private static Cell cellOf(NamedCsvRecord row) {
        return new Cell(Integer.parseInt(row.getField("round")), row.getField("case"), row.getField("pool"));
    }

    private static String number(double value) {
        return value == Math.rint(value) && Math.abs(value) < 1e15
                ? Long.toString((long) value)
                : Double.toString(value);
    }

    private void append(String file, List<List<String>> rows) throws IOException {
        StringWriter text = new StringWriter();
        try (CsvWriter writer =
                CsvWriter.builder().lineDelimiter(LineDelimiter.LF).build(text)) {
            rows.forEach(writer::writeRecord);
        }
        Files.writeString(path.resolve(file), text.toString(), StandardOpenOption.APPEND);
    }

    private <T> List<T> read(String file, Function<NamedCsvRecord, T> row) throws IOException {
        try (CsvReader<NamedCsvRecord> reader = CsvReader.builder().ofNamedCsvRecord(path.resolve(file))) {
            return reader.stream().map(row).toList();
        }
    }
}
