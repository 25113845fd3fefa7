package dev.weir.spring.boot;

import dev.weir.WeirDataSource;

/**
 * A bean that completes every pool that the starter, or a {@link WeirDataSourceFactory}, makes: with credentials, a failure
 * classifier, listeners, whatever no property can say. It is called once for each pool, after its properties are bound and
 * before it starts, in the order of the beans; what a pool is given for itself comes after it, and wins.
 */
@FunctionalInterface
public interface WeirDataSourceCustomizer {

    /**
     * Completes a pool.
     *
     * @param prefix of its properties, as {@code spring.datasource.weir}
     * @param pool configured, but not started
     */
    void customize(String prefix, WeirDataSource pool);
}
