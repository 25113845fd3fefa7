package dev.weir.micronaut;

import dev.weir.WeirDataSource;
import io.micronaut.context.exceptions.ConfigurationException;
import jakarta.annotation.PreDestroy;
import jakarta.inject.Singleton;
import java.sql.SQLException;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;

/**
 * The pools of one application, by the names of their data sources. Listeners of Micronaut and of its modules may put their own
 * DataSource before a pool's; here is the pool itself. Thread-safe.
 *
 * <p>The first who asks for a pool makes it, without a lock; others wait for that. A pool that is made while the application
 * ends is closed by its maker or by {@link #close}: the maker completes the future and then reads {@code closed}, {@code close}
 * writes that and then looks at the futures.
 */
@Singleton
final class Pools {
    private final List<WeirPoolCustomizer> customizers;
    private final ConcurrentMap<String, CompletableFuture<WeirDataSource>> pools = new ConcurrentHashMap<>();
    private volatile boolean closed;

    Pools(List<WeirPoolCustomizer> customizers) {
        this.customizers = customizers;
    }

    /**
     * The pool of this configuration, made and started by the first who asks.
     *
     * @throws ConfigurationException if the configuration is wrong, or no connection could be opened
     * @throws IllegalStateException if the application ends
     */
    WeirDataSource of(WeirDataSourceConfiguration configuration) {
        CompletableFuture<WeirDataSource> mine = new CompletableFuture<>();
        CompletableFuture<WeirDataSource> first = pools.putIfAbsent(configuration.getName(), mine);
        if (first == null) {
            make(configuration, mine);
        }
        try {
            return (first == null ? mine : first).join();
        } catch (CompletionException e) {
            throw e.getCause() instanceof RuntimeException cause ? cause : e;
        }
    }

    private void make(WeirDataSourceConfiguration configuration, CompletableFuture<WeirDataSource> mine) {
        try {
            WeirDataSource pool = started(configuration);
            mine.complete(pool);
            if (closed) {
                pool.close();
                throw new IllegalStateException("the application has closed its pools");
            }
        } catch (RuntimeException | Error e) {
            pools.remove(configuration.getName(), mine); // so that it may be tried again
            mine.completeExceptionally(e);
            throw e;
        }
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

    /** Those that were made so far, by their names; a copy. */
    Map<String, WeirDataSource> all() {
        Map<String, WeirDataSource> made = new TreeMap<>();
        pools.forEach((name, future) -> {
            if (future.isDone() && !future.isCompletedExceptionally()) {
                made.put(name, future.join());
            }
        });
        return made;
    }

    @PreDestroy
    void close() {
        closed = true;
        all().values().forEach(WeirDataSource::close);
    }
}
