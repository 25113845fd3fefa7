package dev.weir;

import dev.weir.testkit.Contract;
import dev.weir.testkit.ContractSuite;
import dev.weir.testkit.StubDatabase;
import java.sql.Connection;
import java.sql.SQLException;
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

    /**
     * The same where a connection of the database is bound by the first call. Metadata is not asked for on its connection, where
     * it is the same for all.
     */
    @TestFactory
    Stream<DynamicTest> keepsInTheModeLazy() {
        return ContractSuite.run(ContractSuite.all(), ContractTest::openLazy, LIMIT, 6).stream()
                .filter(result -> !result.name().endsWith("of Connection.getMetaData"))
                .map(result -> DynamicTest.dynamicTest(result.promise() + " " + result.name(), () -> result.orThrow()));
    }

    private static Contract.Pool open(StubDatabase db, Contract.Spec spec) {
        return open(new WeirDataSource(config(db, spec).build()));
    }

    private static Contract.Pool openLazy(StubDatabase db, Contract.Spec spec) {
        return open(new WeirDataSource(config(db, spec).poolMode("lazy").build()) {
            @Override
            public Connection getConnection() throws SQLException {
                Connection connection = super.getConnection();
                try {
                    String ignored = connection.nativeSQL("bound");
                    return connection;
                } catch (Throwable e) {
                    connection.close();
                    throw e;
                }
            }
        });
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
