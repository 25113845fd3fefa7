package dev.weir.lab.workload.fleet;

import dev.weir.lab.contender.Entrant;
import dev.weir.lab.contender.Profile;
import dev.weir.lab.workload.CellRun;
import dev.weir.lab.workload.Settings;
import dev.weir.lab.workload.Settings.Setting;
import dev.weir.lab.workload.Workload;
import java.time.Duration;
import java.util.List;

/** Many pools, each as in an application of its own, share the connections of one server; what their users see. */
public final class FleetWorkload extends Workload {
    static final String MOVING = "moving";
    static final String EVEN = "even";
    static final String DEPLOY = "deploy";
    private static final List<String> LOADS = List.of(MOVING, EVEN, DEPLOY);

    /** A pool that is no contender: its server has room for all. */
    static final String IDEAL = "ideal";

    private static final Duration START_OF_ALL = Duration.ofSeconds(6);
    private static final Duration START_OF_ONE = Duration.ofSeconds(2);

    public FleetWorkload() {
        super(
                "fleet",
                "Six pools share the connections of one server: bursts that move, an even load, a rolling deploy.",
                List.of(
                        "weir",
                        "hikari",
                        "hikari[maximumPoolSize=10]",
                        "weir[maximumPoolSize=20]",
                        "weir[maximumPoolSize=10]",
                        IDEAL + "=dev.weir.WeirDataSource?url={url}&username={user}&password={password}"
                                + "&maximumPoolSize={maximum}&minimumPoolSize={minimum}&connectionTimeout={timeout}"
                                + "&registerMbeans=false"),
                List.of("requests", "p50", "p90", "p99", "errors", "refused connects", "most sessions", "moved"));
    }

    @Override
    public List<Setting> settings() {
        String loads = String.join(",", LOADS);
        return List.of(
                Setting.words("loads", "what users do", loads, loads, LOADS),
                Setting.number("members", "pools", 6, 6, 2, 50),
                Setting.number("places", "connections that the server has for all of them", 57, 57, 4, 1000),
                Setting.number("connections", "most connections of a pool", 20, 20, 1, 200),
                Setting.number("threads", "threads that come to each of two members (moving)", 40, 40, 1, 1000),
                Setting.number("even", "threads of each member (even, deploy)", 8, 8, 1, 1000),
                Setting.number("hold", "how long a request takes in the database, in ms", 50, 50, 0, 60_000),
                Setting.number(
                        "move", "after how long the threads come to the next two, in ms", 4000, 3000, 100, 600_000),
                Setting.number("moves", "moves that are measured, after one round of all members", 6, 3, 1, 1000),
                Setting.number("measured", "how long is measured, in ms (even)", 10_000, 5000, 100, 600_000),
                Setting.number("timeout", "connectionTimeout in ms", 5000, 5000, 250, 60_000),
                Setting.number("lease", "lease of the fleet, in ms", 10_000, 10_000, 5000, 60_000));
    }

    @Override
    public List<String> cases(Settings settings) {
        return settings.words("loads").stream()
                .map(word -> caseName(word, settings))
                .toList();
    }

    private static String caseName(String word, Settings settings) {
        return switch (word) {
            case MOVING ->
                "bursts of 2 x %d threads that move every %d ms"
                        .formatted(settings.number("threads"), settings.number("move"));
            case EVEN -> "even load, %d threads each".formatted(settings.number("even"));
            default -> "rolling deploy, %d threads each".formatted(settings.number("even"));
        };
    }

    /** Without a pool there is nothing to share. */
    @Override
    public boolean canRun(String caseName, Entrant entrant, Settings settings) {
        return !List.of("raw", "none").contains(entrant.contender().name());
    }

    @Override
    public Duration about(String caseName, Settings settings) {
        int members = settings.number("members");
        if (caseName.equals(caseName(MOVING, settings))) {
            int moves = settings.number("moves") + members / 2;
            return START_OF_ALL.plus(settings.millis("move").multipliedBy(moves));
        }
        return caseName.equals(caseName(DEPLOY, settings))
                ? START_OF_ALL.plus(START_OF_ONE.multipliedBy(members))
                : START_OF_ALL.plus(settings.millis("measured"));
    }

    @Override
    public Duration limit(Settings settings) {
        return Duration.ofMinutes(3)
                .plus(settings.millis("move").multipliedBy(settings.number("moves") + settings.number("members")))
                .plus(settings.millis("measured"));
    }

    @Override
    public List<Profile> profiles() {
        return List.of(Profile.EQUAL);
    }

    @Override
    public List<String> jvmOptions() {
        return List.of("-Xms64m", "-Xmx256m");
    }

    @Override
    public void run(CellRun cell) throws Exception {
        Settings settings = cell.settings();
        String word = cell.word("loads", one -> caseName(one, settings));
        int members = settings.number("members");
        boolean ideal = cell.entrant().label().equals(IDEAL);
        int room = 2 * members * (settings.number("connections") + 1);
        try (Site site = new Site(ideal ? room : settings.number("places"));
                Fleet fleet = new Fleet(cell, site)) {
            fleet.run(word);
        }
    }
}
