package dev.weir.micronaut;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.RetireReason;
import dev.weir.WeirDataSource;
import dev.weir.spi.Credentials;
import dev.weir.spi.PoolListener;
import io.micronaut.context.ApplicationContext;
import io.micronaut.context.env.PropertySource;
import io.micronaut.context.event.BeanCreatedEvent;
import io.micronaut.context.event.BeanCreatedEventListener;
import io.micronaut.context.exceptions.ConfigurationException;
import io.micronaut.core.reflect.ClassUtils;
import io.micronaut.inject.qualifiers.Qualifiers;
import io.micronaut.jdbc.metadata.DataSourcePoolMetadata;
import io.micronaut.runtime.context.scope.refresh.RefreshEvent;
import java.io.PrintWriter;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;
import java.sql.Statement;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.logging.Logger;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledIfSystemProperty;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Micronaut itself reads the properties and makes the beans. */
@DisabledIfSystemProperty(named = "weir.test.classpath", matches = "data")
class DataSourcesTest {
    private static final String SHOP = "jdbc:h2:mem:shop;DB_CLOSE_DELAY=-1";

    private static WeirDataSource pool(ApplicationContext context, String name) throws SQLException {
        return context.getBean(DataSource.class, Qualifiers.byName(name)).unwrap(WeirDataSource.class);
    }

    private static Map<String, Object> with(Object... namesAndValues) {
        Map<String, Object> properties = new HashMap<>();
        properties.put("datasources.default.url", SHOP);
        for (int i = 0; i < namesAndValues.length; i += 2) {
            properties.put("datasources." + namesAndValues[i], namesAndValues[i + 1]);
        }
        return properties;
    }

    @Test
    void aDataSourceIsAPoolWithItsSettingsThatEndsWithTheApplication() throws SQLException {
        WeirDataSource pool;
        try (ApplicationContext context = ApplicationContext.run(with(
                "default.username", "sa",
                "default.password", "",
                "default.maximum-pool-size", 7,
                "default.minimum-pool-size", "2",
                "default.connection-timeout", "3s",
                "default.max-lifetime", "20m",
                "default.leakDetectionThreshold", 60000,
                "default.connection-init-sql", "set lock_timeout 100",
                "default.data-source-properties.TRACE_LEVEL_FILE", 0))) {
            DataSource dataSource = context.getBean(DataSource.class);
            pool = pool(context, "default");
            try (Connection connection = dataSource.getConnection()) {
                assertThat(connection.isValid(1)).isTrue();
            }
            assertThat(pool.getPoolName()).isEqualTo("default");
            assertThat(pool.getMaximumPoolSize()).isEqualTo(7);
            assertThat(pool.getMinimumPoolSize()).isEqualTo(2);
            assertThat(pool.getConnectionTimeout()).isEqualTo(Duration.ofSeconds(3));
            assertThat(pool.getMaxLifetime()).isEqualTo(Duration.ofMinutes(20));
            assertThat(pool.getLeakDetectionThreshold()).isEqualTo(Duration.ofMinutes(1));
            assertThat(pool.getConnectionInitSql()).isEqualTo("set lock_timeout 100");
            assertThat(pool.config().dataSourceProperties()).isEqualTo(Map.of("TRACE_LEVEL_FILE", "0"));
        }
        assertThat(pool.isClosed()).isTrue();
    }

    /** Surefire runs this class twice. */
    @Test
    void managementAndMicrometerAreThereOrNot() {
        boolean there = System.getProperty("weir.test.classpath", "usual").equals("usual");
        ClassLoader loader = DataSourcesTest.class.getClassLoader();
        assertThat(ClassUtils.isPresent("io.micronaut.management.health.indicator.HealthIndicator", loader))
                .isEqualTo(there);
        assertThat(ClassUtils.isPresent("io.micrometer.core.instrument.MeterRegistry", loader))
                .isEqualTo(there);
    }

    @Test
    void whatIsMissingMicronautChoosesForAnEmbeddedDatabase() throws SQLException {
        try (ApplicationContext context = ApplicationContext.run(Map.of("datasources.default.pool-name", "chosen"))) {
            WeirDataSource pool = pool(context, "default");
            assertThat(pool.getUrl()).startsWith("jdbc:h2:mem:default");
            assertThat(pool.getPoolName()).isEqualTo("chosen");
            try (Connection connection = pool.getConnection()) {
                assertThat(connection.getMetaData().getUserName()).isEqualTo("SA");
            }
        }
    }

    @Test
    void eachDataSourceHasAPoolUnlessItIsNotEnabled() throws SQLException {
        try (ApplicationContext context = ApplicationContext.run(with(
                "orders.url", "jdbc:h2:mem:orders", "archive.url", "jdbc:h2:mem:archive", "archive.enabled", false))) {
            assertThat(context.getBeansOfType(DataSource.class)).hasSize(2);
            assertThat(pool(context, "orders").getUrl()).isEqualTo("jdbc:h2:mem:orders");
            assertThat(pool(context, "default").getUrl()).isEqualTo(SHOP);
            assertThat(context.getBean(DataSource.class).unwrap(WeirDataSource.class))
                    .isSameAs(pool(context, "default"));
        }
    }

    @Test
    void whatOtherModulesReadBelowTheSamePrefixIsLeftToThem() {
        try (ApplicationContext context = ApplicationContext.run(with(
                "default.dialect", "H2",
                "default.schema-generate", "CREATE_DROP",
                "default.batch-generate", true,
                "default.packages", List.of("shop"),
                "default.db-type", "h2",
                "default.allow-connection-per-operation", true,
                "default.test-resources.image-name", "h2"))) {
            assertThat(context.containsBean(DataSource.class)).isTrue();
        }
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "maximum-pool-size | 0 | .maximum-pool-size: 0 (expected: 1..10000)",
                "max-active | 5 | .max-active: not a setting (of another pool; here maximumPoolSize)",
                "connection-timeout | soon | .connection-timeout: soon (expected: 1ms..365d",
                "minimum-pool-size | 61 | .minimum-pool-size: 61 (expected: at most maximumPoolSize 60)",
                "maximum-pool-sise | 5 | .maximum-pool-sise: not a setting (did you mean maximumPoolSize?)",
                "exception-override-class-name | com.example.Mine | .exception-override-class-name: not a setting (give a FailureClassifier",
                "credentials-provider-class-name | com.example.Mine | .credentials-provider-class-name: not a setting (give a",
                "jndi-name | java:comp/env/jdbc/shop | .jndi-name: not a setting (of another pool; here a DataSource object",
                "data-source-jndi | java:comp/env/jdbc/shop | .data-source-jndi: not a setting (of another pool; here a DataSource",
                "allow-pool-suspension | true | .allow-pool-suspension: not a setting (suspend() is always there)",
            })
    void aWrongPropertyStopsTheApplicationAndIsNamed(String name, String value, String message) {
        assertThatThrownBy(() -> ApplicationContext.run(with("default." + name, value)))
                .hasStackTraceContaining(ConfigurationException.class.getName())
                .hasStackTraceContaining("\n  datasources.default" + message);
    }

    @Test
    void aDatabaseThatIsNotThereStopsTheApplicationAndSaysWhy() {
        assertThatThrownBy(() -> ApplicationContext.run(with(
                        "default.url",
                        "jdbc:h2:mem:absent;IFEXISTS=TRUE",
                        "default.initialization-fail-timeout",
                        "200ms")))
                .hasStackTraceContaining("the data source default cannot be started")
                .hasStackTraceContaining("absent");
    }

    @Test
    void aRefreshThatBringsAnotherPasswordIsForTheConnectionsThatAreOpenedNext() throws SQLException {
        String database = "jdbc:h2:mem:rotation;DB_CLOSE_DELAY=-1";
        Map<String, Object> properties = new ConcurrentHashMap<>(Map.of(
                "datasources.order-items.url",
                database,
                "datasources.order-items.username",
                "sa",
                "datasources.order-items.password",
                "old",
                "datasources.order-items.minimum-pool-size", // nothing is opened meanwhile with the old one
                "0"));
        DriverManager.getConnection(database, "sa", "old").close(); // the first one makes the database, and the user
        try (ApplicationContext context = ApplicationContext.builder()
                .propertySources(PropertySource.of("live", properties))
                .start()) {
            WeirDataSource pool = pool(context, "order-items");
            try (Connection connection = pool.getConnection();
                    Statement statement = connection.createStatement()) {
                statement.execute("alter user sa set password 'new'");
            }
            properties.put("datasources.order-items.password", "new");
            context.getEventPublisher(RefreshEvent.class)
                    .publishEvent(new RefreshEvent(context.getEnvironment().refreshAndDiff()));
            assertThat(pool.stats().retired().get(RetireReason.EVICTED))
                    .as("of the old password")
                    .isPositive();
            pool.getConnection().close();
        }
    }

    /** What no property can say. */
    @Test
    void aCustomizerIsCalledForEachPool() throws SQLException {
        WeirPoolCustomizer customizer = (name, pool) -> pool.username(null)
                .password(null)
                .credentialsProvider(() -> new Credentials("sa", ""))
                .poolName(name + "-pool")
                .addListener(new PoolListener() {});
        try (ApplicationContext context = ApplicationContext.builder()
                .properties(with("orders.url", "jdbc:h2:mem:orders"))
                .build()) {
            context.registerSingleton(WeirPoolCustomizer.class, customizer);
            context.start();
            assertThat(pool(context, "default").getPoolName()).isEqualTo("default-pool");
            assertThat(pool(context, "orders").getPoolName()).isEqualTo("orders-pool");
            assertThat(pool(context, "orders").getListeners()).isNotEmpty();
            pool(context, "orders").getConnection().close();
        }
    }

    /** As Micronaut Data puts its own before each DataSource. */
    @Test
    void aListenerMayReplaceTheDataSourceAndThePoolIsClosedAllTheSame() throws SQLException {
        WeirDataSource pool;
        try (ApplicationContext context =
                ApplicationContext.builder().properties(with()).build()) {
            context.registerSingleton(new Wrapping());
            context.start();
            DataSource dataSource = context.getBean(DataSource.class);
            assertThat(dataSource).isInstanceOf(Wrapper.class);
            pool = dataSource.unwrap(WeirDataSource.class);
            DataSourcePoolMetadata<?> metadata = context.getBean(DataSourcePoolMetadata.class);
            try (Connection connection = dataSource.getConnection()) {
                assertThat(connection.isValid(1)).isTrue();
                assertThat(metadata.getDataSource()).isSameAs(pool);
                assertThat(metadata.getActive()).isEqualTo(1);
                assertThat(metadata.getMax()).isEqualTo(60);
                assertThat(metadata.getMin()).isEqualTo(10);
                assertThat(metadata.getUsage()).isEqualTo(1f / 60);
            }
        }
        assertThat(pool.isClosed()).isTrue();
    }

    private static final class Wrapping implements BeanCreatedEventListener<DataSource> {
        @Override
        public DataSource onCreated(BeanCreatedEvent<DataSource> event) {
            return new Wrapper(event.getBean());
        }
    }

    private record Wrapper(DataSource target) implements DataSource {
        @Override
        public Connection getConnection() throws SQLException {
            return target.getConnection();
        }

        @Override
        public Connection getConnection(String user, String password) throws SQLException {
            return target.getConnection(user, password);
        }

        @Override
        public PrintWriter getLogWriter() {
            return null;
        }

        @Override
        public void setLogWriter(PrintWriter out) {}

        @Override
        public void setLoginTimeout(int seconds) {}

        @Override
        public int getLoginTimeout() {
            return 0;
        }

        @Override
        public Logger getParentLogger() throws SQLFeatureNotSupportedException {
            throw new SQLFeatureNotSupportedException();
        }

        @Override
        public <T> T unwrap(Class<T> type) throws SQLException {
            return target.unwrap(type);
        }

        @Override
        public boolean isWrapperFor(Class<?> type) throws SQLException {
            return target.isWrapperFor(type);
        }
    }
}
