package dev.weir.spring.boot;

import dev.weir.WeirDataSource;
import java.sql.SQLException;
import java.util.List;
import java.util.concurrent.ThreadFactory;
import java.util.function.Consumer;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.context.properties.bind.BindException;
import org.springframework.boot.context.properties.bind.BindHandler;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.bind.handler.NoUnboundElementsBindHandler;
import org.springframework.boot.context.properties.source.UnboundElementsSourceFilter;
import org.springframework.boot.system.JavaVersion;
import org.springframework.core.SpringProperties;
import org.springframework.core.env.Environment;
import org.springframework.core.task.VirtualThreadTaskExecutor;

/**
 * Makes pools from the properties under a prefix, for applications with several databases. A bean; thread-safe.
 *
 * <pre>{@code
 * @Bean
 * WeirDataSource orders(WeirDataSourceFactory pools) {
 *     return pools.create("app.orders"); // app.orders.url, app.orders.maximum-pool-size, ...
 * }
 * }</pre>
 *
 * <p>The pool is not a bean of {@code @ConfigurationProperties}: whoever rebinds those while the application runs destroys
 * and initializes them anew, and a pool that was closed is closed for good.
 */
public class WeirDataSourceFactory {
    private static final Log LOG = LogFactory.getLog("dev.weir");

    private final Environment environment;
    private final HikariNotes hikariNotes;
    private final ObjectProvider<WeirDataSourceCustomizer> customizers;
    private final ObjectProvider<FleetMembers> fleetMembers;
    private final ObjectProvider<Pools> pools;

    WeirDataSourceFactory(Environment environment, ListableBeanFactory beans) {
        this.environment = environment;
        this.hikariNotes = new HikariNotes(environment, beans);
        this.customizers = beans.getBeanProvider(WeirDataSourceCustomizer.class);
        this.fleetMembers = beans.getBeanProvider(FleetMembers.class);
        this.pools = beans.getBeanProvider(Pools.class);
    }

    /**
     * Makes a pool of the settings {@code prefix.*} and starts it, as {@code initialization-fail-timeout} says.
     *
     * @throws PoolConfigurationException if a property is unknown, a value wrong, or two contradict
     * @throws PoolStartException if no connection could be opened
     */
    public WeirDataSource create(String prefix) {
        return create(prefix, pool -> {});
    }

    /**
     * As {@link #create(String)}, with what no property can say: the pool is configured, but not yet started, when it is
     * given to the customizer.
     */
    public WeirDataSource create(String prefix, Consumer<? super WeirDataSource> customizer) {
        return create(prefix, prefix, customizer);
    }

    /** As {@link #create(String, Consumer)}; the pool has this name, or one of its own, unless its properties name it. */
    WeirDataSource create(String prefix, @Nullable String name, Consumer<? super WeirDataSource> customizer) {
        PropertyNames names = new PropertyNames(environment, prefix);
        WeirDataSource pool = new WeirDataSource();
        try {
            ThreadFactory threads = virtualThreads();
            if (threads != null) {
                pool.setThreadFactory(threads);
            }
            pool.setPoolName(name);
            // Boot's own default of this property is false: weir top would be blind where it is needed.
            pool.setRegisterMbeans(environment.getProperty("spring.jmx.enabled", Boolean.class, true));
            if (prefix.equals(WeirAutoConfiguration.PREFIX) && isFetchLazy()) {
                pool.setPoolMode("lazy"); // unless its own property or a customizer says otherwise
            }
            int usual = pool.getMaximumPoolSize();
            FleetSettings fleet = configure(names, pool, ready -> {
                customizers.orderedStream().forEach(one -> one.customize(prefix, ready));
                customizer.accept(ready);
            });
            pools.ifAvailable(all -> all.appeared(pool));
            if (pool.getMaximumPoolSize() == usual && !hasSize(prefix)) {
                LOG.info("pool of " + prefix + ".*: no size is set, so it opens up to " + usual
                        + " connections where they are needed (HikariCP's default is 10); set " + prefix
                        + ".maximum-pool-size to what this process may have of the database");
            }
            if (isTraining()) {
                return pool;
            }
            if (fleet != null && !fleet.isOff()) {
                join(names, pool, fleet);
            }
            start(names, pool);
            return pool;
        } catch (RuntimeException e) {
            fleetMembers.ifAvailable(members -> members.leave(pool));
            pool.close();
            throw e;
        }
    }

    private void join(PropertyNames names, WeirDataSource pool, FleetSettings fleet) {
        FleetMembers members = fleetMembers.getIfAvailable();
        if (members == null) {
            String missing = names.ofFleet("name") + ": " + fleet.name()
                    + " (expected: dev.weir:weir-fleet on the class path, or no fleet)" + names.originOfFleet("name");
            throw new PoolConfigurationException(
                    names.prefix(), List.of(missing), new IllegalStateException("weir-fleet is not there"));
        }
        members.join(names, pool, fleet);
    }

    /** Where Spring Boot 4.1 puts a proxy around a pool that takes connections late, this pool does so itself. */
    private boolean isFetchLazy() {
        return "lazy".equalsIgnoreCase(environment.getProperty("spring.datasource.connection-fetch"));
    }

    private boolean hasSize(String prefix) {
        return Binder.get(environment)
                .bind(prefix + ".maximum-pool-size", String.class)
                .isBound();
    }

    /**
     * The fleet's properties first, by the same handler, which then knows that they are no settings of the pool. All that is
     * wrong is told at once; what a customizer throws besides may only follow from it.
     */
    private @Nullable FleetSettings configure(
            PropertyNames names, WeirDataSource pool, Consumer<? super WeirDataSource> customizer) {
        BindFaults faults = new BindFaults(names);
        BindHandler strict = new NoUnboundElementsBindHandler(faults, new UnboundElementsSourceFilter());
        FleetSettings fleet = null;
        boolean ignoresHikari = false;
        try {
            Binder binder = Binder.get(environment);
            fleet = binder.bind(names.prefix() + ".fleet", Bindable.of(FleetSettings.class), strict)
                    .orElse(null);
            ignoresHikari = binder.bind(names.prefix() + ".ignore-hikari", Bindable.of(Boolean.class), strict)
                    .orElse(false);
            binder.bind(names.prefix(), Bindable.ofInstance(pool), strict);
        } catch (BindException e) {
            faults.add(names.faultsOf(e), e);
        }
        faults.add(names.contradictions(), null);
        try {
            customizer.accept(pool);
            pool.config();
        } catch (IllegalArgumentException e) {
            faults.addOthers(e);
        } catch (RuntimeException e) {
            faults.throwIfAny();
            throw e;
        }
        faults.throwIfAny();
        faults.add(hikariNotes.changesOf(names, pool, ignoresHikari), null);
        faults.throwIfAny();
        return fleet;
    }

    /** A run that only trains a class data cache ends before anything needs a connection. */
    private static boolean isTraining() {
        return "onRefresh".equalsIgnoreCase(SpringProperties.getProperty("spring.context.exit"));
    }

    private static void start(PropertyNames names, WeirDataSource pool) {
        try {
            pool.start();
        } catch (SQLException e) {
            if (e.getCause() instanceof IllegalArgumentException wrong) {
                throw new PoolConfigurationException(names.prefix(), names.faultsOf(wrong), e);
            }
            throw new PoolStartException(names.prefix(), e);
        }
    }

    private @Nullable ThreadFactory virtualThreads() {
        boolean wanted = environment.getProperty("spring.threads.virtual.enabled", Boolean.class, false);
        return wanted && JavaVersion.getJavaVersion().isEqualOrNewerThan(JavaVersion.TWENTY_ONE)
                ? new VirtualThreadTaskExecutor().getVirtualThreadFactory()
                : null;
    }
}
