package dev.weir.lab.workload;

import dev.weir.lab.contender.Profile;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;

/**
 * A run that is asked for.
 *
 * @param workload the load
 * @param settings its settings
 * @param pools the contenders, as {@link dev.weir.lab.contender.Contenders#parse} reads them
 * @param classPath jars and folders for pools that are not the laboratory's own
 * @param profile how safe the pools are set up
 * @param rounds how often each cell is run
 * @param seed of the order in which pools take turns
 * @param only which cases, by what their names must contain
 * @param command the command line that repeats it
 * @param results the folder of all runs
 */
public record RunRequest(
        Workload workload,
        Settings settings,
        List<String> pools,
        List<String> classPath,
        Profile profile,
        int rounds,
        long seed,
        Pattern only,
        String command,
        Path results) {}
