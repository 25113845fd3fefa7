package dev.weir.lab.runs;

import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What a run is, and how to repeat it: {@code run.json}.
 *
 * @param workload its name
 * @param command the command line that repeats it
 * @param started when, ISO 8601 with offset
 * @param ended when, or null while it is unfinished
 * @param profile {@code equal} or {@code defaults}
 * @param machine the facts of {@link Machine}
 * @param versions the version of each pool, by label
 * @param settings the workload's settings, by name
 * @param pools the pools as they were asked for, definitions included
 * @param classPath further jars and folders for pools that are not the laboratory's own
 * @param cells what is planned, in order
 */
public record RunInfo(
        String workload,
        String command,
        String started,
        @Nullable String ended,
        String profile,
        Map<String, Object> machine,
        Map<String, String> versions,
        Map<String, String> settings,
        List<String> pools,
        List<String> classPath,
        List<Cell> cells) {

    /** Returns this, finished at a moment. */
    public RunInfo endedAt(String moment) {
        return new RunInfo(
                workload, command, started, moment, profile, machine, versions, settings, pools, classPath, cells);
    }
}
