package dev.weir.lab.contender;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import com.zaxxer.hikari.HikariPoolMXBean;
import java.util.List;
import javax.sql.DataSource;
import org.springframework.jdbc.datasource.LazyConnectionDataSourceProxy;

/** HikariCP. It tests what was idle for 500 ms, which is no setting of a pool but of the JVM. */
final class HikariContender implements Contender {
    private static final long LEAST_VALIDATION_MILLIS = 250;

    /** In milliseconds, as HikariCP has it. */
    private static final String LEAKS = "leakDetectionThreshold";

    /** As Spring Boot has it: lazy is Spring's proxy, which gets a connection when the first statement is made. */
    private static final String FETCH = "connectionFetch";

    private static final List<String> PARAMETERS = List.of("maximumPoolSize", LEAKS, FETCH);

    @Override
    public String name() {
        return "hikari";
    }

    @Override
    public Class<?> type() {
        return HikariDataSource.class;
    }

    @Override
    public void checkParameter(String parameter) {
        if (!PARAMETERS.contains(parameter)) {
            throw new IllegalArgumentException(
                    "pool %s: parameter %s (expected: %s)".formatted(name(), parameter, PARAMETERS));
        }
    }

    @Override
    public Terms terms(Profile profile) {
        return new Terms(Terms.IDLE, Terms.NO_COUNTS);
    }

    @Override
    public List<String> limits(Profile profile) {
        return List.of(
                "does not know of work done through executeLargeUpdate, unwrap or BEGIN as text: that is not rolled back",
                "the time of grace before a test is one for the whole JVM, 500 ms",
                "catalog, schema, holdability, client info and type map are not reset",
                "metadata that outlives its connection still works",
                "closed statements and result sets still unwrap to the driver's");
    }

    @Override
    public boolean agesInSeconds() {
        return false;
    }

    @Override
    public PoolUnderTest open(PoolSpec spec) {
        HikariConfig config = new HikariConfig();
        config.setJdbcUrl(spec.url);
        config.setUsername(spec.user);
        config.setPassword(spec.password);
        config.setMinimumIdle(spec.minimum());
        config.setMaximumPoolSize(spec.maximum());
        config.setConnectionTimeout(spec.connectionTimeout.toMillis());
        config.setValidationTimeout(Math.max(
                LEAST_VALIDATION_MILLIS,
                Math.min(spec.validationTimeout.toMillis(), spec.connectionTimeout.toMillis())));
        config.setAutoCommit(spec.autoCommit);
        if (!spec.connectsAtStart) {
            config.setInitializationFailTimeout(-1);
        }
        if (spec.maxLifetime != null) {
            config.setMaxLifetime(spec.maxLifetime.toMillis());
        }
        String leaks = spec.parameters.get(LEAKS);
        if (leaks != null) {
            config.setLeakDetectionThreshold(Long.parseLong(leaks));
        }
        HikariDataSource pool = new HikariDataSource(config);
        boolean isLazy = "lazy".equals(spec.parameters.get(FETCH));
        DataSource source = isLazy ? new LazyConnectionDataSourceProxy(pool) : pool;
        return new PoolUnderTest(source, () -> counts(pool.getHikariPoolMXBean()), pool);
    }

    private static Counts counts(HikariPoolMXBean pool) {
        return new Counts(pool.getTotalConnections(), pool.getActiveConnections());
    }
}
