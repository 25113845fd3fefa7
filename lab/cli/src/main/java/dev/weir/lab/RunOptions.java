package dev.weir.lab;

import dev.weir.lab.contender.Profile;
import dev.weir.lab.workload.RunRequest;
import dev.weir.lab.workload.Settings;
import dev.weir.lab.workload.Workload;
import java.io.File;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.ThreadLocalRandom;
import java.util.regex.Pattern;
import java.util.regex.PatternSyntaxException;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The options of every workload. */
final class RunOptions {
    @Option(names = "--quick", description = "Short rounds and one of them: for a look, not for publishing.")
    boolean quick;

    @Option(
            names = "--pools",
            paramLabel = "NAME,...",
            description = "Which pools, with parameters in brackets, as c3p0[helperThreads=10].")
    @Nullable
    String pools;

    @Option(
            names = "--pool",
            paramLabel = "NAME=CLASS?PROPERTY=VALUE&...",
            description = "Adds any DataSource class. In values {url}, {user}, {password}, {minimum}, {maximum} and"
                    + " {timeout} (ms) stand for what the workload asks for.")
    List<String> added = new ArrayList<>();

    @Option(names = "--classpath", paramLabel = "PATH", description = "Where the classes of --pool are.")
    String classPath = "";

    @Option(
            names = "--profile",
            paramLabel = "equal|defaults",
            description =
                    "equal: as safe as the pool can be told to be, and the default where the workload can have it;"
                            + " defaults: with its own default settings.")
    @Nullable
    String profile;

    @Option(names = "--rounds", paramLabel = "N", description = "How often each cell is run, 1..100.")
    @Nullable
    Integer rounds;

    @Option(
            names = "--order",
            paramLabel = "SEED",
            description = "Draws the order in which pools take turns (default: another each time).")
    long order = ThreadLocalRandom.current().nextInt(1_000_000);

    @Option(
            names = "--only",
            paramLabel = "REGEX",
            description = "Only the cases whose name contains this regular expression.")
    String only = "";

    @Option(names = "--in-process", description = "Stay in one JVM: to see that it works, not to measure.")
    boolean inProcess;

    @Option(names = "--yes", description = "Do not ask whether to begin.")
    boolean yes;

    @Option(
            names = "--results",
            paramLabel = "FOLDER",
            description = "Where runs are kept (default: lab/results of the project).")
    Path results = LabCommand.results();

    /**
     * Returns what these options ask for.
     *
     * @param given the settings of the workload that were given
     * @param command the command line that repeats the run; where it is kept is of this machine, and left out
     * @throws IllegalArgumentException if one of them is wrong
     */
    RunRequest request(Workload workload, Map<String, String> given, String command) {
        return request(workload, given, workload.pools(), workload.rounds(quick), command);
    }

    /**
     * The same, with other pools and rounds where these options name none.
     *
     * @throws IllegalArgumentException if one of them is wrong
     */
    RunRequest request(
            Workload workload, Map<String, String> given, List<String> usualPools, int usualRounds, String command) {
        return new RunRequest(
                workload,
                Settings.of(workload.settings(), quick, given),
                pools(usualPools),
                classPath(),
                profile(workload),
                rounds(usualRounds),
                order,
                only(),
                command.replaceAll(" --results[= ]('[^']*'|\\S+)", ""),
                results);
    }

    private List<String> pools(List<String> defaults) {
        List<String> all = new ArrayList<>(pools == null ? defaults : Arrays.asList(pools.split(",")));
        all.addAll(added);
        return all;
    }

    private List<String> classPath() {
        return Arrays.stream(classPath.split(File.pathSeparator, -1))
                .filter(entry -> !entry.isBlank())
                .map(entry -> Path.of(entry).toAbsolutePath().toString())
                .toList();
    }

    private Profile profile(Workload workload) {
        List<Profile> profiles = workload.profiles();
        if (profile == null) {
            return profiles.get(0);
        }
        return profiles.stream()
                .filter(one -> one.label().equals(profile.toLowerCase(Locale.ROOT)))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("--profile: %s (expected: %s)"
                        .formatted(
                                profile, profiles.stream().map(Profile::label).collect(Collectors.joining(" or ")))));
    }

    private int rounds(int usual) {
        if (rounds == null) {
            return usual;
        }
        if (rounds < 1 || rounds > 100) {
            throw new IllegalArgumentException("--rounds: " + rounds + " (expected: 1..100)");
        }
        return rounds;
    }

    private Pattern only() {
        try {
            return Pattern.compile(only, Pattern.CASE_INSENSITIVE);
        } catch (PatternSyntaxException e) {
            throw new IllegalArgumentException(
                    "--only: " + only + " (expected: a regular expression; " + e.getDescription() + ")", e);
        }
    }

    /** Returns these options as words of a command line that repeats the run. */
    List<String> words() {
        List<String> words = new ArrayList<>();
        if (quick) {
            words.add("--quick");
        }
        if (pools != null) {
            words.addAll(List.of("--pools", pools));
        }
        added.forEach(definition -> words.addAll(List.of("--pool", definition)));
        if (!classPath.isEmpty()) {
            words.addAll(List.of("--classpath", classPath));
        }
        if (profile != null) {
            words.addAll(List.of("--profile", profile));
        }
        if (rounds != null) {
            words.addAll(List.of("--rounds", rounds.toString()));
        }
        words.addAll(List.of("--order", Long.toString(order)));
        if (!only.isEmpty()) {
            words.addAll(List.of("--only", only));
        }
        if (inProcess) {
            words.add("--in-process");
        }
        if (!results.equals(LabCommand.results())) {
            words.addAll(List.of("--results", results.toString()));
        }
        return words;
    }

    /** Returns a command line of these words, quoted where a shell needs it. */
    static String commandLine(List<String> words) {
        StringBuilder line = new StringBuilder("./weir");
        for (String word : words) {
            boolean plain = word.matches("[\\w./,:=@%+-]+");
            line.append(' ').append(plain ? word : "'" + word.replace("'", "'\\''") + "'");
        }
        return line.toString();
    }
}
