package dev.weir.lab;

import dev.weir.lab.demo.DemoCommand;
import dev.weir.lab.migrate.MigrateCommand;
import dev.weir.lab.serve.ServeCommand;
import dev.weir.lab.tune.TuneCommand;
import dev.weir.lab.workload.Stop;
import java.io.PrintWriter;
import java.util.function.Supplier;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code weir}: the laboratory's commands. Exit codes: 0 done, 1 failed, 2 wrong use, 130 stopped by Ctrl-C. */
@Command(
        name = "weir",
        mixinStandardHelpOptions = true,
        version = "Weir laboratory",
        description = "Weir, a JDBC connection pool: see it work, and measure it.",
        synopsisSubcommandLabel = "COMMAND")
public final class Main implements Runnable {
    @Spec
    @SuppressWarnings("NullAway.Init")
    private CommandSpec spec;

    private Main() {}

    public static void main(String[] args) {
        System.exit(commandLine(Stop::onSignals).execute(args));
    }

    /** Runs a command as {@link #main} does, in this JVM, without taking its signals. */
    static int run(PrintWriter out, String... args) {
        return run(Stop::new, out, args);
    }

    /** The same, and stops when it is asked to. */
    static int run(Supplier<Stop> stop, PrintWriter out, String... args) {
        return commandLine(stop).setOut(out).setErr(out).execute(args);
    }

    private static CommandLine commandLine(Supplier<Stop> stop) {
        CommandLine line = new CommandLine(new Main())
                .addSubcommand(new DemoCommand(stop))
                .addSubcommand(LabCommand.commandLine(stop))
                .addSubcommand(new ServeCommand(stop))
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
