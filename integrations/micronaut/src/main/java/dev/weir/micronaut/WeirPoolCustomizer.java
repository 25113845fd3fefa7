package dev.weir.micronaut;

import dev.weir.PoolConfig;

/**
 * Sets what no property can say, such as a credentials provider or a listener. Each bean of this type is called once for each
 * data source, by the thread that makes the pool, after the properties were read and before they are checked.
 */
@FunctionalInterface
public interface WeirPoolCustomizer {

    /**
     * Changes the configuration of one pool.
     *
     * @param dataSource the name of the data source, such as {@code default}
     */
    void customize(String dataSource, PoolConfig.Builder pool);
}
