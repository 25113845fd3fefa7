package dev.weir.lab.workload.hammer;

import dev.weir.lab.contender.Entrant;
import dev.weir.lab.contender.PoolSpec;
import dev.weir.lab.contender.PoolUnderTest;
import dev.weir.lab.stub.StubDataSource;
import dev.weir.lab.workload.CellRun;
import dev.weir.lab.workload.Crowd;
import dev.weir.lab.workload.Lineup;
import dev.weir.lab.workload.PerThread;
import dev.weir.lab.workload.Setting;
import dev.weir.lab.workload.Settings;
import dev.weir.lab.workload.Workload;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import javax.sql.DataSource;

/** Many threads, each of which gets a connection and gives it back, again and again without a pause. */
public final class HammerWorkload implements Workload {

    @Override
    public String name() {
        return "hammer";
    }

    @Override
    public String description() {
        return "Many threads, each of which gets a connection and gives it back, again and again without a pause.";
    }

    @Override
    public List<Setting> settings() {
        return List.of(
                Setting.number("threads", "threads", 500, 500, 1, 10_000),
                Setting.number("connections", "connections of the pool", 200, 200, 1, 10_000),
                Setting.number("cycles", "how often each thread gets a connection", 100, 100, 1, 1_000_000),
                Setting.number("warmups", "runs that do not count", 1, 1, 0, 100),
                Setting.number("runs", "runs of which the one with the lowest median counts", 4, 2, 1, 100));
    }

    @Override
    public List<String> pools() {
        return Lineup.allBut("raw");
    }

    @Override
    public List<String> cases(Settings settings) {
        return List.of("%d threads, %d connections, %d cycles each"
                .formatted(settings.number("threads"), settings.number("connections"), settings.number("cycles")));
    }

    /** Without a pool a thread's connection is its own alone only if there are as many. */
    @Override
    public boolean canRun(String caseName, Entrant entrant, Settings settings) {
        return !entrant.contender().name().equals("raw");
    }

    @Override
    public List<String> shown() {
        return List.of("median", "mean", "max");
    }

    @Override
    public void run(CellRun cell) throws Exception {
        Settings settings = cell.settings();
        int threads = settings.number("threads");
        int cycles = settings.number("cycles");
        PoolSpec.Builder spec = PoolSpec.of(new StubDataSource()).connectionTimeout(Duration.ofMinutes(1));
        AtomicLong served = new AtomicLong();
        try (PoolUnderTest pool = cell.openFilled(spec, settings.number("connections"))) {
            DataSource source = pool.dataSource();
            PerThread.bestOf(cell, settings.number("warmups"), settings.number("runs"), "us", () -> {
                served.set(0);
                return PerThread.of(Crowd.run(threads, thread -> {
                    for (int i = 0; i < cycles; i++) {
                        source.getConnection().close();
                    }
                    served.addAndGet(cycles);
                }));
            });
        }
        cell.count("getConnection", served.get());
    }
}
