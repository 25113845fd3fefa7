package dev.weir.lab;

import dev.weir.cli.shared.Stop;
import dev.weir.cli.shared.Terminal;
import dev.weir.console.window.Times;
import dev.weir.lab.report.Results;
import dev.weir.lab.report.Tables;
import dev.weir.lab.report.Verdict;
import dev.weir.lab.runs.Machine;
import dev.weir.lab.runs.RunFolder;
import dev.weir.lab.workload.Plan;
import dev.weir.lab.workload.Runner;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintWriter;
import java.nio.charset.Charset;
import java.time.Duration;
import java.util.List;
import picocli.CommandLine;

/** Runs plans in front of somebody: with progress, and tables and a verdict at the end of each. */
final class Session {
    private static final Duration LONG = Duration.ofMinutes(5);

    private final PrintWriter out;
    private final Stop stop;
    private final RunOptions options;

    Session(CommandLine line, Stop stop, RunOptions options) {
        this.out = line.getOut();
        this.stop = stop;
        this.options = options;
        stop.answerWith(() -> say("\nStopping; what is done is kept ..."));
    }

    private void say(String line) {
        out.println(line);
        out.flush();
    }

    /** Says what would be run, and how long each takes. */
    void list(List<Plan> plans) {
        plans.forEach(plan -> say("%5d cells, about %-9s %s"
                .formatted(plan.cells().size(), Times.text(plan.about().toMillis()), plan.command())));
        say("%5d cells, about %s in all."
                .formatted(cells(plans), Times.text(about(plans).toMillis())));
    }

    private static int cells(List<Plan> plans) {
        return plans.stream().mapToInt(plan -> plan.cells().size()).sum();
    }

    private static Duration about(List<Plan> plans) {
        return plans.stream().map(Plan::about).reduce(Duration.ZERO, Duration::plus);
    }

    /**
     * Says how long it takes, asks whether to begin where that is long and somebody sits there, and runs.
     *
     * @return the exit code: 0, 1 if a cell failed, or what a shell expects of a program that a signal ended
     */
    int run(List<Plan> plans) throws IOException, InterruptedException {
        say("%d cells, about %s. --quick, --pools and --rounds make it shorter; Ctrl-C stops, and what is done is kept."
                .formatted(cells(plans), Times.text(about(plans).toMillis())));
        if (!options.yes
                && about(plans).compareTo(LONG) >= 0
                && Terminal.isThere()
                && !Terminal.confirms(out, new InputStreamReader(System.in, Charset.defaultCharset()), "Begin?")) {
            return 0;
        }
        int worst = 0;
        for (Plan plan : plans) {
            if (!stop.isRequested() || worst == 0) {
                worst = Math.max(worst, run(plan.begin(options.results)));
            }
        }
        return worst;
    }

    private int run(RunFolder folder) throws IOException, InterruptedException {
        say("Run: " + folder.path());
        boolean whole = new Runner(stop, options.inProcess, this::say).run(folder);
        Results results = Results.read(folder);
        say("\n" + Machine.line(folder.info().machine()));
        say(Tables.legend(results) + " Profile: " + folder.info().profile() + ".\n");
        say(Tables.forTerminal(results));
        folder.info().doubts().forEach(this::say);
        String verdict = Verdict.of(results);
        if (!verdict.isEmpty()) {
            say("Verdict: " + verdict);
        }
        say("Files: " + folder.path());
        if (!whole) {
            say("Stopped on request.");
            return stop.exitCode();
        }
        return folder.failures().isEmpty() ? 0 : 1;
    }
}
