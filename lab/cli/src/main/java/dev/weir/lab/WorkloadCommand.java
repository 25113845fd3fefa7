package dev.weir.lab;

import dev.weir.cli.shared.Credentials;
import dev.weir.cli.shared.Stop;
import dev.weir.cli.shared.Version;
import dev.weir.lab.runs.RunFolder;
import dev.weir.lab.workload.RunRequest;
import dev.weir.lab.workload.Setting;
import dev.weir.lab.workload.Workload;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code weir lab WORKLOAD}: the options of every workload, and one for each of its own settings. */
@Command(mixinStandardHelpOptions = true, sortOptions = false, versionProvider = Version.class)
final class WorkloadCommand implements Callable<Integer> {
    private final Workload workload;
    private final Supplier<Stop> stop;

    @Spec
    @SuppressWarnings("NullAway.Init")
    private CommandSpec spec;

    @Mixin
    private final RunOptions options = new RunOptions();

    @Option(
            names = "--resume",
            paramLabel = "FOLDER",
            arity = "0..1",
            fallbackValue = "",
            description = "Go on with an unfinished run (default: the newest of this workload); its own options count.")
    private @Nullable String resume;

    private WorkloadCommand(Workload workload, Supplier<Stop> stop) {
        this.workload = workload;
        this.stop = stop;
    }

    static CommandSpec spec(Workload workload, Supplier<Stop> stop) {
        CommandSpec spec = CommandSpec.forAnnotatedObject(new WorkloadCommand(workload, stop));
        spec.usageMessage().description(workload.description(), "Pools: " + String.join(", ", workload.pools()) + ".");
        String pools = workload.pools().contains("hikari") ? " --pools weir,hikari" : "";
        spec.usageMessage()
                .footerHeading("%nExamples:%n")
                .footer(
                        "  ./weir lab " + workload.name() + " --quick" + pools,
                        "  ./weir lab " + workload.name() + " --rounds 2" + pools,
                        "  ./weir lab " + workload.name() + " --resume");
        for (Setting setting : workload.settings()) {
            boolean isSecret = setting.kind() == Setting.Kind.SECRET;
            spec.addOption(OptionSpec.builder("--" + setting.name())
                    .paramLabel(label(setting))
                    .type(String.class)
                    .interactive(isSecret)
                    .arity(isSecret ? "0..1" : "1")
                    .description(setting.help())
                    .build());
        }
        return spec;
    }

    private static String label(Setting setting) {
        String one =
                setting.kind() == Setting.Kind.NUMBER ? "N" : setting.kind().toString();
        return setting.list() ? one + ",..." : one;
    }

    @Override
    public Integer call() throws IOException, InterruptedException {
        Session session = new Session(spec.commandLine(), stop.get(), options.inProcess);
        try {
            if (resume == null) {
                RunRequest request = options.request(workload, given(), command());
                return session.agrees(List.of(request), options.yes) ? session.run(request, this::goOn) : 0;
            }
            return session.goOn(unfinished(resume), given(), this::goOn);
        } catch (IllegalArgumentException e) {
            throw new ParameterException(spec.commandLine(), e.getMessage(), e);
        }
    }

    private String goOn(RunFolder folder) {
        String line = RunOptions.commandLine(
                List.of("lab", workload.name(), "--resume", folder.path().toString()));
        Map<String, String> given = given();
        String again = workload.settings().stream()
                .filter(setting -> !setting.isKept() && given.containsKey(setting.name()))
                .map(setting -> "--" + setting.name())
                .collect(Collectors.joining(", "));
        return again.isEmpty() ? line : line + " (and again " + again + ")";
    }

    private Map<String, String> given() {
        Map<String, String> given = new LinkedHashMap<>();
        for (Setting setting : workload.settings()) {
            String value = spec.commandLine().getParseResult().matchedOptionValue("--" + setting.name(), null);
            if (value != null) {
                given.put(setting.name(), value);
            } else if (setting.kind() == Setting.Kind.SECRET && given.containsKey("url")) {
                String secret = System.getenv(Credentials.PASSWORD);
                if (secret != null) {
                    given.put(setting.name(), secret);
                }
            }
        }
        return given;
    }

    private RunFolder unfinished(String folder) throws IOException {
        if (folder.isEmpty()) {
            return RunFolder.newestUnfinished(options.results, workload.name())
                    .orElseThrow(() -> new IllegalArgumentException(
                            "--resume: no unfinished run of %s in %s".formatted(workload.name(), options.results)));
        }
        try {
            Path path = Path.of(folder);
            String found = RunFolder.read(path).info().workload();
            if (!found.equals(workload.name())) {
                throw new IllegalArgumentException(
                        "--resume: %s is a run of %s (expected: %s)".formatted(folder, found, workload.name()));
            }
            return RunFolder.open(path);
        } catch (IOException e) {
            throw new IllegalArgumentException("--resume: " + e.getMessage(), e);
        }
    }

    /** The command line that repeats this run: the arguments as they were given, but for the secrets; and the order drawn. */
    private String command() {
        Map<String, String> given = given();
        List<String> words =
                new ArrayList<>(spec.root().commandLine().getParseResult().originalArgs());
        for (Setting setting : workload.settings()) {
            String value = given.get(setting.name());
            if (value != null && setting.kind() == Setting.Kind.SECRET) {
                withoutSecret(words, "--" + setting.name(), value);
            } else if (value != null) {
                words.replaceAll(word -> setting.hideIn(word, value));
            }
        }
        if (!spec.commandLine().getParseResult().hasMatchedOption("--order")) {
            words.addAll(List.of("--order", Long.toString(options.order)));
        }
        return RunOptions.commandLine(words);
    }

    /** A secret may begin as an option does; where it is not among the words it was asked for. */
    private static void withoutSecret(List<String> words, String option, String secret) {
        words.replaceAll(word -> word.startsWith(option + "=") ? option : word);
        int next = words.indexOf(option) + 1;
        if (next > 0 && next < words.size() && words.get(next).equals(secret)) {
            words.remove(next);
        }
    }
}
