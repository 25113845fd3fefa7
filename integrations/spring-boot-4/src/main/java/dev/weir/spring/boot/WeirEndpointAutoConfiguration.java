package dev.weir.spring.boot;

import org.springframework.boot.actuate.autoconfigure.endpoint.condition.ConditionalOnAvailableEndpoint;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.context.annotation.Bean;

/** {@code /actuator/weir}, where it is exposed. */
@AutoConfiguration(after = WeirAutoConfiguration.class)
@ConditionalOnClass({Endpoint.class, ConditionalOnAvailableEndpoint.class})
@ConditionalOnBean(Pools.class)
@ConditionalOnAvailableEndpoint(WeirEndpoint.class)
public final class WeirEndpointAutoConfiguration {

    @Bean
    WeirEndpoint weirEndpoint(Pools weirPools) {
        return new WeirEndpoint(weirPools);
    }
}
