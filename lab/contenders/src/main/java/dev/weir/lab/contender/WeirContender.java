package dev.weir.lab.contender;

import dev.weir.PoolConfig;
import dev.weir.PoolStats;
import dev.weir.WeirDataSource;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;

/** Weir. It is as safe in one profile as in the other, but for the time of grace: 500 ms by default. */
final class WeirContender implements Contender {
    private static final List<String> PARAMETERS =
            List.of("maximumPoolSize", "leakDetectionThreshold", "liveness", "poolMode", "validateAfterIdle");

    @Override
    public String name() {
        return "weir";
    }

    @Override
    public Class<?> type() {
        return WeirDataSource.class;
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
        return new Terms(Terms.IDLE, "loans, each");
    }

    @Override
    public List<String> limits(Profile profile) {
        return List.of();
    }

    @Override
    public PoolUnderTest open(PoolSpec spec) throws SQLException {
        PoolConfig.Builder config = PoolConfig.builder()
                .url(spec.url)
                .username(spec.user)
                .password(spec.password)
                .minimumPoolSize(spec.minimum())
                .maximumPoolSize(spec.maximum())
                .connectionTimeout(spec.connectionTimeout)
                .validationTimeout(spec.validationTimeout)
                .registerMbeans(false);
        if (!spec.connectsAtStart) {
            config.initializationFailTimeout(Duration.ofMillis(-1));
        }
        if (spec.isEqual()) {
            config.validateAfterIdle(spec.grace);
        }
        if (spec.closeTimeout != null) {
            config.closeTimeout(spec.closeTimeout);
        }
        if (spec.returnTimeout != null) {
            config.returnTimeout(spec.returnTimeout);
        }
        if (spec.retryDelay != null) {
            config.acquireRetryDelay(spec.retryDelay);
        }
        if (!spec.autoCommit) {
            config.autoCommit(false);
        }
        if (spec.idleTimeout != null) {
            config.idleTimeout(spec.idleTimeout);
        }
        if (spec.maxLifetime != null) {
            config.maxLifetime(spec.maxLifetime);
        }
        spec.parameters.forEach(config::property);
        WeirDataSource pool = new WeirDataSource(config.build());
        return new PoolUnderTest(pool, () -> counts(pool.stats()), pool);
    }

    private static Counts counts(PoolStats stats) {
        return new Counts(stats.total(), stats.inUse());
    }
}
