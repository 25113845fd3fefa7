package dev.weir.cli.migrate;

import dev.weir.cli.shared.Version;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.Callable;
import org.yaml.snakeyaml.DumperOptions;
import org.yaml.snakeyaml.Yaml;
import picocli.CommandLine.Command;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** {@code weir migrate}: another pool's configuration in Weir's words. */
@Command(
        name = "migrate",
        mixinStandardHelpOptions = true,
        versionProvider = Version.class,
        description = {
            "Prints another pool's configuration in Weir's words, and what to know about it.",
            "The file is a properties file of the pool's own names, or of Spring Boot's (spring.datasource.hikari.*, .tomcat.*,"
                    + " .dbcp2.*), or Spring Boot's YAML; documents for profiles stay what they are.",
            "Printed are the pool's own keys; what stands beside them, and comments, are not.",
            "The configuration goes to the standard output, passwords in it as they are in the file; the notes go to the"
                    + " standard error. Exit code 1: a value is wrong, or there is nothing to translate."
        },
        footerHeading = "%nExamples:%n",
        footer = {
            "  ./weir migrate src/main/resources/application.yml",
            "  ./weir migrate hikari.properties > weir.properties",
            "  ./weir migrate --from c3p0 c3p0.properties"
        })
public final class MigrateCommand implements Callable<Integer> {
    private static final List<String> POOLS = pools();

    @Spec
    @SuppressWarnings("NullAway.Init")
    private CommandSpec spec;

    @Parameters(
            paramLabel = "FILE",
            description = "hikari.properties, application.yml, application-prod.properties, ...")
    @SuppressWarnings("NullAway.Init")
    private Path file;

    @Option(
            names = "--from",
            paramLabel = "POOL",
            defaultValue = Translation.HIKARI,
            description = "Whose names a properties file without Spring's has: hikari, tomcat, dbcp2, c3p0"
                    + " (default: ${DEFAULT-VALUE}).")
    private String from = Translation.HIKARI;

    /** The command, as a subcommand of weir. */
    public MigrateCommand() {}

    private static List<String> pools() {
        List<String> pools = new ArrayList<>(List.of(Translation.HIKARI));
        Arrays.stream(ForeignPool.values()).map(ForeignPool::key).forEach(pools::add);
        return pools;
    }

    @Override
    public Integer call() {
        PrintWriter err = spec.commandLine().getErr();
        if (!POOLS.contains(from)) {
            throw new ParameterException(
                    spec.commandLine(), "--from: " + from + " (expected: " + String.join(", ", POOLS) + ")");
        }
        ConfigFile config;
        try {
            config = ConfigFile.read(file);
        } catch (IOException e) {
            err.println("migrate: cannot read " + e.getMessage());
            return ExitCode.SOFTWARE;
        }
        boolean prefixed = config.yaml() || Migration.isPrefixed(config);
        Migration migration = prefixed ? Migration.ofPrefixed(config) : Migration.ofPlain(from, config);
        if (migration.documents.isEmpty()) {
            err.println("migrate: " + file + " configures no pool: no key with .hikari., .tomcat. or .dbcp2. in it"
                    + (config.yaml() ? "" : ", and no property of " + from + " (--from says whose names they are)"));
            return ExitCode.SOFTWARE;
        }
        write(spec.commandLine().getOut(), config.yaml(), migration.documents);
        section(err, "Wrong:", migration.faults);
        section(err, "Not taken over:", migration.dropped);
        section(err, "To know:", migration.notes);
        err.flush();
        return migration.faults.isEmpty() ? ExitCode.OK : ExitCode.SOFTWARE;
    }

    private static void section(PrintWriter err, String title, Collection<String> lines) {
        if (!lines.isEmpty()) {
            err.println();
            err.println(title);
            lines.forEach(line -> err.println("- " + line));
        }
    }

    private static void write(PrintWriter out, boolean yaml, List<Migration.Document> documents) {
        for (Iterator<Migration.Document> i = documents.iterator(); i.hasNext(); ) {
            Migration.Document document = i.next();
            Map<String, String> values = new LinkedHashMap<>();
            values.putAll(document.condition());
            values.putAll(document.values());
            out.print(yaml ? asYaml(values) : asProperties(values));
            if (i.hasNext()) {
                out.println(yaml ? "---" : "#---");
            }
        }
        out.flush();
    }

    private static String asProperties(Map<String, String> values) {
        StringBuilder text = new StringBuilder();
        values.forEach((name, value) -> text.append(line(name, value)).append(System.lineSeparator()));
        return text.toString();
    }

    /** Escaped as Properties do it, without the date that they write before it. */
    private static String line(String name, String value) {
        Properties one = new Properties();
        one.setProperty(name, value);
        StringWriter text = new StringWriter();
        try {
            one.store(text, null);
        } catch (IOException e) {
            throw new IllegalStateException(e); // a StringWriter does not fail
        }
        return text.toString()
                .lines()
                .filter(line -> !line.startsWith("#"))
                .findFirst()
                .orElseThrow();
    }

    private static String asYaml(Map<String, String> values) {
        Map<String, Object> tree = new LinkedHashMap<>();
        values.forEach((name, value) -> {
            boolean spring = name.startsWith("spring.config.");
            int map = name.indexOf(".data-source-properties.");
            String path = spring || map < 0 ? name : name.substring(0, map + ".data-source-properties".length());
            Map<String, Object> parent = tree;
            String[] parts = path.split("\\.", -1);
            for (int i = 0; i < parts.length - (path.equals(name) ? 1 : 0); i++) {
                parent = child(parent, parts[i]);
            }
            // the driver's names may have dots in them, which are no levels
            parent.put(path.equals(name) ? parts[parts.length - 1] : name.substring(path.length() + 1), plain(value));
        });
        DumperOptions options = new DumperOptions();
        options.setDefaultFlowStyle(DumperOptions.FlowStyle.BLOCK);
        options.setSplitLines(false);
        return new Yaml(options).dump(tree);
    }

    @SuppressWarnings("unchecked") // only maps are put under names that are not the last
    private static Map<String, Object> child(Map<String, Object> parent, String name) {
        return (Map<String, Object>) parent.computeIfAbsent(name, key -> new LinkedHashMap<String, Object>());
    }

    /** Numbers and truth values without quotes. */
    private static Object plain(String value) {
        if (value.equals("true") || value.equals("false")) {
            return Boolean.valueOf(value);
        }
        return value.matches("0|[1-9]\\d{0,8}") ? (Object) Integer.valueOf(value) : value;
    }
}
