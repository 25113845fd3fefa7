package dev.weir.spring.boot;

import dev.weir.WeirDataSource;
import java.util.Map;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.actuate.endpoint.InvalidEndpointRequestException;
import org.springframework.boot.actuate.endpoint.SecurityContext;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;
import org.springframework.boot.actuate.endpoint.annotation.Selector;
import org.springframework.boot.actuate.endpoint.annotation.WriteOperation;
import org.springframework.boot.actuate.endpoint.web.WebEndpointResponse;
import org.springframework.boot.actuate.endpoint.web.annotation.EndpointWebExtension;

/** The endpoint over HTTP: who asks sees what is meant for him, and who asks for a pool that is not there gets the names. */
@EndpointWebExtension(endpoint = WeirEndpoint.class)
class WeirEndpointWebExtension {
    private final WeirEndpoint endpoint;
    private final WeirEndpointProperties properties;

    WeirEndpointWebExtension(WeirEndpoint endpoint, WeirEndpointProperties properties) {
        this.endpoint = endpoint;
        this.properties = properties;
    }

    @ReadOperation
    Map<String, PoolReport> pools(SecurityContext security) {
        return endpoint.pools(viewOf(security));
    }

    @ReadOperation
    WebEndpointResponse<?> pool(SecurityContext security, @Selector String bean) {
        return answer(bean, pool -> endpoint.report(pool, viewOf(security)));
    }

    /** Without a body, of whatever type. */
    @WriteOperation
    WebEndpointResponse<?> act(@Selector String bean, @Selector String what) {
        return change(bean, what, null);
    }

    @WriteOperation
    WebEndpointResponse<?> change(@Selector String bean, @Selector String what, @Nullable String value) {
        return answer(bean, pool -> endpoint.change(bean, pool, what, value));
    }

    private WebEndpointResponse<?> answer(String bean, Function<WeirDataSource, Object> body) {
        WeirDataSource pool = endpoint.find(bean);
        if (pool == null) {
            return new WebEndpointResponse<>(
                    Map.of("error", "no pool " + bean, "pools", endpoint.names()),
                    WebEndpointResponse.STATUS_NOT_FOUND);
        }
        try {
            return new WebEndpointResponse<>(body.apply(pool));
        } catch (InvalidEndpointRequestException e) {
            // Spring Boot's own answer to a bad request has no message, unless server.error.include-message says so.
            return new WebEndpointResponse<>(
                    Map.of("error", String.valueOf(e.getMessage())), WebEndpointResponse.STATUS_BAD_REQUEST);
        }
    }

    private WeirEndpoint.View viewOf(SecurityContext security) {
        return new WeirEndpoint.View(
                properties.getShowValues().isShown(security, properties.getRoles()),
                properties.getShowSql().isShown(security, properties.getRoles()));
    }
}
