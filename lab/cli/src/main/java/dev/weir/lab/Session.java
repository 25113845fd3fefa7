package dev.weir.lab;

import dev.weir.cli.shared.Stop;
import dev.weir.cli.shared.Terminal;
import dev.weir.cli.shared.Time;
import dev.weir.lab.report.ShortVerdict;
import dev.weir.lab.runs.Cell;
import dev.weir.lab.runs.Failure;
import dev.weir.lab.runs.Limit;
import dev.weir.lab.runs.Machine;
import dev.weir.lab.runs.RunFolder;
import dev.weir.lab.workload.Bench;
import dev.weir.lab.workload.RunRequest;
import dev.weir.lab.workload.RunTable;
import dev.weir.lab.workload.Runner;
import dev.weir.lab.workload.Settings;
import dev.weir.lab.workload.Workload;
import dev.weir.lab.workload.Workloads;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintWriter;
import java.nio.charset.Charset;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import picocli.CommandLine;

/** Runs planned runs in front of somebody: with progress, and a table at the end of each. */
final class Session {
    private static final Duration LONG = Duration.ofMinutes(5);

    private final PrintWriter out;
    private final Stop stop;
    private final boolean inProcess;
    private boolean cutShort;
    private boolean disturbed;

    Session(CommandLine line, Stop stop, boolean inProcess) {
        this.out = line.getOut();
        this.stop = stop;
        this.inProcess = inProcess;
        stop.answerWith(() -> say("\nStopping; what is done is kept ..."));
    }

    void say(String line) {
        out.println(line);
        out.flush();
    }

    /**
     * Says how many cells there are and about how long they take, and asks whether to begin where that is long and somebody
     * sits there.
     *
     * @param yes the answer, if it is given already
     */
    boolean agrees(List<RunRequest> requests, boolean yes) {
        int cells = 0;
        Duration about = Duration.ZERO;
        for (RunRequest request : requests) {
            List<Cell> some = Runner.cells(request);
            Duration time = Runner.about(request, some);
            if (requests.size() > 1) {
                say("  %-9s %5d cells, about %s".formatted(request.workload().name(), some.size(), Time.text(time)));
            }
            cells += some.size();
            about = about.plus(time);
        }
        if (cells == 0) {
            return true; // what is wrong is said later
        }
        String what = "%d %s, about %s".formatted(cells, cells == 1 ? "cell" : "cells", Time.text(about));
        if (yes || about.compareTo(LONG) < 0 || !Terminal.isThere()) {
            say(what + ". Ctrl-C stops; what is done is kept.");
            return true;
        }
        say(what + ". --quick, --pools and --rounds make it shorter; Ctrl-C stops, and what is done is kept.");
        return Terminal.confirms(out, new InputStreamReader(System.in, Charset.defaultCharset()), "Begin?");
    }

    /** Says what would be run, and how long each takes. */
    void list(List<RunRequest> requests) {
        int cells = 0;
        Duration about = Duration.ZERO;
        for (RunRequest request : requests) {
            List<Cell> some = Runner.cells(request);
            Duration time = Runner.about(request, some);
            say("%5d cells, about %-9s %s".formatted(some.size(), Time.text(time), request.command()));
            cells += some.size();
            about = about.plus(time);
        }
        say("%5d cells, about %s in all.".formatted(cells, Time.text(about)));
    }

    /**
     * Plans a run, and runs it.
     *
     * @param goOn the command line that goes on if this is stopped
     * @return the exit code: 0, 1 if a cell failed, or what a shell expects of a program that a signal ended
     */
    int run(RunRequest request, Function<RunFolder, String> goOn) throws IOException, InterruptedException {
        Runner.check(request);
        try (Bench bench = bench(request.workload(), request.settings(), request.pools())) {
            return run(Runner.plan(request), bench, goOn);
        }
    }

    /**
     * Runs what is left of a run.
     *
     * @param given the workload's settings that are given again
     * @param goOn the command line that goes on if this is stopped
     * @return as {@link #run}
     */
    int goOn(RunFolder folder, Map<String, String> given, Function<RunFolder, String> goOn)
            throws IOException, InterruptedException {
        Workload workload = Workloads.named(folder.info().workload());
        Settings settings = Settings.resumed(workload.settings(), folder.info().settings(), given);
        try (Bench bench = bench(workload, settings, folder.info().pools())) {
            return run(folder, bench, goOn);
        }
    }

    private Bench bench(Workload workload, Settings settings, List<String> pools) throws IOException {
        return Runner.bench(workload, settings, pools, stop, inProcess, this::say);
    }

    private int run(RunFolder folder, Bench bench, Function<RunFolder, String> goOn)
            throws IOException, InterruptedException {
        say("Run: " + folder.path());
        boolean terminal = Boolean.getBoolean("weir.progress");
        boolean whole = new Runner(stop, System.err, terminal).run(folder, bench);
        tell(folder);
        disturbed = folder.info().isDisturbed();
        if (!whole) {
            cutShort = true;
            say("Stopped on request. To go on: " + goOn.apply(folder));
            return stop.exitCode();
        }
        return folder.failures().isEmpty() ? 0 : 1;
    }

    /** Whether a run was stopped before its end. */
    boolean wasCutShort() {
        return cutShort;
    }

    /** Whether the last run shared the machine with others. */
    boolean wasDisturbed() {
        return disturbed;
    }

    private void tell(RunFolder folder) throws IOException {
        Workload workload = Workloads.named(folder.info().workload());
        List<String> shown = workload.shown();
        out.println();
        out.println(Machine.line());
        out.println(
                "Medians of the rounds; in brackets the ratio to hikari, round by round, with its 95 % interval. Profile: "
                        + folder.info().profile() + ".");
        out.println();
        out.println(RunTable.of(folder, shown));
        List<String> doubts = folder.info().doubts();
        doubts.forEach(out::println);
        for (Failure failure : folder.failures()) {
            out.println("Failed: " + failure.cell() + ": " + failure.message());
        }
        for (Limit limit : folder.limits()) {
            out.println(limit.pool() + ": " + limit.limit());
        }
        String verdict = ShortVerdict.of(folder);
        if (!verdict.isEmpty()) {
            out.println("Verdict: " + verdict);
        }
        out.println("Files: " + folder.path());
        out.println("See it: ./weir lab report " + folder.path());
        out.flush();
    }
}
