package dev.weir.spring.boot;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.WeirDataSource;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.binder.MeterBinder;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import javax.sql.DataSource;
import org.aspectj.lang.ProceedingJoinPoint;
import org.aspectj.lang.annotation.Around;
import org.aspectj.lang.annotation.Aspect;
import org.junit.jupiter.api.Test;
import org.springframework.aop.framework.ProxyFactory;
import org.springframework.aop.support.AopUtils;
import org.springframework.beans.factory.config.BeanPostProcessor;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.cloud.autoconfigure.RefreshAutoConfiguration;
import org.springframework.cloud.context.config.annotation.RefreshScope;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.EnableAspectJAutoProxy;
import org.springframework.context.annotation.Import;
import org.springframework.context.annotation.Lazy;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.LazyConnectionDataSourceProxy;

/** Applications that put proxies around their data source have its pool, its meters, its health, its endpoint and checkpoints. */
class ProxyTest {
    private static final Map<String, Object> PROPERTIES = Map.of(
            "spring.main.banner-mode",
            "off",
            "logging.level.root",
            "warn",
            "spring.datasource.name",
            "shop",
            "spring.datasource.weir.maximum-pool-size",
            "5",
            "management.endpoints.web.exposure.include",
            "weir");

    @Configuration(proxyBeanMethods = false)
    @Import(PlainApplication.class)
    @ImportAutoConfiguration({
        WeirEndpointAutoConfiguration.class,
        WeirHealthAutoConfiguration.class,
        WeirMetricsAutoConfiguration.class
    })
    static class Operated {
        @Bean
        MeterRegistry registry() {
            return new SimpleMeterRegistry();
        }
    }

    /** As a tracing or profiling library does it. */
    @Configuration(proxyBeanMethods = false)
    @Import(Operated.class)
    static class WithPostProcessor {
        @Bean
        static BeanPostProcessor byClass() {
            return new BeanPostProcessor() {
                @Override
                public Object postProcessAfterInitialization(Object bean, String beanName) {
                    if (!(bean instanceof DataSource)) {
                        return bean;
                    }
                    ProxyFactory factory = new ProxyFactory(bean);
                    factory.setProxyTargetClass(true);
                    return factory.getProxy();
                }
            };
        }
    }

    @Configuration(proxyBeanMethods = false)
    @Import(Operated.class)
    @EnableAspectJAutoProxy(proxyTargetClass = true)
    static class WithAspect {
        static final AtomicInteger CALLS = new AtomicInteger();

        @Bean
        Counting counting() {
            return new Counting();
        }

        @Aspect
        static class Counting {
            @Around("execution(java.sql.Connection javax.sql.DataSource+.getConnection())")
            Object count(ProceedingJoinPoint call) throws Throwable {
                CALLS.incrementAndGet();
                return call.proceed();
            }
        }
    }

    /** As an audit or a stopwatch does it: around whatever it finds, the starter's beans too. */
    @Configuration(proxyBeanMethods = false)
    @Import(Operated.class)
    @EnableAspectJAutoProxy(proxyTargetClass = true)
    static class WithAspectOverAll {
        @Bean
        Watching watching() {
            return new Watching();
        }

        @Aspect
        static class Watching {
            @Around("execution(* *(..)) && within(dev.weir.spring.boot.*)"
                    + " && !within(org.springframework.beans.factory.config.BeanPostProcessor+)"
                    + " && (bean(weir*) || bean(jdbcConnectionDetails))")
            Object watch(ProceedingJoinPoint call) throws Throwable {
                return call.proceed();
            }
        }
    }

    @Configuration(proxyBeanMethods = false)
    @Import(Operated.class)
    @ImportAutoConfiguration(RefreshAutoConfiguration.class)
    static class WithRefreshScope {
        static final AtomicInteger MADE = new AtomicInteger();

        @Bean
        @RefreshScope
        WeirDataSource dataSource(WeirDataSourceFactory pools) {
            return pools.create(WeirAutoConfiguration.PREFIX, pool -> {
                pool.setUrl("jdbc:h2:mem:WithRefreshScope");
                pool.setPoolName("shop");
                pool.setMaximumPoolSize(4 + MADE.incrementAndGet());
            });
        }
    }

    @Configuration(proxyBeanMethods = false)
    @Import(Operated.class)
    static class WithLazyProxy {
        @Bean
        DataSource dataSource(WeirDataSourceFactory pools) {
            return new LazyConnectionDataSourceProxy(pools.create(WeirAutoConfiguration.PREFIX, pool -> {
                pool.setUrl("jdbc:h2:mem:WithLazyProxy");
                pool.setPoolName("shop");
            }));
        }
    }

    /** Made by its first caller, long after the registry; and not by the factory. */
    @Configuration(proxyBeanMethods = false)
    @Import(Operated.class)
    static class WithLateBean {
        @Bean
        @Lazy
        WeirDataSource dataSource() {
            WeirDataSource pool = new WeirDataSource();
            pool.setUrl("jdbc:h2:mem:WithLateBean");
            pool.setPoolName("shop");
            pool.setMaximumPoolSize(5);
            return pool;
        }
    }

    private static ConfigurableApplicationContext start(Class<?> application) {
        String url = "jdbc:h2:mem:" + application.getSimpleName();
        return Fleet.start(application, Fleet.with(PROPERTIES, "spring.datasource.url", url));
    }

    private static void bind(ConfigurableApplicationContext context) {
        MeterRegistry registry = context.getBean(MeterRegistry.class);
        context.getBeansOfType(MeterBinder.class).values().forEach(binder -> binder.bindTo(registry));
    }

    /** All that looks at a pool has this one, and no other. */
    private static WeirDataSource shown(ConfigurableApplicationContext context, double maximum) {
        assertThat(context.getBean(JdbcTemplate.class).queryForObject("select 1", Integer.class))
                .isEqualTo(1);
        MeterRegistry registry = context.getBean(MeterRegistry.class);
        assertThat(registry.get("weir.connections.max")
                        .tag("pool", "shop")
                        .gauge()
                        .value())
                .isEqualTo(maximum);
        assertThat(registry.get("weir.connections.acquired").functionCounter().count())
                .isPositive();
        WeirEndpoint endpoint = context.getBean(WeirEndpoint.class);
        assertThat(endpoint.pools()).containsOnlyKeys("dataSource");
        assertThat(endpoint.pool("dataSource").state()).isEqualTo("running");
        assertThat(context.getBean(WeirHealthIndicator.class).health().getDetails())
                .containsOnlyKeys("dataSource");
        WeirDataSource pool = context.getBean(Pools.class).all().get("dataSource");
        assertThat(AopUtils.isAopProxy(pool)).isFalse();
        assertThat(context.getBean(PoolObserver.class).of(pool))
                .isSameAs(context.getBean(PoolObserver.class).of(pool));

        context.stop();
        assertThat(pool.isSuspended()).isTrue();
        assertThat(pool.physicalConnections()).isZero();
        context.start();
        assertThat(pool.isSuspended()).isFalse();
        return pool;
    }

    private static void startsAndIsShown(Class<?> application) {
        WeirDataSource pool;
        try (ConfigurableApplicationContext context = start(application)) {
            bind(context);
            pool = context.getBean(Pools.class).all().isEmpty() ? null : shown(context, 5);
            if (pool == null) {
                pool = context.getBean(WeirDataSource.class); // its first caller
                pool = shown(context, 5);
            }
            assertThat(pool.isClosed()).isFalse();
        }
        assertThat(pool.isClosed()).isTrue();
    }

    @Test
    void aPostProcessorMayProxyItByItsClass() {
        startsAndIsShown(WithPostProcessor.class);
        try (ConfigurableApplicationContext context = start(WithPostProcessor.class)) {
            WeirDataSource proxy = context.getBean(WeirDataSource.class);
            assertThat(AopUtils.isCglibProxy(proxy)).isTrue();
            WeirDataSource pool = context.getBean(Pools.class).all().get("dataSource");
            assertThat(proxy).hasToString(pool.toString()).isEqualTo(proxy);
            proxy.setMaximumPoolSize(7);
            assertThat(pool.getMaximumPoolSize()).isEqualTo(7);
            assertThat(Set.of(proxy)).contains(proxy);
        }
    }

    @Test
    void anAspectMayBeAroundIt() {
        WithAspect.CALLS.set(0);
        startsAndIsShown(WithAspect.class);
        assertThat(WithAspect.CALLS.get()).isPositive();
    }

    @Test
    void anAspectMayBeAroundTheBeansOfTheStarter() {
        startsAndIsShown(WithAspectOverAll.class);
        try (ConfigurableApplicationContext context = start(WithAspectOverAll.class)) {
            assertThat(AopUtils.isCglibProxy(context.getBean(WeirDataSourceFactory.class)))
                    .isTrue();
            assertThat(AopUtils.isCglibProxy(context.getBean(WeirEndpoint.class)))
                    .isTrue();
            assertThat(AopUtils.isCglibProxy(context.getBean(CheckpointLifecycle.class)))
                    .isTrue();
        }
    }

    @Test
    void aLazyProxyMayBeAroundIt() {
        try (ConfigurableApplicationContext context = start(WithLazyProxy.class)) {
            bind(context);
            assertThat(shown(context, 5).isClosed()).isFalse();
        }
    }

    @Test
    void itMayBeMadeByItsFirstCaller() {
        startsAndIsShown(WithLateBean.class);
    }

    @Test
    void aRefreshReplacesItAndAllThatLooksAtItFollows() {
        WithRefreshScope.MADE.set(0);
        try (ConfigurableApplicationContext context = start(WithRefreshScope.class)) {
            bind(context);
            context.getBean(JdbcTemplate.class).execute("select 1"); // makes it
            WeirDataSource first = shown(context, 5);
            context.getBean(org.springframework.cloud.context.scope.refresh.RefreshScope.class)
                    .refreshAll();
            assertThat(first.isClosed()).isTrue();
            assertThat(context.getBean(MeterRegistry.class)
                            .find("weir.connections.max")
                            .gauge())
                    .isNull();
            context.getBean(JdbcTemplate.class).execute("select 1");
            WeirDataSource second = shown(context, 6);
            assertThat(second).isNotSameAs(first);
        }
    }
}
