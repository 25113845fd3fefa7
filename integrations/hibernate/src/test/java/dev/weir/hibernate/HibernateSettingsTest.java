package dev.weir.hibernate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import dev.weir.PoolConfig;
import dev.weir.spi.Credentials;
import dev.weir.spi.CredentialsProvider;
import dev.weir.spi.FailureClassifier;
import dev.weir.spi.PoolListener;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.sql.Connection;
import java.time.Duration;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ThreadFactory;
import java.util.stream.Stream;
import org.h2.jdbcx.JdbcDataSource;
import org.hibernate.HibernateException;
import org.hibernate.boot.registry.StandardServiceRegistry;
import org.hibernate.boot.registry.StandardServiceRegistryBuilder;
import org.hibernate.boot.registry.selector.spi.StrategySelector;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/** Hibernate's settings become the pool's. */
class HibernateSettingsTest {
    private static StandardServiceRegistry registry;

    @BeforeAll
    static void registry() {
        registry = new StandardServiceRegistryBuilder().build();
    }

    @AfterAll
    static void close() {
        StandardServiceRegistryBuilder.destroy(registry);
    }

    /** A credentials provider that is made of its name. */
    public static final class Keys implements CredentialsProvider {
        public Keys() {}

        @Override
        public Credentials credentials() {
            return new Credentials("sa", "");
        }
    }

    /** Every accessor of the configuration that has a builder method of its name and a value of a setting. */
    static Stream<Method> everySetting() {
        Set<Class<?>> types =
                Set.of(int.class, boolean.class, Boolean.class, Integer.class, String.class, Duration.class);
        List<String> builder = Arrays.stream(PoolConfig.Builder.class.getMethods())
                .map(Method::getName)
                .toList();
        return Arrays.stream(PoolConfig.class.getDeclaredMethods())
                .filter(method -> Modifier.isPublic(method.getModifiers())
                        && method.getParameterCount() == 0
                        && types.contains(method.getReturnType())
                        && !method.getName().equals("toString")
                        && builder.contains(method.getName()));
    }

    @Test
    void thereAreAsManyAsInTheGuide() {
        assertThat(everySetting()).hasSizeGreaterThanOrEqualTo(33);
    }

    @ParameterizedTest
    @MethodSource("everySetting")
    void everySettingOfThePoolIsOneOfHibernates(Method accessor) throws ReflectiveOperationException {
        String name = accessor.getName();
        Map<String, Object> settings = new HashMap<>();
        if (!name.equals("dataSourceClassName")) {
            settings.put("hibernate.weir.url", "jdbc:h2:mem:x");
        }
        if (name.equals("jdbc4ConnectionTest")) {
            settings.put("hibernate.weir.connectionTestQuery", "select 1");
        }
        Class<?> type = accessor.getReturnType();
        String text = "other";
        Object value = text;
        if (name.equals("url")) {
            text = "jdbc:h2:mem:y";
            value = text;
        } else if (name.equals("poolMode")) {
            text = "lazy";
            value = text;
        } else if (name.equals("liveness")) {
            text = "test";
            value = text;
        } else if (type == Integer.class) {
            text = "TRANSACTION_SERIALIZABLE";
            value = Connection.TRANSACTION_SERIALIZABLE;
        } else if (type == int.class) {
            text = "7";
            value = 7;
        } else if (type == boolean.class || type == Boolean.class) {
            text = "false";
            value = false;
        } else if (type == Duration.class) {
            text = "7s";
            value = Duration.ofSeconds(7);
        }
        settings.put("hibernate.weir." + name, text);
        assertThat(accessor.invoke(config(settings))).isEqualTo(value);
    }

    @Test
    void standardNamesAreHonoured() {
        PoolConfig config = config(Map.ofEntries(
                Map.entry("jakarta.persistence.jdbc.url", "jdbc:h2:mem:jakarta"),
                Map.entry("hibernate.connection.url", "jdbc:h2:mem:old"),
                Map.entry("hibernate.connection.username", "sa"),
                Map.entry("hibernate.connection.password", ""),
                Map.entry("hibernate.connection.driver_class", "org.h2.Driver"),
                Map.entry("hibernate.connection.isolation", "READ_COMMITTED"),
                Map.entry("hibernate.connection.autocommit", "false"),
                Map.entry("hibernate.connection.pool_size", 12),
                Map.entry("hibernate.connection.min_pool_size", "2"),
                Map.entry("hibernate.connection.init_sql", "select 1"),
                Map.entry("hibernate.connection.login_timeout", "3"),
                Map.entry("hibernate.connection.provider_class", "weir"),
                Map.entry("hibernate.connection.handling_mode", "DELAYED_ACQUISITION_AND_HOLD"),
                Map.entry("hibernate.connection.reWriteBatchedInserts", "true"),
                Map.entry("hibernate.synonyms", "true")));
        assertThat(config.url()).isEqualTo("jdbc:h2:mem:jakarta");
        assertThat(config.username()).isEqualTo("sa");
        assertThat(config.password()).isEmpty();
        assertThat(config.driverClassName()).isEqualTo("org.h2.Driver");
        assertThat(config.transactionIsolation()).isEqualTo(Connection.TRANSACTION_READ_COMMITTED);
        assertThat(config.autoCommit()).isFalse();
        assertThat(config.maximumPoolSize()).isEqualTo(12);
        assertThat(config.minimumPoolSize()).isEqualTo(2);
        assertThat(config.connectionInitSql()).isEqualTo("select 1");
        assertThat(config.connectTimeout()).isEqualTo(Duration.ofSeconds(3));
        assertThat(config.dataSourceProperties())
                .containsExactlyInAnyOrderEntriesOf(Map.of("reWriteBatchedInserts", "true", "includeSynonyms", "true"));
    }

    @Test
    void ownNamesGoBeforeStandardOnes() {
        PoolConfig config = config(Map.of(
                "hibernate.connection.url", "jdbc:h2:mem:x",
                "hibernate.connection.pool_size", "12",
                "hibernate.weir.maximumPoolSize", 13));
        assertThat(config.maximumPoolSize()).isEqualTo(13);
        assertThat(config.autoCommit()).isNull();
    }

    @Test
    void objectsAreTakenAndMadeOfTheNamesOfTheirClasses() {
        JdbcDataSource dataSource = new JdbcDataSource();
        PoolConfig config = config(Map.of(
                "hibernate.connection.datasource",
                dataSource,
                "jakarta.persistence.jdbc.url",
                "jdbc:h2:mem:ignored",
                "hibernate.connection.ssl",
                "ignored",
                "hibernate.weir.credentialsProvider",
                Keys.class.getName(),
                "hibernate.weir.failureClassifier",
                (FailureClassifier) failure -> null,
                "hibernate.weir.listener",
                new PoolListener() {},
                "hibernate.weir.threadFactory",
                (ThreadFactory) Thread::new));
        assertThat(config.dataSource()).isSameAs(dataSource);
        assertThat(config.credentialsProvider()).isInstanceOf(Keys.class);
        assertThat(config.failureClassifier()).isNotNull();
        assertThat(config.listeners()).hasSize(1);
        assertThat(config.threadFactory()).isNotNull();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "hibernate.weir.maximumPoolSize | 0 | hibernate.weir.maximumPoolSize: 0 (expected: 1..10000)",
                "hibernate.weir.maximumPolSize | 5 | hibernate.weir.maximumPolSize: not a setting (did you mean"
                        + " maximumPoolSize?)",
                "hibernate.weir.allowPoolSuspension | true | hibernate.weir.allowPoolSuspension: not a setting (suspend()",
                "hibernate.connection.pool_size | many | hibernate.connection.pool_size: many (expected: 1..10000)",
                "hibernate.connection.isolation | NONE | hibernate.connection.isolation: NONE (expected: READ_UNCOMMITTED",
                "hibernate.connection.autocommit | maybe | hibernate.connection.autocommit: maybe (expected: true or"
                        + " false)",
                "hibernate.connection.login_timeout | 3s | hibernate.connection.login_timeout: 3s (expected: whole"
                        + " seconds)",
                "hibernate.connection.datasource | java:comp/x | hibernate.connection.datasource: java:comp/x (expected: a"
                        + " DataSource object",
                "hibernate.weir.credentialsProvider | java.lang.String | hibernate.weir.credentialsProvider:"
                        + " java.lang.String (expected: a CredentialsProvider",
                "hibernate.connection.url | h2:mem:x | hibernate.connection.url: h2:mem:x (expected: jdbc:...)",
            })
    void faultNamesTheProperty(String property, String value, String message) {
        Map<String, Object> settings = new HashMap<>(Map.of("hibernate.connection.url", "jdbc:h2:mem:x"));
        settings.put(property, value);
        assertThatExceptionOfType(HibernateException.class)
                .isThrownBy(() -> config(settings))
                .satisfies(e -> assertThat(e.getMessage()).startsWith(message));
    }

    @Test
    void allFaultsAreInOneMessageWithoutSecrets() {
        assertThatExceptionOfType(HibernateException.class)
                .isThrownBy(() -> config(Map.of(
                        "hibernate.weir.minimumPoolSize", "-1",
                        "hibernate.weir.readOnly", "perhaps",
                        "hibernate.connection.password", "hunter2")))
                .satisfies(e -> assertThat(e.getMessage())
                        .contains("  jakarta.persistence.jdbc.url: not set (expected: ")
                        .contains("  hibernate.weir.minimumPoolSize: -1 (expected: 0..10000)")
                        .contains("  hibernate.weir.readOnly: perhaps (expected: true or false)")
                        .doesNotContain("hunter2"));
    }

    private static PoolConfig config(Map<String, Object> settings) {
        return new HibernateSettings(settings, registry.requireService(StrategySelector.class)).toConfig();
    }
}
