package dev.weir.spring.boot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.WeirDataSource;
import jakarta.persistence.EntityManager;
import jakarta.persistence.EntityManagerFactory;
import java.util.Map;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.autoconfigure.AutoConfigurationPackage;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.hibernate.autoconfigure.HibernateJpaAutoConfiguration;
import org.springframework.boot.hibernate.autoconfigure.HibernatePropertiesCustomizer;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.jdbc.datasource.lookup.AbstractRoutingDataSource;
import org.springframework.orm.jpa.LocalContainerEntityManagerFactoryBean;
import org.springframework.orm.jpa.vendor.HibernateJpaVendorAdapter;

/** Hibernate may be told that the pool has switched auto-commit off, wherever; the application starts only where that is so. */
class AutoCommitTest {
    private static final String DISABLES = "hibernate.connection.provider_disables_autocommit";
    private static final String AUTO_COMMIT = "spring.datasource.weir.auto-commit";

    @Configuration(proxyBeanMethods = false)
    @Import(PlainApplication.class)
    @ImportAutoConfiguration(HibernateJpaAutoConfiguration.class)
    @AutoConfigurationPackage
    static class WithJpa {}

    @Configuration(proxyBeanMethods = false)
    @Import(WithJpa.class)
    static class WithCustomizer {
        @Bean
        HibernatePropertiesCustomizer promise() {
            return properties -> properties.put(DISABLES, true);
        }
    }

    @Configuration(proxyBeanMethods = false)
    @Import(WithCustomizer.class)
    static class WithRouting {
        @Bean
        WeirDataSource target(WeirDataSourceFactory pools) {
            return pools.create(WeirAutoConfiguration.PREFIX, pool -> pool.setUrl("jdbc:h2:mem:routed"));
        }

        @Bean
        @org.springframework.context.annotation.Primary
        DataSource dataSource(WeirDataSource target) {
            AbstractRoutingDataSource routing = new AbstractRoutingDataSource() {
                @Override
                protected Object determineCurrentLookupKey() {
                    return "one";
                }
            };
            routing.setTargetDataSources(Map.of("one", target));
            return routing;
        }
    }

    /** Spring alone, and a persistence unit of a file. */
    @Configuration(proxyBeanMethods = false)
    @Import(PlainApplication.class)
    static class WithPersistenceXml {
        @Bean
        LocalContainerEntityManagerFactoryBean entityManagerFactory(DataSource dataSource) {
            LocalContainerEntityManagerFactoryBean factory = new LocalContainerEntityManagerFactoryBean();
            factory.setPersistenceXmlLocation("classpath:auto-commit-persistence.xml");
            factory.setJpaVendorAdapter(new HibernateJpaVendorAdapter());
            factory.setDataSource(dataSource);
            return factory;
        }
    }

    private static Map<String, Object> properties(String... pairs) {
        return Fleet.with(
                Fleet.with(
                        Map.of(),
                        "spring.main.banner-mode",
                        "off",
                        "logging.level.root",
                        "off",
                        "spring.datasource.url",
                        "jdbc:h2:mem:promise",
                        "spring.jpa.hibernate.ddl-auto",
                        "create-drop"),
                pairs);
    }

    private static void isRefused(Class<?> application, Map<String, Object> properties) {
        assertThatThrownBy(() -> Fleet.start(application, properties).close())
                .hasStackTraceContaining(DISABLES + ": true (expected: not set, or with autoCommit=false of pool ");
    }

    private static void rollsBack(Class<?> application, Map<String, Object> properties) {
        try (ConfigurableApplicationContext context = Fleet.start(application, properties)) {
            try (EntityManager entities =
                    context.getBean(EntityManagerFactory.class).createEntityManager()) {
                entities.getTransaction().begin();
                entities.persist(new Ship(1, "Vasa"));
                entities.flush();
                entities.getTransaction().rollback();
            }
            assertThat(context.getBean(JdbcTemplate.class).queryForObject("select count(*) from ship", Integer.class))
                    .isZero();
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "spring.jpa.properties." + DISABLES,
                "spring.jpa.properties[" + DISABLES + "]",
                "spring.jpa.properties.[" + DISABLES + "]"
            })
    void aPromiseInAPropertyNeedsAutoCommitOff(String property) {
        isRefused(WithJpa.class, properties(property, "true"));
        isRefused(WithJpa.class, properties(property, "TRUE", AUTO_COMMIT, "true"));
        rollsBack(WithJpa.class, properties(property, "true", AUTO_COMMIT, "false"));
        rollsBack(WithJpa.class, properties(property, "false"));
    }

    @Test
    void soDoesThePromiseOfACustomizerOfAFileAndOfOneWhoRoutes() {
        isRefused(WithCustomizer.class, properties());
        isRefused(WithPersistenceXml.class, properties());
        isRefused(WithRouting.class, properties());
        rollsBack(WithCustomizer.class, properties(AUTO_COMMIT, "false"));
        rollsBack(WithPersistenceXml.class, properties(AUTO_COMMIT, "false"));
        rollsBack(WithRouting.class, properties(AUTO_COMMIT, "false"));
    }

    @Test
    void aPoolThatTakesConnectionsLateChangesNothing() {
        Map<String, Object> lazy = properties("spring.datasource.connection-fetch", "lazy");
        isRefused(WithCustomizer.class, lazy);
    }
}
