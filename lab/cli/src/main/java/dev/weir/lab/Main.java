package dev.weir.lab;

import dev.weir.lab.demo.DemoCommand;
import dev.weir.lab.migrate.MigrateCommand;
import dev.weir.lab.serve.ServeCommand;
import dev.weir.lab.workload.Stop;
import java.io.PrintWriter;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;
import java.util.stream.Stream;
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

    /** What these commands were called before, which stays understood. */
    private static final Map<String, List<String>> FORMER_NAMES =
            Map.of("bench", List.of("lab", "cycle"), "waits", List.of("lab", "fair"));

    private Main() {}

    public static void main(String[] args) {
        System.exit(commandLine(Stop::onSignals).execute(renamed(args)));
    }

    /** Runs a command as {@link #main} does, in this JVM, without taking its signals. */
    static int run(PrintWriter out, String... args) {
        return run(Stop::new, out, args);
    }

    /** The same, and stops when it is asked to. */
    static int run(Supplier<Stop> stop, PrintWriter out, String... args) {
        return commandLine(stop).setOut(out).setErr(out).execute(renamed(args));
    }

    private static String[] renamed(String... args) {
        if (args.length == 0 || !FORMER_NAMES.containsKey(args[0])) {
            return args;
        }
        return Stream.concat(
                        FORMER_NAMES.getOrDefault(args[0], List.of()).stream(),
                        Arrays.stream(args).skip(1))
                .toArray(String[]::new);
    }

    private static CommandLine commandLine(Supplier<Stop> stop) {
        CommandLine line = new CommandLine(new Main())
                .addSubcommand(new DemoCommand(stop))
                .addSubcommand(new ServeCommand(stop))
                .addSubcommand(LabCommand.commandLine(stop))
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
