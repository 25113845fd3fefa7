package dev.weir.micronaut;

import dev.weir.WeirDataSource;
import io.micronaut.context.BeanContext;
import io.micronaut.context.annotation.Context;
import io.micronaut.context.annotation.EachBean;
import io.micronaut.context.annotation.Factory;
import io.micronaut.context.annotation.Requires;
import io.micronaut.jdbc.BasicJdbcConfiguration;
import io.micronaut.jdbc.JdbcDataSourceEnabled;
import io.micronaut.jdbc.metadata.DataSourcePoolMetadata;
import io.micronaut.runtime.context.scope.refresh.RefreshEvent;
import io.micronaut.runtime.context.scope.refresh.RefreshEventListener;
import java.util.Map;
import java.util.Set;
import javax.sql.DataSource;

/** A pool for each of {@code datasources.*}, and what Micronaut's meters ask of it. */
@Factory
final class WeirDataSourceFactory implements RefreshEventListener {
    private final BeanContext context;
    private final Pools pools;

    WeirDataSourceFactory(BeanContext context, Pools pools) {
        this.context = context;
        this.pools = pools;
    }

    @Override
    public Set<String> getObservedConfigurationPrefixes() {
        return Set.of(BasicJdbcConfiguration.PREFIX);
    }

    /** As Micronaut's other pools: another user or password ends the connections of the old one. */
    @Override
    public void onApplicationEvent(RefreshEvent event) {
        Map<String, WeirDataSource> made = pools.all();
        for (WeirDataSourceConfiguration configuration : context.getBeansOfType(WeirDataSourceConfiguration.class)) {
            WeirDataSource pool = made.get(configuration.getName());
            if (pool != null && configuration.takesOver(event.getSource().keySet())) {
                pool.evictAll();
            }
        }
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
