package dev.weir.spring.boot;

import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.actuate.autoconfigure.endpoint.condition.ConditionalOnAvailableEndpoint;
import org.springframework.boot.actuate.autoconfigure.endpoint.expose.EndpointExposure;
import org.springframework.boot.actuate.endpoint.SanitizingFunction;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;

/** {@code /actuator/weir}, where it is exposed. */
@AutoConfiguration(after = WeirAutoConfiguration.class)
@ConditionalOnClass({Endpoint.class, ConditionalOnAvailableEndpoint.class})
@ConditionalOnBean(Pools.class)
@ConditionalOnAvailableEndpoint(WeirEndpoint.class)
@EnableConfigurationProperties(WeirEndpointProperties.class)
public final class WeirEndpointAutoConfiguration {

    @Bean
    PoolObserver weirPoolObserver(WeirEndpointProperties properties) {
        return new PoolObserver(properties);
    }

    @Bean
    WeirEndpoint weirEndpoint(
            Pools weirPools,
            PoolObserver weirPoolObserver,
            WeirEndpointProperties properties,
            ObjectProvider<SanitizingFunction> sanitizingFunctions) {
        return new WeirEndpoint(
                weirPools,
                weirPoolObserver,
                properties,
                sanitizingFunctions.orderedStream().toList());
    }

    @Bean
    @ConditionalOnAvailableEndpoint(endpoint = WeirEndpoint.class, exposure = EndpointExposure.WEB)
    WeirEndpointWebExtension weirEndpointWebExtension(WeirEndpoint weirEndpoint, WeirEndpointProperties properties) {
        return new WeirEndpointWebExtension(weirEndpoint, properties);
    }
}
