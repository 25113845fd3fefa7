package dev.weir.lab.contender;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.testkit.Contract;
import dev.weir.testkit.ContractSuite;
import dev.weir.testkit.StubDatabase;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The equal profile is what it says: of the checks that it is about each pool passes all, but those that it cannot be told
 * to pass, which are named here.
 */
class ContenderContractTest {
    private static final Duration LIMIT = Duration.ofSeconds(10);

    private static final String ROLLED_BACK = "rolled back: Statement.executeUpdate";
    private static final String ROLLED_BACK_AFTER_CHANGE =
            "rolled back after setAutoCommit(false): Statement.executeUpdate";
    private static final String ISOLATION = "reset: transactionIsolation";
    private static final String WARNINGS = "no warnings";
    private static final String STATEMENTS = "no open statements";
    private static final String TIMEOUT = "times out in time while all are in use";
    private static final String DIED_IDLE = "a connection that died idle is not lent";

    private static final Set<String> CHECKS = Set.of(
            "second close changes nothing",
            ROLLED_BACK,
            ROLLED_BACK_AFTER_CHANGE,
            "reset: autoCommit",
            "reset: readOnly",
            ISOLATION,
            WARNINGS,
            STATEMENTS,
            TIMEOUT,
            DIED_IDLE,
            "a connection that died in use is not lent again",
            "a closed pool leaves no connection and no thread");

    private static final Map<String, Set<String>> CANNOT = Map.of(
            // Its time of grace is no setting of a pool.
            "hikari", Set.of(DIED_IDLE),
            "tomcat", Set.of(ROLLED_BACK_AFTER_CHANGE),
            "bonecp", Set.of(ISOLATION, DIED_IDLE),
            "vibur", Set.of(STATEMENTS),
            "agroal", Set.of(ROLLED_BACK_AFTER_CHANGE),
            // Its own test begins a transaction that it does not end.
            "druid", Set.of(ROLLED_BACK, STATEMENTS));

    /** What the limits say of a check that fails. */
    private static final Map<String, String> WORDS = Map.of(
            ROLLED_BACK,
            "transaction",
            ROLLED_BACK_AFTER_CHANGE,
            "auto-commit",
            ISOLATION,
            "isolation",
            STATEMENTS,
            "statement",
            DIED_IDLE,
            "test");

    private static final Set<String> HOLDS_A_LIVE_STATEMENT = Set.of("vibur");

    @ParameterizedTest
    @ValueSource(strings = {"weir", "hikari", "tomcat", "dbcp2", "c3p0", "bonecp", "vibur", "agroal", "beecp", "druid"})
    void theEqualProfileIsAsSafeAsThePoolCanBe(String name) {
        List<Contract.Result> results = run(Contenders.named(name));

        assertThat(results).hasSize(CHECKS.size());
        Set<String> failed = results.stream()
                .filter(result -> result.outcome() == Contract.Outcome.FAILED)
                .map(Contract.Result::name)
                .collect(Collectors.toSet());
        assertThat(failed).as(results.toString()).isEqualTo(CANNOT.getOrDefault(name, Set.of()));
    }

    @ParameterizedTest
    @MethodSource("unable")
    void whatThePoolCannotBeToldIsListed(String name) {
        String limits = String.join("; ", Contenders.named(name).limits(Profile.EQUAL));
        CANNOT.getOrDefault(name, Set.of())
                .forEach(check -> assertThat(limits).as(check).contains(WORDS.getOrDefault(check, check)));
        assertThat(limits.contains("does not close statements")).isEqualTo(HOLDS_A_LIVE_STATEMENT.contains(name));
    }

    static Stream<String> unable() {
        return CANNOT.keySet().stream();
    }

    @ParameterizedTest
    @ValueSource(strings = {"weir", "hikari", "tomcat", "dbcp2", "c3p0", "bonecp", "vibur", "agroal", "beecp", "druid"})
    void aClosedHandleReachesNoConnection(String name) throws Exception {
        try (StubDatabase db = new StubDatabase();
                PoolUnderTest pool = Contenders.named(name)
                        .open(PoolSpec.of(db.url(), null, null).size(1, 1))) {
            Connection handle = pool.dataSource().getConnection();
            PreparedStatement statement = handle.prepareStatement("SELECT 1");
            handle.close();
            try (Connection next = pool.dataSource().getConnection()) {
                assertThatThrownBy(handle::createStatement).isInstanceOf(SQLException.class);
                assertThatThrownBy(() -> handle.prepareStatement("SELECT 1")).isInstanceOf(SQLException.class);
                assertThatThrownBy(handle::commit).isInstanceOf(SQLException.class);
                if (!HOLDS_A_LIVE_STATEMENT.contains(name)) {
                    assertThatThrownBy(statement::executeQuery).isInstanceOf(SQLException.class);
                }
                handle.close();
                next.createStatement().close();
            }
        }
    }

    private static List<Contract.Result> run(Contender contender) {
        List<ContractSuite.Check> checks = ContractSuite.all().stream()
                .filter(check -> CHECKS.contains(check.name()))
                .toList();
        return ContractSuite.run(checks, (db, spec) -> open(contender, db, spec), LIMIT, 6);
    }

    private static Contract.Pool open(Contender contender, StubDatabase db, Contract.Spec spec) throws Exception {
        PoolSpec settings = PoolSpec.of(db.url(), null, null)
                .size(spec.minimumPoolSize(), spec.maximumPoolSize())
                .connectionTimeout(spec.connectionTimeout())
                .validationTimeout(spec.validationTimeout())
                .closeTimeout(spec.closeTimeout())
                .retryDelay(spec.retryDelay())
                .autoCommit(spec.autoCommit())
                .grace(spec.grace());
        PoolUnderTest pool = contender.open(settings);
        return new Contract.Pool() {
            @Override
            public DataSource dataSource() {
                return pool.dataSource();
            }

            @Override
            public void close() throws SQLException {
                pool.close();
            }
        };
    }
}
