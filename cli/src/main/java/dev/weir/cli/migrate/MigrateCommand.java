package dev.weir.cli.migrate;

import com.github.difflib.DiffUtils;
import com.github.difflib.UnifiedDiffUtils;
import dev.weir.cli.shared.Version;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
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
            "FILE is a properties file of the pool's own names; a YAML or properties file of Spring Boot (spring.datasource.hikari.*,"
                    + " .tomcat.*, .dbcp2.*; documents for profiles stay what they are), Dropwizard, Micronaut or Quarkus, or one with"
                    + " hibernate.hikari.* or hibernate.c3p0.*; persistence.xml; Tomcat's context.xml; c3p0-config.xml.",
            "Printed are the pool's own keys; what stands beside them, and comments, are not: --diff and --in-place keep them.",
            "The configuration goes to the standard output, passwords in it as they are in the file; the notes go to the"
                    + " standard error. Exit code 1: a value is wrong, or there is nothing to translate; 2: wrong use;"
                    + " 3 with --strict: something is not taken over."
        },
        footerHeading = "%nExamples:%n",
        footer = {
            "  ./weir migrate src/main/resources/application.yml",
            "  ./weir migrate hikari.properties > weir.properties",
            "  ./weir migrate --diff src/main/resources/application.yml",
            "  ./weir migrate --strict --in-place src/main/resources/application.yml",
            "  ./weir migrate META-INF/context.xml",
            "  ./weir migrate --from c3p0 c3p0.properties"
        })
public final class MigrateCommand implements Callable<Integer> {
    private static final List<String> POOLS = pools();
    private static final int NOT_ALL = 3;

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
            description =
                    "Whose names a properties file without Spring's has, and which pool Micronaut's are: hikari, tomcat, dbcp2,"
                            + " c3p0 (default: ${DEFAULT-VALUE}).")
    private String from = Translation.HIKARI;

    @Option(
            names = "--diff",
            description = "Print what --in-place would change, as a unified diff, and change nothing.")
    private boolean diff;

    @Option(
            names = "--in-place",
            description =
                    "Exchange the pool's lines in FILE itself; all others, and comments, stay. Not for XML and Quarkus.")
    private boolean inPlace;

    @Option(names = "--strict", description = "Exit code 3, and no file changed, if something is not taken over.")
    private boolean strict;

    /** The command, as a subcommand of weir. */
    public MigrateCommand() {}

    private static List<String> pools() {
        List<String> pools = new ArrayList<>(List.of(Translation.HIKARI));
        Stream.of(ForeignPool.TOMCAT, ForeignPool.DBCP2, ForeignPool.C3P0)
                .map(ForeignPool::key)
                .forEach(pools::add);
        return pools;
    }

    @Override
    public Integer call() {
        PrintWriter err = spec.commandLine().getErr();
        if (!POOLS.contains(from)) {
            throw new ParameterException(
                    spec.commandLine(), "--from: " + from + " (expected: " + String.join(", ", POOLS) + ")");
        }
        try {
            return file.toString().toLowerCase(Locale.ROOT).endsWith(".xml")
                    ? translateXml(XmlFile.read(file))
                    : translate(ConfigFile.read(file));
        } catch (IOException e) {
            err.println("migrate: cannot read " + e.getMessage());
            return ExitCode.SOFTWARE;
        }
    }

    private int translateXml(XmlFile xml) {
        Migration migration = new Migration();
        migration.dropped.addAll(xml.notTaken());
        xml.pools().forEach(pool -> migration.add(pool.name(), pool.pool(), pool.properties()));
        xml.units().forEach((name, properties) -> migration.addUnit(name, properties, from));
        if (migration.documents.isEmpty()) {
            return nothing("no <Resource> of a pool, no c3p0-config, and no persistence unit with a pool");
        }
        if (diff || inPlace) {
            return notEdited(file + " is XML");
        }
        PrintWriter out = spec.commandLine().getOut();
        for (Migration.Document document : migration.documents) {
            if (xml.resources()) {
                out.print(Writer.asResource(document.title(), document.values()));
            } else if (!xml.units().isEmpty()) {
                out.println("<!-- " + document.title() + " -->");
                out.print(Writer.asElements(document.values()));
            } else {
                out.println("# " + document.title());
                out.print(Writer.asProperties(document.values()));
            }
        }
        out.flush();
        return told(migration);
    }

    private int translate(ConfigFile config) throws IOException {
        boolean prefixed = config.yaml() || Migration.isPrefixed(config, from);
        String pool = !prefixed && Migration.isC3p0s(config) ? ForeignPool.C3P0.key() : from;
        Migration migration = prefixed ? Migration.ofPrefixed(config, pool) : Migration.ofPlain(pool, config);
        if (migration.documents.isEmpty()) {
            return nothing(
                    "no key with .hikari., .tomcat., .dbcp2. or .c3p0. in it, none of Dropwizard's, Micronaut's or Quarkus's"
                            + (config.yaml()
                                    ? ""
                                    : ", and no property of " + from + " (--from says whose names they are)"));
        }
        if (!diff && !inPlace) {
            write(spec.commandLine().getOut(), config.yaml(), migration.documents);
            return told(migration);
        }
        if (migration.documents.stream().anyMatch(document -> !document.title().isEmpty())) {
            return notEdited("Weir has no place in a file of Quarkus's");
        }
        Edit edit = new Edit(
                file,
                config,
                migration,
                (key, document) ->
                        prefixed ? Migration.isReplaced(key, document, pool) : Migration.isReplacedPlain(pool, key),
                (key, document) -> prefixed ? Migration.owner(key, document, pool) : Migration.ownerPlain(pool, key));
        List<String> after = edit.after();
        if (after == null) {
            return notEdited("the pool's lines in " + file + " stand too closely between others");
        }
        if (diff) {
            PrintWriter out = spec.commandLine().getOut();
            String shown = file.toString().replaceFirst("^/", "");
            UnifiedDiffUtils.generateUnifiedDiff(
                            "a/" + shown, "b/" + shown, edit.before(), DiffUtils.diff(edit.before(), after), 3)
                    .forEach(out::println);
            out.flush();
        }
        int code = told(migration);
        if (inPlace && code == ExitCode.OK) {
            edit.write(file, after);
            spec.commandLine().getErr().println("migrate: " + file + " is changed");
        } else if (inPlace) {
            spec.commandLine().getErr().println("migrate: " + file + " is as it was");
        }
        return code;
    }

    private int nothing(String why) {
        spec.commandLine().getErr().println("migrate: " + file + " configures no pool: " + why);
        return ExitCode.SOFTWARE;
    }

    private int notEdited(String why) {
        spec.commandLine()
                .getErr()
                .println("migrate: cannot edit: " + why + "; without --diff and --in-place the result is printed");
        return ExitCode.SOFTWARE;
    }

    private int told(Migration migration) {
        PrintWriter err = spec.commandLine().getErr();
        section(err, "Wrong:", migration.faults);
        section(err, "Not taken over:", migration.dropped);
        section(err, "To know:", migration.notes);
        err.flush();
        if (!migration.faults.isEmpty()) {
            return ExitCode.SOFTWARE;
        }
        return strict && !migration.dropped.isEmpty() ? NOT_ALL : ExitCode.OK;
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
            boolean own = !document.title().isEmpty(); // of Weir's own names, whatever the file is
            if (own) {
                out.println("# " + document.title());
            }
            out.print(yaml && !own ? Writer.asYaml(values) : Writer.asProperties(values));
            if (i.hasNext()) {
                out.println(own ? "" : yaml ? "---" : "#---");
            }
        }
        out.flush();
    }
}
