package dev.weir.spring.boot;

import dev.weir.WeirDataSource;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.jdbc.metadata.AbstractDataSourcePoolMetadata;

/** A pool as Spring Boot's own metrics ({@code jdbc.connections.*}) and health check see it. */
final class WeirPoolMetadata extends AbstractDataSourcePoolMetadata<WeirDataSource> {

    WeirPoolMetadata(WeirDataSource pool) {
        super(pool);
    }

    @Override
    public Integer getActive() {
        return getDataSource().stats().inUse();
    }

    @Override
    public Integer getIdle() {
        return getDataSource().stats().idle();
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
