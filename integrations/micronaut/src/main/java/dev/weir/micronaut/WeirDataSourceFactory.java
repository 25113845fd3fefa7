package dev.weir.micronaut;

import dev.weir.WeirDataSource;
import io.micronaut.context.annotation.Context;
import io.micronaut.context.annotation.EachBean;
import io.micronaut.context.annotation.Factory;
import io.micronaut.context.annotation.Requires;
import io.micronaut.jdbc.JdbcDataSourceEnabled;
import io.micronaut.jdbc.metadata.DataSourcePoolMetadata;
import javax.sql.DataSource;

/** A pool for each of {@code datasources.*}, and what Micronaut's meters ask of it. */
@Factory
final class WeirDataSourceFactory {
    private final Pools pools;

    WeirDataSourceFactory(Pools pools) {
        this.pools = pools;
    }

    /** Its type is the interface, since listeners may replace it by a DataSource of theirs. */
    @Context
    @EachBean(WeirDataSourceConfiguration.class)
    @Requires(condition = JdbcDataSourceEnabled.class)
    DataSource dataSource(WeirDataSourceConfiguration configuration) {
        return pools.of(configuration);
    }

    @EachBean(WeirDataSourceConfiguration.class)
    @Requires(condition = JdbcDataSourceEnabled.class)
    DataSourcePoolMetadata<WeirDataSource> metadata(WeirDataSourceConfiguration configuration) {
        return new WeirPoolMetadata(pools.of(configuration));
    }
}
