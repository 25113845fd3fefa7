package dev.weir.spring.boot;

import dev.weir.fleet.WeirFleet;
import dev.weir.micrometer.FleetMetrics;
import dev.weir.micrometer.MetricNames;
import dev.weir.micrometer.WeirMetrics;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.MeterBinder;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.env.Environment;

/** Publishes the pools through Micrometer where {@code weir-micrometer} is on the class path. */
@AutoConfiguration(
        after = WeirAutoConfiguration.class,
        afterName = {
            "org.springframework.boot.micrometer.metrics.autoconfigure.CompositeMeterRegistryAutoConfiguration",
            "org.springframework.boot.actuate.autoconfigure.metrics.CompositeMeterRegistryAutoConfiguration"
        })
@ConditionalOnClass({MeterRegistry.class, WeirMetrics.class})
@ConditionalOnBean({MeterRegistry.class, Pools.class})
public final class WeirMetricsAutoConfiguration {

    /** Bound when all beans are there, and with them the pools. */
    @Bean
    MeterBinder weirMeters(Pools weirPools, Environment environment) {
        MetricNames names = Binder.get(environment)
                .bind("management.metrics.weir.names", MetricNames.class)
                .orElse(MetricNames.WEIR);
        return registry -> weirPools.all().values().forEach(pool -> new WeirMetrics(pool, names).bindTo(registry));
    }

    /** Their members of fleets too. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass(WeirFleet.class)
    @ConditionalOnBean(JoinedFleets.class)
    static class OfFleets {

        @Bean
        MeterBinder weirFleetMeters(JoinedFleets weirFleets) {
            return registry -> weirFleets.all().forEach(fleet -> new FleetMetrics(fleet).bindTo(registry));
        }
    }
}
