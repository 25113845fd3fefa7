package dev.weir.lab.workload;

import dev.weir.lab.contender.Entrant;
import dev.weir.lab.contender.Profile;
import dev.weir.lab.runs.Cell;
import dev.weir.lab.runs.RunInfo;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** A cell as it is handed to another JVM. */
record Job(
        String workload,
        Cell cell,
        String pool,
        List<String> classPath,
        String profile,
        Map<String, String> settings,
        String folder,
        boolean forked) {

    static Job of(RunInfo info, Cell cell, Entrant entrant, Path folder, boolean forked) {
        return new Job(
                info.workload(),
                cell,
                entrant.definition(),
                info.classPath(),
                info.profile(),
                info.settings(),
                folder.toString(),
                forked);
    }

    /** Runs the cell in this JVM. */
    Outcome run() {
        try {
            Workload load = Workloads.named(workload);
            CellRun run = new CellRun(
                    cell,
                    Lineup.of(List.of(pool), classPath).all().get(0),
                    Profile.valueOf(profile.toUpperCase(Locale.ROOT)),
                    Settings.of(load.settings(), false, settings),
                    classPath,
                    Path.of(folder),
                    forked);
            load.run(run);
            return Outcome.measured(run.measurements());
        } catch (Throwable e) {
            return Outcome.failed(Failures.describe(e));
        }
    }
}
