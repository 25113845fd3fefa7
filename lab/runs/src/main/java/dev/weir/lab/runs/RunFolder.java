package dev.weir.lab.runs;

import de.siegmar.fastcsv.reader.CsvReader;
import de.siegmar.fastcsv.reader.NamedCsvRecord;
import de.siegmar.fastcsv.writer.CsvWriter;
import de.siegmar.fastcsv.writer.LineDelimiter;
import java.io.IOException;
import java.io.StringWriter;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.time.LocalDateTime;
import java.time.OffsetDateTime;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.function.Predicate;

/**
 * The folder of one run, {@code <root>/<yyyy-MM-dd>/<workload>/<HHmmss>}. It is never overwritten: a cell is appended when
 * it is done, in one write, so that whatever ends the program leaves what was done, and a later one can go on. One
 * process at a time writes it: the one that made it, or goes on with it, until the run is finished or the process ends. Not
 * thread-safe.
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
        Path path = fresh(parent, DateTimeFormatter.ofPattern("HHmmss").format(now));
        RunFolder folder = new RunFolder(path, info);
        UnderWay.take(path);
        Files.writeString(path.resolve(MEASUREMENTS), "round,case,pool,metric,value,unit\n");
        Files.writeString(path.resolve(FAILURES), "round,case,pool,message\n");
        Files.writeString(
                path.resolve(LIMITS),
                "pool,limit\n"
                        + rows(limits.stream()
                                .map(limit -> List.of(limit.pool(), limit.limit()))
                                .toList()));
        Json.write(path.resolve(INFO), info);
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

    /**
     * Opens the folder of a run to go on with it.
     *
     * @throws IOException if it is not one, or the run is finished, or under way in another process
     */
    public static RunFolder open(Path path) throws IOException {
        requireUnfinished(read(path));
        RunFolder folder = take(path).orElseThrow(() -> new IOException(path + " is under way"));
        requireUnfinished(folder);
        return folder;
    }

    /** The run as this process has it now, which is given back if another has finished it meanwhile; empty if another has it. */
    private static Optional<RunFolder> take(Path path) throws IOException {
        if (!UnderWay.take(path)) {
            return Optional.empty();
        }
        RunFolder folder = read(path);
        if (folder.info.ended() != null) {
            UnderWay.leave(path);
        }
        return Optional.of(folder);
    }

    private static void requireUnfinished(RunFolder folder) throws IOException {
        if (folder.info.ended() != null) {
            throw new IOException(folder.path + " is finished since " + folder.info.ended());
        }
    }

    /**
     * Opens the folder of a run to look at it; the run may be under way in another process.
     *
     * @throws IOException if it is not one
     */
    public static RunFolder read(Path path) throws IOException {
        if (!Files.isRegularFile(path.resolve(INFO))) {
            throw new IOException(path + " (expected: the folder of a run, with " + INFO + ")");
        }
        return new RunFolder(path, Json.read(path.resolve(INFO), RunInfo.class));
    }

    /** Returns the runs in and below a folder, oldest first. */
    public static List<RunFolder> find(Path root) throws IOException {
        if (!Files.isDirectory(root)) {
            return List.of();
        }
        List<RunFolder> found = new ArrayList<>();
        Files.walkFileTree(root, Set.of(), DEPTH, new SimpleFileVisitor<>() {
            @Override
            public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) throws IOException {
                if (file.getFileName().toString().equals(INFO)) {
                    found.add(read(file.resolveSibling("").toAbsolutePath().normalize()));
                }
                return FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult visitFileFailed(Path file, IOException e) throws IOException {
                if (e instanceof NoSuchFileException) {
                    // A run that is under way replaced or removed it just now; the file of a run itself always stands.
                    return FileVisitResult.CONTINUE;
                }
                throw e;
            }
        });
        found.sort(Comparator.comparing((RunFolder folder) -> OffsetDateTime.parse(folder.info.started()))
                .thenComparing(RunFolder::path));
        return found;
    }

    /** Returns the newest run of a workload that did not come to its end, to go on with it. */
    public static Optional<RunFolder> newestUnfinished(Path root, String workload) throws IOException {
        return newestUnfinished(root, run -> run.workload().equals(workload));
    }

    /** Returns the newest of these runs that did not come to its end and is not under way, to go on with it. */
    public static Optional<RunFolder> newestUnfinished(Path root, Predicate<RunInfo> which) throws IOException {
        List<RunFolder> newestFirst = new ArrayList<>(find(root));
        Collections.reverse(newestFirst);
        for (RunFolder found : newestFirst) {
            if (which.test(found.info) && found.info.ended() == null) {
                Optional<RunFolder> taken = take(found.path).filter(folder -> folder.info.ended() == null);
                if (taken.isPresent()) {
                    return taken;
                }
            }
        }
        return Optional.empty();
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
        UnderWay.leave(path);
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

    /** Returns the cells that need not be run again: measured, or failed. */
    public Set<Cell> done() throws IOException {
        Set<Cell> done = new HashSet<>();
        measurements().forEach(one -> done.add(one.cell()));
        failures().forEach(one -> done.add(one.cell()));
        return done;
    }

    /**
     * Returns the file for raw samples of a cell, whether it exists or not; its folder exists.
     *
     * @param run the folder of the run
     * @param what empty, or a word that tells it from others of the same cell
     */
    public static Path raw(Path run, Cell cell, String what) throws IOException {
        return file(run, cell, (what.isEmpty() ? "" : "-" + fileName(what)) + ".tsv");
    }

    /** Returns the file for what JMH itself writes of a cell: each iteration, and how it was run. */
    public static Path jmh(Path run, Cell cell) throws IOException {
        return file(run, cell, "-jmh.json");
    }

    /** Returns the file for what the JVM of a cell says. */
    public static Path log(Path run, Cell cell) throws IOException {
        return file(run, cell, ".log");
    }

    private static Path file(Path run, Cell cell, String end) throws IOException {
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
        Path table = path.resolve(file);
        try (FileChannel channel = FileChannel.open(table, StandardOpenOption.WRITE)) {
            // A process that was killed may have left half a line.
            channel.truncate(wholeLines(table).length);
            channel.position(channel.size());
            ByteBuffer bytes = ByteBuffer.wrap(rows(rows).getBytes(StandardCharsets.UTF_8));
            while (bytes.hasRemaining()) {
                channel.write(bytes);
            }
        }
    }

    private static String rows(List<List<String>> rows) throws IOException {
        StringWriter text = new StringWriter();
        try (CsvWriter writer =
                CsvWriter.builder().lineDelimiter(LineDelimiter.LF).build(text)) {
            rows.forEach(writer::writeRecord);
        }
        return text.toString();
    }

    private <T> List<T> read(String file, Function<NamedCsvRecord, T> row) throws IOException {
        String lines = new String(wholeLines(path.resolve(file)), StandardCharsets.UTF_8);
        try (CsvReader<NamedCsvRecord> reader = CsvReader.builder().ofNamedCsvRecord(lines)) {
            return reader.stream().map(row).toList();
        }
    }

    /** Returns a file without the half line that a write which is under way, or was cut short, left at its end. */
    private static byte[] wholeLines(Path file) throws IOException {
        byte[] bytes = Files.readAllBytes(file);
        int end = bytes.length;
        while (end > 0 && bytes[end - 1] != '\n') {
            end--;
        }
        return Arrays.copyOf(bytes, end);
    }
}
