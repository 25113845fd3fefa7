package dev.weir.lab.report;

import dev.weir.lab.runs.Machine;
import dev.weir.lab.runs.RunFolder;
import dev.weir.lab.runs.RunInfo;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** The page of a run, in its folder: {@code report.html}, the same as {@code report.md}, and {@code pictures/} as SVG and PNG. */
public final class Report {
    static final String PICTURES = "pictures";

    private Report() {}

    /**
     * Writes the page; what was there is replaced.
     *
     * @return the page
     */
    public static Path write(RunFolder folder) throws IOException {
        Results results = Results.read(folder);
        RunInfo info = folder.info();
        Page page = new Page(info.workload())
                .command(info.command())
                .text("Begun " + info.started()
                        + (info.ended() == null ? ", not finished." : ", ended " + info.ended() + "."))
                .text("Machine: " + Machine.line(info.machine()) + ".");
        info.doubts().forEach(page::text);
        page.text(Verdict.of(results)).text(Tables.legend(results)).text(Tables.terms(results));
        List<Picture> pictures = new ArrayList<>();
        boolean isContract = !RunInfo.isRepeated(info.workload());
        if (isContract) {
            page.table(Tables.kept(results));
        }
        List<Grid> grids = Grid.of(results);
        grids.forEach(grid -> pictures.addAll(grid.write(page)));
        for (String caseName : results.cases()) {
            List<Picture> own = grids.isEmpty() ? Pictures.ofCase(results, caseName) : List.of();
            page.heading(2, caseName)
                    .table(
                            isContract
                                    ? Tables.checks(results, caseName)
                                    : Tables.ofCase(results, caseName, results.shown(caseName)))
                    .pictures(own);
            pictures.addAll(own);
        }
        page.heading(2, "Besides")
                .table(Tables.failures(results))
                .table(Tables.limits(results))
                .table(Tables.halves(results))
                .table(Tables.facts(info.versions()))
                .table(Tables.facts(info.settings()))
                .table(Tables.facts(info.machine()));
        Path files = Files.createDirectories(folder.path().resolve(PICTURES));
        for (Picture picture : pictures) {
            picture.write(files);
        }
        Files.writeString(folder.path().resolve("report.md"), page.markdown());
        return Files.writeString(folder.path().resolve("report.html"), page.html());
    }
}
