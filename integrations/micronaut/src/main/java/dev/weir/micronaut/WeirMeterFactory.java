package dev.weir.micronaut;

import dev.weir.micrometer.WeirMetrics;
import io.micrometer.core.instrument.MeterRegistry;
import io.micronaut.configuration.metrics.annotation.RequiresMetrics;
import io.micronaut.configuration.metrics.micrometer.MeterRegistryFactory;
import io.micronaut.context.annotation.EachBean;
import io.micronaut.context.annotation.Factory;
import io.micronaut.context.annotation.Requires;
import io.micronaut.core.util.StringUtils;
import io.micronaut.jdbc.JdbcDataSourceEnabled;

/** Weir's meters, where the application has Micrometer; {@code micronaut.metrics.binders.jdbc.enabled=false} turns them off. */
@Factory
@RequiresMetrics
@Requires(classes = {MeterRegistry.class, RequiresMetrics.class})
@Requires(property = MeterRegistryFactory.MICRONAUT_METRICS_BINDERS + ".jdbc.enabled", notEquals = StringUtils.FALSE)
final class WeirMeterFactory {

    /** Micronaut binds it. Its own binder of a data source has the same name, so that the two must differ in their type. */
    @EachBean(WeirDataSourceConfiguration.class)
    @Requires(condition = JdbcDataSourceEnabled.class)
    WeirMetrics weirMeters(WeirDataSourceConfiguration configuration, Pools pools) {
        return new WeirMetrics(pools.of(configuration));
    }
}
