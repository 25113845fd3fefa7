package dev.weir.lab.grid;

import dev.weir.cli.shared.Stop;
import dev.weir.lab.contender.Entrant;
import dev.weir.lab.contender.Profile;
import dev.weir.lab.workload.Settings;
import dev.weir.lab.workload.Settings.Setting;
import dev.weir.lab.workload.Workload;
import dev.weir.lab.workload.Workload.Bench;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;

/**
 * The questions service under load at each pool size and each number of server threads, with fresh servers for each; those
 * of the pools that differ in nothing else are loaded in turns.
 */
public final class GridWorkload extends Workload {
    private static final String JVM_OPTIONS = "-Xms512m -Xmx512m -XX:-BackgroundCompilation";

    public GridWorkload() {
        super(
                "grid",
                "The questions service under load at each pool size and each number of server threads, in random order, with"
                        + " fresh servers for each; those of different pools are loaded in turns.",
                List.of("weir", "hikari", "tomcat"),
                List.of("mean", "p99", "served rate", "errors"));
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
                        "in how many turns each pool of a cell is loaded, never two at a time",
                        10,
                        5,
                        1,
                        864_000),
                Setting.number("rows", "generated questions", 1_000_000, 100_000, 1, 1_000_000_000),
                Setting.text("data", "a file of questions instead, .csv or .csv.gz", ""),
                Setting.text(
                        "jvm-options",
                        "of the servers' JVM; by the last of the default ones a hot method waits for the compiler, so that"
                                + " it is compiled when the warm-up ends",
                        JVM_OPTIONS));
    }

    /** In random order, so that a machine that gets slower slows all of them alike. */
    @Override
    public List<String> cases(Settings settings) {
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
        Collections.shuffle(cases, new Random(1));
        return cases;
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
    public int rounds(boolean quick) {
        return 1;
    }

    /** The servers get their settings from the contender, and those are on equal terms. */
    @Override
    public List<Profile> profiles() {
        return List.of(Profile.EQUAL);
    }

    @Override
    public Bench begin(Settings settings, Stop stop) throws IOException {
        return GridBench.open(settings, stop);
    }
}
