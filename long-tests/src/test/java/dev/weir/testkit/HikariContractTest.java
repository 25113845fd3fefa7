package dev.weir.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import javax.sql.DataSource;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The suite over another pool, to show that it ends, and that it sees faults that are known. */
@Tag("thorough")
final class HikariContractTest {

    @Test
    void endsAndSeesKnownFaults() {
        List<Contract.Result> results =
                ContractSuite.run(ContractSuite.all(), HikariContractTest::open, Duration.ofSeconds(6), 12);
        System.out.println(Contract.matrix(Map.of("HikariCP", results)));
        assertThat(results).hasSameSizeAs(ContractSuite.all());
        assertThat(failed(results))
                .contains(
                        "close from two threads returns the connection once",
                        "late metadata does not reach the next user's connection",
                        "an aborted connection is closed and never lent again",
                        "rolled back: Statement.executeLargeUpdate",
                        "rolled back: unwrapped connection",
                        "rolled back: BEGIN as text",
                        "closed if the rollback fails: SQLException",
                        "reset: schema",
                        "setClientInfo after close throws as declared",
                        "a timeout has a SQLState and is transient",
                        "a pool changes nothing of the JVM")
                .doesNotContain("second close changes nothing", "no open statements");
    }

    private static List<String> failed(List<Contract.Result> results) {
        return results.stream()
                .filter(result -> result.outcome() == Contract.Outcome.FAILED)
                .map(Contract.Result::name)
                .toList();
    }

    private static Contract.Pool open(StubDatabase db, Contract.Spec spec) {
        HikariConfig config = new HikariConfig();
        config.setJdbcUrl(db.url());
        config.setMaximumPoolSize(spec.maximumPoolSize());
        config.setMinimumIdle(spec.minimumPoolSize());
        config.setConnectionTimeout(spec.connectionTimeout().toMillis());
        config.setValidationTimeout(spec.validationTimeout().toMillis());
        config.setInitializationFailTimeout(-1);
        config.setAutoCommit(spec.autoCommit());
        HikariDataSource pool = new HikariDataSource(config);
        return new Contract.Pool() {
            @Override
            public DataSource dataSource() {
                return pool;
            }

            @Override
            public void close() {
                pool.close();
            }
        };
    }
}
