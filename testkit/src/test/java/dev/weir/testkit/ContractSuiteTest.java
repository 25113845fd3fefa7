package dev.weir.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/** Each fault of a pool fails the check that is there for it, and that check passes without the fault. */
final class ContractSuiteTest {

    @Test
    void checksHaveNamesOfTheirOwn() {
        assertThat(ContractSuite.all()).extracting(ContractSuite.Check::name).doesNotHaveDuplicates();
    }

    @TestFactory
    Stream<DynamicTest> sees() {
        Map<TinyPool.Wrong, String> seenBy = new EnumMap<>(TinyPool.Wrong.class);
        seenBy.put(TinyPool.Wrong.CLOSES_TWICE, "second close changes nothing");
        seenBy.put(TinyPool.Wrong.LEAVES_TRANSACTION, "rolled back: Statement.executeUpdate");
        seenBy.put(TinyPool.Wrong.COMMITS_AT_CLOSE, "rolled back: Statement.execute");
        seenBy.put(TinyPool.Wrong.MISSES_LARGE_UPDATES, "rolled back: PreparedStatement.executeLargeUpdate");
        seenBy.put(TinyPool.Wrong.KEEPS_AFTER_FAILED_ROLLBACK, "closed if the rollback fails: SQLException");
        seenBy.put(TinyPool.Wrong.LENDS_RAW_STATEMENTS, "not physical: Statement.getConnection");
        seenBy.put(TinyPool.Wrong.LEAVES_STATEMENTS, "no open statements");
        seenBy.put(TinyPool.Wrong.FORGETS_SCHEMA, "reset: schema");
        seenBy.put(TinyPool.Wrong.LOSES_PLACE_ON_ERROR, "a connect that fails costs no place: Error");
        seenBy.put(TinyPool.Wrong.DOES_NOT_VALIDATE, "a connection that died idle is not lent");
        seenBy.put(TinyPool.Wrong.ABORTS_LATE, "late abort does not touch the next user");
        seenBy.put(TinyPool.Wrong.LENDS_ABORTED, "an aborted connection is closed and never lent again");
        seenBy.put(TinyPool.Wrong.IGNORES_USER, "getConnection with a user is of that user or refused");
        seenBy.put(TinyPool.Wrong.HAS_NO_STATE, "a timeout has a SQLState and is transient");
        seenBy.put(TinyPool.Wrong.LETS_WAITERS_NAP, "of 200 threads on 4 connections each is served");
        seenBy.put(TinyPool.Wrong.CONNECTS_ON_AND_ON, "no storm of connects while new connections fail their test");
        seenBy.put(TinyPool.Wrong.CLOSES_LATE, "never more than the maximum while new connections fail their test");
        ExecutorService executor = Executors.newFixedThreadPool(6);
        Map<TinyPool.Wrong, CompletableFuture<Void>> seen = new EnumMap<>(TinyPool.Wrong.class);
        seenBy.forEach((wrong, name) ->
                seen.put(wrong, CompletableFuture.runAsync(() -> assertSeen(wrong, name), executor)));
        executor.shutdown();
        return seen.entrySet().stream()
                .map(entry -> DynamicTest.dynamicTest(
                        entry.getKey().name(), () -> entry.getValue().join()));
    }

    /** Alone: the check looks at all threads. */
    @Test
    void seesWhatIsLeftAtClose() {
        assertSeen(TinyPool.Wrong.LEAKS_AT_CLOSE, "a closed pool leaves no connection and no thread");
    }

    /** Alone: another pool's settings would be taken for its own. */
    @Test
    void seesThatTwoPoolsShareTheirTimeout() {
        assertSeen(TinyPool.Wrong.SHARES_ITS_TIMEOUT, "two pools keep each to its own settings");
    }

    @Test
    void seesThatTheJvmIsChanged() {
        assertSeen(TinyPool.Wrong.SETS_LOGIN_TIMEOUT, "a pool changes nothing of the JVM");
    }

    private static void assertSeen(TinyPool.Wrong wrong, String name) {
        assertThat(run(name, EnumSet.noneOf(TinyPool.Wrong.class)))
                .extracting(Contract.Result::outcome, Contract.Result::message)
                .containsExactly(Contract.Outcome.PASSED, "");
        assertThat(run(name, EnumSet.of(wrong)).outcome()).isEqualTo(Contract.Outcome.FAILED);
    }

    private static Contract.Result run(String name, Set<TinyPool.Wrong> wrongs) {
        return check(name).run((db, spec) -> new TinyPool(db, spec, wrongs));
    }

    private static ContractSuite.Check check(String name) {
        return ContractSuite.all().stream()
                .filter(check -> check.name().equals(name))
                .findFirst()
                .orElseThrow();
    }

    @Test
    void seesThatPhysicalConnectionsAreLent() {
        Contract.Factory none = (db, spec) -> unpooled(db.dataSource());
        assertThat(check("not physical: Statement.getConnection").run(none).outcome())
                .isEqualTo(Contract.Outcome.FAILED);
        assertThat(check("never more connections than the maximum").run(none).outcome())
                .isEqualTo(Contract.Outcome.FAILED);
        assertThat(check("times out in time while all are in use").run(none).outcome())
                .isEqualTo(Contract.Outcome.FAILED);
    }

    @Test
    void endsWithPoolsThatHang() {
        Contract.Result result = check("times out in time while connects hang")
                .run(
                        (db, spec) -> {
                            db.dataSource().getConnection();
                            return unpooled(db.dataSource());
                        },
                        Duration.ofSeconds(1));
        assertThat(result.outcome()).isEqualTo(Contract.Outcome.FAILED);
        assertThat(result.message()).contains("not finished after");
        assertThat(result.took()).isLessThan(Duration.ofSeconds(20));
        ThreadsLeft.assertNone("weir-contract-", Duration.ofSeconds(10));
    }

    private static Contract.Pool unpooled(DataSource dataSource) {
        return new Contract.Pool() {
            @Override
            public DataSource dataSource() {
                return dataSource;
            }

            @Override
            public void close() {
                // There is nothing to close.
            }
        };
    }
}
