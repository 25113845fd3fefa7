package dev.weir.cli.explain;

import dev.weir.cli.explain.Findings.Finding;
import dev.weir.cli.explain.Findings.Weight;
import dev.weir.cli.shared.Version;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code weir explain}. */
@Command(
        name = "explain",
        mixinStandardHelpOptions = true,
        versionProvider = Version.class,
        sortOptions = false,
        description = {
            "Says what a flight recording tells of the pools in it, and writes it as one HTML page with pictures.",
            "The page loads nothing; it has SQL without literals."
        },
        footerHeading = "%nExamples:%n",
        footer = {"  ./weir explain weir.jfr", "  ./weir explain weir.jfr -o friday.html"})
public final class ExplainCommand implements Callable<Integer> {
    @Spec
    @SuppressWarnings("NullAway.Init")
    private CommandSpec spec;

    @Parameters(paramLabel = "FILE", description = "The flight recording, such as weir.jfr.")
    @SuppressWarnings("NullAway.Init")
    private Path file;

    @Option(
            names = {"-o", "--html"},
            paramLabel = "PAGE",
            description = "The page (default: beside the recording, with its name and .html).")
    private @Nullable Path page;

    /** For picocli. */
    public ExplainCommand() {}

    @Override
    public Integer call() {
        return explain(
                file, page, spec.commandLine().getOut(), spec.commandLine().getErr());
    }

    /** Returns the exit code. */
    static int explain(Path file, @Nullable Path page, PrintWriter out, PrintWriter err) {
        try {
            Recording recording = Recording.of(file);
            if (recording.stories().isEmpty()) {
                err.println(
                        file + ": no event of Weir. Record with its settings: ./weir record PID, or jcmd PID JFR.start"
                                + " settings=weir.jfc");
                return 1;
            }
            Path target = page == null ? beside(file) : page;
            Files.writeString(target, Page.of(recording, String.valueOf(file.getFileName())));
            for (Story story : recording.stories()) {
                print(story.pool(), Findings.of(story), out);
            }
            out.println("Page: " + target);
            out.flush();
            return 0;
        } catch (LinkageError e) {
            err.println("explaining needs the module jdk.jfr, and this runtime lacks it (" + e.getMessage() + ")");
            return 1;
        } catch (IOException e) {
            err.println(
                    e instanceof FileSystemException known
                            ? known.getFile() + ": cannot be written: "
                                    + known.getClass().getSimpleName()
                            : e.getMessage());
            return 1;
        }
    }

    private static Path beside(Path file) {
        return file.resolveSibling(String.valueOf(file.getFileName()).replaceFirst("\\.jfr$", "") + ".html");
    }

    private static void print(String pool, List<Finding> findings, PrintWriter out) {
        out.println("Pool '" + pool + "'");
        for (Finding one : findings) {
            out.println((one.weight() == Weight.TROUBLE ? "! " : "- ") + one.headline() + ". " + one.detail()
                    + (one.todo().isEmpty() ? "" : " " + one.todo()));
        }
        out.println();
    }
}
