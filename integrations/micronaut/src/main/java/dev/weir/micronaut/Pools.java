package dev.weir.micronaut;

import dev.weir.WeirDataSource;
import io.micronaut.context.exceptions.ConfigurationException;
import jakarta.annotation.PreDestroy;
import jakarta.inject.Singleton;
import java.sql.SQLException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * The pools of one application, by the names of their data sources. Listeners of Micronaut and of its modules may put their own
 * DataSource before a pool's; here is the pool itself. Thread-safe.
 */
@Singleton
final class Pools {
    private final List<WeirPoolCustomizer> customizers;

    // guarded by this
    private final Map<String, WeirDataSource> pools = new LinkedHashMap<>();
    private boolean closed;

    Pools(List<WeirPoolCustomizer> customizers) {
        this.customizers = customizers;
    }

    /**
     * The pool of this configuration, made and started by the first who asks.
     *
     * @throws ConfigurationException if the configuration is wrong, or no connection could be opened
     */
    synchronized WeirDataSource of(WeirDataSourceConfiguration configuration) {
        WeirDataSource pool = pools.get(configuration.getName());
        if (pool == null) {
            if (closed) {
                throw new IllegalStateException("the application has closed its pools");
            }
            pool = started(configuration);
            pools.put(configuration.getName(), pool);
        }
        return pool;
    }

    private WeirDataSource started(WeirDataSourceConfiguration configuration) {
        WeirDataSource pool = new WeirDataSource(configuration.toConfig(customizers));
        try {
            pool.start();
            return pool;
        } catch (SQLException e) {
            pool.close();
            throw new ConfigurationException(
                    "the data source " + configuration.getName() + " cannot be started: " + e.getMessage(), e);
        }
    }

    /** Those that were made so far; a copy. */
    synchronized Map<String, WeirDataSource> all() {
        return new LinkedHashMap<>(pools);
    }

    @PreDestroy
    void close() {
        Map<String, WeirDataSource> left;
        synchronized (this) {
            closed = true;
            left = all();
        }
        left.values().forEach(WeirDataSource::close);
    }
}
