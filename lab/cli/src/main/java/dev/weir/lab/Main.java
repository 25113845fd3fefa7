package dev.weir.lab;

import dev.weir.cli.shared.Mistakes;
import dev.weir.cli.shared.Stop;
import dev.weir.cli.shared.Terminal;
import dev.weir.lab.serve.ServeCommand;
import java.io.PrintWriter;
import java.util.function.Supplier;
import picocli.CommandLine;

/** {@code weir} with the commands of the laboratory, which run other pools beside Weir. */
public final class Main {
    private Main() {}

    /** Runs one command and ends the JVM with its exit code. */
    public static void main(String[] args) {
        Terminal.detect();
        System.exit(commandLine(Stop::onSignals).execute(args));
    }

    /** Runs a command as {@link #main} does, in this JVM, until it is asked to stop. */
    static int run(Supplier<Stop> stop, PrintWriter out, String... args) {
        return commandLine(stop).setOut(out).setErr(out).execute(args);
    }

    private static CommandLine commandLine(Supplier<Stop> stop) {
        CommandLine line = dev.weir.cli.Main.commandLine(stop)
                .addSubcommand(LabCommand.commandLine(stop))
                .addSubcommand(new ServeCommand(stop));
        return Mistakes.inOneLine(line.setUsageHelpWidth(dev.weir.cli.Main.USAGE_WIDTH));
    }
}
