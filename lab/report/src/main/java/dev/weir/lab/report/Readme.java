package dev.weir.lab.report;

import dev.weir.lab.runs.Table;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** The picture and the table of the project's first page: the spike of Weir beside HikariCP. */
final class Readme {
    static final String BEGIN = "<!-- spike:begin";
    static final String END = "<!-- spike:end -->";
    static final String IMAGES = "docs/images";
    static final String PICTURE = "spike-weir-hikari";

    private static final List<String> COLUMNS = List.of(
            "done", "mean", "p99", "max", "peak connections", "connections at end", "connections later", "opened");

    private static final String LEGEND =
            "`done`: when the last thread had been served. `mean`, `p99`, `max`: how long the threads"
                    + " waited. `connections at end`: when the last thread had been served; `later`: some seconds after that.";

    private Readme() {}

    /**
     * Replaces what stands between the marks of a file.
     *
     * @return what was written where, for the user
     * @throws IOException if the marks or the samples of both pools are not there
     */
    static String write(Path file, List<Run> runs) throws IOException {
        Run spike = runs.stream()
                .filter(run -> Chapter.of(run.info().workload()) == Chapter.SPIKE)
                .findFirst()
                .orElseThrow(() -> new IOException("no run of spike (expected: one, for " + file + ")"));
        String text = Files.readString(file);
        int begin = text.indexOf('\n', Math.max(0, text.indexOf(BEGIN))) + 1;
        int end = text.indexOf(END);
        if (!text.contains(BEGIN) || end < begin) {
            throw new IOException("%s (expected: lines '%s ...-->' and '%s')".formatted(file, BEGIN, END));
        }
        String caseName = spike.cases().stream()
                .filter(name ->
                        SpikePictures.samples(spike, name).keySet().containsAll(List.of(Run.OURS, Run.REFERENCE)))
                .findFirst()
                .orElseThrow(() -> new IOException("no samples of both %s and %s in %s"
                        .formatted(Run.OURS, Run.REFERENCE, spike.folder().path())));
        Map<String, Samples> samples = SpikePictures.samples(spike, caseName);
        Path images = Files.createDirectories(file.toAbsolutePath().resolveSibling(IMAGES));
        SpikePictures.sideBySide(PICTURE, samples, Run.OURS, Run.REFERENCE).write(images);
        Files.writeString(file, text.substring(0, begin) + block(spike, caseName) + text.substring(end));
        return file + ", " + images.resolve(PICTURE + ".svg") + ", " + images.resolve(PICTURE + ".png");
    }

    private static String block(Run run, String caseName) {
        String command = run.info().command();
        return """

                %s

                %s. %s

                ![Threads waiting and connections over time, Weir beside HikariCP](%s/%s.svg)

                %s
                %s

                One run, %s; JDK %s, %s cores. Repeat: `%s`.

                """.formatted(
                        Chapter.SPIKE.description(),
                        caseName,
                        Verdict.sentence(run, caseName, headlines(run, caseName).get(0)),
                        IMAGES,
                        PICTURE,
                        table(run, caseName),
                        LEGEND,
                        run.info()
                                .started()
                                .substring(0, Math.min(10, run.info().started().length())),
                        run.info().machine().getOrDefault("jdk", "unknown"),
                        run.info().machine().getOrDefault("cores", "unknown"),
                        command);
    }

    private static List<String> headlines(Run run, String caseName) {
        return Chapter.SPIKE.headlines(run, caseName);
    }

    private static Table table(Run run, String caseName) {
        List<String> metrics =
                COLUMNS.stream().filter(run.metrics(caseName)::contains).toList();
        List<String> header = new ArrayList<>(List.of("pool"));
        metrics.forEach(metric -> header.add(metric.equals("connections later") ? "later" : metric));
        Table table = new Table(header.toArray(String[]::new));
        for (String pool : run.ranking(caseName, headlines(run, caseName).get(0))) {
            List<String> cells = new ArrayList<>(List.of(pool));
            metrics.forEach(metric -> cells.add(Verdict.value(run, caseName, pool, metric)));
            table.row(cells);
        }
        return table;
    }
}
