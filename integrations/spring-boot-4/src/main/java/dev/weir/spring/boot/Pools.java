package dev.weir.spring.boot;

import dev.weir.WeirDataSource;
import java.util.LinkedHashMap;
import java.util.Map;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.jdbc.DataSourceUnwrapper;

/** The pools of one application, by the names of their beans; those that were made so far, since to look makes none. */
final class Pools {
    private final ConfigurableListableBeanFactory beans;

    Pools(ConfigurableListableBeanFactory beans) {
        this.beans = beans;
    }

    /** What the pool has of its fleet, or null if it is in none. */
    @Nullable
    FleetReport fleetOf(WeirDataSource pool) {
        FleetMembers members = members();
        return members == null ? null : members.of(pool);
    }

    /** Null where no pool can be in a fleet. */
    @Nullable
    FleetMembers members() {
        return beans.getBeanProvider(FleetMembers.class).getIfAvailable();
    }

    Map<String, WeirDataSource> all() {
        Map<String, WeirDataSource> pools = new LinkedHashMap<>();
        for (String name : beans.getBeanNamesForType(DataSource.class, false, false)) {
            if (beans.getSingleton(name) instanceof DataSource dataSource) {
                WeirDataSource pool = DataSourceUnwrapper.unwrap(dataSource, WeirDataSource.class);
                if (pool != null && !pools.containsValue(pool)) {
                    pools.put(name, pool);
                }
            }
        }
        return pools;
    }
}
