package dev.weir.lab;

import dev.weir.cli.shared.Stop;
import dev.weir.cli.shared.Version;
import dev.weir.lab.workload.Workload;
import dev.weir.lab.workload.Workloads;
import java.nio.file.Path;
import java.util.function.Supplier;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code weir lab}: a command for each workload, one for those that are published, and one for the report. */
@Command(
        name = "lab",
        mixinStandardHelpOptions = true,
        versionProvider = Version.class,
        description = "Runs connection pools under the same load, and keeps what was measured.",
        synopsisSubcommandLabel = "WORKLOAD",
        footerHeading = "%nExamples:%n",
        footer = {"  ./weir lab spike --quick --pools weir,hikari", "  ./weir lab published --dry-run"})
final class LabCommand implements Runnable {
    @Spec
    @SuppressWarnings("NullAway.Init")
    private CommandSpec spec;

    private LabCommand() {}

    static CommandLine commandLine(Supplier<Stop> stop) {
        CommandLine line = new CommandLine(new LabCommand());
        for (Workload workload : Workloads.all()) {
            line.addSubcommand(workload.name(), WorkloadCommand.spec(workload, stop));
        }
        return line.addSubcommand(new PublishedCommand(stop)).addSubcommand(new ReportCommand());
    }

    /** The folder of all runs: of the project, or of the current folder outside of it. */
    static Path results() {
        return Path.of(System.getProperty("weir.home", ""), "lab", "results");
    }

    @Override
    public void run() {
        throw new ParameterException(spec.commandLine(), "Which workload?");
    }
}
