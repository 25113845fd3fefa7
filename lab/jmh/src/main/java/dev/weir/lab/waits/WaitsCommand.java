package dev.weir.lab.waits;

import dev.weir.lab.report.Json;
import dev.weir.lab.report.Machine;
import dev.weir.lab.report.Results;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.regex.Pattern;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

/** {@code weir waits}. */
@Command(
        name = "waits",
        mixinStandardHelpOptions = true,
        description = "Measures how long threads wait, and how fairly they are served, against other pools.")
public final class WaitsCommand implements Callable<Integer> {
    @Option(names = "--quick", description = "One short round: for a look, not for publishing.")
    private boolean quick;

    @Option(
            names = "--pools",
            split = ",",
            defaultValue = "weir,hikari,beecp",
            description = "Which pools (default: ${DEFAULT-VALUE}).")
    private List<String> pools = List.of();

    @Option(
            names = "--only",
            defaultValue = "",
            description = "Only the loads whose name has this regular expression, as '4 conn.*200 threads'.")
    private String only = "";

    @Override
    public Integer call() throws IOException, SQLException, InterruptedException {
        Pattern pattern = Pattern.compile(only, Pattern.CASE_INSENSITIVE);
        List<WaitsPlan.Case> cases = WaitsPlan.allCases().stream()
                .filter(what -> pattern.matcher(what.label()).find())
                .toList();
        PrintStream out = System.out;
        Path folder = Results.newFolder("waits");
        WaitsResults results =
                new Waits(quick ? WaitsPlan.quick(cases, pools) : WaitsPlan.full(cases, pools), out).run();
        Files.writeString(
                folder.resolve("waits.json"), Json.write(results.asMap("./weir waits" + (quick ? " --quick" : ""))));
        Files.writeString(folder.resolve("waits.md"), results.table());
        out.println();
        out.println(Machine.line());
        out.println("In brackets the ratio to hikari; most, least, never: completions of the thread served most and");
        out.println("least, and how many threads were not served at all.");
        out.println();
        out.println(results.table());
        out.println("Files: " + folder);
        return 0;
    }
}
