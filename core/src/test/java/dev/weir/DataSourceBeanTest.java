package dev.weir;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import dev.weir.internal.settings.Samples;
import dev.weir.internal.settings.Setting;
import dev.weir.internal.settings.SettingNames;
import dev.weir.internal.settings.SettingType;
import java.beans.IntrospectionException;
import java.beans.Introspector;
import java.beans.PropertyDescriptor;
import java.lang.reflect.Method;
import java.time.Duration;
import java.util.List;
import java.util.Properties;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The pool as Spring, Tomcat and plain reflection see it. */
class DataSourceBeanTest {

    private static PropertyDescriptor property(String name) throws IntrospectionException {
        return Stream.of(Introspector.getBeanInfo(WeirDataSource.class).getPropertyDescriptors())
                .filter(descriptor -> descriptor.getName().equals(name))
                .findFirst()
                .orElseThrow();
    }

    @ParameterizedTest
    @EnumSource(Setting.class)
    void everySettingIsOneReadableAndWritableProperty(Setting setting)
            throws IntrospectionException, ReflectiveOperationException {
        PropertyDescriptor property = property(setting.settingName());
        Object value = setting.type() == SettingType.ISOLATION ? Samples.otherText(setting) : Samples.other(setting);
        try (WeirDataSource pool = new WeirDataSource()) {
            property.getWriteMethod().invoke(pool, value);
            assertThat(property.getReadMethod().invoke(pool)).isEqualTo(value);
        }
    }

    @ParameterizedTest
    @EnumSource(Setting.class)
    void timesAlsoHaveASetterThatTakesText(Setting setting) throws ReflectiveOperationException {
        if (setting.type() != SettingType.DURATION) {
            return;
        }
        String name = setting.settingName();
        Method setter = WeirDataSource.class.getMethod(
                "set" + Character.toUpperCase(name.charAt(0)) + name.substring(1), String.class);
        try (WeirDataSource pool = new WeirDataSource()) {
            setter.invoke(pool, "1234s");
            assertThat(pool.value(setting)).isEqualTo(Duration.ofSeconds(1234));
        }
    }

    @Test
    void hikarisNameOfTheUrlHasASetter() throws IntrospectionException {
        assertThat(property("jdbcUrl").getReadMethod())
                .as("it is read under its own name only")
                .isNull();
        try (WeirDataSource pool = new WeirDataSource()) {
            pool.setJdbcUrl("jdbc:h2:mem:a");
            assertThat(pool.getUrl()).isEqualTo("jdbc:h2:mem:a");
        }
    }

    @Test
    void propertiesAreTheSettingsAndTheseFew() throws IntrospectionException {
        List<String> names = Stream.of(Introspector.getBeanInfo(WeirDataSource.class, Object.class)
                        .getPropertyDescriptors())
                .map(PropertyDescriptor::getName)
                .filter(name -> SettingNames.find(name) == null)
                .toList();
        assertThat(names)
                .containsExactlyInAnyOrder(
                        "closed",
                        "connection",
                        "credentialsProvider",
                        "dataSource",
                        "dataSourceProperties",
                        "sessionState",
                        "failureClassifier",
                        "listeners",
                        "logWriter",
                        "loginTimeout",
                        "parentLogger",
                        "running",
                        "suspended",
                        "threadFactory");
    }

    @Test
    void wrongValueIsRefusedAtOnceByName() {
        try (WeirDataSource pool = new WeirDataSource()) {
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> pool.setMaximumPoolSize(0))
                    .withMessage("maximumPoolSize: 0 (expected: 1..10000)");
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> pool.setMaxLifetime("long"))
                    .withMessageStartingWith("maxLifetime: long (expected: 0..365d in whole milliseconds");
            assertThat(pool.getMaximumPoolSize()).isEqualTo(60);
        }
    }

    /** As in programs that had HikariCP: literals of int and long, in milliseconds. */
    @Test
    void settersOfHikariUsersCompile() {
        try (WeirDataSource pool = new WeirDataSource()) {
            pool.setJdbcUrl("jdbc:h2:mem:a");
            pool.setDriverClassName("org.h2.Driver");
            pool.setUsername("sa");
            pool.setPassword("");
            pool.setPoolName("orders");
            pool.setMaximumPoolSize(20);
            pool.setMinimumIdle(5);
            pool.setAutoCommit(false);
            pool.setReadOnly(true);
            pool.setRegisterMbeans(false);
            pool.setTransactionIsolation("TRANSACTION_READ_COMMITTED");
            pool.setConnectionTimeout(30_000);
            pool.setValidationTimeout(5_000L);
            pool.setIdleTimeout(600_000);
            pool.setKeepaliveTime(0);
            pool.setMaxLifetime(TimeUnit.MINUTES.toMillis(30));
            pool.setLeakDetectionThreshold(2_000);
            pool.setInitializationFailTimeout(-1);
            pool.addDataSourceProperty("prepStmtCacheSize", 250);

            assertThat(pool.getConnectionTimeout()).isEqualTo(Duration.ofSeconds(30));
            assertThat(pool.getInitializationFailTimeout()).isEqualTo(Duration.ofMillis(-1));
            assertThat(pool.getMaxLifetime()).isEqualTo(Duration.ofMinutes(30));
            assertThat(pool.getDataSourceProperties()).containsEntry("prepStmtCacheSize", 250);
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> pool.setConnectionTimeout(0))
                    .withMessageStartingWith("connectionTimeout: 0 (expected: 1ms..365d");
        }
    }

    @ParameterizedTest
    @EnumSource(Setting.class)
    void timesAlsoHaveASetterThatTakesMilliseconds(Setting setting) throws ReflectiveOperationException {
        if (setting.type() != SettingType.DURATION) {
            return;
        }
        String name = setting.settingName();
        Method setter = WeirDataSource.class.getMethod(
                "set" + Character.toUpperCase(name.charAt(0)) + name.substring(1), long.class);
        try (WeirDataSource pool = new WeirDataSource()) {
            setter.invoke(pool, 1_234L);
            assertThat(pool.value(setting)).isEqualTo(Duration.ofMillis(1_234));
        }
    }

    @Test
    void aFaultHasTheNameOfTheSetting() {
        try (WeirDataSource pool = new WeirDataSource()) {
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> pool.setJdbcUrl("localhost"))
                    .withMessage("url: localhost (expected: jdbc:...)");
            pool.close();
            assertThatIllegalStateException()
                    .isThrownBy(() -> pool.setMaximumPoolSize(1))
                    .withMessageStartingWith("maximumPoolSize: cannot be changed");
        }
    }

    @Test
    void anEmptyNameOfAClassIsNone() {
        try (WeirDataSource pool = new WeirDataSource()) {
            pool.setDriverClassName("org.h2.Driver");
            pool.setDriverClassName(" ");
            pool.setDataSourceClassName("");
            assertThat(pool.getDriverClassName()).isNull();
            assertThat(pool.getDataSourceClassName()).isNull();
        }
    }

    @Test
    void dataSourcePropertiesAreKept() {
        Properties properties = new Properties();
        properties.setProperty("ssl", "true");
        properties.put("port", 5432);
        try (WeirDataSource pool = new WeirDataSource()) {
            pool.setDataSourceProperties(properties);
            assertThat(pool.getDataSourceProperties()).isEqualTo(properties);
        }
    }

    @ParameterizedTest
    @EnumSource(Setting.class)
    void closedPoolTakesNoSettings(Setting setting) {
        WeirDataSource pool = new WeirDataSource();
        pool.close();
        assertThatIllegalStateException()
                .isThrownBy(() -> pool.change(setting, Samples.other(setting)))
                .withMessageStartingWith(setting.settingName() + ": ");
    }
}
