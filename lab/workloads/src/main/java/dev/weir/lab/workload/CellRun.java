package dev.weir.lab.workload;

import dev.weir.lab.contender.Entrant;
import dev.weir.lab.contender.PoolSpec;
import dev.weir.lab.contender.PoolUnderTest;
import dev.weir.lab.contender.Profile;
import dev.weir.lab.runs.Cell;
import dev.weir.lab.runs.Measurement;
import dev.weir.lab.runs.RunFolder;
import java.io.BufferedWriter;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/** One cell while it runs: what it is asked for, and where it tells what it measured. For one thread at a time. */
public final class CellRun {
    private final Cell cell;
    private final Entrant entrant;
    private final Profile profile;
    private final Settings settings;
    private final List<String> classPath;
    private final Path folder;
    private final boolean forked;
    private final List<Measurement> measurements = new ArrayList<>();

    CellRun(
            Cell cell,
            Entrant entrant,
            Profile profile,
            Settings settings,
            List<String> classPath,
            Path folder,
            boolean forked) {
        this.cell = cell;
        this.entrant = entrant;
        this.profile = profile;
        this.settings = settings;
        this.classPath = List.copyOf(classPath);
        this.folder = folder;
        this.forked = forked;
    }

    public Cell cell() {
        return cell;
    }

    public String caseName() {
        return cell.caseName();
    }

    public Entrant entrant() {
        return entrant;
    }

    public Profile profile() {
        return profile;
    }

    public Settings settings() {
        return settings;
    }

    /** Returns further jars and folders for pools that are not the laboratory's own. */
    public List<String> classPath() {
        return classPath;
    }

    /** Whether this is a JVM of its own for this cell, or stays inside the one that was started. */
    public boolean isForked() {
        return forked;
    }

    /**
     * Opens the pool of this cell, in the profile of the run.
     *
     * @throws Exception whatever the pool throws
     */
    public PoolUnderTest open(PoolSpec.Builder spec) throws Exception {
        return entrant.open(spec, profile);
    }

    /**
     * Opens the pool of this cell and has all its connections made.
     *
     * @throws Exception whatever the pool throws
     */
    public PoolUnderTest openFilled(PoolSpec.Builder spec, int size) throws Exception {
        PoolUnderTest pool = open(spec.size(size, size));
        try {
            pool.fill(size);
            return pool;
        } catch (Exception e) {
            pool.close();
            throw e;
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

    /** Tells a number of things. */
    public void count(String metric, long number) {
        measure(metric, (double) number, "");
    }

    List<Measurement> measurements() {
        return List.copyOf(measurements);
    }

    /** Returns the file in which what JMH itself writes of this cell is kept. */
    public Path jmhFile() throws IOException {
        return RunFolder.jmh(folder, cell);
    }

    /**
     * Writes raw samples as tab-separated lines.
     *
     * @param what empty, or a word that tells these samples from others of the same cell
     * @param header the names of the columns
     */
    public void writeRaw(String what, List<String> header, Stream<String> lines) throws IOException {
        Path file = RunFolder.raw(folder, cell, what);
        try (BufferedWriter out = Files.newBufferedWriter(file)) {
            out.write(String.join("\t", header));
            out.write('\n');
            lines.forEach(line -> {
                try {
                    out.write(line);
                    out.write('\n');
                } catch (IOException e) {
                    throw new UncheckedIOException(e);
                }
            });
        }
    }
}
