package dev.weir.spring.boot;

import dev.weir.WeirDataSource;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.health.autoconfigure.contributor.ConditionalOnEnabledHealthIndicator;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.context.annotation.Bean;

/** Shows the health of the pools as {@code weir}, beside {@code db}, which Spring Boot asks the database for. */
@AutoConfiguration(after = WeirAutoConfiguration.class)
@ConditionalOnClass({HealthIndicator.class, ConditionalOnEnabledHealthIndicator.class})
@ConditionalOnBean(WeirDataSource.class)
@ConditionalOnEnabledHealthIndicator("weir")
public final class WeirHealthAutoConfiguration {

    @Bean
    WeirHealthIndicator weirHealthIndicator(Pools weirPools) {
        return new WeirHealthIndicator(weirPools);
    }
}
