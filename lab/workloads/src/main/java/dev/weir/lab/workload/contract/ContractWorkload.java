package dev.weir.lab.workload.contract;

import dev.weir.WeirDataSource;
import dev.weir.lab.contender.Contenders;
import dev.weir.lab.contender.Entrant;
import dev.weir.lab.contender.PoolSpec;
import dev.weir.lab.contender.PoolUnderTest;
import dev.weir.lab.workload.CellRun;
import dev.weir.lab.workload.Settings;
import dev.weir.lab.workload.Settings.Setting;
import dev.weir.lab.workload.Workload;
import dev.weir.testkit.Contract;
import dev.weir.testkit.ContractSuite;
import dev.weir.testkit.ContractSuite.Check;
import dev.weir.testkit.StubDatabase;
import java.io.IOException;
import java.sql.SQLException;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.stream.Stream;
import javax.sql.DataSource;

/**
 * The test kit's contract suite over every pool. A case is a promise, a metric each of its checks: 1 if the pool keeps it, 0 if it
 * breaks it, NaN if it lacks what the check is about; the raw data has what was seen of those that are broken.
 */
public final class ContractWorkload extends Workload {
    private static final int LONGEST_MESSAGE = 300;

    /** What is no pool promises nothing. */
    private static final List<String> NO_POOLS = List.of("none", "raw");

    public ContractWorkload() {
        super(
                "contract",
                "What a connection pool should promise, as checks over every pool: which are kept, and what is seen of those"
                        + " that are not.",
                Contenders.allBut(NO_POOLS.toArray(String[]::new)),
                List.of("kept", "broken", "not tried"));
    }

    @Override
    public List<Setting> settings() {
        return List.of(
                Setting.number("limit", "how long a check may take, in seconds", 12, 12, 1, 600),
                Setting.number(
                        "at-once",
                        "how many checks of a pool run at a time, as they mostly wait; one that fails beside others is repeated"
                                + " alone, and only that counts",
                        8,
                        8,
                        1,
                        100),
                Setting.words("promises", "which promises", String.join(",", promises()), "P1,P2,P3", promises()));
    }

    private static List<String> promises() {
        return ContractSuite.all().stream().map(Check::promise).distinct().toList();
    }

    @Override
    public List<String> cases(Settings settings) {
        return settings.words("promises");
    }

    @Override
    public boolean canRun(String caseName, Entrant entrant, Settings settings) {
        return !NO_POOLS.contains(entrant.contender().name());
    }

    @Override
    public Duration about(String caseName, Settings settings) {
        return Duration.ofMillis(1_000 + 350L * checks(caseName).count()); // some need their whole limit
    }

    /** Nothing here is a matter of luck but what is reported as it was seen. */
    @Override
    public int rounds(boolean quick) {
        return 1;
    }

    @Override
    public Duration limit(Settings settings) {
        return Duration.ofSeconds(settings.number("limit"))
                .multipliedBy(ContractSuite.all().size());
    }

    @Override
    public List<String> jvmOptions() {
        return List.of("-Xmx256m", "-XX:TieredStopAtLevel=1");
    }

    /** First the checks that look at everything in the JVM, one by one; then the others, those that fail once more alone. */
    @Override
    public void run(CellRun cell) throws IOException {
        Map<Check, Contract.Result> results = new LinkedHashMap<>();
        checks(cell.caseName()).filter(Check::isAlone).forEach(check -> results.put(check, run(cell, check)));
        ExecutorService threads = Executors.newFixedThreadPool(cell.settings().number("at-once"));
        try {
            Map<Check, CompletableFuture<Contract.Result>> running = new LinkedHashMap<>();
            checks(cell.caseName())
                    .filter(check -> !check.isAlone())
                    .forEach(check ->
                            running.put(check, CompletableFuture.supplyAsync(() -> run(cell, check), threads)));
            running.forEach((check, result) -> results.put(check, result.join()));
        } finally {
            threads.shutdownNow();
        }
        results.replaceAll((check, result) ->
                result.outcome() == Contract.Outcome.FAILED && !check.isAlone() ? run(cell, check) : result);
        for (Contract.Outcome outcome : Contract.Outcome.values()) {
            cell.count(
                    outcome == Contract.Outcome.PASSED
                            ? "kept"
                            : outcome == Contract.Outcome.FAILED ? "broken" : "not tried",
                    results.values().stream()
                            .filter(result -> result.outcome() == outcome)
                            .count());
        }
        results.forEach((check, result) -> cell.measure(
                check.toString(),
                result.outcome() == Contract.Outcome.PASSED
                        ? 1
                        : result.outcome() == Contract.Outcome.FAILED ? 0 : Double.NaN,
                ""));
        cell.writeRaw(
                "-broken",
                List.of("check", "seen"),
                results.entrySet().stream()
                        .filter(one -> one.getValue().outcome() == Contract.Outcome.FAILED)
                        .map(one -> one.getKey() + "\t"
                                + shortened(one.getValue().message()).replaceAll("\\s+", " ")));
    }

    private static Contract.Result run(CellRun cell, Check check) {
        return check.run(
                (db, spec) -> open(cell, db, spec),
                Duration.ofSeconds(cell.settings().number("limit")));
    }

    private static Stream<Check> checks(String promise) {
        return ContractSuite.all().stream().filter(check -> check.promise().equals(promise));
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
}
