package dev.weir.spring.boot;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.WeirDataSource;
import java.util.Arrays;
import java.util.Map;
import java.util.function.Consumer;
import javax.sql.DataSource;
import javax.sql.XADataSource;
import org.h2.jdbcx.JdbcDataSource;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.BeanCreationException;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.jdbc.DataSourceUnwrapper;
import org.springframework.boot.jdbc.metadata.DataSourcePoolMetadataProvider;
import org.springframework.boot.test.context.assertj.AssertableApplicationContext;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.boot.test.context.runner.ContextConsumer;
import org.springframework.context.ApplicationContext;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.jdbc.core.JdbcTemplate;
import org.springframework.transaction.TransactionManager;

/** What Spring Boot's own tests expect of the pools that it configures itself, asked of an application with the starter. */
class AsBootsOwnPoolsTest {
    private static final String H2 = "spring.datasource.url=jdbc:h2:mem:as-boots-own";

    private final ApplicationContextRunner plain = new ApplicationContextRunner()
            .withUserConfiguration(PlainApplication.class)
            .withPropertyValues(H2);

    /** Everything that the class path brings, as in an application; the migrations are for another database. */
    @SpringBootConfiguration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class Everything {}

    private static ContextConsumer<AssertableApplicationContext> pool(Consumer<WeirDataSource> check) {
        return context -> {
            assertThat(context).hasSingleBean(DataSource.class);
            check.accept((WeirDataSource) context.getBean("dataSource"));
        };
    }

    @Test
    void theUrlUnderThePoolsOwnPrefixGoesFirst() {
        plain.withPropertyValues("spring.datasource.weir.jdbc-url=jdbc:h2:mem:first")
                .run(pool(pool -> assertThat(pool.getUrl()).isEqualTo("jdbc:h2:mem:first")));
    }

    @Test
    void propertiesOfTheDriverKeepTheirCase() {
        plain.withPropertyValues("spring.datasource.weir.data-source-properties.TRACE_LEVEL_FILE=0")
                .run(pool(pool ->
                        assertThat(pool.config().dataSourceProperties()).containsEntry("TRACE_LEVEL_FILE", "0")));
    }

    @Test
    void whatIsNotSetKeepsThePoolsDefault() {
        plain.run(pool(pool -> {
            try (WeirDataSource other = new WeirDataSource()) {
                assertThat(pool.getMaxLifetime()).isEqualTo(other.getMaxLifetime());
                assertThat(pool.getConnectionTimeout()).isEqualTo(other.getConnectionTimeout());
            }
        }));
    }

    @Test
    void anEmbeddedDatabaseHasItsUsualUser() {
        new ApplicationContextRunner()
                .withUserConfiguration(PlainApplication.class)
                .run(pool(pool -> {
                    assertThat(pool.getUsername()).isEqualTo("sa");
                    assertThat(pool.getUrl()).contains("mem:");
                }));
    }

    @Test
    void anEmptyDriverClassIsNone() {
        plain.withPropertyValues("spring.datasource.driver-class-name=")
                .run(pool(pool -> assertThat(pool.isRunning()).isTrue()));
    }

    @Test
    void aDriverThatIsNotThereFailsTheStart() {
        plain.withPropertyValues("spring.datasource.driver-class-name=org.none.Driver")
                .run(context -> assertThat(context)
                        .hasFailed()
                        .getFailure()
                        .isInstanceOf(BeanCreationException.class)
                        .hasStackTraceContaining("org.none.Driver"));
    }

    @Test
    void anApplicationsOwnDataSourceIsLeftAlone() {
        plain.withBean("mine", JdbcDataSource.class)
                .run(context ->
                        assertThat(context).hasSingleBean(DataSource.class).doesNotHaveBean(WeirDataSource.class));
    }

    @Test
    void soIsOneForDistributedTransactions() {
        plain.withBean("mine", XADataSource.class, JdbcDataSource::new)
                .run(context -> assertThat(context).doesNotHaveBean(WeirDataSource.class));
    }

    @Test
    void itsCountsAreInSpringsMetadata() {
        plain.withPropertyValues("spring.datasource.weir.maximum-pool-size=7").run(context -> {
            DataSource dataSource = context.getBean(DataSource.class);
            assertThat(context.getBeanProvider(DataSourcePoolMetadataProvider.class).stream()
                            .map(provider -> provider.getDataSourcePoolMetadata(dataSource))
                            .filter(metadata -> metadata != null)
                            .map(metadata -> metadata.getMax()))
                    .containsExactly(7);
        });
    }

    @Test
    void aLazyApplicationOpensNothingBeforeItIsAsked() {
        try (ConfigurableApplicationContext context = Fleet.start(
                PlainApplication.class,
                Map.of(
                        "spring.main.banner-mode",
                        "off",
                        "spring.main.lazy-initialization",
                        "true",
                        "logging.level.root",
                        "warn",
                        "spring.datasource.url",
                        "jdbc:h2:mem:lazy"))) {
            assertThat(context.getBeanFactory().containsSingleton("dataSource")).isFalse();
            assertThat(context.getBean(JdbcTemplate.class).queryForObject("select 1", Integer.class))
                    .isEqualTo(1);
        }
    }

    @Test
    void scriptsRunBeforeAnyoneUsesIt() {
        try (ConfigurableApplicationContext context = Fleet.start(
                Everything.class,
                Map.of(
                        "spring.main.banner-mode",
                        "off",
                        "logging.level.root",
                        "warn",
                        "spring.datasource.url",
                        "jdbc:h2:mem:scripts",
                        "spring.flyway.enabled",
                        "false",
                        "spring.sql.init.mode",
                        "always",
                        "spring.sql.init.schema-locations",
                        "classpath:db/scripts/harbour.sql"))) {
            assertThat(context.getBean(JdbcTemplate.class)
                            .queryForObject("select count(*) from harbour", Integer.class))
                    .isEqualTo(2);
            assertThat(unwrapped(context)).isNotNull();
            assertThat(Arrays.asList(context.getBeanNamesForType(TransactionManager.class)))
                    .hasSize(1);
        }
    }

    private static WeirDataSource unwrapped(ApplicationContext context) {
        return DataSourceUnwrapper.unwrap(context.getBean(DataSource.class), WeirDataSource.class);
    }
}
