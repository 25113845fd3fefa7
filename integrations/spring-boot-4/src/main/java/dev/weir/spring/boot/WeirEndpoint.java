package dev.weir.spring.boot;

import dev.weir.ChangeableSettings;
import dev.weir.WeirDataSource;
import java.beans.PropertyDescriptor;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.BeanUtils;
import org.springframework.beans.BeanWrapperImpl;
import org.springframework.beans.BeansException;
import org.springframework.boot.actuate.endpoint.Access;
import org.springframework.boot.actuate.endpoint.InvalidEndpointRequestException;
import org.springframework.boot.actuate.endpoint.SanitizableData;
import org.springframework.boot.actuate.endpoint.Sanitizer;
import org.springframework.boot.actuate.endpoint.SanitizingFunction;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.actuate.endpoint.annotation.ReadOperation;
import org.springframework.boot.actuate.endpoint.annotation.Selector;
import org.springframework.boot.actuate.endpoint.annotation.WriteOperation;
import org.springframework.boot.context.properties.bind.DataObjectPropertyName;
import org.springframework.boot.convert.ApplicationConversionService;
import org.springframework.core.NestedExceptionUtils;

/**
 * {@code /actuator/weir}: what the pools do. {@code POST /actuator/weir/{bean}/{what}} acts on one of them or changes a
 * setting of it, if {@code management.endpoint.weir.access} is {@code unrestricted}, which it is not by default.
 */
@Endpoint(id = "weir", defaultAccess = Access.READ_ONLY)
class WeirEndpoint {
    private final Pools pools;
    private final PoolObserver observer;
    private final WeirEndpointProperties properties;
    private final Sanitizer sanitizer;

    WeirEndpoint(
            Pools pools,
            PoolObserver observer,
            WeirEndpointProperties properties,
            List<SanitizingFunction> sanitizingFunctions) {
        this.pools = pools;
        this.observer = observer;
        this.properties = properties;
        this.sanitizer = new Sanitizer(sanitizingFunctions);
    }

    /** What can be done to a pool. */
    enum Action {
        /** Closes all connections: the idle ones now, those in use when they come home. */
        EVICT,
        /** Lends nothing until it is resumed. */
        SUSPEND,
        /** Lends again. */
        RESUME
    }

    /** The answer to an action: the pool's bean, its state now, and the action that was done or the setting that was set. */
    record Changed(String pool, String state, String done) {}

    /** What may be seen. */
    record View(boolean values, boolean sql) {}

    @ReadOperation
    Map<String, PoolReport> pools() {
        return pools(ofJmx());
    }

    @ReadOperation
    PoolReport pool(@Selector String bean) {
        return report(found(bean), ofJmx());
    }

    /**
     * Does what one of {@link Action} says, or sets the setting of this name, of those that can change while a pool runs.
     *
     * @param value of the setting, as its property is written: {@code 30}, {@code 2s}
     */
    @WriteOperation
    Changed change(@Selector String bean, @Selector String what, @Nullable String value) {
        return change(bean, found(bean), what, value);
    }

    Map<String, PoolReport> pools(View view) {
        Map<String, PoolReport> all = new LinkedHashMap<>();
        pools.all().forEach((bean, pool) -> all.put(bean, report(pool, view)));
        return all;
    }

    PoolReport report(WeirDataSource pool, View view) {
        return PoolReport.of(
                pool,
                pools.fleetOf(pool),
                observer.of(pool),
                (name, value) ->
                        String.valueOf(sanitizer.sanitize(new SanitizableData(null, name, value), view.values())),
                view.sql());
    }

    @Nullable
    WeirDataSource find(String bean) {
        return pools.all().get(bean);
    }

    /** The names of the beans that {@link #find} finds. */
    Set<String> names() {
        return pools.all().keySet();
    }

    Changed change(String bean, WeirDataSource pool, String what, @Nullable String value) {
        if (!pool.isRunning()) {
            throw new InvalidEndpointRequestException(
                    "pool " + bean + " is " + PoolReport.stateOf(pool), "the pool does not run");
        }
        for (Action action : Action.values()) {
            if (action.name().equalsIgnoreCase(what)) {
                act(pool, action);
                return new Changed(bean, PoolReport.stateOf(pool), what);
            }
        }
        set(pool, what, value);
        return new Changed(bean, PoolReport.stateOf(pool), what);
    }

    private static void act(WeirDataSource pool, Action action) {
        switch (action) {
            case EVICT -> pool.evictAll();
            case SUSPEND -> pool.suspend();
            case RESUME -> pool.resume();
        }
    }

    private static void set(WeirDataSource pool, String what, @Nullable String value) {
        String setting = DataObjectPropertyName.toDashedForm(what);
        List<String> changeable = Arrays.stream(BeanUtils.getPropertyDescriptors(ChangeableSettings.class))
                .map(PropertyDescriptor::getName)
                .sorted()
                .toList();
        String property = changeable.stream()
                .filter(name -> DataObjectPropertyName.toDashedForm(name).equals(setting))
                .findFirst()
                .orElseThrow(() -> new InvalidEndpointRequestException(
                        what + " (expected: evict, suspend, resume, or one of " + changeable + ")",
                        "nothing of this name can be done"));
        if (value == null) {
            throw new InvalidEndpointRequestException(
                    property + ": no value (expected: a body such as {\"value\": \"...\"})", "the value is missing");
        }
        BeanWrapperImpl settings = new BeanWrapperImpl(pool);
        settings.setConversionService(ApplicationConversionService.getSharedInstance());
        try {
            settings.setPropertyValue(property, value);
        } catch (BeansException e) {
            Throwable reason = NestedExceptionUtils.getMostSpecificCause(e);
            throw new InvalidEndpointRequestException(String.valueOf(reason.getMessage()), "the value is refused", e);
        }
    }

    private WeirDataSource found(String bean) {
        WeirDataSource pool = find(bean);
        if (pool == null) {
            throw new InvalidEndpointRequestException("no pool " + bean + "; there are " + names(), "no such pool");
        }
        return pool;
    }

    /** Who is connected there is authorized, as for Spring Boot's own endpoints. */
    private View ofJmx() {
        return new View(
                properties.getShowValues().isShown(true),
                properties.getShowSql().isShown(true));
    }
}
