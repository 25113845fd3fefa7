package dev.weir.lab.workload.contract;

import dev.weir.WeirDataSource;
import dev.weir.lab.contender.Entrant;
import dev.weir.lab.contender.PoolSpec;
import dev.weir.lab.contender.PoolUnderTest;
import dev.weir.lab.workload.CellRun;
import dev.weir.lab.workload.Lineup;
import dev.weir.lab.workload.Setting;
import dev.weir.lab.workload.Settings;
import dev.weir.lab.workload.Workload;
import dev.weir.testkit.Contract;
import dev.weir.testkit.ContractSuite;
import dev.weir.testkit.StubDatabase;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import javax.sql.DataSource;

/**
 * The test kit's contract suite over every pool. A case is a promise; {@code kept} is 1 if the pool keeps it, and NaN if it
 * lacks what the promise is about. A promise that is not kept is the failure of its cell, with what was seen.
 */
public final class ContractWorkload implements Workload {
    private static final int LONGEST_MESSAGE = 300;

    /** What is no pool promises nothing. */
    private static final List<String> NO_POOLS = List.of("none", "raw");

    @Override
    public String name() {
        return "contract";
    }

    @Override
    public String description() {
        return "What a connection pool should promise, as checks over every pool: which are kept, and what is seen of those"
                + " that are not.";
    }

    @Override
    public List<Setting> settings() {
        return List.of(
                Setting.number("limit", "how long a check may take, in seconds", 12, 12, 1, 600),
                Setting.number(
                        "at-once",
                        "how many checks of a pool run at a time, as they mostly wait; one that fails beside others is repeated"
                                + " alone, and only that counts. 1: each in a JVM of its own",
                        8,
                        8,
                        1,
                        100),
                Setting.words("promises", "which promises", String.join(",", promises()), "P1,P2,P3", promises()));
    }

    private static List<String> promises() {
        return ContractSuite.all().stream()
                .map(ContractSuite.Check::promise)
                .distinct()
                .toList();
    }

    @Override
    public List<String> pools() {
        return Lineup.allBut(NO_POOLS.toArray(String[]::new));
    }

    @Override
    public List<String> cases(Settings settings) {
        List<String> wanted = settings.words("promises");
        return ContractSuite.all().stream()
                .filter(check -> wanted.contains(check.promise()))
                .map(ContractSuite.Check::toString)
                .toList();
    }

    @Override
    public boolean canRun(String caseName, Entrant entrant, Settings settings) {
        return !NO_POOLS.contains(entrant.contender().name());
    }

    /** Those that look at everything in the JVM have one of their own. */
    @Override
    public int atOnce(String caseName, Settings settings) {
        return check(caseName).isAlone() ? 1 : settings.number("at-once");
    }

    @Override
    public Duration about(String caseName, Settings settings) {
        return Duration.ofMillis(settings.number("at-once") == 1 ? 1_400 : 350); // some need their whole limit
    }

    @Override
    public List<String> shown() {
        return List.of("kept");
    }

    /** Nothing here is a matter of luck but what is reported as it was seen. */
    @Override
    public int rounds(boolean quick) {
        return 1;
    }

    @Override
    public Duration limit(Settings settings) {
        return Duration.ofSeconds(settings.number("limit")).plus(Duration.ofSeconds(30));
    }

    @Override
    public List<String> jvmOptions() {
        return List.of("-Xmx256m", "-XX:TieredStopAtLevel=1");
    }

    @Override
    public void run(CellRun cell) {
        Contract.Result result = check(cell.caseName())
                .run(
                        (db, spec) -> open(cell, db, spec),
                        Duration.ofSeconds(cell.settings().number("limit")));
        if (result.outcome() == Contract.Outcome.FAILED) {
            throw new BrokenPromise(shortened(result.message()));
        }
        cell.measure("kept", result.outcome() == Contract.Outcome.PASSED ? 1 : Double.NaN, "");
    }

    private static ContractSuite.Check check(String caseName) {
        return ContractSuite.all().stream()
                .filter(each -> each.toString().equals(caseName))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("case: " + caseName));
    }

    /** A check that finds a hundred methods at fault names them all. */
    private static String shortened(String message) {
        return message.length() <= LONGEST_MESSAGE ? message : message.substring(0, LONGEST_MESSAGE) + "...";
    }

    private static Contract.Pool open(CellRun cell, StubDatabase db, Contract.Spec spec) throws Exception {
        if (spec.idleTimeout() != null && !cell.entrant().contender().agesInSeconds()) {
            throw new Contract.Unsupported("this pool knows no idle timeout and no maximum lifetime of seconds");
        }
        PoolUnderTest pool = cell.open(PoolSpec.of(db.url(), null, null)
                .size(spec.minimumPoolSize(), spec.maximumPoolSize())
                .connectionTimeout(spec.connectionTimeout())
                .validationTimeout(spec.validationTimeout())
                .grace(spec.grace())
                .retryDelay(spec.retryDelay())
                .closeTimeout(spec.closeTimeout())
                .returnTimeout(spec.cleanTimeout())
                .idleTimeout(spec.idleTimeout())
                .maxLifetime(spec.maxLifetime())
                .connectsAtStart(spec.connectsAtStart())
                .autoCommit(spec.autoCommit()));
        return new Contract.Pool() {
            @Override
            public DataSource dataSource() {
                return pool.dataSource();
            }

            @Override
            public void suspend() {
                if (pool.dataSource() instanceof WeirDataSource weir) {
                    weir.suspend();
                } else {
                    Contract.Pool.super.suspend();
                }
            }

            @Override
            public void close() throws SQLException {
                pool.close();
            }
        };
    }

    /** What was seen of a promise that is not kept. */
    private static final class BrokenPromise extends RuntimeException {
        private static final long serialVersionUID = 1L;

        BrokenPromise(String seen) {
            super(seen);
        }
    }
}
