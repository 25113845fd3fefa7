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

    private static final Duration LIMIT = Duration.ofSeconds(20);

    @TestFactory
    Stream<DynamicTest> keeps() {
        return ContractSuite.run(ContractSuite.all(), ContractTest::open, LIMIT, 6).stream()
                .map(result -> DynamicTest.dynamicTest(result.promise() + " " + result.name(), () -> result.orThrow()));
    }

    private static Contract.Pool open(StubDatabase db, Contract.Spec spec) {
        WeirDataSource pool = new WeirDataSource(PoolConfig.builder()
                .url(db.url())
                .maximumPoolSize(spec.maximumPoolSize())
                .minimumPoolSize(spec.minimumPoolSize())
                .connectionTimeout(spec.connectionTimeout())
                .validationTimeout(spec.validationTimeout())
                .closeTimeout(spec.closeTimeout())
                .acquireRetryDelay(spec.retryDelay())
                .validateAfterIdle(Duration.ZERO)
                .initializationFailTimeout(Duration.ofMillis(-1))
                .registerMbeans(false)
                .autoCommit(spec.autoCommit())
                .build());
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
