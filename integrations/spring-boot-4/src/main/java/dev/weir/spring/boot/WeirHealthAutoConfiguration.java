package dev.weir.spring.boot;

import javax.sql.DataSource;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.health.autoconfigure.contributor.ConditionalOnEnabledHealthIndicator;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.context.annotation.Bean;

/** Shows the health of the pools as {@code weir}, beside {@code db}, which Spring Boot asks the database for. */
@AutoConfiguration(
        after = WeirAutoConfiguration.class,
        afterName = { // so that db is asked first, and this has its answer
            "org.springframework.boot.jdbc.autoconfigure.health.DataSourceHealthContributorAutoConfiguration",
            "org.springframework.boot.actuate.autoconfigure.jdbc.DataSourceHealthContributorAutoConfiguration"
        })
@ConditionalOnClass({HealthIndicator.class, ConditionalOnEnabledHealthIndicator.class})
@ConditionalOnBean(DataSource.class)
@ConditionalOnEnabledHealthIndicator("weir")
public final class WeirHealthAutoConfiguration {

    @Bean
    WeirHealthIndicator weirHealthIndicator(Pools weirPools) {
        return new WeirHealthIndicator(weirPools);
    }
}
