package dev.weir.spring.boot;

import dev.weir.WeirDataSource;
import dev.weir.fleet.WeirFleet;
import dev.weir.opentelemetry.FleetTelemetry;
import dev.weir.opentelemetry.WeirTelemetry;
import io.opentelemetry.api.OpenTelemetry;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.WeakHashMap;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.env.Environment;

/**
 * Publishes the pools through the application's OpenTelemetry, where {@code weir-opentelemetry} is on
 * the class path.
 */
@AutoConfiguration(
        after = WeirAutoConfiguration.class,
        afterName = {
            "org.springframework.boot.opentelemetry.autoconfigure.OpenTelemetrySdkAutoConfiguration",
            "org.springframework.boot.actuate.autoconfigure.opentelemetry.OpenTelemetryAutoConfiguration"
        })
@ConditionalOnClass({OpenTelemetry.class, WeirTelemetry.class})
@ConditionalOnBean({OpenTelemetry.class, Pools.class})
@ConditionalOnProperty(name = "management.opentelemetry.weir.enabled", matchIfMissing = true)
public final class WeirTelemetryAutoConfiguration {

    @Bean
    Publisher weirTelemetry(ObjectProvider<OpenTelemetry> openTelemetry, Environment environment) {
        boolean spans = environment.getProperty("management.opentelemetry.weir.spans-for-waits", Boolean.class, false);
        return new Publisher(openTelemetry, spans);
    }

    /** Publishes each pool until it is closed or the application ends. */
    static class Publisher implements Pools.Observer, DisposableBean {
        private final ObjectProvider<OpenTelemetry> openTelemetry;
        private final boolean spans;
        private final Set<WeirTelemetry> published = weak();

        Publisher(ObjectProvider<OpenTelemetry> openTelemetry, boolean spans) {
            this.openTelemetry = openTelemetry;
            this.spans = spans;
        }

        @Override
        public void appeared(WeirDataSource pool) {
            published.add(WeirTelemetry.builder(openTelemetry.getObject())
                    .spansForWaits(spans)
                    .install(pool));
        }

        @Override
        public void destroy() {
            List.copyOf(published).forEach(WeirTelemetry::close);
        }
    }

    /** They are in the listeners of their pools, until the pools are closed. */
    private static <T> Set<T> weak() {
        return Collections.synchronizedSet(Collections.newSetFromMap(new WeakHashMap<>()));
    }

    /** Their members of fleets too. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass(WeirFleet.class)
    static class OfFleets {

        @Bean
        FleetPublisher weirFleetTelemetry(ObjectProvider<OpenTelemetry> openTelemetry) {
            return new FleetPublisher(openTelemetry);
        }

        /** Publishes each member until the application ends. */
        static class FleetPublisher implements JoinedFleets.Observer, DisposableBean {
            private final ObjectProvider<OpenTelemetry> openTelemetry;
            private final Set<FleetTelemetry> published = weak();

            FleetPublisher(ObjectProvider<OpenTelemetry> openTelemetry) {
                this.openTelemetry = openTelemetry;
            }

            @Override
            public void joined(WeirFleet fleet) {
                published.add(FleetTelemetry.install(openTelemetry.getObject(), fleet));
            }

            @Override
            public void destroy() {
                List.copyOf(published).forEach(FleetTelemetry::close);
            }
        }
    }
}
