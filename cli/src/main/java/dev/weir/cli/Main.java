package dev.weir.cli;

import dev.weir.cli.demo.DemoCommand;
import dev.weir.cli.migrate.MigrateCommand;
import dev.weir.cli.shared.Stop;
import dev.weir.cli.shared.Version;
import dev.weir.cli.tune.TuneCommand;
import java.util.function.Supplier;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code weir}: the commands of a user of the pool. Exit codes: 0 done, 1 failed, 2 wrong use, 130 stopped by Ctrl-C. */
@Command(
        name = "weir",
        mixinStandardHelpOptions = true,
        versionProvider = Version.class,
        description = "Weir, a JDBC connection pool: see it work, size it, and move to it.",
        synopsisSubcommandLabel = "COMMAND",
        footerHeading = "%nExamples:%n",
        footer = {"  ./weir demo --seconds 3", "  ./weir migrate application.yml", "  ./weir tune --help"})
public final class Main implements Runnable {
    @Spec
    @SuppressWarnings("NullAway.Init")
    private CommandSpec spec;

    private Main() {}

    /** Runs one command and ends the JVM with its exit code. */
    public static void main(String[] args) {
        System.exit(commandLine(Stop::onSignals).execute(args));
    }

    /**
     * Returns all commands, to which the laboratory adds its own.
     *
     * @param stop called by a command that can be asked to stop, when it begins
     */
    public static CommandLine commandLine(Supplier<Stop> stop) {
        CommandLine line = new CommandLine(new Main())
                .addSubcommand(new DemoCommand(stop))
                .addSubcommand(new TuneCommand())
                .addSubcommand(new MigrateCommand());
        line.setExecutionExceptionHandler((failure, command, parsed) -> {
            command.getErr().println(command.getCommandName() + " failed: " + failure);
            return CommandLine.ExitCode.SOFTWARE;
        });
        return line;
    }

    @Override
    public void run() {
        throw new ParameterException(spec.commandLine(), "Which command?");
    }
}
