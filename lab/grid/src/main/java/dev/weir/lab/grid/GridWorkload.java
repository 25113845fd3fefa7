package dev.weir.lab.grid;

import dev.weir.cli.shared.Stop;
import dev.weir.lab.contender.Entrant;
import dev.weir.lab.contender.Profile;
import dev.weir.lab.runs.GridCase;
import dev.weir.lab.workload.Bench;
import dev.weir.lab.workload.Setting;
import dev.weir.lab.workload.Settings;
import dev.weir.lab.workload.Workload;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.function.Consumer;

/**
 * The questions service under load at each pool size and each number of server threads, with fresh servers for each; those
 * of the pools that differ in nothing else are loaded in turns.
 */
public final class GridWorkload implements Workload {
    private static final String JVM_OPTIONS = "-Xms512m -Xmx512m -XX:-BackgroundCompilation";

    @Override
    public String name() {
        return "grid";
    }

    @Override
    public String description() {
        return "The questions service under load at each pool size and each number of server threads, in random order, with"
                + " fresh servers for each; those of different pools are loaded in turns.";
    }

    @Override
    public List<Setting> settings() {
        return List.of(
                Setting.numbers("sizes", "pool sizes", "1,2,4,8,16,32", "2,8,32", 1, 10_000),
                Setting.numbers("threads", "server threads that answer", "1,2,4,8,16,32,64", "4,16,64", 1, 10_000),
                Setting.numbers("clients", "client connections", "100", "100", 1, 100_000),
                Setting.numbers(
                        "rate",
                        "requests offered per second, whatever becomes of them (open loop); 0 is a closed loop: a client"
                                + " asks again as soon as it is answered",
                        "0",
                        "0",
                        0,
                        10_000_000),
                Setting.number("seconds", "length of a cell, in s", 60, 5, 1, 86_400),
                Setting.number("warm-up", "time before it, at first with two clients, in s", 90, 10, 1, 86_400),
                Setting.number(
                        "turns",
                        "the pools of one size, threads and clients stand side by side and share their time in so many turns"
                                + " each, so that a machine that gets slower slows all of them alike; 1: one cell after the other, as it"
                                + " always is with --rate",
                        10,
                        5,
                        1,
                        864_000),
                Setting.number("seed", "of the order of the cells", 1, 1, Long.MIN_VALUE, Long.MAX_VALUE),
                Setting.number("rows", "generated questions", 1_000_000, 100_000, 1, 1_000_000_000),
                Setting.text("data", "a file of questions instead, .csv or .csv.gz", ""),
                Setting.url("url", "a PostgreSQL of your own that holds the questions, instead of an embedded one"),
                Setting.text("user", "its user", ""),
                Setting.secret("password", "its password; without a value it is asked for"),
                Setting.text(
                        "jvm-options",
                        "of the servers' JVM; by the last of the default ones a hot method waits for the compiler, so that"
                                + " it is compiled when the warm-up ends",
                        JVM_OPTIONS),
                Setting.text(
                        "ssh",
                        "runs the servers on another machine, as ssh names it, which has this project built; needs --url",
                        ""),
                Setting.text(
                        "ssh-address",
                        "where they listen there and are reached from here; without it that of --ssh",
                        ""),
                Setting.text("ssh-home", "the project's folder over there; without it the same as here", ""),
                Setting.text("ssh-program", "what is started as ssh", "ssh"));
    }

    @Override
    public List<String> pools() {
        return List.of("weir", "hikari", "tomcat");
    }

    /** In random order, so that a machine that gets slower slows all of them alike. */
    @Override
    public List<String> cases(Settings settings) {
        check(settings);
        List<String> cases = new ArrayList<>();
        for (int size : settings.numbers("sizes")) {
            for (int threads : settings.numbers("threads")) {
                for (int clients : settings.numbers("clients")) {
                    for (int rate : settings.numbers("rate")) {
                        cases.add(new GridCase(size, threads, clients, rate).toString());
                    }
                }
            }
        }
        Collections.shuffle(cases, new Random(Long.parseLong(settings.text("seed"))));
        return cases;
    }

    private static void check(Settings settings) {
        boolean isOwn = !settings.text("url").isEmpty();
        String data = settings.text("data");
        int most = settings.number("seconds") * 10;
        if (settings.number("turns") > most) {
            throw new IllegalArgumentException(
                    "--turns: %d (expected: 1..%d, of 100 ms or more)".formatted(settings.number("turns"), most));
        }
        if (!isOwn && !(settings.text("user") + settings.text("password")).isEmpty()) {
            throw new IllegalArgumentException("--user and --password need --url");
        }
        if (isOwn && !data.isEmpty()) {
            throw new IllegalArgumentException("--url: its questions are used as they are, without --data");
        }
        if (!data.isEmpty() && (Files.isDirectory(Path.of(data)) || !Files.isReadable(Path.of(data)))) {
            throw new IllegalArgumentException("--data: " + data + " (expected: a file that can be read)");
        }
        ServerSettings.of(settings);
    }

    /** The service knows the pools of the laboratory, with parameters or without. */
    @Override
    public boolean canRun(String caseName, Entrant entrant, Settings settings) {
        if (entrant.parameters().isEmpty()
                && !entrant.definition().equals(entrant.contender().name())) {
            throw new IllegalArgumentException(
                    "pools: %s (expected: a name, or name[parameter=value;...])".formatted(entrant.definition()));
        }
        return true;
    }

    @Override
    public Duration about(String caseName, Settings settings) {
        return Duration.ofSeconds(14L + settings.number("warm-up") + settings.number("seconds"));
    }

    @Override
    public List<String> shown() {
        return List.of("mean", "p99", "served rate", "errors");
    }

    @Override
    public int rounds(boolean quick) {
        return 1;
    }

    /** The servers get their settings from the contender, and those are on equal terms. */
    @Override
    public List<Profile> profiles() {
        return List.of(Profile.EQUAL);
    }

    @Override
    public boolean isPartOfAll() {
        return false;
    }

    @Override
    public Optional<Bench> bench(Settings settings, List<String> pools, Stop stop, Consumer<String> say)
            throws IOException {
        return Optional.of(GridBench.open(settings, pools.size(), stop, say));
    }
}
