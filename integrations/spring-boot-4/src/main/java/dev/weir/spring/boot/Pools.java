package dev.weir.spring.boot;

import dev.weir.WeirDataSource;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.WeakHashMap;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.springframework.aop.framework.AopProxyUtils;
import org.springframework.aop.scope.ScopedProxyUtils;
import org.springframework.aop.support.AopUtils;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.jdbc.DataSourceUnwrapper;
import org.springframework.core.Ordered;
import org.springframework.core.PriorityOrdered;

/**
 * The pools of one application, by the names of their beans; those that were made so far, since to look makes none. It sees
 * each bean before any proxy is put around it, in whatever scope it is: of several pools behind one name it has the last that
 * was made. Thread-safe.
 */
class Pools implements BeanPostProcessor, PriorityOrdered {
    private final ConfigurableListableBeanFactory beans;
    private final Map<String, WeirDataSource> made = Collections.synchronizedMap(new LinkedHashMap<>());
    private final Set<WeirDataSource> told =
            Collections.synchronizedSet(Collections.newSetFromMap(new WeakHashMap<>()));

    Pools(ConfigurableListableBeanFactory beans) {
        this.beans = beans;
    }

    /** Is told of each pool once: of those that the factory makes before their start, of others when they are beans. */
    @FunctionalInterface
    interface Observer {
        void appeared(WeirDataSource pool);
    }

    void appeared(WeirDataSource pool) {
        if (told.add(pool)) {
            beans.getBeanProvider(Observer.class).orderedStream().forEach(observer -> observer.appeared(pool));
        }
    }

    @Override
    public Object postProcessAfterInitialization(Object bean, String beanName) {
        WeirDataSource pool = bean instanceof DataSource source ? behind(source) : null;
        if (pool != null) {
            String name = ScopedProxyUtils.isScopedTarget(beanName)
                    ? ScopedProxyUtils.getOriginalBeanName(beanName)
                    : beanName;
            made.put(name, pool);
            appeared(pool);
        }
        return bean;
    }

    /** Null if there is none, or a scope or an injection point decides which; that one is seen when it is made. */
    private static @Nullable WeirDataSource behind(DataSource source) {
        DataSource found =
                AopUtils.isAopProxy(source) ? source : DataSourceUnwrapper.unwrap(source, WeirDataSource.class);
        if (found == null || !AopUtils.isAopProxy(found)) {
            return (WeirDataSource) found;
        }
        return AopProxyUtils.getSingletonTarget(found) instanceof DataSource target ? behind(target) : null;
    }

    /** Before those that put proxies around beans. */
    @Override
    public int getOrder() {
        return Ordered.HIGHEST_PRECEDENCE;
    }

    /** What the pool has of its fleet, or null if it is in none. */
    @Nullable
    FleetReport fleetOf(WeirDataSource pool) {
        FleetMembers members = members();
        return members == null ? null : members.of(pool);
    }

    /** Null where no pool can be in a fleet. */
    @Nullable
    FleetMembers members() {
        return beans.getBeanProvider(FleetMembers.class).getIfAvailable();
    }

    Map<String, WeirDataSource> all() {
        Map<String, WeirDataSource> pools = new LinkedHashMap<>();
        synchronized (made) {
            made.forEach((name, pool) -> putOnce(pools, name, pool));
        }
        for (String name : beans.getBeanNamesForType(DataSource.class, false, false)) { // registered as they are
            WeirDataSource pool = beans.getSingleton(name) instanceof DataSource source ? behind(source) : null;
            if (pool != null) {
                putOnce(pools, name, pool);
            }
        }
        return pools;
    }

    /** A proxy of one pool that is a bean of its own is the same pool. */
    private static void putOnce(Map<String, WeirDataSource> pools, String name, WeirDataSource pool) {
        if (!pools.containsValue(pool)) {
            pools.putIfAbsent(name, pool);
        }
    }
}
