package dev.weir.lab.workload;

import dev.weir.lab.contender.Contenders;
import dev.weir.lab.contender.Entrant;
import dev.weir.lab.contender.PoolSpec;
import dev.weir.lab.contender.PoolUnderTest;
import dev.weir.lab.contender.Profile;
import dev.weir.lab.runs.Cell;
import dev.weir.lab.runs.ChildMain;
import dev.weir.lab.runs.Json;
import dev.weir.lab.runs.Measurement;
import dev.weir.lab.runs.RunFolder;
import dev.weir.lab.runs.RunInfo;
import dev.weir.testkit.Await;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.function.UnaryOperator;
import java.util.logging.Level;
import java.util.logging.Logger;
import java.util.stream.Stream;

/** One cell while it runs: what it is asked for, and where it tells what it measured. For one thread at a time. */
public final class CellRun {
    /** Held here, as the logging of the JDK forgets the level of a logger that nobody holds. */
    private static final Logger ROOT = Logger.getLogger("");

    private final RunFolder folder;
    private final Cell cell;
    private final Workload workload;
    private final Settings settings;
    private final Entrant entrant;
    private final boolean isForked;
    private final List<Measurement> measurements = new ArrayList<>();

    private CellRun(RunFolder folder, Cell cell, boolean isForked) {
        RunInfo info = folder.info();
        this.folder = folder;
        this.cell = cell;
        this.workload = Workloads.named(info.workload());
        this.settings = Settings.of(workload.settings(), false, info.settings());
        this.entrant = Objects.requireNonNull(
                Contenders.parseAll(info.pools(), info.classPath()).get(cell.pool()), cell.pool());
        this.isForked = isForked;
    }

    /** {@code FOLDER NUMBER RESULT}: runs that cell of the run in that folder, and writes its outcome. */
    public static void main(String[] args) throws IOException {
        ROOT.setLevel(Level.OFF);
        ChildMain.endWithParent();
        RunFolder folder = RunFolder.read(Path.of(args[0]));
        Json.write(Path.of(args[2]), run(folder, folder.info().cells().get(Integer.parseInt(args[1])), true));
        ChildMain.end(0); // in so many words: some pools leave threads behind that are no daemons
    }

    /** Runs a cell in this JVM. */
    static Outcome run(RunFolder folder, Cell cell, boolean isForked) {
        try {
            CellRun run = new CellRun(folder, cell, isForked);
            run.workload.run(run);
            return Outcome.measured(List.copyOf(run.measurements));
        } catch (Throwable e) {
            return Outcome.failed(Outcome.describe(e));
        }
    }

    public String caseName() {
        return cell.caseName();
    }

    /**
     * Returns one of these words of a setting.
     *
     * @param words the setting
     * @param caseNames the name of the case of each word
     */
    public String word(String words, UnaryOperator<String> caseNames) {
        return settings.words(words).stream()
                .filter(word -> caseNames.apply(word).equals(cell.caseName()))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("case: " + cell.caseName()));
    }

    public Entrant entrant() {
        return entrant;
    }

    public Profile profile() {
        return Profile.valueOf(folder.info().profile().toUpperCase(Locale.ROOT));
    }

    public Settings settings() {
        return settings;
    }

    /** Returns further jars and folders for pools that are not the laboratory's own. */
    public List<String> classPath() {
        return folder.info().classPath();
    }

    /** Whether this is a JVM of its own for this cell. */
    public boolean isForked() {
        return isForked;
    }

    /**
     * Opens the pool of this cell, in the profile of the run.
     *
     * @throws Exception whatever the pool throws
     */
    public PoolUnderTest open(PoolSpec spec) throws Exception {
        return entrant.open(spec, profile());
    }

    /**
     * Opens the pool of this cell and has all its connections made.
     *
     * @throws Exception whatever the pool throws
     */
    public PoolUnderTest openFilled(PoolSpec spec, int size) throws Exception {
        PoolUnderTest pool = open(spec.size(size, size));
        try {
            pool.fill(size);
            return pool;
        } catch (Exception e) {
            try (pool) {
                throw e; // with what closing throws beside it
            }
        }
    }

    /**
     * Tells a number.
     *
     * @param metric what, in lower-case words
     * @param unit {@code ns}, {@code us}, {@code ms}, {@code s}, {@code 1/s}, {@code bytes}, or empty for a count
     */
    public void measure(String metric, double value, String unit) {
        measurements.add(new Measurement(cell, metric, value, unit));
    }

    /** Tells a time in milliseconds. */
    public void millis(String metric, double nanos) {
        measure(metric, nanos / 1e6, "ms");
    }

    /** Tells a time in milliseconds. */
    public void millis(String metric, long nanos) {
        measure(metric, (double) nanos / 1e6, "ms");
    }

    /** Tells a number of things. */
    public void count(String metric, long number) {
        measure(metric, (double) number, "");
    }

    /** Returns the file of this cell among the raw data whose name ends so. */
    public Path file(String end) throws IOException {
        return RunFolder.raw(folder.path(), cell, end);
    }

    /**
     * Writes raw samples as tab-separated lines.
     *
     * @param what empty, or a dash and a word that tells these samples from others of the same cell
     * @param header the names of the columns
     */
    public void writeRaw(String what, List<String> header, Stream<String> lines) throws IOException {
        Files.write(
                file(what + ".tsv"),
                Stream.concat(Stream.of(String.join("\t", header)), lines).toList());
    }

    /** Writes how often each of these was seen. */
    public void writeErrors(Map<String, ? extends Number> errors) throws IOException {
        writeRaw(
                "-errors",
                List.of("count", "message"),
                errors.entrySet().stream()
                        .map(one -> one.getValue() + "\t" + one.getKey().replaceAll("\\s+", " ")));
    }

    /** Opens and closes connections without a pool, so that the code of the driver is compiled before it counts. */
    public void warmUpDriver(PoolSpec spec) throws Exception {
        for (int i = 0; i < settings.number(Workloads.WARM_CONNECTS); i++) {
            spec.physical().getConnection().close();
        }
    }

    /** Waits until all connections are there: the timeout may be too short for the first, which is not what is measured. */
    public static void fill(PoolUnderTest pool, int connections) {
        Await.await("all connections are there", Duration.ofSeconds(30), () -> {
            try {
                pool.fill(connections);
                return true;
            } catch (SQLException e) {
                return false;
            }
        });
    }
}
