package dev.weir.micronaut;

import dev.weir.WeirDataSource;
import io.micronaut.jdbc.metadata.AbstractDataSourcePoolMetadata;
import org.jspecify.annotations.Nullable;

/** What Micronaut asks of any pool, for its meters {@code jdbc.connections.*}. */
final class WeirPoolMetadata extends AbstractDataSourcePoolMetadata<WeirDataSource> {

    WeirPoolMetadata(WeirDataSource pool) {
        super(pool);
    }

    @Override
    public Integer getIdle() {
        return getDataSource().stats().idle();
    }

    @Override
    public Integer getActive() {
        return getDataSource().stats().inUse();
    }

    @Override
    public Integer getMax() {
        return getDataSource().getMaximumPoolSize();
    }

    @Override
    public Integer getMin() {
        return getDataSource().getMinimumPoolSize();
    }

    @Override
    public @Nullable String getValidationQuery() {
        return getDataSource().getConnectionTestQuery();
    }

    @Override
    public @Nullable Boolean getDefaultAutoCommit() {
        return getDataSource().getAutoCommit();
    }
}
