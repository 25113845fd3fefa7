package dev.weir.lab.grid;

import dev.weir.lab.runs.Failure;
import dev.weir.lab.runs.Machine;
import dev.weir.lab.runs.RunFolder;
import dev.weir.lab.runs.RunInfo;
import dev.weir.lab.workload.Lineup;
import dev.weir.lab.workload.Stop;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.function.Supplier;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code weir lab grid}. */
@Command(
        name = GridCommand.NAME,
        mixinStandardHelpOptions = true,
        sortOptions = false,
        description = {
            "Puts the questions service under load at each pool size and each number of server threads,",
            "in random order, with a fresh server for each cell; those of different pools are loaded in turns."
        })
public final class GridCommand implements Callable<Integer> {
    static final String NAME = "grid";

    private final Supplier<Stop> stop;
    private final Wrk wrk;

    @Spec
    @SuppressWarnings("NullAway.Init")
    private CommandSpec spec;

    @Mixin
    private final GridOptions options = new GridOptions();

    /** @param stop the wish to stop of this run */
    public GridCommand(Supplier<Stop> stop) {
        this(stop, new Wrk("wrk"));
    }

    GridCommand(Supplier<Stop> stop, Wrk wrk) {
        this.stop = stop;
        this.wrk = wrk;
    }

    @Override
    public Integer call() throws InterruptedException {
        PrintWriter out = spec.commandLine().getOut();
        try {
            if (options.tables != null) {
                requireFile("--tables", options.tables);
                out.println(GridTables.text(GridCsv.read(options.tables)));
                out.flush();
                return 0;
            }
            RunFolder folder = options.resume == null ? null : options.unfinished(options.resume);
            GridSettings settings = folder == null
                    ? options.settings()
                    : GridSettings.of(folder.info().settings());
            ServerSettings servers = folder == null ? options.servers() : options.servers(folder);
            if (settings.wrk() && !wrk.isInstalled()) {
                throw new IllegalArgumentException("--wrk: there is no program wrk on the PATH");
            }
            try (Database database = database(settings, out)) {
                requireRoom(settings, database);
                return run(folder == null ? plan(settings, servers) : folder, settings, servers, database, out);
            }
        } catch (IllegalArgumentException e) {
            throw new ParameterException(spec.commandLine(), e.getMessage(), e);
        } catch (IOException e) {
            String why = String.valueOf(e.getMessage());
            spec.commandLine()
                    .getErr()
                    .println(e instanceof FileSystemException ? e.getClass().getSimpleName() + ": " + why : why);
            return 1;
        } catch (SQLException e) {
            spec.commandLine()
                    .getErr()
                    .println("The database cannot be used: " + withoutPassword(String.valueOf(e.getMessage())));
            return 1;
        }
    }

    private Database database(GridSettings settings, PrintWriter out) throws IOException, SQLException {
        String questions = settings.database();
        String password = options.password == null ? null : new String(options.password);
        if (options.url != null) {
            if (!Database.shown(options.url).equals(questions)) {
                throw new IllegalArgumentException("--url: " + Database.shown(options.url) + " (expected: " + questions
                        + ", as the run was begun)");
            }
            return Database.own(options.url, options.user, password);
        }
        if (questions.startsWith("jdbc:")) {
            throw new IllegalArgumentException("--resume: the run was begun on " + questions + ": give its --url");
        }
        boolean isGenerated = questions.matches("\\d+ rows");
        if (!isGenerated) {
            requireFile("--data", Path.of(questions));
        }
        out.println("Loading the questions, " + questions + ", into an embedded PostgreSQL ...");
        out.flush();
        return isGenerated
                ? Database.generated(Long.parseLong(questions.substring(0, questions.indexOf(' '))))
                : Database.of(Path.of(questions));
    }

    /** Pools that take turns have their connections at the same time; one more asks how many these are. */
    private static void requireRoom(GridSettings settings, Database database) throws SQLException {
        int side = settings.turns() == 1 || !settings.rates().contains(0)
                ? 1
                : settings.pools().size();
        int largest = Collections.max(settings.sizes());
        int most = database.mostSessions() - 1;
        if (side * largest > most) {
            throw new IllegalArgumentException("--sizes: "
                    + (side == 1 ? "" : side + " pools of ")
                    + largest
                    + " connections at a time (expected: "
                    + most
                    + " connections at most, one less than the database allows"
                    + (side == 1 ? ")" : "; with --turns 1 the pools come one after the other)"));
        }
    }

    private static void requireFile(String option, Path file) {
        if (!Files.isRegularFile(file) || !Files.isReadable(file)) {
            throw new IllegalArgumentException(option + ": " + file + " (expected: a file that can be read)");
        }
    }

    private RunFolder plan(GridSettings settings, ServerSettings servers) throws IOException {
        Map<String, String> kept = settings.asMap();
        kept.putAll(servers.asMap());
        Map<String, String> versions = new LinkedHashMap<>();
        Lineup.of(settings.pools(), List.of())
                .all()
                .forEach(entrant ->
                        versions.put(entrant.label(), entrant.contender().version()));
        return RunFolder.create(
                options.results,
                new RunInfo(
                        NAME,
                        command(),
                        RunFolder.now(),
                        null,
                        "defaults",
                        Machine.facts(),
                        versions,
                        kept,
                        settings.pools(),
                        List.of(),
                        settings.cells()),
                List.of());
    }

    private int run(RunFolder folder, GridSettings settings, ServerSettings servers, Database database, PrintWriter out)
            throws IOException, InterruptedException {
        Stop stopping = stop.get();
        stopping.answerWith(() -> {
            out.println();
            out.println("Stopping; what is done is kept ...");
            out.flush();
        });
        out.println("Run: " + folder.path());
        out.flush();
        GridRun run = new GridRun(
                folder,
                settings,
                database,
                starter(servers, database, folder.path().resolve("server.log")),
                wrk,
                stopping,
                folder.path().resolve("load.log"));
        boolean isWhole = run.run(System.err, Boolean.getBoolean("weir.progress"));
        out.println(GridTables.text(GridCsv.write(folder)));
        for (Failure failure : folder.failures()) {
            out.println("Failed: " + failure.cell() + ": " + failure.message());
        }
        out.println("Files: " + folder.path());
        if (!isWhole) {
            out.println("Stopped on request. To go on: ./weir lab grid --resume " + folder.path() + again());
        }
        out.flush();
        return !isWhole ? stopping.exitCode() : folder.failures().isEmpty() ? 0 : 1;
    }

    /** What a run does not keep. */
    private String again() {
        List<String> given = new ArrayList<>();
        if (options.url != null) {
            given.add("--url");
        }
        if (options.user != null) {
            given.add("--user");
        }
        if (options.password != null) {
            given.add("--password");
        }
        return given.isEmpty() ? "" : " (and again " + String.join(", ", given) + ")";
    }

    private static Server.Starter starter(ServerSettings servers, Database database, Path log) {
        ServerSettings.Ssh ssh = servers.ssh();
        return ssh == null
                ? new LocalServers(database, servers.jvmWords(), log)
                : new SshServers(ssh, database, servers.jvmWords(), log);
    }

    /** The command line that repeats this run, as it was given but for the secrets. */
    private String command() {
        List<String> words = new ArrayList<>(List.of("./weir"));
        String password = options.password == null ? null : new String(options.password);
        boolean isNext = false;
        for (String argument : spec.root().commandLine().getParseResult().originalArgs()) {
            // A password may begin as an option does; without one in the words it was asked for.
            if (isNext && argument.equals(password)) {
                isNext = false;
                continue;
            }
            isNext = argument.equals("--password");
            String word = argument.startsWith("--password=") ? "--password" : argument;
            if (options.url != null) {
                word = word.replace(options.url, Database.shown(options.url));
            }
            words.add(word.matches("[\\w./,:=@%+-]+") ? word : "'" + word.replace("'", "'\\''") + "'");
        }
        return String.join(" ", words);
    }

    private String withoutPassword(String text) {
        String clean = options.url == null ? text : text.replace(options.url, Database.shown(options.url));
        return options.password == null || options.password.length == 0
                ? clean
                : clean.replace(new String(options.password), "***");
    }
}
