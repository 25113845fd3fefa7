package dev.weir.lab.grid;

import dev.weir.lab.contender.Contenders;
import dev.weir.lab.runs.Machine;
import dev.weir.lab.runs.RunFolder;
import dev.weir.lab.workload.Lineup;
import java.io.IOException;
import java.net.URI;
import java.net.URISyntaxException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** The options of {@code weir lab grid}; the checks name them. */
final class GridOptions {
    private static final long ROWS = 1_000_000;
    private static final long QUICK_ROWS = 100_000;
    private static final String JVM_OPTIONS = "-Xms512m -Xmx512m -XX:-BackgroundCompilation";

    @Option(names = "--quick", description = "A 3 x 3 grid, 5 s a cell, 100,000 questions: for a first look.")
    boolean quick;

    @Option(
            names = "--pools",
            paramLabel = "NAME,...",
            description = "Pools of the laboratory (default: weir,hikari,tomcat).")
    String pools = "weir,hikari,tomcat";

    @Option(
            names = "--sizes",
            paramLabel = "N,...",
            description = "Pool sizes (default: 1,2,4,8,16,32; quick: 2,8,32).")
    @Nullable
    String sizes;

    @Option(
            names = "--threads",
            paramLabel = "N,...",
            description = "Server threads that answer (default: 1,2,4,8,16,32,64; quick: 4,16,64).")
    @Nullable
    String threads;

    @Option(names = "--clients", paramLabel = "N,...", description = "Client connections (default: 100).")
    String clients = "100";

    @Option(
            names = "--rate",
            paramLabel = "N,...",
            description =
                    "Requests offered per second, whatever becomes of them (open loop); 0 is a closed loop: a client"
                            + " asks again as soon as it is answered (default: 0).")
    String rates = "0";

    @Option(names = "--seconds", paramLabel = "N", description = "Length of a cell (default: 60; quick: 5).")
    @Nullable
    Integer seconds;

    @Option(
            names = "--warm-up",
            paramLabel = "N",
            description = "Seconds before it, at first with two clients (default: 40; quick: 10).")
    @Nullable
    Integer warmUp;

    @Option(
            names = "--turns",
            paramLabel = "N",
            description =
                    "The pools of one size, threads and clients stand side by side and share their time in so many turns"
                            + " each, so that a machine that drifts harms all alike; 1: one cell after the other, as it"
                            + " always is with --rate (default: 10; quick: 5).")
    @Nullable
    Integer turns;

    @Option(names = "--seed", paramLabel = "N", description = "Of the order of the cells (default: another each time).")
    @Nullable
    Long seed;

    @Option(names = "--id", paramLabel = "N", description = "The user whose questions are asked for (default: 87).")
    int id = 87;

    @Option(
            names = "--wrk",
            description = "Measures each closed cell again with wrk, as a check; wrk must be installed.")
    boolean wrk;

    @Option(names = "--rows", paramLabel = "N", description = "Generated questions (default: 1000000; quick: 100000).")
    @Nullable
    Long rows;

    @Option(names = "--data", paramLabel = "FILE", description = "A file of questions instead, .csv or .csv.gz.")
    @Nullable
    Path data;

    @Option(
            names = "--url",
            paramLabel = "JDBC-URL",
            description = "A PostgreSQL of your own that holds the questions, instead of an embedded one.")
    @Nullable
    String url;

    @Option(names = "--user", paramLabel = "NAME", description = "Its user.")
    @Nullable
    String user;

    @Option(
            names = "--password",
            paramLabel = "PASSWORD",
            arity = "0..1",
            interactive = true,
            description = "The password; without a value it is asked for.")
    char @Nullable [] password;

    @Option(
            names = "--jvm-options",
            paramLabel = "TEXT",
            description = "Of the servers' JVM (default: " + JVM_OPTIONS
                    + "; by the last a hot method waits for the compiler,"
                    + " so that it is compiled when the warm-up ends).")
    @Nullable
    String jvmOptions;

    @Option(
            names = "--ssh",
            paramLabel = "HOST",
            description =
                    "Runs the servers on another machine, as ssh names it, which has this project built; needs --url.")
    @Nullable
    String ssh;

    @Option(
            names = "--ssh-address",
            paramLabel = "ADDRESS",
            description = "Where they listen there and are reached from here (default: HOST).")
    @Nullable
    String sshAddress;

    @Option(
            names = "--ssh-home",
            paramLabel = "FOLDER",
            description = "The project's folder over there (default: the same as here).")
    @Nullable
    String sshHome;

    @Option(names = "--ssh-program", paramLabel = "PROGRAM", description = "What is started as ssh (default: ssh).")
    @Nullable
    String sshProgram;

    @Option(
            names = "--results",
            paramLabel = "FOLDER",
            description = "Where runs are kept (default: lab/results of the project).")
    Path results = Path.of(System.getProperty("weir.home", ""), "lab", "results");

    @Option(
            names = "--resume",
            paramLabel = "FOLDER",
            arity = "0..1",
            fallbackValue = "",
            description =
                    "Go on with an unfinished run (default: the newest); its settings count, also those of --ssh and"
                            + " --jvm-options, but --url, --user and --password have to be given again.")
    @Nullable
    String resume;

    @Option(names = "--tables", paramLabel = "FILE", description = "Runs nothing, but prints the tables of a grid.csv.")
    @Nullable
    Path tables;

    /** The settings asked for. */
    GridSettings settings() {
        List<String> named = Arrays.asList(pools.split(",", -1));
        named.forEach(Contenders::named); // the service knows pools by name alone, without parameters or definitions
        Lineup.of(named, List.of()); // refuses what is there twice
        if (url == null && (user != null || password != null)) {
            throw new IllegalArgumentException("--user and --password need --url");
        }
        if (url != null && (data != null || rows != null)) {
            throw new IllegalArgumentException("--url: its questions are used as they are, without --data and --rows");
        }
        if (ssh != null && url == null) {
            throw new IllegalArgumentException(
                    "--ssh: needs --url, a database that the other machine reaches; the embedded one listens on"
                            + " 127.0.0.1 alone");
        }
        int counted = checked("seconds", seconds == null ? quick ? 5 : 60 : seconds);
        return new GridSettings(
                named,
                GridSettings.numbers("sizes", sizes == null ? quick ? "2,8,32" : "1,2,4,8,16,32" : sizes, 1, 10_000),
                GridSettings.numbers(
                        "threads", threads == null ? quick ? "4,16,64" : "1,2,4,8,16,32,64" : threads, 1, 10_000),
                GridSettings.numbers("clients", clients, 1, 100_000),
                GridSettings.numbers("rate", rates, 0, 10_000_000),
                checked("warm-up", warmUp == null ? quick ? 10 : 40 : warmUp),
                counted,
                turns(counted),
                seed == null ? System.nanoTime() : seed,
                id,
                wrk,
                database());
    }

    /** Where and how the servers are to be started. */
    ServerSettings servers() {
        return new ServerSettings(jvmOptions == null ? JVM_OPTIONS : jvmOptions, ssh == null ? null : ssh(ssh));
    }

    private ServerSettings.Ssh ssh(String host) {
        String address = sshAddress != null ? sshAddress : host.substring(host.lastIndexOf('@') + 1);
        if (!isHostOfUrl(address)) {
            throw new IllegalArgumentException("--ssh-address: " + address
                    + " (expected: a host as a URL has it; without the option it is that of --ssh)");
        }
        String home = sshHome != null
                ? sshHome
                : Path.of(System.getProperty("weir.home", "")).toAbsolutePath().toString();
        return new ServerSettings.Ssh(host, address, home, sshProgram != null ? sshProgram : "ssh");
    }

    private static boolean isHostOfUrl(String address) {
        try {
            return address.equals(new URI("http://" + address + ":1/").getHost());
        } catch (URISyntaxException e) {
            return false;
        }
    }

    /**
     * Where and how the servers of a run that goes on are started.
     *
     * @throws IllegalArgumentException naming the option, if one is given again and differs
     */
    ServerSettings servers(RunFolder run) {
        ServerSettings begun = ServerSettings.of(run.info().settings());
        if (begun == null) {
            return servers();
        }
        Map<String, String> kept = begun.asMap();
        refuseOther("jvm-options", jvmOptions, kept);
        refuseOther("ssh", ssh, kept);
        refuseOther("ssh-address", sshAddress, kept);
        refuseOther("ssh-home", sshHome, kept);
        refuseOther("ssh-program", sshProgram, kept);
        return begun;
    }

    private static void refuseOther(String name, @Nullable String given, Map<String, String> kept) {
        if (given != null && !given.equals(kept.get(name))) {
            throw new IllegalArgumentException("--%s: %s (expected: %s, as the run was begun)"
                    .formatted(name, given, kept.getOrDefault(name, "none")));
        }
    }

    private static int checked(String name, int seconds) {
        if (seconds < 1 || seconds > 86_400) {
            throw new IllegalArgumentException("--%s: %d (expected: 1..86400)".formatted(name, seconds));
        }
        return seconds;
    }

    private int turns(int counted) {
        int asked = turns == null ? quick ? 5 : 10 : turns;
        int most = counted * 10;
        if (asked < 1 || asked > most) {
            throw new IllegalArgumentException(
                    "--turns: %d (expected: 1..%d, of 100 ms or more)".formatted(asked, most));
        }
        return asked;
    }

    /** What the questions are, so that a resumed run can see that they are the same. */
    private String database() {
        if (url != null) {
            return Database.shown(url);
        }
        return data == null ? rows() + " rows" : data.toAbsolutePath().toString();
    }

    private long rows() {
        long asked = rows == null ? quick ? QUICK_ROWS : ROWS : rows;
        if (asked < 1 || asked > 1_000_000_000) {
            throw new IllegalArgumentException("--rows: %d (expected: 1..1000000000)".formatted(asked));
        }
        return asked;
    }

    /** The run to go on with. */
    RunFolder unfinished(String folder) throws IOException {
        RunFolder run = folder.isEmpty()
                ? RunFolder.newestUnfinished(results, GridCommand.NAME)
                        .orElseThrow(() ->
                                new IllegalArgumentException("--resume: no unfinished run of the grid in " + results))
                : open(folder);
        if (!run.info().workload().equals(GridCommand.NAME)) {
            throw new IllegalArgumentException("--resume: %s is a run of %s (expected: %s)"
                    .formatted(folder, run.info().workload(), GridCommand.NAME));
        }
        Object begun = run.info().machine().get("jdk");
        Object now = Machine.facts().get("jdk");
        if (!String.valueOf(now).equals(String.valueOf(begun))) {
            throw new IllegalArgumentException(
                    "--resume: the run was begun with JDK %s (expected: the same, instead of %s)"
                            .formatted(begun, now));
        }
        return run;
    }

    private static RunFolder open(String folder) {
        try {
            return RunFolder.open(Path.of(folder));
        } catch (IOException e) {
            throw new IllegalArgumentException("--resume: " + e.getMessage(), e);
        }
    }
}
