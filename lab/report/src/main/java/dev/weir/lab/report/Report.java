package dev.weir.lab.report;

import com.samskivert.mustache.Mustache;
import com.samskivert.mustache.Template;
import dev.weir.lab.report.Section.Row;
import dev.weir.lab.report.Section.Table;
import dev.weir.lab.report.Verdict.Loss;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.Reader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.LocalDate;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/** The page over some runs. */
final class Report {
    /** The page's file. */
    static final String PAGE = "report.html";

    /** The folder of the pictures, beside the page. */
    static final String PICTURES = "pictures";

    private final List<Run> runs;

    Report(List<Run> runs) {
        this.runs = runs.stream()
                .sorted(Comparator.comparing(run -> Chapter.of(run.info().workload())))
                .toList();
    }

    /**
     * Writes the page and the pictures.
     *
     * @return the page's file
     */
    Path write(Path folder) throws IOException {
        List<Section> sections = new ArrayList<>();
        for (Run run : runs) {
            sections.add(Sections.of(run, isOnly(run)));
        }
        Path pictures = Files.createDirectories(folder.resolve(PICTURES));
        for (Section section : sections) {
            Path own = section.isOnly() ? pictures : Files.createDirectories(pictures.resolve(section.id()));
            for (Picture picture : section.pictures()) {
                picture.write(own);
            }
        }
        Path page = folder.resolve(PAGE);
        Files.writeString(page, html(sections));
        return page;
    }

    /**
     * Writes a page for each run, with its data beside it, and one of the aims over all of them, where these runs tell of any.
     *
     * @return the pages' files
     * @throws IOException if the runs are not of one machine, which the table of aims needs
     */
    List<Path> writeMarkdown(Path folder) throws IOException {
        Publication.checkOneMachine(runs);
        List<Path> pages = new ArrayList<>();
        for (Run run : runs) {
            pages.add(Markdown.write(folder, run, Sections.of(run, isOnly(run))));
        }
        if (runs.stream().anyMatch(run -> !Aims.of(run).rows().isEmpty())) {
            pages.add(Markdown.write(folder, "aims", Aims.ofAll(runs)));
        }
        return pages;
    }

    private boolean isOnly(Run run) {
        return runs.stream()
                        .filter(other ->
                                other.info().workload().equals(run.info().workload()))
                        .count()
                == 1;
    }

    private String html(List<Section> sections) throws IOException {
        Map<String, Object> values = new HashMap<>();
        values.put("light", Picture.css(false));
        values.put("dark", Picture.css(true));
        values.put("date", LocalDate.now(ZoneId.systemDefault()).toString());
        values.put("runs", runTable());
        Table losses = lossTable();
        values.put("losses", losses);
        values.put("lost", !losses.rows().isEmpty());
        values.put("score", score());
        values.put("sections", sections);
        return template().execute(values);
    }

    private Table runTable() {
        return new Table(
                "What is in this report",
                List.of("workload", "started", "profile", "rounds", "pools", "JDK", "machine", "command"),
                runs.stream()
                        .map(run -> Row.of(
                                "",
                                run.info().workload(),
                                run.info().started() + (run.info().ended() == null ? " (not finished)" : ""),
                                run.info().profile(),
                                Integer.toString(run.rounds()),
                                String.join(
                                        ", ", run.pools().isEmpty() ? run.info().pools() : run.pools()),
                                fact(run, "jdk"),
                                fact(run, "cores") + " cores, " + fact(run, "processor") + ", " + fact(run, "os"),
                                run.info().command()))
                        .toList());
    }

    private static String fact(Run run, String name) {
        return Objects.toString(run.info().machine().get(name), "unknown");
    }

    private String score() {
        List<String> parts = new ArrayList<>();
        for (Run run : runs) {
            String score = Verdict.score(run, Chapter.of(run.info().workload()).headlines(run));
            if (!score.isEmpty()) {
                parts.add(run.info().workload() + ": " + score);
            }
        }
        return String.join(" ", parts);
    }

    private Table lossTable() {
        List<Loss> losses = new ArrayList<>();
        for (Run run : runs) {
            losses.addAll(Verdict.losses(run, Chapter.of(run.info().workload()).headlines(run)));
            losses.addAll(GridPictures.losses(run));
        }
        return new Table(
                "",
                List.of("workload", "case", "metric", "best", "its value", "Weir", "difference", "95 % interval"),
                losses.stream()
                        .map(loss -> Row.of(
                                "",
                                loss.workload(),
                                loss.caseName(),
                                loss.metric(),
                                loss.best(),
                                loss.bestValue(),
                                loss.ourValue(),
                                difference(loss.factor()),
                                loss.interval()))
                        .toList());
    }

    private static String difference(double factor) {
        if (Double.isNaN(factor)) {
            return "no number";
        }
        return Double.isInfinite(factor) ? "the other has 0" : Quantity.ratio(factor) + " times";
    }

    private static Template template() throws IOException {
        try (Reader reader = resource("report")) {
            return Mustache.compiler()
                    .emptyStringIsFalse(true)
                    .withLoader(Report::resource)
                    .compile(reader);
        }
    }

    private static Reader resource(String name) {
        String file = name + ".mustache";
        return new InputStreamReader(
                Objects.requireNonNull(Report.class.getResourceAsStream(file), file), StandardCharsets.UTF_8);
    }
}
