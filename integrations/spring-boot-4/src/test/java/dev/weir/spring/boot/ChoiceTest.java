package dev.weir.spring.boot;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import dev.weir.WeirDataSource;
import dev.weir.spi.Credentials;
import dev.weir.spi.CredentialsProvider;
import dev.weir.spi.FailureClass;
import dev.weir.spi.FailureClassifier;
import dev.weir.spi.PoolListener;
import dev.weir.testkit.Await;
import java.sql.Connection;
import java.time.Duration;
import java.util.Map;
import javax.naming.Context;
import javax.naming.InitialContext;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.boot.jdbc.DataSourceBuilder;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.JdbcConnectionDetails;
import org.springframework.boot.jdbc.autoconfigure.JndiDataSourceAutoConfiguration;
import org.springframework.boot.jdbc.metadata.DataSourcePoolMetadataProvider;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.context.annotation.Primary;
import org.springframework.context.support.DefaultLifecycleProcessor;
import org.springframework.jdbc.core.JdbcTemplate;

/** Which pool an application gets, and with which settings. */
class ChoiceTest {
    private static final Map<String, Object> NONE =
            Map.of("spring.main.banner-mode", "off", "logging.level.root", "warn");

    private static final String H2 = "jdbc:h2:mem:choice;DB_CLOSE_DELAY=-1";

    @Test
    void relaxedNamesSpringsDurationsAndPoolNameAreUnderstood() {
        try (ConfigurableApplicationContext context = Fleet.start(
                PlainApplication.class,
                Fleet.with(
                        NONE,
                        "spring.datasource.url",
                        H2,
                        "spring.datasource.name",
                        "harbour",
                        "spring.datasource.weir.maximumPoolSize",
                        "7",
                        "spring.datasource.weir.minimum_pool_size",
                        "3",
                        "spring.datasource.weir.connection-timeout",
                        "2s",
                        "spring.datasource.weir.validation-timeout",
                        "750",
                        "spring.datasource.weir.max-lifetime",
                        "PT20M",
                        "spring.datasource.weir.transaction-isolation",
                        "serializable",
                        "spring.datasource.weir.initialization-fail-timeout",
                        "-1"))) {
            WeirDataSource pool = context.getBean(WeirDataSource.class);
            assertThat(pool.getMaximumPoolSize()).isEqualTo(7);
            assertThat(pool.getMinimumPoolSize()).isEqualTo(3);
            assertThat(pool.getConnectionTimeout()).isEqualTo(Duration.ofSeconds(2));
            assertThat(pool.getValidationTimeout()).isEqualTo(Duration.ofMillis(750));
            assertThat(pool.getMaxLifetime()).isEqualTo(Duration.ofMinutes(20));
            assertThat(pool.getTransactionIsolation()).isEqualTo("TRANSACTION_SERIALIZABLE");
            assertThat(pool.getInitializationFailTimeout()).isEqualTo(Duration.ofMillis(-1));
            assertThat(pool.getPoolName()).isEqualTo("harbour");
            assertThat(pool.getDriverClassName()).isEqualTo("org.h2.Driver");
        }
    }

    @Test
    void environmentVariablesAreUnderstood() {
        try (ConfigurableApplicationContext context = Fleet.start(
                PlainApplication.class,
                NONE,
                Map.of(
                        "SPRING_DATASOURCE_URL",
                        H2,
                        "SPRING_DATASOURCE_WEIR_CONNECTION_TIMEOUT",
                        "7s",
                        "SPRING_DATASOURCE_WEIR_MAXIMUMPOOLSIZE",
                        "7",
                        "SPRING_DATASOURCE_WEIR_NOSETTING",
                        "1"))) {
            WeirDataSource pool = context.getBean(WeirDataSource.class);
            assertThat(pool.getConnectionTimeout()).isEqualTo(Duration.ofSeconds(7));
            assertThat(pool.getMaximumPoolSize()).isEqualTo(7);
            assertThat(pool.stats().acquired()).isZero();
        }
    }

    @Test
    void withoutAUrlTheEmbeddedDatabaseIsPooled() {
        try (ConfigurableApplicationContext context = Fleet.start(PlainApplication.class, NONE)) {
            assertThat(context.getBean(WeirDataSource.class).getUrl()).startsWith("jdbc:h2:mem:");
            assertThat(context.getBean(JdbcTemplate.class).queryForObject("select 1", Integer.class))
                    .isEqualTo(1);
        }
    }

    @Test
    void typeChoosesAnotherPool() {
        try (ConfigurableApplicationContext context = Fleet.start(
                PlainApplication.class,
                Fleet.with(
                        NONE,
                        "spring.datasource.url",
                        H2,
                        "spring.datasource.type",
                        "com.zaxxer.hikari.HikariDataSource"))) {
            assertThat(context.getBean(DataSource.class)).isInstanceOf(HikariDataSource.class);
        }
    }

    @Test
    void typeMayNameWeir() {
        try (ConfigurableApplicationContext context = Fleet.start(
                PlainApplication.class,
                Fleet.with(
                        NONE,
                        "spring.datasource.url",
                        H2,
                        "spring.datasource.type",
                        "dev.weir.WeirDataSource",
                        "spring.datasource.weir.maximum-pool-size",
                        "5"))) {
            assertThat(context.getBean(WeirDataSource.class).getMaximumPoolSize())
                    .isEqualTo(5);
        }
    }

    @Configuration(proxyBeanMethods = false)
    @Import(PlainApplication.class)
    @ImportAutoConfiguration(JndiDataSourceAutoConfiguration.class)
    static class WithJndi {}

    /** Tomcat's naming, with a resource in it; who made the pool closes it. */
    @Test
    @SuppressWarnings("BanJNDI") // the name is a constant, the resource the test's own
    void jndiNameTakesThePoolOfTheContainerAndLeavesItOpen() throws Exception {
        System.setProperty(Context.INITIAL_CONTEXT_FACTORY, "org.apache.naming.java.javaURLContextFactory");
        try (WeirDataSource shop = new WeirDataSource()) {
            shop.setUrl("jdbc:h2:mem:shop");
            new InitialContext().bind("shop", shop);
            try (ConfigurableApplicationContext context =
                    Fleet.start(WithJndi.class, Fleet.with(NONE, "spring.datasource.jndi-name", "shop"))) {
                assertThat(context.getBean(DataSource.class)).isSameAs(shop);
                assertThat(context.getBean(JdbcTemplate.class).queryForObject("select 1", Integer.class))
                        .isEqualTo(1);
            }
            assertThat(shop.isRunning()).isTrue();
        } finally {
            new InitialContext().unbind("shop");
            System.clearProperty(Context.INITIAL_CONTEXT_FACTORY);
        }
    }

    @EnableAutoConfiguration(exclude = DataSourceAutoConfiguration.class)
    @Configuration(proxyBeanMethods = false)
    static class WithoutADatabase {}

    @Test
    void whoExcludesSpringBootsDataSourceGetsNone() {
        try (ConfigurableApplicationContext context = Fleet.start(WithoutADatabase.class, NONE)) {
            assertThat(context.getBeanNamesForType(DataSource.class)).isEmpty();
        }
    }

    /** As a service connection or Docker Compose brings them. */
    @Configuration(proxyBeanMethods = false)
    @Import(PlainApplication.class)
    static class WithConnectionDetails {
        @Bean
        JdbcConnectionDetails details() {
            return new JdbcConnectionDetails() {
                @Override
                public String getUsername() {
                    return Fleet.USER;
                }

                @Override
                public String getPassword() {
                    return Fleet.PASSWORD;
                }

                @Override
                public String getJdbcUrl() {
                    return Fleet.server().jdbcUrl("postgres");
                }
            };
        }
    }

    @Test
    void connectionDetailsGoBeforeProperties() {
        try (ConfigurableApplicationContext context = Fleet.start(
                WithConnectionDetails.class,
                Fleet.with(
                        NONE,
                        "spring.datasource.url",
                        H2,
                        "spring.datasource.weir.url",
                        H2,
                        "spring.datasource.weir.username",
                        "sa",
                        "spring.datasource.weir.maximum-pool-size",
                        "2"))) {
            assertThat(context.getBean(JdbcTemplate.class).queryForObject("select current_user", String.class))
                    .isEqualTo(Fleet.USER);
            assertThat(context.getBean(WeirDataSource.class).getMaximumPoolSize())
                    .isEqualTo(2);
        }
    }

    @Configuration(proxyBeanMethods = false)
    @Import(WithConnectionDetails.class)
    static class WithConnectionDetailsAndCredentials {
        @Bean
        CredentialsProvider vault() {
            return () -> new Credentials("sailor", "from the vault");
        }
    }

    @Test
    void providerOfCredentialsGoesBeforeThoseOfTheConnectionDetails() {
        Fleet.server().execute("create role sailor login password 'from the vault'");
        try (ConfigurableApplicationContext context = Fleet.start(WithConnectionDetailsAndCredentials.class, NONE)) {
            assertThat(context.getBean(JdbcTemplate.class).queryForObject("select current_user", String.class))
                    .isEqualTo("sailor");
        } finally {
            Fleet.server().execute("drop role sailor");
        }
    }

    @Configuration(proxyBeanMethods = false)
    @Import(PlainApplication.class)
    static class WithCredentials {
        @Bean
        CredentialsProvider vault() {
            return () -> new Credentials("sailor", "from the vault");
        }
    }

    @Test
    void providerOfCredentialsGoesBeforeTheDefaultUserOfTheEmbeddedDatabase() throws Exception {
        try (ConfigurableApplicationContext context = Fleet.start(WithCredentials.class, NONE);
                Connection connection = context.getBean(DataSource.class).getConnection()) {
            assertThat(connection.getMetaData().getUserName()).isEqualToIgnoringCase("sailor");
        }
    }

    /** Two pools by the factory, one by Spring Boot's builder. */
    @Configuration(proxyBeanMethods = false)
    @Import(PlainApplication.class)
    static class WithSeveral {
        @Bean
        @Primary
        WeirDataSource orders(WeirDataSourceFactory pools) {
            return pools.create("app.orders");
        }

        @Bean
        WeirDataSource reports(WeirDataSourceFactory pools) {
            return pools.create("app.reports", pool -> pool.setReadOnly(true));
        }

        @Bean
        DataSource archive() {
            return DataSourceBuilder.create()
                    .type(WeirDataSource.class)
                    .url("jdbc:h2:mem:archive")
                    .username("sa")
                    .password("")
                    .build();
        }
    }

    @Test
    void applicationsMayHaveSeveralPools() throws Exception {
        try (ConfigurableApplicationContext context = Fleet.start(
                WithSeveral.class,
                Fleet.with(
                        NONE,
                        "app.orders.url",
                        "jdbc:h2:mem:orders",
                        "app.orders.maximum-pool-size",
                        "4",
                        "app.reports.url",
                        "jdbc:h2:mem:reports",
                        "app.reports.pool-name",
                        "for-reading"))) {
            WeirDataSource orders = context.getBean("orders", WeirDataSource.class);
            assertThat(orders.getMaximumPoolSize()).isEqualTo(4);
            assertThat(orders.getPoolName()).isEqualTo("app.orders");
            assertThat(orders.isRunning()).isTrue();
            WeirDataSource reports = context.getBean("reports", WeirDataSource.class);
            assertThat(reports.getPoolName()).isEqualTo("for-reading");
            assertThat(reports.getReadOnly()).isTrue();
            DataSource archive = context.getBean("archive", DataSource.class);
            archive.getConnection().close();
            assertThat(context.getBean(Pools.class).all().keySet())
                    .containsExactlyInAnyOrder("orders", "reports", "archive");
            assertThat(context.getBeanProvider(DataSourcePoolMetadataProvider.class).stream()
                            .map(provider -> provider.getDataSourcePoolMetadata(orders))
                            .filter(metadata -> metadata != null))
                    .singleElement()
                    .satisfies(metadata -> assertThat(metadata.getMax()).isEqualTo(4));
        }
    }

    @Configuration(proxyBeanMethods = false)
    @Import(PlainApplication.class)
    static class WithClassifier {
        @Bean
        FailureClassifier classifier() {
            return failure -> FailureClass.OTHER;
        }

        @Bean
        PoolListener listener() {
            return new PoolListener() {};
        }
    }

    @Test
    void beansOfTheSpiAreGivenToThePool() {
        try (ConfigurableApplicationContext context = Fleet.start(WithClassifier.class, NONE)) {
            assertThat(context.getBean(WeirDataSource.class).getFailureClassifier())
                    .isSameAs(context.getBean(FailureClassifier.class));
            assertThat(context.getBean(WeirDataSource.class).getListeners())
                    .contains(context.getBean(PoolListener.class));
        }
    }

    /** By the pool itself: what looks for it finds it, and no proxy. */
    @Test
    void lazyFetchTakesNoConnectionBeforeTheFirstStatement() throws Exception {
        WeirDataSource pool;
        try (ConfigurableApplicationContext context = Fleet.start(PlainApplication.class, lazyFetch())) {
            pool = context.getBean(WeirDataSource.class);
            assertThat(context.getBean(DataSource.class)).isSameAs(pool);
            assertThat(pool.getPoolMode()).isEqualTo("lazy");
            try (Connection connection = pool.getConnection()) {
                connection.setReadOnly(true);
                awaitInUse(pool, 0);
                connection.createStatement().execute("select 1");
                awaitInUse(pool, 1);
            }
        }
        assertThat(pool.isClosed()).isTrue();
    }

    @ParameterizedTest
    @CsvSource({"pool-mode,session", "poolMode,session", "lending,session"})
    void aModeThatIsSetGoesBeforeLazyFetch(String name, String mode) {
        isInMode(mode, PlainApplication.class, lazyFetch("spring.datasource.weir." + name, mode));
    }

    @Test
    void soDoesTheModeOfACustomizer() {
        isInMode("session", SessionMode.class, lazyFetch());
    }

    @ParameterizedTest
    @CsvSource({"eager, session", "LAZY, lazy"})
    void onlyLazyFetchIsLazy(String fetch, String mode) {
        isInMode(mode, PlainApplication.class, lazyFetch("spring.datasource.connection-fetch", fetch));
    }

    @Configuration(proxyBeanMethods = false)
    @Import(PlainApplication.class)
    static class SessionMode {
        @Bean
        WeirDataSourceCustomizer session() {
            return (prefix, pool) -> pool.setPoolMode("session");
        }
    }

    private static Map<String, Object> lazyFetch(String... others) {
        Map<String, Object> lazy =
                Fleet.with(NONE, "spring.datasource.url", H2, "spring.datasource.connection-fetch", "lazy");
        return Fleet.with(lazy, others);
    }

    private static void isInMode(String mode, Class<?> application, Map<String, Object> properties) {
        try (ConfigurableApplicationContext context = Fleet.start(application, properties)) {
            assertThat(context.getBean(WeirDataSource.class).getPoolMode()).isEqualTo(mode);
        }
    }

    /** A connection that is just being opened, to fill the pool, counts for a moment. */
    private static void awaitInUse(WeirDataSource pool, int number) {
        Await.await(
                () -> number + " in use: " + pool.stats(),
                Duration.ofSeconds(10),
                () -> pool.stats().inUse() == number);
    }

    /** Spring reads the property once, when its class is loaded, and would end the JVM: that has to be done by then. */
    @Test
    void aRunThatOnlyTrainsACacheOpensNothing() {
        assertThat(new DefaultLifecycleProcessor().isRunning()).isFalse();
        System.setProperty("spring.context.exit", "onRefresh");
        try (ConfigurableApplicationContext context =
                Fleet.start(PlainApplication.class, Fleet.with(NONE, "spring.datasource.url", H2))) {
            assertThat(context.getBean(WeirDataSource.class).isRunning()).isFalse();
        } finally {
            System.clearProperty("spring.context.exit");
        }
    }
}
