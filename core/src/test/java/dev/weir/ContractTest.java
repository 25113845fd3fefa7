package dev.weir;

import dev.weir.testkit.Contract;
import dev.weir.testkit.ContractSuite;
import dev.weir.testkit.StubDatabase;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

/** Weir keeps the contract of the test kit. */
final class ContractTest {

    /** So that the check which calls all that there is ends on a starved machine, too. */
    private static final Duration LIMIT = Duration.ofSeconds(60);

    /** The checks that cannot hold in the mode transaction, and why. */
    private static final Map<String, String> NOT_BETWEEN_TRANSACTIONS = Map.of(
            "isClosed() says that a connection died, and frees its place",
            "its user is not told: the next call takes another connection",
            "not lent again after an Error of Connection.getMetaData",
            "metadata is not asked for on its connection, where it is the same for all");

    /** Promises whose checks want a place to be taken by getConnection() itself, and beginnings of the names of others. */
    private static final Set<String> TAKES_A_PLACE = Set.of(
            "P4",
            "P5",
            "P6",
            "P7",
            "P8",
            "P9",
            "P12",
            "second close changes nothing",
            "close from two threads",
            "late abort",
            "late calls",
            "an aborted connection",
            "one owner",
            "not lent again after an Error",
            "1 MB of SQL",
            "not in another user's timeout",
            "no secret in a failure to open");

    /** Counts connections by users; in the mode transaction a few serve many. */
    private static final String COUNTS_USERS = "raised by SQL on a healthy connection";

    /** Of one call in the mode session; else getConnection() makes the pool, and the next call waits. */
    private static final String OF_ONE_CALL = "in time at the start";

    @TestFactory
    Stream<DynamicTest> keeps() {
        return ContractSuite.run(ContractSuite.all(), ContractTest::open, LIMIT, 6).stream()
                .map(result -> DynamicTest.dynamicTest(result.promise() + " " + result.name(), () -> result.orThrow()));
    }

    /**
     * The same where a connection of the database is bound by the first call. Metadata is not asked for on its connection, where
     * it is the same for all.
     */
    @TestFactory
    Stream<DynamicTest> keepsInTheModeLazy() {
        List<ContractSuite.Check> checks = ContractSuite.all().stream()
                .filter(check -> !check.name().endsWith("of Connection.getMetaData"))
                .filter(check -> !check.name().startsWith(OF_ONE_CALL))
                .toList();
        return ContractSuite.run(checks, ContractTest::openLazy, LIMIT, 6).stream()
                .map(result -> DynamicTest.dynamicTest(result.promise() + " " + result.name(), () -> result.orThrow()));
    }

    /**
     * The same where a connection of the database is given back as soon as nothing holds it. A check whose point is that
     * getConnection() takes a place gets connections that an open statement holds. Those of {@link #NOT_BETWEEN_TRANSACTIONS}
     * are left out.
     */
    @TestFactory
    Stream<DynamicTest> keepsInTheModeTransaction() {
        List<ContractSuite.Check> checks = ContractSuite.all().stream()
                .filter(check -> !NOT_BETWEEN_TRANSACTIONS.containsKey(check.name()))
                .filter(check -> !check.name().startsWith(OF_ONE_CALL))
                .filter(check -> !check.name().startsWith(COUNTS_USERS))
                .map(check -> check.on(StubDatabase.Likeness.POSTGRESQL))
                .toList();
        Set<ContractSuite.Check> held =
                checks.stream().filter(ContractTest::takesAPlace).collect(Collectors.toSet());
        List<ContractSuite.Check> free =
                checks.stream().filter(check -> !held.contains(check)).toList();
        return Stream.concat(
                        ContractSuite.run(List.copyOf(held), ContractTest::openHeld, LIMIT, 6).stream(),
                        ContractSuite.run(free, ContractTest::openTransaction, LIMIT, 6).stream())
                .map(result -> DynamicTest.dynamicTest(result.promise() + " " + result.name(), () -> result.orThrow()));
    }

    private static boolean takesAPlace(ContractSuite.Check check) {
        return TAKES_A_PLACE.contains(check.promise()) || TAKES_A_PLACE.stream().anyMatch(check.name()::startsWith);
    }

    private static Contract.Pool openTransaction(StubDatabase db, Contract.Spec spec) {
        return open(new WeirDataSource(config(db, spec).poolMode("transaction").build()));
    }

    private static Contract.Pool openHeld(StubDatabase db, Contract.Spec spec) {
        return open(new Bound(config(db, spec).poolMode("transaction").build(), Connection::createStatement));
    }

    private static Contract.Pool open(StubDatabase db, Contract.Spec spec) {
        return open(new WeirDataSource(config(db, spec).build()));
    }

    private static Contract.Pool openLazy(StubDatabase db, Contract.Spec spec) {
        return open(new Bound(config(db, spec).poolMode("lazy").build(), connection -> connection.nativeSQL("bound")));
    }

    /** Hands out connections after a first call. */
    private static final class Bound extends WeirDataSource {
        private final First first;

        interface First {
            Object on(Connection connection) throws SQLException;
        }

        Bound(PoolConfig config, First first) {
            super(config);
            this.first = first;
        }

        @Override
        public Connection getConnection() throws SQLException {
            Connection connection = super.getConnection();
            try {
                Object ignored = first.on(connection);
                return connection;
            } catch (Throwable e) {
                connection.close();
                throw e;
            }
        }
    }

    private static PoolConfig.Builder config(StubDatabase db, Contract.Spec spec) {
        PoolConfig.Builder config = PoolConfig.builder()
                .url(db.url())
                .maximumPoolSize(spec.maximumPoolSize())
                .minimumPoolSize(spec.minimumPoolSize())
                .connectionTimeout(spec.connectionTimeout())
                .validationTimeout(spec.validationTimeout())
                .closeTimeout(spec.closeTimeout())
                .returnTimeout(spec.cleanTimeout())
                .acquireRetryDelay(spec.retryDelay())
                .validateAfterIdle(spec.grace())
                .registerMbeans(false)
                .autoCommit(spec.autoCommit());
        if (spec.idleTimeout() != null && spec.maxLifetime() != null) {
            config.idleTimeout(spec.idleTimeout())
                    .maxLifetime(spec.maxLifetime())
                    .keepaliveTime(Duration.ZERO);
        }
        if (!spec.connectsAtStart()) {
            config.initializationFailTimeout(Duration.ofMillis(-1));
        }
        return config;
    }

    private static Contract.Pool open(WeirDataSource pool) {
        return new Contract.Pool() {
            @Override
            public DataSource dataSource() {
                return pool;
            }

            @Override
            public void suspend() {
                pool.suspend();
            }

            @Override
            public void close() {
                pool.close();
            }
        };
    }
}
