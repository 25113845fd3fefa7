package dev.weir.migration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import com.zaxxer.hikari.HikariConfig;
import dev.weir.PoolConfig;
import java.io.IOException;
import java.lang.reflect.Method;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.time.Duration;
import java.util.Arrays;
import java.util.Properties;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ThreadFactory;
import java.util.stream.Collectors;
import org.h2.jdbcx.JdbcDataSource;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** HikariCP's configuration means here what it means there. */
class HikariPropertiesTest {

    @Test
    void noPropertyOfHikariIsForgottenAndNoneInvented() {
        Set<String> real = Arrays.stream(HikariConfig.class.getMethods())
                .filter(method -> method.getName().startsWith("set") && method.getParameterCount() == 1)
                .map(method -> Character.toLowerCase(method.getName().charAt(3))
                        + method.getName().substring(4))
                .collect(Collectors.toCollection(TreeSet::new));
        Set<String> known = Arrays.stream(HikariProperty.values())
                .map(HikariProperty::propertyName)
                .collect(Collectors.toCollection(TreeSet::new));
        assertThat(known).isEqualTo(real);
    }

    @ParameterizedTest
    @EnumSource(HikariProperty.class)
    void defaultOfEveryPropertyIsTheRealOne(HikariProperty property) throws ReflectiveOperationException {
        if (property.setting() == null) {
            assertThat(property.byDefault()).isEmpty();
            return;
        }
        Object real = getter(property).invoke(new HikariConfig());
        switch (property) {
            case MINIMUM_IDLE -> assertThat(real).isEqualTo(-1); // until validate() makes it the maximum
            case INITIALIZATION_FAIL_TIMEOUT ->
                assertThat(real + "ms").isEqualTo(property.byDefault()); // which is refused here
            default -> {
                if (property.byDefault().isEmpty()) {
                    assertThat(real).isNull();
                } else {
                    assertThat(read(property, property.byDefault())).isEqualTo(read(property, real));
                }
            }
        }
    }

    /** As the pool reads this value of the setting. */
    private static String read(HikariProperty property, Object value) {
        return HikariProperty.anyPool()
                .property(property.setting(), value)
                .build()
                .values()
                .get(property.setting());
    }

    private static Method getter(HikariProperty property) throws NoSuchMethodException {
        String name = Character.toUpperCase(property.propertyName().charAt(0))
                + property.propertyName().substring(1);
        try {
            return HikariConfig.class.getMethod("get" + name);
        } catch (NoSuchMethodException e) {
            return HikariConfig.class.getMethod("is" + name);
        }
    }

    @Test
    void nothingSetIsHikarisDefaults() {
        PoolConfig config = HikariProperties.of(h2()).toConfig();
        assertThat(config.maximumPoolSize()).isEqualTo(10);
        assertThat(config.minimumPoolSize()).isEqualTo(10);
        assertThat(config.minimumIdle()).isZero();
        assertThat(config.connectionTimeout()).isEqualTo(Duration.ofSeconds(30));
        assertThat(config.initializationFailTimeout()).isEqualTo(Duration.ofSeconds(30));
        assertThat(config.validationTimeout()).isEqualTo(Duration.ofSeconds(5));
        assertThat(config.keepaliveTime()).isEqualTo(Duration.ofMinutes(2));
        assertThat(config.idleTimeout()).isEqualTo(Duration.ofMinutes(10));
        assertThat(config.maxLifetime()).isEqualTo(Duration.ofMinutes(30));
        assertThat(config.autoCommit()).isTrue();
        assertThat(config.readOnly()).isFalse();
        assertThat(config.registerMbeans()).isFalse();
        assertThat(HikariProperties.of(h2()).notes()).isEmpty();
    }

    @ParameterizedTest
    @CsvSource({
        "'',  10, 10, 0", // a fixed size
        "10,  10, 10, 0",
        "4,   10, 4,  4",
        "0,   10, 0,  0",
        "30,  20, 20, 0", // more than the maximum is the maximum
    })
    void minimumIdleKeepsItsMeaning(String idle, int most, int minimum, int minimumIdle) {
        Properties properties = h2();
        properties.setProperty("maximumPoolSize", Integer.toString(most));
        properties.setProperty("minimumIdle", idle);
        PoolConfig config = HikariProperties.of(properties).toConfig();
        assertThat(config.minimumPoolSize()).isEqualTo(minimum);
        assertThat(config.minimumIdle()).isEqualTo(minimumIdle);

        HikariConfig hikari = new HikariConfig();
        hikari.setJdbcUrl("jdbc:h2:mem:x");
        hikari.setMaximumPoolSize(most);
        if (!idle.isEmpty()) {
            hikari.setMinimumIdle(Integer.parseInt(idle));
        }
        hikari.validate();
        assertThat(config.minimumPoolSize()).isEqualTo(hikari.getMinimumIdle());
    }

    @Test
    void timesKeepTheirMeaning() {
        Properties properties = h2();
        properties.setProperty("connectionTimeout", "0");
        properties.setProperty("maxLifetime", "60000");
        properties.setProperty("idleTimeout", "0");
        properties.setProperty("leakDetectionThreshold", "3s");
        PoolConfig config = HikariProperties.of(properties).toConfig();
        assertThat(config.connectionTimeout()).isEqualTo(Duration.ofMillis(Integer.MAX_VALUE));
        assertThat(config.keepaliveTime()).isZero(); // the default is more than maxLifetime
        assertThat(config.idleTimeout()).isZero();
        assertThat(config.leakDetectionThreshold()).isEqualTo(Duration.ofSeconds(3));

        properties.setProperty("keepaliveTime", "70000");
        assertThat(HikariProperties.of(properties).toConfig().keepaliveTime()).isZero();
        properties.setProperty("keepaliveTime", "40000");
        assertThat(HikariProperties.of(properties).toConfig().keepaliveTime()).isEqualTo(Duration.ofSeconds(40));
    }

    /** What a pool of HikariCP's makes of a value when it starts; its own class is asked. */
    @ParameterizedTest
    @CsvSource({
        "idleTimeout=5000 minimumIdle=1, true",
        "idleTimeout=5000, false",
        "idleTimeout=10000 minimumIdle=1, false",
        "idleTimeout=60000 maxLifetime=60500 minimumIdle=1, true",
        "idleTimeout=60000 maxLifetime=61000 minimumIdle=1, false",
        "maxLifetime=300000 minimumIdle=1, true", // its default is 10 minutes
        "maxLifetime=29999 minimumIdle=1, true",
        "maxLifetime=0 idleTimeout=900000 minimumIdle=1, false",
        "keepaliveTime=29999, true",
        "keepaliveTime=30000, false",
        "keepaliveTime=70000 maxLifetime=60000, true",
        "connectionTimeout=250 validationTimeout=250, false",
    })
    void valuesThatHikariReplacesBecomeWhatTheyBecomeThere(String given, boolean said) {
        Properties properties = h2();
        for (String one : given.split(" ", -1)) {
            properties.setProperty(one.substring(0, one.indexOf('=')), one.substring(one.indexOf('=') + 1));
        }
        HikariConfig hikari = new HikariConfig(properties);
        hikari.validate();
        HikariProperties translated = HikariProperties.of(properties);
        PoolConfig config = translated.toConfig();
        if (hikari.getMinimumIdle() < hikari.getMaximumPoolSize()) {
            assertThat(config.idleTimeout()).hasMillis(hikari.getIdleTimeout());
        }
        assertThat(config.maxLifetime()).hasMillis(hikari.getMaxLifetime());
        assertThat(config.keepaliveTime()).hasMillis(hikari.getKeepaliveTime());
        assertThat(translated.notes().stream()
                        .anyMatch(note -> note.endsWith(", as there") && !note.contains("minimumPoolSize")))
                .isEqualTo(said);
    }

    /** HikariCP replaces these only where no test of its own runs. */
    @ParameterizedTest
    @CsvSource({"1999, 0, 0", "2000, 0, 2000", "70000, 60000, 0", "60000, 60000, 60000", "70000, 0, 70000"})
    void leakThresholdKeepsItsMeaning(long threshold, long lifetime, long here) {
        Properties properties = h2();
        properties.setProperty("leakDetectionThreshold", Long.toString(threshold));
        properties.setProperty("maxLifetime", Long.toString(lifetime));
        assertThat(HikariProperties.of(properties).toConfig().leakDetectionThreshold())
                .hasMillis(here);
    }

    @Test
    void onlyWhatTheValuesTouchIsNoted() {
        Properties properties = h2();
        properties.setProperty("maximumPoolSize", "20");
        properties.setProperty("minimumIdle", "20");
        properties.setProperty("connectionTimeout", "10000");
        properties.setProperty("validationTimeout", "1s");
        properties.setProperty("idleTimeout", "60000");
        properties.setProperty("maxLifetime", "1200000");
        properties.setProperty("autoCommit", "false");
        properties.setProperty("registerMbeans", "false");
        properties.setProperty("allowPoolSuspension", "false");
        properties.setProperty("transactionIsolation", "TRANSACTION_READ_COMMITTED");
        assertThat(HikariProperties.of(properties).notes()).isEmpty();
        properties.setProperty("connectionTimeout", "100");
        properties.setProperty("minimumIdle", "5");
        properties.setProperty("maxLifetime", "${AGE}");
        assertThat(HikariProperties.of(properties).notes())
                .extracting(note -> note.substring(0, note.indexOf(' ')))
                .containsExactly("connectionTimeout:", "maxLifetime:", "maximumPoolSize:", "minimumIdle:");
    }

    @ParameterizedTest
    @CsvSource({"1, 2000", "5000, 7000", "0, 0", "-1, -1"})
    void startingWaitsOnTopOfTheConnectionTimeout(long there, long here) {
        Properties properties = h2();
        properties.setProperty("connectionTimeout", "2000");
        properties.setProperty("initializationFailTimeout", Long.toString(there));
        assertThat(HikariProperties.of(properties).toConfig().initializationFailTimeout())
                .isEqualTo(Duration.ofMillis(here));
    }

    @Test
    void everyTakenValueArrives() {
        Properties properties = h2();
        properties.setProperty("username", "sa");
        properties.setProperty("password", "");
        properties.setProperty("driverClassName", "org.h2.Driver");
        properties.setProperty("poolName", "shop");
        properties.setProperty("connectionTestQuery", "select 1");
        properties.setProperty("connectionInitSql", "set schema public");
        properties.setProperty("transactionIsolation", "TRANSACTION_SERIALIZABLE");
        properties.setProperty("catalog", "c");
        properties.setProperty("schema", " ");
        properties.put("autoCommit", false);
        properties.put("readOnly", true);
        properties.put("registerMbeans", "true");
        properties.setProperty("isolateInternalQueries", "true");
        properties.setProperty("allowPoolSuspension", "true");
        properties.setProperty("dataSource.trace", "1");
        PoolConfig config = HikariProperties.of(properties).toConfig();
        assertThat(config.username()).isEqualTo("sa");
        assertThat(config.password()).isEmpty();
        assertThat(config.driverClassName()).isEqualTo("org.h2.Driver");
        assertThat(config.poolName()).isEqualTo("shop");
        assertThat(config.connectionTestQuery()).isEqualTo("select 1");
        assertThat(config.jdbc4ConnectionTest()).isFalse();
        assertThat(config.connectionInitSql()).isEqualTo("set schema public");
        assertThat(config.transactionIsolation()).isEqualTo(Connection.TRANSACTION_SERIALIZABLE);
        assertThat(config.catalog()).isEqualTo("c");
        assertThat(config.schema()).isNull();
        assertThat(config.autoCommit()).isFalse();
        assertThat(config.readOnly()).isTrue();
        assertThat(config.registerMbeans()).isTrue();
        assertThat(config.dataSourceProperties()).containsEntry("trace", "1");
        assertThat(HikariProperties.of(properties).notes())
                .anyMatch(note -> note.startsWith("isolateInternalQueries: The pool always"))
                .anyMatch(note -> note.startsWith("allowPoolSuspension: A pool can always"));
    }

    @Test
    void oneSourceGoesBeforeTheOthers() {
        Properties properties = h2();
        properties.setProperty("dataSourceClassName", JdbcDataSource.class.getName());
        Properties own = new Properties();
        own.setProperty("user", "sa");
        properties.put("dataSourceProperties", own);
        PoolConfig config = HikariProperties.of(properties).toConfig();
        assertThat(config.url()).isNull();
        assertThat(config.dataSourceClassName()).isEqualTo(JdbcDataSource.class.getName());
        assertThat(config.dataSourceProperties()).containsEntry("user", "sa");

        ThreadFactory threads = Thread::new;
        properties.put("threadFactory", threads);
        assertThat(HikariProperties.of(properties).toConfig().threadFactory()).isSameAs(threads);

        JdbcDataSource object = new JdbcDataSource();
        properties.put("dataSource", object);
        properties.setProperty("driverClassName", "org.h2.Driver");
        config = HikariProperties.of(properties).toConfig();
        assertThat(config.dataSource()).isSameAs(object);
        assertThat(config.dataSourceClassName()).isNull();
        assertThat(config.driverClassName()).isNull();
        assertThat(config.dataSourceProperties()).isEmpty();

        Properties url = h2();
        url.setProperty("username", "one");
        url.setProperty("dataSource.user", "other");
        config = HikariProperties.of(url).toConfig();
        assertThat(config.username()).isNull();
        assertThat(config.dataSourceProperties()).containsEntry("user", "other");
    }

    @ParameterizedTest
    @EnumSource(
            value = HikariProperty.class,
            names = {"DATA_SOURCE", "DATA_SOURCE_PROPERTIES", "THREAD_FACTORY"})
    void objectsAreNotGivenAsText(HikariProperty property) {
        Properties properties = h2();
        properties.setProperty(property.propertyName(), "com.example.Some");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> HikariProperties.of(properties).toConfig())
                .withMessageStartingWith(property.propertyName() + ": text (expected: a ");
    }

    @Test
    void whatHasNoMeaningHereIsRefusedByNameWithTheReason() {
        for (HikariProperty property : HikariProperty.values()) {
            if (property.fate() == HikariProperty.Fate.REFUSED) {
                Properties properties = h2();
                properties.setProperty(property.propertyName(), "x");
                assertThatIllegalArgumentException()
                        .isThrownBy(() -> HikariProperties.of(properties).toConfig())
                        .withMessage(property.propertyName() + ": has no meaning here (" + property.differs() + ")");
            }
        }
    }

    @Test
    void allFaultsAreInOneMessage() {
        Properties properties = h2();
        properties.setProperty("maximunPoolSize", "5");
        properties.setProperty("metricRegistry", "x");
        properties.setProperty("minimumIdle", "-1");
        properties.setProperty("connectionTimeout", "soon");
        properties.setProperty("password", "hunter2");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> HikariProperties.of(properties).toConfig())
                .withMessageContaining("maximunPoolSize: not a property of HikariCP (did you mean maximumPoolSize?)")
                .withMessageContaining("metricRegistry: has no meaning here")
                .withMessageContaining("minimumIdle: -1 (expected: 0..10000)")
                .withMessageContaining("connectionTimeout: soon (expected: ")
                .satisfies(e -> assertThat(e.getMessage()).doesNotContain("hunter2"));
    }

    @Test
    void fileIsReadAsHikariReadsIt(@TempDir Path folder) throws IOException {
        Path file = folder.resolve("hikari.properties");
        Files.writeString(
                file, "jdbcUrl=jdbc:h2:mem:x\npoolName=caf\u00e9\nmaximumPoolSize=3\n", StandardCharsets.ISO_8859_1);
        PoolConfig config = HikariProperties.load(file).toConfig();
        assertThat(config.poolName()).isEqualTo(new HikariConfig(file.toString()).getPoolName());
        assertThat(config.maximumPoolSize()).isEqualTo(3);
        assertThat(config.minimumPoolSize()).isEqualTo(3);
    }

    @Test
    void settingsMakeTheSameConfiguration() {
        Properties properties = h2();
        properties.setProperty("minimumIdle", "2");
        properties.setProperty("connectionTimeout", "0");
        Properties settings = new Properties();
        settings.putAll(HikariProperties.of(properties).settings());
        assertThat(PoolConfig.from(settings))
                .hasToString(HikariProperties.of(properties).toConfig().toString());
    }

    private static Properties h2() {
        Properties properties = new Properties();
        properties.setProperty("jdbcUrl", "jdbc:h2:mem:x");
        return properties;
    }
}
