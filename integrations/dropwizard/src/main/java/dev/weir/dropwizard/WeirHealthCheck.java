package dev.weir.dropwizard;

import com.codahale.metrics.health.HealthCheck;
import dev.weir.PoolStats;
import dev.weir.WeirDataSource;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Objects;

/**
 * Healthy if the pool lends a connection within its {@code connectionTimeout} and the database answers on it within its
 * {@code validationTimeout}, by {@code connectionTestQuery} if there is one. The pool's counts are details of the result.
 * Thread-safe.
 */
public final class WeirHealthCheck extends HealthCheck {
    private final WeirDataSource pool;

    /** A check of this pool, which it starts if nobody did. */
    public WeirHealthCheck(WeirDataSource pool) {
        this.pool = Objects.requireNonNull(pool);
    }

    @Override
    protected Result check() {
        try (Connection connection = pool.getConnection();
                Statement bound = connection.createStatement()) { // which has one of the database in every mode
            return answering(connection, bound);
        } catch (SQLException e) {
            return counted().unhealthy(e).build();
        }
    }

    private Result answering(Connection connection, Statement statement) {
        String failure = "";
        try {
            if (answers(connection, statement)) {
                return counted().healthy().build();
            }
        } catch (SQLException e) { // the driver's own, which may quote the SQL: it is not shown
            failure = ": " + e.getClass().getName() + ", SQLState " + e.getSQLState();
        }
        return counted()
                .unhealthy()
                .withMessage("the database does not answer" + failure)
                .build();
    }

    private boolean answers(Connection connection, Statement statement) throws SQLException {
        int seconds = (int) Math.max(1, (pool.getValidationTimeout().toMillis() + 999) / 1000);
        String query = pool.getConnectionTestQuery();
        if (query == null) {
            return connection.isValid(seconds);
        }
        statement.setQueryTimeout(seconds);
        statement.execute(query);
        return true;
    }

    private ResultBuilder counted() {
        PoolStats stats = pool.stats();
        return Result.builder()
                .withDetail("total", stats.total())
                .withDetail("inUse", stats.inUse())
                .withDetail("idle", stats.idle())
                .withDetail("waiting", stats.waiting())
                .withDetail("maximumPoolSize", pool.getMaximumPoolSize());
    }
}
