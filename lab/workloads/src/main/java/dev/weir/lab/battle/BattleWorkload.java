package dev.weir.lab.battle;

import dev.weir.lab.workload.CellRun;
import dev.weir.lab.workload.Settings;
import dev.weir.lab.workload.Settings.Setting;
import dev.weir.lab.workload.Workload;
import java.time.Duration;
import java.util.List;

/**
 * An application of many tiers, as companies have it, with users in a closed loop. The pool is far larger than what is in
 * use, and its connections expire and are renewed under load: response times must not show it.
 * With sessions open in view it is to be small, and requests are compared.
 */
public final class BattleWorkload extends Workload {
    /** Told of open sessions alone, where connections are few: else the users' pauses say how many there are. */
    static final String REQUESTS = "requests";

    static final String BOUND = "connections bound";

    private static final String OPEN_IN_VIEW = "open-in-view";

    private static final List<String> POOLS = List.of(
            "weir",
            "hikari",
            "tomcat",
            "dbcp2",
            "c3p0",
            "c3p0[helperThreads=10]",
            "bonecp",
            "vibur",
            "agroal",
            "beecp",
            "druid",
            "none");

    public BattleWorkload() {
        super(
                "battle",
                "An application of many tiers under a closed loop of users, while connections expire and are renewed.",
                POOLS,
                List.of(
                        REQUESTS,
                        BOUND,
                        "p99.9",
                        "p50",
                        "p99",
                        "p99.99",
                        "max",
                        "max over p99.9",
                        "acquire max",
                        "in use",
                        "renewed",
                        "failed"));
    }

    @Override
    public List<Setting> settings() {
        return List.of(
                Setting.number("users", "users, each a thread", 30, 30, 1, 10_000),
                Setting.number("think", "pause of a user after each answer, on average, in ms", 100, 100, 0, 60_000),
                Setting.number("downstream", "what the other system takes on average, in ms", 20, 20, 0, 60_000),
                Setting.number("connect", "what opening a connection takes, in ms", 50, 50, 0, 60_000),
                Setting.word(
                        OPEN_IN_VIEW,
                        "whether a session is open until the other system was asked, after its transaction; on PostgreSQL",
                        "false",
                        List.of("false", "true")),
                Setting.number("connections", "connections of the pool", 200, 200, 1, 10_000),
                Setting.number(
                        "lifetime",
                        "maxLifetime in ms; below 30000 some pools ignore it",
                        30_000,
                        30_000,
                        1000,
                        86_400_000),
                Setting.number(
                        "warmup", "how long the load runs before it is measured, in ms", 20_000, 10_000, 0, 3_600_000),
                Setting.number("measured", "how long it is measured, in ms", 60_000, 25_000, 100, 86_400_000));
    }

    @Override
    public List<String> cases(Settings settings) {
        return List.of("%d users, %d connections, renewed after %d ms%s"
                .formatted(
                        settings.number("users"),
                        settings.number("connections"),
                        settings.number("lifetime"),
                        isOpenInView(settings) ? ", sessions open in view" : ""));
    }

    static boolean isOpenInView(Settings settings) {
        return settings.text(OPEN_IN_VIEW).equals("true");
    }

    @Override
    public Duration about(String caseName, Settings settings) {
        return Duration.ofSeconds(4).plus(settings.millis("warmup")).plus(settings.millis("measured"));
    }

    @Override
    public Duration limit(Settings settings) {
        return Duration.ofMinutes(3).plus(settings.millis("warmup")).plus(settings.millis("measured"));
    }

    @Override
    public void run(CellRun cell) throws Exception {
        new Battle(cell).fight();
    }
}
