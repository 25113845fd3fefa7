package dev.weir.lab;

import dev.weir.cli.shared.Version;
import dev.weir.lab.report.Report;
import dev.weir.lab.runs.RunFolder;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code weir lab report}: writes the pages of runs again, as each run does at its end. */
@Command(
        name = "report",
        mixinStandardHelpOptions = true,
        versionProvider = Version.class,
        description =
                "Writes the page of each run into its folder: report.html, report.md, and pictures as SVG and PNG.",
        footerHeading = "%nExamples:%n",
        footer = {
            "  ./weir lab report lab/results/2026-01-31",
            "  ./weir lab report lab/results/2026-01-31/spike/101112"
        })
final class ReportCommand implements Callable<Integer> {
    @Parameters(paramLabel = "DIR", arity = "1..*", description = "Folders of runs, or folders with runs in them.")
    private List<Path> folders = List.of();

    @Spec
    @SuppressWarnings("NullAway.Init")
    private CommandSpec spec;

    @Override
    public Integer call() throws IOException {
        for (Path path : folders) {
            List<RunFolder> found = RunFolder.find(path);
            if (found.isEmpty()) {
                throw new ParameterException(
                        spec.commandLine(), "DIR: " + path + " (expected: a folder of a run, or one with runs in it)");
            }
            for (RunFolder folder : found) {
                spec.commandLine().getOut().println(Report.write(folder));
            }
        }
        return 0;
    }
}
