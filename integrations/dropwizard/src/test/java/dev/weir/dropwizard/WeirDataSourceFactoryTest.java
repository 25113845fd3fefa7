package dev.weir.dropwizard;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.codahale.metrics.MetricRegistry;
import com.fasterxml.jackson.annotation.JsonProperty;
import dev.weir.PoolConfig;
import dev.weir.WeirDataSource;
import dev.weir.spi.Credentials;
import io.dropwizard.configuration.ConfigurationException;
import io.dropwizard.configuration.ConfigurationParsingException;
import io.dropwizard.configuration.ConfigurationValidationException;
import io.dropwizard.core.Application;
import io.dropwizard.util.Duration;
import java.io.File;
import java.lang.reflect.Method;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

/** P9 in YAML: every setting by its name, every fault by its field. */
class WeirDataSourceFactoryTest {

    static Stream<SettingTable.Row> settings() {
        return SettingTable.rows();
    }

    @ParameterizedTest
    @MethodSource("settings")
    void everySettingIsAFieldWithASetterOfItsOwn(SettingTable.Row setting) throws Exception {
        List<String> lines = new ArrayList<>(setting.around());
        lines.add(setting.name() + ": " + setting.yaml());
        PoolConfig config = Yaml.read(lines.toArray(String[]::new)).builder().build();
        Method accessor = PoolConfig.class.getMethod(setting.name());
        assertThat(accessor.invoke(config)).isEqualTo(setting.value());

        String setter = "set" + Character.toUpperCase(setting.name().charAt(0))
                + setting.name().substring(1);
        assertThat(WeirDataSourceFactory.class.getMethods())
                .filteredOn(method -> method.getName().equals(setter))
                .singleElement()
                .satisfies(method -> assertThat(method.isAnnotationPresent(JsonProperty.class))
                        .isTrue());
    }

    @Test
    void noSetterIsOfASettingThatIsNotThere() {
        List<String> names = SettingTable.rows().map(SettingTable.Row::name).toList();
        List<String> dropwizards = List.of("properties", "autoCommentsEnabled", "validationQueryTimeout", "fleet");
        assertThat(Arrays.stream(WeirDataSourceFactory.class.getMethods())
                        .filter(method -> method.isAnnotationPresent(JsonProperty.class))
                        .map(method -> Character.toLowerCase(method.getName().charAt(3))
                                + method.getName().substring(4)))
                .allMatch(name -> names.contains(name) || dropwizards.contains(name));
    }

    @Test
    void nothingSetIsThePoolsOwnDefault() throws Exception {
        PoolConfig config = Yaml.read("url: jdbc:h2:mem:shop").builder().build();
        PoolConfig plain = PoolConfig.builder().url("jdbc:h2:mem:shop").build();
        for (SettingTable.Row setting : SettingTable.rows().toList()) {
            Method accessor = PoolConfig.class.getMethod(setting.name());
            assertThat(accessor.invoke(config)).as(setting.name()).isEqualTo(accessor.invoke(plain));
        }
    }

    @ParameterizedTest
    @CsvSource({
        "user: shop, username, shop",
        "driverClass: org.h2.Driver, driverClassName, org.h2.Driver",
        "maxSize: 7, maximumPoolSize, 7",
        "minSize: 7, minimumPoolSize, 7",
        "validationQuery: select 1, connectionTestQuery, select 1",
        "maxWaitForConnection: 3s, connectionTimeout, PT3S",
        "minIdleTime: 1 minute, idleTimeout, PT1M",
        "maxConnectionAge: 1h, maxLifetime, PT1H",
        "autoCommitByDefault: false, autoCommit, false",
        "readOnlyByDefault: true, readOnly, true",
        "initializationQuery: set lock_timeout 100, connectionInitSql, set lock_timeout 100",
        "defaultTransactionIsolation: read-committed, transactionIsolation, 2",
        "defaultTransactionIsolation: DEFAULT, transactionIsolation, ",
        "defaultCatalog: shop, catalog, shop",
        "jdbcUrl: jdbc:h2:mem:b, url, jdbc:h2:mem:b",
        "initializationFailTimeout: -1ms, initializationFailTimeout, PT-0.001S",
        "initializationFailTimeout: 0s, initializationFailTimeout, PT0S",
        "keepaliveTime: 0s, keepaliveTime, PT0S",
    })
    void dropwizardsNamesAreTaken(String line, String accessor, String value) throws Exception {
        String url = line.startsWith("jdbcUrl") ? "poolName: b" : "url: jdbc:h2:mem:a";
        PoolConfig config = Yaml.read(url, line).builder().build();
        Object found = PoolConfig.class.getMethod(accessor).invoke(config);
        assertThat(found == null ? null : found.toString()).isEqualTo(value);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "maximumPoolSize: 0 | shop.maximumPoolSize 0 (expected: 1..10000)",
                "connectionTimeout: 400 days | shop.connectionTimeout 400d (expected: 1ms..365d)",
                "acquireRetryDelay: 10us | shop.acquireRetryDelay PT0.00001S (expected: 1ms..365d)",
                "minimumPoolSize: 61 | shop.minimumPoolSize 61 (expected: at most maximumPoolSize 60)",
                "keepaliveTime: 2h | shop.keepaliveTime 2h (expected: less than maxLifetime 30m, or 0: never)",
                "jdbc4ConnectionTest: false | shop.jdbc4ConnectionTest false (expected: true, or a connectionTestQuery)",
                "transactionIsolation: chaos | shop.transactionIsolation chaos (expected: READ_UNCOMMITTED",
                "dataSourceClassName: x | shop url and dataSourceClassName: set together (expected: one of",
                "checkConnectionOnBorrow: true | shop.checkConnectionOnBorrow not a setting",
                "initialSize: 5 | shop.initialSize not a setting",
                "maximumPoolSise: 5 | shop.maximumPoolSise not a setting (did you mean maximumPoolSize?)",
                "jdbcUrl: jdbc:h2:mem:b | shop jdbcUrl and url: two values for one setting",
                "'connectionTimeout: 1s\n  maxWaitForConnection: 3s' | shop maxWaitForConnection and connectionTimeout: two values for one setting",
                "'maxWaitForConnection: 3s\n  connectionTimeout: 1s' | shop maxWaitForConnection and connectionTimeout: two values for one setting",
                "catalog: '' | shop.catalog \"\" (expected: text, not blank)",
                "catalog: ' ${x} {y} ' | ",
            })
    void whatIsWrongIsAViolationOfItsField(String line, String message) throws Exception {
        if (message == null) {
            assertThat(Yaml.read("url: jdbc:h2:mem:a", line).builder().build().catalog())
                    .isEqualTo("${x} {y}");
            return;
        }
        assertThatThrownBy(() -> Yaml.read("url: jdbc:h2:mem:a", line))
                .isInstanceOf(ConfigurationValidationException.class)
                .hasMessageContaining("* " + message);
    }

    @Test
    void oneValueUnderTwoNamesIsNoFaultAndCodeMaySetAnother() throws Exception {
        WeirDataSourceFactory factory =
                Yaml.read("url: jdbc:h2:mem:a", "maxWaitForConnection: 3s", "connectionTimeout: 3000ms");
        assertThat(factory.builder().build().connectionTimeout()).hasSeconds(3);
        factory.setConnectionTimeout(Duration.seconds(2));
        assertThat(factory.builder().build().connectionTimeout()).hasSeconds(2);
        factory.setConnectionTimeout(null);
        assertThat(factory.builder().build().connectionTimeout()).hasSeconds(5);
    }

    @Test
    void aLineWithoutAValueIsTheDefault() throws Exception {
        WeirDataSourceFactory factory = Yaml.read(
                "url: jdbc:h2:mem:a",
                "maxWaitForConnection:",
                "autoCommentsEnabled:",
                "maximumPoolSize:",
                "properties:");
        assertThat(factory.builder().build().connectionTimeout()).hasSeconds(5);
        assertThat(factory.builder().build().maximumPoolSize()).isEqualTo(60);
        assertThat(factory.isAutoCommentsEnabled()).isTrue();
        assertThat(factory.getProperties()).isEmpty();
        assertThat(Yaml.read("url: jdbc:h2:mem:a", "properties:", "  ApplicationName:")
                        .getProperties())
                .isEmpty();
    }

    @ParameterizedTest
    @CsvSource({
        "maxWaitForConnection: soon, shop.maxWaitForConnection",
        "connectionTimeout: 5, shop.connectionTimeout",
        "connectionTimeout: soon, shop.connectionTimeout",
        "initializationFailTimeout: soon, shop.initializationFailTimeout",
        "maximumPoolSize: many, shop.maximumPoolSize",
        "readOnly: perhaps, shop.readOnly",
        "'password: [geheim]', shop.password",
    })
    void whatCannotBeReadIsReportedByItsField(String line, String field) {
        assertThatThrownBy(() -> Yaml.read("url: jdbc:h2:mem:a", line))
                .isInstanceOf(ConfigurationParsingException.class)
                .hasMessageContaining(field)
                .hasMessageNotContaining("geheim");
    }

    @Test
    void allFaultsAreReportedAtOnceAndNoSecret() {
        assertThatThrownBy(() -> Yaml.read(
                        "url: postgres://x", "password: geheim", "maximumPoolSize: -1", "readOnly: true", "maxSze: 2"))
                .isInstanceOf(ConfigurationException.class)
                .hasMessageContaining("shop.url postgres://x (expected: jdbc:...)")
                .hasMessageContaining("shop.maximumPoolSize -1 (expected: 1..10000)")
                .hasMessageContaining("shop.maxSze not a setting")
                .hasMessageNotContaining("geheim");
    }

    @Test
    void withoutADatabaseTheUrlIsNamed() {
        assertThatThrownBy(() -> Yaml.read("maximumPoolSize: 5"))
                .hasMessageContaining("shop.url not set (expected: one of url, dataSourceClassName");
    }

    @Test
    void propertiesGoToTheDriverAndThoseOfHibernateDoNot() throws Exception {
        WeirDataSourceFactory factory = Yaml.read(
                "url: jdbc:h2:mem:a",
                "dataSource.ApplicationName: till",
                "properties:",
                "  tcpKeepAlive: 'true'",
                "  hibernate.show_sql: 'false'");
        assertThat(factory.getProperties()).containsOnlyKeys("tcpKeepAlive", "hibernate.show_sql");
        assertThat(factory.builder().build().dataSourceProperties())
                .containsOnlyKeys("ApplicationName", "tcpKeepAlive");
    }

    @Test
    void whatDropwizardAsksForIsAnswered() throws Exception {
        WeirDataSourceFactory factory = Yaml.read(
                "url: jdbc:h2:mem:a",
                "driverClass: org.h2.Driver",
                "validationQuery: select 1",
                "validationQueryTimeout: 2s",
                "autoCommentsEnabled: false",
                "maximumPoolSize: 20",
                "minimumPoolSize: 20");
        assertThat(factory.getUrl()).isEqualTo("jdbc:h2:mem:a");
        assertThat(factory.getDriverClass()).isEqualTo("org.h2.Driver");
        assertThat(factory.getValidationQuery()).hasValue("select 1");
        assertThat(factory.getValidationQueryTimeout()).hasValue(Duration.seconds(2));
        assertThat(factory.isAutoCommentsEnabled()).isFalse();
        factory.asSingleConnectionPool();
        PoolConfig config = factory.builder().build();
        assertThat(config.maximumPoolSize()).isEqualTo(1);
        assertThat(config.minimumPoolSize()).isZero();
    }

    @Test
    void aSubclassSetsWhatAFileCannotSay() throws Exception {
        WeirDataSourceFactory factory = new WeirDataSourceFactory() {
            @Override
            protected void configure(PoolConfig.Builder builder) {
                builder.credentialsProvider(() -> new Credentials("shop", "token"));
            }
        };
        factory.setUrl("jdbc:h2:mem:a");
        factory.setMaximumPoolSize(3);
        factory.setConnectionTimeout(Duration.seconds(2));
        factory.setConnectionTimeout(null);
        WeirDataSource pool = factory.build(new MetricRegistry(), "till").unwrap(WeirDataSource.class);
        assertThat(pool.getCredentialsProvider()).isNotNull();
        assertThat(pool.getPoolName()).isEqualTo("till");
        assertThat(pool.getMaximumPoolSize()).isEqualTo(3);
        assertThat(pool.getConnectionTimeout()).hasSeconds(5);
    }

    /** These tests run in two modules; each must have the Dropwizard that it is there for, and no other. */
    @Test
    void theDropwizardIsThatOfTheModule() throws Exception {
        String module = Path.of("").toAbsolutePath().getFileName().toString();
        String jar = new File(Application.class
                        .getProtectionDomain()
                        .getCodeSource()
                        .getLocation()
                        .toURI())
                .getName();
        assertThat(jar).startsWith(module.equals("dropwizard-5-tests") ? "dropwizard-core-5." : "dropwizard-core-4.");
    }
}
