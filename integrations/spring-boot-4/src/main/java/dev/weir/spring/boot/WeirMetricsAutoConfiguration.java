package dev.weir.spring.boot;

import dev.weir.WeirDataSource;
import dev.weir.fleet.WeirFleet;
import dev.weir.micrometer.FleetMetrics;
import dev.weir.micrometer.MetricNames;
import dev.weir.micrometer.WeirMetrics;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.MeterBinder;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.WeakHashMap;
import java.util.concurrent.ConcurrentHashMap;
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

    /** A registry is bound when all beans are there, a pool that comes later when it is made. */
    @Bean
    Meters weirMeters(Environment environment) {
        MetricNames names = Binder.get(environment)
                .bind("management.metrics.weir.names", MetricNames.class)
                .orElse(MetricNames.WEIR);
        return new Meters(names);
    }

    /** Of each pool, until it is closed. */
    static class Meters extends Pairs implements Pools.Observer {
        private final MetricNames names;

        Meters(MetricNames names) {
            this.names = names;
        }

        @Override
        public void appeared(WeirDataSource pool) {
            add(new WeirMetrics(pool, names));
        }
    }

    /** Binds each of the meters to each registry once, whichever comes first. Thread-safe, without a lock over a registry. */
    abstract static class Pairs implements MeterBinder {
        private final Set<MeterRegistry> registries = ConcurrentHashMap.newKeySet();

        /** Those of a pool are in its listeners until it is closed; and the registries they are in. */
        private final Map<MeterBinder, Set<MeterRegistry>> meters = Collections.synchronizedMap(new WeakHashMap<>());

        final void add(MeterBinder one) {
            Set<MeterRegistry> in = ConcurrentHashMap.newKeySet();
            meters.put(one, in);
            registries.forEach(registry -> bind(one, in, registry));
        }

        @Override
        public void bindTo(MeterRegistry registry) {
            registries.add(registry);
            Map<MeterBinder, Set<MeterRegistry>> all;
            synchronized (meters) {
                all = new LinkedHashMap<>(meters);
            }
            all.forEach((one, in) -> bind(one, in, registry));
        }

        private static void bind(MeterBinder one, Set<MeterRegistry> in, MeterRegistry registry) {
            if (in.add(registry)) {
                one.bindTo(registry);
            }
        }
    }

    /** Their members of fleets too. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass(WeirFleet.class)
    @ConditionalOnBean(JoinedFleets.class)
    static class OfFleets {

        @Bean
        FleetMeters weirFleetMeters() {
            return new FleetMeters();
        }

        /** Of each member, until its pool is closed. */
        static class FleetMeters extends Pairs implements JoinedFleets.Observer {
            @Override
            public void joined(WeirFleet fleet) {
                add(new FleetMetrics(fleet));
            }
        }
    }
}
