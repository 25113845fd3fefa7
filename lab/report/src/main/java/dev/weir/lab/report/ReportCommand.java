package dev.weir.lab.report;

import dev.weir.lab.runs.RunFolder;
import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.LocalDateTime;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code weir lab report}: all pictures and tables of some runs, on one page. */
@Command(
        name = "report",
        mixinStandardHelpOptions = true,
        description = {
            "Makes one self-contained HTML page of runs, and every picture as SVG and PNG.",
            "Without folders: of the newest finished run of every workload."
        },
        footerHeading = "%nExamples:%n",
        footer = {"  ./weir lab report", "  ./weir lab report --out page lab/results/2026-01-31"})
public final class ReportCommand implements Callable<Integer> {
    @Parameters(paramLabel = "DIR", arity = "0..*", description = "Folders of runs, or folders with runs in them.")
    private List<Path> folders = List.of();

    @Option(
            names = "--out",
            paramLabel = "DIR",
            description =
                    "Where the page and the pictures go; an existing page there is replaced. Default: a new folder of"
                            + " lab/results/<date>/report.")
    private @Nullable Path out;

    @Option(
            names = "--readme",
            paramLabel = "FILE",
            description =
                    "Also writes how Weir compares into this Markdown file, between its lines '<!-- compare:begin' and"
                            + " '<!-- compare:end', and the picture of the spike into docs/images beside it. Needs finished runs of one"
                            + " quiet machine, of five rounds, as of ./weir lab published; names what is missing.")
    private @Nullable Path readme;

    @Option(
            names = "--markdown",
            paramLabel = "DIR",
            description =
                    "Also writes the tables of each run into this folder, a Markdown page for each run, and beside it a folder"
                            + " with the run's description and numbers, and the whole run compressed where it is small. Needs runs of one"
                            + " machine. A run that is not to be published is marked so on its page.")
    private @Nullable Path markdown;

    @Spec
    @SuppressWarnings("NullAway.Init")
    private CommandSpec spec;

    @Override
    public Integer call() throws IOException {
        Path root = Path.of(System.getProperty("weir.home", ""))
                .resolve("lab/results")
                .toAbsolutePath();
        List<Run> runs = new ArrayList<>();
        for (RunFolder folder : folders.isEmpty() ? newest(RunFolder.find(root)) : given()) {
            runs.add(Run.read(folder));
        }
        if (runs.isEmpty()) {
            throw new ParameterException(
                    spec.commandLine(), "no finished run in " + root + " (expected: at least one; give DIR)");
        }
        Path folder = out == null ? fresh(root) : Files.createDirectories(out.toAbsolutePath());
        Report report = new Report(runs);
        spec.commandLine().getOut().println(report.write(folder));
        if (markdown != null) {
            report.writeMarkdown(Files.createDirectories(markdown.toAbsolutePath()))
                    .forEach(spec.commandLine().getOut()::println);
        }
        if (readme != null) {
            spec.commandLine().getOut().println(Readme.write(readme.toAbsolutePath(), runs));
        }
        return 0;
    }

    private List<RunFolder> given() throws IOException {
        List<RunFolder> all = new ArrayList<>();
        for (Path folder : folders) {
            List<RunFolder> found = RunFolder.find(folder);
            if (found.isEmpty()) {
                throw new ParameterException(
                        spec.commandLine(),
                        "DIR: " + folder + " (expected: a folder of a run, or one with runs in it)");
            }
            all.addAll(found);
        }
        return all;
    }

    /** Of every workload the newest run that came to its end. */
    static List<RunFolder> newest(List<RunFolder> oldestFirst) {
        Map<String, RunFolder> newest = new LinkedHashMap<>();
        for (RunFolder folder : oldestFirst) {
            if (folder.info().ended() != null) {
                newest.put(folder.info().workload(), folder);
            }
        }
        return List.copyOf(newest.values());
    }

    private static Path fresh(Path root) throws IOException {
        LocalDateTime now = LocalDateTime.now(ZoneId.systemDefault());
        Path parent = Files.createDirectories(
                root.resolve(DateTimeFormatter.ISO_LOCAL_DATE.format(now)).resolve("report"));
        String name = DateTimeFormatter.ofPattern("HHmmss").format(now);
        for (int count = 1; ; count++) {
            try {
                return Files.createDirectory(parent.resolve(count == 1 ? name : name + "-" + count));
            } catch (FileAlreadyExistsException e) {
                // another report of the same second has it
            }
        }
    }
}
