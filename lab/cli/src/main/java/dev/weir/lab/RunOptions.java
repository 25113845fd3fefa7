package dev.weir.lab;

import dev.weir.lab.contender.Profile;
import dev.weir.lab.workload.Plan;
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
     * @param usualPools where these options name none
     * @param usualRounds where these options do not say how many
     * @param command the command line that repeats the run; where it is kept is of this machine, and left out
     * @throws IllegalArgumentException if one of them is wrong
     */
    Plan plan(Workload workload, Map<String, String> given, List<String> usualPools, int usualRounds, String command) {
        return new Plan(
                workload,
                Settings.of(workload.settings(), quick, given),
                pools(usualPools),
                classPath(),
                profile(workload),
                rounds(usualRounds),
                order,
                only(),
                command.replaceAll(" --results[= ]('[^']*'|\\S+)", ""));
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

    /** Returns these options as words of a command line that repeats a run of these pools and rounds. */
    List<String> words(List<String> usualPools, int usualRounds) {
        List<String> words = new ArrayList<>(quick ? List.of("--quick") : List.of());
        words.addAll(List.of("--pools", pools == null ? String.join(",", usualPools) : pools));
        added.forEach(definition -> words.addAll(List.of("--pool", definition)));
        words.addAll(classPath.isEmpty() ? List.of() : List.of("--classpath", classPath));
        words.addAll(profile == null ? List.of() : List.of("--profile", profile));
        words.addAll(List.of("--rounds", Integer.toString(rounds(usualRounds)), "--order", Long.toString(order)));
        words.addAll(only.isEmpty() ? List.of() : List.of("--only", only));
        words.addAll(inProcess ? List.of("--in-process") : List.of());
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
