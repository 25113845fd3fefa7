package dev.weir.lab.workload.fair;

import dev.weir.lab.contender.Contenders;
import dev.weir.lab.contender.PoolSpec;
import dev.weir.lab.contender.PoolUnderTest;
import dev.weir.lab.stub.StubDataSource;
import dev.weir.lab.workload.CellRun;
import dev.weir.lab.workload.Settings;
import dev.weir.lab.workload.Settings.Setting;
import dev.weir.lab.workload.Workload;
import java.time.Duration;
import java.util.List;

/** Many threads on few connections: how long each waits, how often each is served, and what that costs. */
public final class FairWorkload extends Workload {
    private static final Duration TIMEOUT = Duration.ofMinutes(2);

    public FairWorkload() {
        super(
                "fair",
                "Many threads on few connections, each held shortly: how long threads wait, and how fairly they are served.",
                Contenders.allBut("none", "raw"),
                List.of(
                        "p99",
                        "throughput",
                        "p50",
                        "p99.9",
                        "max",
                        "close p99",
                        "both p99",
                        "most",
                        "least",
                        "unserved",
                        "cpu per op",
                        "failed"));
    }

    @Override
    public List<Setting> settings() {
        return List.of(
                Setting.numbers("threads", "threads", "50,200,1000,10000", "50,1000", 1, 100_000),
                Setting.words(
                        "kinds",
                        "which threads; virtual ones need JDK 21",
                        "platform,virtual",
                        "platform,virtual",
                        List.of("platform", "virtual")),
                Setting.numbers("connections", "connections of the pool", "4", "4", 1, 1_000),
                Setting.words("holds", "how a connection is held", "parked", "parked", List.of("parked", "busy")),
                Setting.number("hold", "how long a connection is held, in us", 100, 100, 1, 1_000_000),
                Setting.words(
                        "between",
                        "what a thread does between two requests: nothing, let others run, or park for --think",
                        "none",
                        "none",
                        List.of("none", "yield", "think")),
                Setting.number(
                        "think", "how long a thread parks between two requests, in us", 1_000, 1_000, 1, 60_000_000),
                Setting.number("warmup", "load before the measurement, in ms", 1_000, 500, 0, 600_000),
                Setting.number("measure", "length of the measurement, in ms", 3_000, 1_000, 1, 600_000));
    }

    @Override
    public List<String> cases(Settings settings) {
        return Load.all(settings).stream().map(Load::label).toList();
    }

    @Override
    public Duration limit(Settings settings) {
        // Longer than a getConnection may take, so that a pool which does not serve fails with its own message.
        return TIMEOUT.plus(Duration.ofMinutes(2))
                .plus(settings.millis("warmup"))
                .plus(settings.millis("measure"));
    }

    @Override
    public Duration about(String caseName, Settings settings) {
        return Duration.ofSeconds(3).plus(settings.millis("warmup")).plus(settings.millis("measure"));
    }

    @Override
    public void run(CellRun cell) throws Exception {
        Settings settings = cell.settings();
        Load load = Load.labelled(cell.caseName(), settings);
        long hold = settings.millis("hold").toNanos() / 1_000;
        Work work = load.hold() == Load.Hold.BUSY ? Work.busy(hold) : Work.parked(hold);
        PoolSpec spec = PoolSpec.of(new StubDataSource()).connectionTimeout(TIMEOUT);
        try (PoolUnderTest pool = cell.openFilled(spec, load.connections())) {
            new Waits(load, work, settings.millis("warmup"), settings.millis("measure"))
                    .measure(pool.dataSource(), cell);
        }
    }
}
