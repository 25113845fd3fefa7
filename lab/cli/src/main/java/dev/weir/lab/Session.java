package dev.weir.lab;

import dev.weir.lab.runs.Failure;
import dev.weir.lab.runs.Limit;
import dev.weir.lab.runs.Machine;
import dev.weir.lab.runs.RunFolder;
import dev.weir.lab.workload.RunTable;
import dev.weir.lab.workload.Runner;
import dev.weir.lab.workload.Stop;
import dev.weir.lab.workload.Workload;
import dev.weir.lab.workload.Workloads;
import java.io.IOException;
import java.io.PrintWriter;
import java.util.List;
import picocli.CommandLine;

/** Runs planned runs in front of somebody: with progress, and a table at the end of each. */
final class Session {
    private final PrintWriter out;
    private final Stop stop;
    private final boolean inProcess;
    private boolean cutShort;

    Session(CommandLine line, Stop stop, boolean inProcess) {
        this.out = line.getOut();
        this.stop = stop;
        this.inProcess = inProcess;
        stop.answerWith(() -> {
            out.println();
            out.println("Stopping; what is done is kept ...");
            out.flush();
        });
    }

    /**
     * Runs what is left of a run.
     *
     * @param goOn the command line that goes on if this is stopped
     * @return the exit code: 0, 1 if a cell failed, or what a shell expects of a program that a signal ended
     */
    int run(RunFolder folder, String goOn) throws IOException, InterruptedException {
        out.println("Run: " + folder.path());
        out.flush();
        boolean terminal = Boolean.getBoolean("weir.progress");
        boolean whole = new Runner(stop, System.err, terminal, inProcess).run(folder);
        tell(folder);
        if (!whole) {
            cutShort = true;
            out.println("Stopped on request. To go on: " + goOn);
            out.flush();
            return stop.exitCode();
        }
        return folder.failures().isEmpty() ? 0 : 1;
    }

    /** Whether a run was stopped before its end. */
    boolean wasCutShort() {
        return cutShort;
    }

    private void tell(RunFolder folder) throws IOException {
        Workload workload = Workloads.named(folder.info().workload());
        List<String> shown = workload.shown();
        out.println();
        out.println(Machine.line());
        out.println("Medians of the rounds; in brackets the ratio to hikari, within each round. Profile: "
                + folder.info().profile() + ".");
        out.println();
        out.println(RunTable.of(folder, shown));
        for (Failure failure : folder.failures()) {
            out.println("Failed: " + failure.cell() + ": " + failure.message());
        }
        for (Limit limit : folder.limits()) {
            out.println(limit.pool() + ": " + limit.limit());
        }
        out.println("Files: " + folder.path());
        out.flush();
    }
}
