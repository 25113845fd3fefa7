package dev.weir;

import dev.weir.testkit.Contract;
import dev.weir.testkit.ContractSuite;
import dev.weir.testkit.StubDatabase;
import java.time.Duration;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

/** Weir keeps the contract of the test kit. */
final class ContractTest {

    /** So that the check which calls all that there is ends on a starved machine, too. */
    private static final Duration LIMIT = Duration.ofSeconds(60);

    @TestFactory
    Stream<DynamicTest> keeps() {
        return ContractSuite.run(ContractSuite.all(), ContractTest::open, LIMIT, 6).stream()
                .map(result -> DynamicTest.dynamicTest(result.promise() + " " + result.name(), () -> result.orThrow()));
    }

    private static Contract.Pool open(StubDatabase db, Contract.Spec spec) {
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
        WeirDataSource pool = new WeirDataSource(config.build());
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
