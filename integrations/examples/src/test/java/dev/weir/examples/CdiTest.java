package dev.weir.examples;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.PoolConfig;
import dev.weir.WeirDataSource;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.enterprise.inject.Disposes;
import jakarta.enterprise.inject.Produces;
import jakarta.enterprise.inject.se.SeContainer;
import jakarta.enterprise.inject.se.SeContainerInitializer;
import jakarta.inject.Inject;
import jakarta.inject.Singleton;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;

/** Weld is the container. */
class CdiTest {

    // snippet:cdi
    @ApplicationScoped
    static class Database {
        @Produces
        @Singleton // one pool, without a proxy before it
        WeirDataSource pool() {
            return new WeirDataSource(PoolConfig.builder()
                    .url("jdbc:h2:mem:cdi")
                    .username("sa")
                    .password("")
                    .maximumPoolSize(20)
                    .build());
        }

        void close(@Disposes WeirDataSource pool) {
            pool.close();
        }
    }
    // snippet:end

    @ApplicationScoped
    static class Shop {
        @Inject
        DataSource dataSource;

        @Inject
        WeirDataSource pool;

        long answer() throws Exception {
            return Pools.number(dataSource, "select 42");
        }

        WeirDataSource pool() {
            return pool;
        }
    }

    @Test
    void onePoolIsInjectedAndEndsWithTheContainer() throws Exception {
        WeirDataSource pool;
        try (SeContainer container = SeContainerInitializer.newInstance()
                .disableDiscovery()
                .addBeanClasses(Database.class, Shop.class)
                .initialize()) {
            Shop shop = container.select(Shop.class).get();
            assertThat(shop.answer()).isEqualTo(42);
            pool = shop.pool();
            assertThat(container.select(DataSource.class).get()).isSameAs(pool);
            assertThat(pool.stats().acquired()).isEqualTo(1);
        }
        assertThat(pool.isClosed()).isTrue();
    }

    @ApplicationScoped
    static class Proxied {
        @Produces
        @ApplicationScoped // CDI puts a proxy before it, a subclass
        WeirDataSource pool() {
            return new WeirDataSource(
                    PoolConfig.builder().url("jdbc:h2:mem:proxied").build());
        }

        void close(@Disposes WeirDataSource pool) {
            pool.close();
        }
    }

    @Test
    void aProxyOfTheContainerMayBeBeforeIt() throws Exception {
        WeirDataSource injected;
        try (SeContainer container = SeContainerInitializer.newInstance()
                .disableDiscovery()
                .addBeanClasses(Proxied.class, Shop.class)
                .initialize()) {
            Shop shop = container.select(Shop.class).get();
            assertThat(shop.answer()).isEqualTo(42);
            injected = shop.pool();
            assertThat(injected.getClass()).isNotEqualTo(WeirDataSource.class);
            assertThat(injected.stats().acquired()).isEqualTo(1);
            assertThat(injected.unwrap(WeirDataSource.class).isRunning()).isTrue();
            assertThat(injected).asString().contains("running");
        }
    }
}
