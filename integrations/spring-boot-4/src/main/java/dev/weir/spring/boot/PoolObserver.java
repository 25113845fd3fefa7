package dev.weir.spring.boot;

import dev.weir.WeirDataSource;
import java.util.Collections;
import java.util.Map;
import java.util.WeakHashMap;

/** Keeps the recent events of each pool, for the endpoint. Thread-safe. */
class PoolObserver implements Pools.Observer {
    private final WeirEndpointProperties properties;
    private final Map<WeirDataSource, RecentEvents> observed = Collections.synchronizedMap(new WeakHashMap<>());

    PoolObserver(WeirEndpointProperties properties) {
        this.properties = properties;
    }

    @Override
    public void appeared(WeirDataSource pool) {
        RecentEvents recent = newEvents();
        observed.put(pool, recent);
        pool.addListener(recent);
    }

    /** Those of a pool that was seen by nobody when it was made are none. */
    RecentEvents of(WeirDataSource pool) {
        RecentEvents recent = observed.get(pool);
        return recent == null ? newEvents() : recent;
    }

    private RecentEvents newEvents() {
        return new RecentEvents(properties.getLongLoan(), properties.getSlowConnect());
    }
}
