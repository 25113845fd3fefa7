package dev.weir.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.testkit.servers.ThreadsLeft;
import java.time.Duration;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Each fault of a pool fails the check that is there for it, and that check passes without the fault. */
@Tag("thorough")
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
        seenBy.put(TinyPool.Wrong.TAKES_BASELINE_LATE, "reset: SET LOCAL, the setter, rollback");
        seenBy.put(TinyPool.Wrong.LEAVES_LARGE_OBJECTS, "large objects made by a user are freed");
        seenBy.put(TinyPool.Wrong.MISSES_SAVEPOINTS, "no savepoint");
        seenBy.put(TinyPool.Wrong.TRUSTS_COMMIT, "rolled back: a cursor that is read after the commit");
        seenBy.put(TinyPool.Wrong.LOSES_PLACE_AT_CLOSE, "no place is lost, whatever is thrown by Connection.rollback");
        seenBy.put(TinyPool.Wrong.LOSES_PLACE_ON_INTERRUPT, "no place is lost by interrupts");
        seenBy.put(TinyPool.Wrong.DROPS_AFTER_REFUSAL, "a property the driver has not costs no connection: catalog");
        seenBy.put(TinyPool.Wrong.CLOSES_BY_THE_WAY, "a physical close that hangs costs its place until its bound");
        seenBy.put(
                TinyPool.Wrong.CLEANS_UNBOUNDED,
                "close of a connection is bounded while it hangs in Connection.clearWarnings");
        seenBy.put(TinyPool.Wrong.DROPS_READ_ONLY, "no storm of connects while each new one is read-only");
        seenBy.put(TinyPool.Wrong.KEEPS_AFTER_ERROR, "not lent again after an Error of Statement.execute");
        seenBy.put(TinyPool.Wrong.BELIEVES_SQL, "raised by SQL on a healthy connection, costs none: 08006");
        seenBy.put(TinyPool.Wrong.SHOWS_SQL, "not in another user's timeout: a password");
        seenBy.put(TinyPool.Wrong.SHOWS_CAUSE, "no secret in a failure to open or its causes");
        seenBy.put(TinyPool.Wrong.STAYS_SMALL, "grows again after first connects that took long");
        seenBy.put(TinyPool.Wrong.HIDES_THE_DRIVERS, "toString of an open handle shows the driver's");
        seenBy.put(TinyPool.Wrong.CONNECTS_TWICE, "what a start has opened is lent");
        Map<String, Runnable> checks = new LinkedHashMap<>();
        seenBy.forEach((wrong, name) -> checks.put(wrong.name(), () -> assertSeen(wrong, name)));
        return together(checks, 6);
    }

    /** Alone: the check looks at all threads. */
    @Test
    void seesWhatIsLeftAtClose() {
        assertSeen(TinyPool.Wrong.LEAKS_AT_CLOSE, "a closed pool leaves no connection and no thread");
    }

    /** Alone: the check counts all threads. */
    @Test
    void seesAThreadForEachConnection() {
        assertSeen(TinyPool.Wrong.STARTS_THREADS, "300 connections need few threads");
    }

    /** The others that see the same fault elsewhere. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "DOES_NOT_VALIDATE | one found dead in close() puts its siblings under suspicion",
                "DOES_NOT_VALIDATE | one found dead in isValid() puts its siblings under suspicion",
                "DOES_NOT_VALIDATE | one found dead in abort() puts its siblings under suspicion",
                "SHOWS_SQL | 1 MB of SQL costs another user no time: words",
                "HIDES_THE_DRIVERS | Statement.enquoteLiteral is the driver's",
                "LOSES_PLACE_ON_ERROR | no place is lost, whatever is thrown by Driver.connect",
            })
    void seesElsewhereThatAPool(TinyPool.Wrong wrong, String check) {
        assertSeen(wrong, check);
    }

    /** What is beyond a tiny pool: these show that they fail, a real pool that they can be passed. */
    @TestFactory
    Stream<DynamicTest> seesWhatATinyPoolCannot() {
        Map<String, Runnable> checks = new LinkedHashMap<>();
        for (String name : List.of(
                "in time at the start, and at most the maximum of connects, while connects hang",
                "in time at the start while a first connect takes long",
                "isClosed() says that a connection died, and frees its place",
                "surplus goes, also while connections are replaced for their age",
                "a full database is not hammered while others serve the queue",
                "the driver's own value can be had by its type")) {
            checks.put(
                    name,
                    () -> assertThat(run(name, EnumSet.noneOf(TinyPool.Wrong.class))
                                    .outcome())
                            .isEqualTo(Contract.Outcome.FAILED));
        }
        return together(checks, checks.size());
    }

    /** As tests, all begun now, so many at a time, since most of their time they wait. */
    private static Stream<DynamicTest> together(Map<String, Runnable> tests, int atOnce) {
        ExecutorService executor = Executors.newFixedThreadPool(atOnce);
        Map<String, CompletableFuture<Void>> begun = new LinkedHashMap<>();
        tests.forEach((name, test) -> begun.put(name, CompletableFuture.runAsync(test, executor)));
        executor.shutdown();
        return begun.entrySet().stream()
                .map(entry -> DynamicTest.dynamicTest(
                        entry.getKey(), () -> entry.getValue().join()));
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

    /** A busy machine is no excuse for the pool, and no fault of it. */
    @ParameterizedTest
    @ValueSource(strings = {"times out in time while all are in use", "in time while another user's close hangs"})
    void seesOnABusyMachineThatAPoolIs300MillisLate(String check) {
        AtomicBoolean stop = new AtomicBoolean();
        for (int i = 0; i < 2 * Runtime.getRuntime().availableProcessors(); i++) {
            new Thread(() -> {
                        while (!stop.get()) {
                            Thread.onSpinWait();
                        }
                    })
                    .start();
        }
        try {
            assertSeen(TinyPool.Wrong.IS_LATE, check);
        } finally {
            stop.set(true);
        }
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

    /** What a pool cannot do, or does not do, is no excuse: it passes no check, and none is taken for unsupported. */
    @TestFactory
    Stream<DynamicTest> aUselessPoolFailsEveryCheck() {
        Map<String, Contract.Factory> useless = new LinkedHashMap<>();
        useless.put("unsupported", (db, spec) -> UselessPools.unsupported());
        useless.put("unsupported connections", (db, spec) -> UselessPools.unsupportedConnections());
        useless.put("idle", (db, spec) -> UselessPools.idle());
        useless.put("none", (db, spec) -> {
            throw new UnsupportedOperationException("no pool");
        });
        Map<String, Runnable> pools = new LinkedHashMap<>();
        useless.forEach((name, factory) -> pools.put(name, () -> assertUseless(factory)));
        return together(pools, pools.size());
    }

    private static void assertUseless(Contract.Factory factory) {
        assertThat(ContractSuite.run(ContractSuite.all(), factory, Duration.ofSeconds(3), 24))
                .filteredOn(result -> result.outcome() != Contract.Outcome.FAILED)
                .as("what a useless pool passes, or is excused")
                .isEmpty();
    }

    @Test
    void onlyTheOneExceptionMadeForItExcusesAPool() {
        Contract.Result result = check("in time while the pool is suspended").run((db, spec) -> {
            throw new Contract.Unsupported("as asked");
        });
        assertThat(result.outcome()).isEqualTo(Contract.Outcome.UNSUPPORTED);
        assertThat(result.message()).isEqualTo("as asked");
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
