package dev.weir.cli;

import dev.weir.cli.console.ConsoleCommand;
import dev.weir.cli.demo.DemoCommand;
import dev.weir.cli.explain.ExplainCommand;
import dev.weir.cli.explain.RecordCommand;
import dev.weir.cli.fleet.FleetCommand;
import dev.weir.cli.migrate.MigrateCommand;
import dev.weir.cli.shared.Mistakes;
import dev.weir.cli.shared.Stop;
import dev.weir.cli.shared.Terminal;
import dev.weir.cli.shared.Version;
import dev.weir.cli.top.TopCommand;
import dev.weir.cli.tune.TuneCommand;
import java.util.Objects;
import java.util.function.Supplier;
import picocli.AutoComplete;
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
        description = "Weir, a JDBC connection pool: see it work, size it, watch it, and move to it.",
        synopsisSubcommandLabel = "COMMAND",
        footerHeading = "%nExamples:%n",
        footer = {"  ./weir demo --time 3s", "  ./weir migrate application.yml", "  ./weir tune --help"})
public final class Main implements Runnable {
    /** Columns of a help text. */
    public static final int USAGE_WIDTH = 100;

    @Spec
    @SuppressWarnings("NullAway.Init")
    private CommandSpec spec;

    private Main() {}

    /** Runs one command and ends the JVM with its exit code. */
    public static void main(String[] args) {
        Terminal.detect();
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
                .addSubcommand(new MigrateCommand())
                .addSubcommand(new FleetCommand(stop))
                .addSubcommand(new TopCommand(stop))
                .addSubcommand(new ConsoleCommand(stop))
                .addSubcommand(new ExplainCommand())
                .addSubcommand(new RecordCommand(stop))
                .addSubcommand("completion", new AutoComplete.GenerateCompletion());
        CommandSpec completion =
                Objects.requireNonNull(line.getSubcommands().get("completion")).getCommandSpec();
        completion
                .usageMessage()
                .footerHeading("%nExamples:%n")
                .footer("  source <(./weir completion)", "  ./weir completion > weir.bash");
        line.setUsageHelpWidth(USAGE_WIDTH);
        line.setExecutionExceptionHandler((failure, command, parsed) -> {
            command.getErr().println(command.getCommandName() + " failed: " + failure);
            return CommandLine.ExitCode.SOFTWARE;
        });
        return Mistakes.inOneLine(line);
    }

    @Override
    public void run() {
        throw new ParameterException(
                spec.commandLine(),
                "Which command? (expected: demo, tune, migrate, fleet, top, console, explain, record or completion)");
    }
}
