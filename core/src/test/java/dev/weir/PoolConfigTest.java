package dev.weir;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.weir.internal.settings.Samples;
import dev.weir.internal.settings.Setting;
import dev.weir.spi.Credentials;
import dev.weir.spi.Ticker;
import java.io.IOException;
import java.lang.reflect.Method;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Properties;
import org.h2.jdbcx.JdbcDataSource;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** P9: configured in one way, checked once, as a whole. */
class PoolConfigTest {

    @ParameterizedTest
    @EnumSource(Setting.class)
    void everySettingGoesThroughPropertiesAndAFile(Setting setting, @TempDir Path folder) throws IOException {
        Properties properties = Samples.around(setting);
        properties.setProperty(setting.settingName(), Samples.otherText(setting));
        assertThat(PoolConfig.from(properties).get(setting)).isEqualTo(Samples.other(setting));

        Path file = folder.resolve("weir.properties");
        try (var writer = Files.newBufferedWriter(file)) {
            properties.store(writer, null);
        }
        PoolConfig loaded = PoolConfig.load(file);
        assertThat(loaded.get(setting)).isEqualTo(Samples.other(setting));
        assertThat(loaded.toBuilder().build()).hasToString(loaded.toString());
    }

    @Test
    void byteOrderMarkBeforeAFileIsSkipped(@TempDir Path folder) throws IOException {
        Path file = folder.resolve("weir.properties");
        Files.writeString(file, "\uFEFFurl=jdbc:h2:mem:a\nmaximumPoolSize=7\n");
        assertThat(PoolConfig.load(file).maximumPoolSize()).isEqualTo(7);
        Files.writeString(file, "");
        assertThatIllegalArgumentException().isThrownBy(() -> PoolConfig.load(file));
    }

    @ParameterizedTest
    @EnumSource(Setting.class)
    void everySettingHasABuilderMethodAndAnAccessorOfItsType(Setting setting) throws ReflectiveOperationException {
        Object value = Samples.other(setting);
        Method accessor = PoolConfig.class.getMethod(setting.settingName());
        PoolConfig.Builder builder = PoolConfig.builder();
        Samples.around(setting).forEach((name, given) -> builder.property((String) name, given));
        Method setter = PoolConfig.Builder.class.getMethod(setting.settingName(), accessor.getReturnType());
        assertThat(setter.invoke(builder, value)).isSameAs(builder);
        assertThat(accessor.invoke(builder.build())).isEqualTo(value);
    }

    @Test
    void allFaultsAreInOneMessage() {
        Properties properties = new Properties();
        properties.setProperty("maximumPoolSize", "0");
        properties.setProperty("maxLifetme", "1h");
        properties.setProperty("readOnly", "perhaps");
        properties.setProperty("password", "hunter2");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> PoolConfig.from(properties))
                .withMessageStartingWith("5 faults in the configuration:\n")
                .withMessageContaining("maximumPoolSize: 0 (expected: 1..10000)")
                .withMessageContaining("maxLifetme: not a setting (did you mean maxLifetime?)")
                .withMessageContaining("readOnly: perhaps (expected: true or false)")
                .withMessageContaining(
                        "url: not set (expected: one of url, dataSourceClassName and a DataSource object)")
                .withMessageContaining("username: not set (expected: the user whose password is set)")
                .satisfies(e -> assertThat(e.getMessage()).doesNotContain("hunter2"));
    }

    @Test
    void oneFaultIsTheWholeMessage() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Samples.h2().maximumPoolSize(0).build())
                .withMessage("maximumPoolSize: 0 (expected: 1..10000)");
    }

    @Test
    void laterGoodValueTakesTheFaultAway() {
        assertThat(Samples.h2().maximumPoolSize(0).maximumPoolSize(3).build().maximumPoolSize())
                .isEqualTo(3);
    }

    @Test
    void unsetMinimumGivesWayToTheMaximum() {
        PoolConfig config = Samples.h2().maximumPoolSize(5).build();
        assertThat(config.minimumPoolSize()).isEqualTo(5);
        assertThat(Samples.h2().build().minimumPoolSize()).isEqualTo(10);
    }

    @Test
    void minimumAboveTheMaximumIsAFault() {
        assertThatIllegalArgumentException()
                .isThrownBy(
                        () -> Samples.h2().maximumPoolSize(5).minimumPoolSize(6).build())
                .withMessage("minimumPoolSize: 6 (expected: at most maximumPoolSize 5)");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Samples.h2().minimumPoolSize(61).build())
                .withMessage("minimumPoolSize: 61 (expected: at most maximumPoolSize 60)");
    }

    @Test
    void minimumIdleSetAloneIsAlsoTheMinimumAndGivesWayToTheMaximum() {
        assertThat(Samples.h2().minimumIdle(0).build().minimumPoolSize()).isZero();
        assertThat(Samples.h2().minimumIdle(3).build().minimumPoolSize()).isEqualTo(3);
        PoolConfig large = Samples.h2().maximumPoolSize(5).minimumIdle(6).build();
        assertThat(large.minimumPoolSize()).isEqualTo(5);
        assertThat(large.minimumIdle()).isEqualTo(6);
        assertThat(Samples.h2().minimumIdle(0).minimumPoolSize(4).build().minimumPoolSize())
                .isEqualTo(4);
    }

    @Test
    void noStartIsGivenLessTimeThanAConnectNeeds() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Samples.h2()
                        .initializationFailTimeout(Duration.ofMillis(1))
                        .build())
                .withMessage(
                        "initializationFailTimeout: 1ms (expected: 0, negative, or 100ms and more; one that is not set"
                                + " is connectionTimeout)");
        assertThat(Samples.h2().connectionTimeout(Duration.ofMillis(1)).build().initializationFailTimeout())
                .hasMillis(1);
    }

    @Test
    void keepaliveIsShorterThanTheLifetimeWhereBothAreOn() {
        Duration minute = Duration.ofMinutes(1);
        assertThatIllegalArgumentException()
                .isThrownBy(() ->
                        Samples.h2().keepaliveTime(minute).maxLifetime(minute).build())
                .withMessage("keepaliveTime: 1m (expected: less than maxLifetime 1m, or 0: never)");
        assertThatCode(() -> Samples.h2().maxLifetime(minute).build()).doesNotThrowAnyException();
        assertThatCode(() -> Samples.h2()
                        .keepaliveTime(minute)
                        .maxLifetime(Duration.ZERO)
                        .build())
                .doesNotThrowAnyException();
    }

    @Test
    void exactlyOneConnectionTestIsInForce() {
        PoolConfig query = Samples.h2().connectionTestQuery("select 1").build();
        assertThat(query.jdbc4ConnectionTest()).isFalse();
        assertThat(Samples.h2().build().jdbc4ConnectionTest()).isTrue();
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Samples.h2()
                        .connectionTestQuery("select 1")
                        .jdbc4ConnectionTest(true)
                        .build())
                .withMessage("jdbc4ConnectionTest: true (expected: false, since there is a connectionTestQuery)");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Samples.h2().jdbc4ConnectionTest(false).build())
                .withMessage("jdbc4ConnectionTest: false (expected: true, or a connectionTestQuery)");
    }

    @Test
    void connectionsComeFromOnePlace() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Samples.h2()
                        .dataSourceClassName("x.Y")
                        .dataSource(new JdbcDataSource())
                        .build())
                .withMessageStartingWith("a DataSource object and url and dataSourceClassName: set together");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> PoolConfig.builder()
                        .dataSourceClassName("x.Y")
                        .driverClassName("x.Z")
                        .build())
                .withMessageStartingWith("driverClassName: x.Z (expected: only together with url");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> PoolConfig.builder()
                        .dataSource(new JdbcDataSource())
                        .dataSourceProperty("URL", "x")
                        .build())
                .withMessageStartingWith("dataSource.URL: set (expected: none");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> Samples.h2()
                        .credentialsProvider(() -> new Credentials("sa", ""))
                        .build())
                .withMessageStartingWith("username: sa (expected: none");
    }

    @Test
    void oneSettingUnderTwoNamesHasOneValue() {
        Properties properties = new Properties();
        properties.setProperty("jdbcUrl", "jdbc:h2:mem:a");
        properties.setProperty("url", "jdbc:h2:mem:a");
        assertThat(PoolConfig.from(properties).url()).isEqualTo("jdbc:h2:mem:a");
        properties.setProperty("jdbcUrl", "jdbc:h2:mem:b");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> PoolConfig.from(properties))
                .withMessage("jdbcUrl and url: two values for one setting (expected: one url)");
    }

    @Test
    void startWaitsForTheConnectionTimeoutUnlessToldOtherwise() {
        PoolConfig config =
                Samples.h2().connectionTimeout(Duration.ofSeconds(3)).build();
        assertThat(config.initializationFailTimeout()).isEqualTo(Duration.ofSeconds(3));
        Properties properties = Samples.around(Setting.INITIALIZATION_FAIL_TIMEOUT);
        properties.setProperty("initializationFailTimeout", "-1");
        assertThat(PoolConfig.from(properties).initializationFailTimeout()).isEqualTo(Duration.ofMillis(-1));
    }

    @Test
    void propertiesOfTheDataSourceAndDefaultsOfPropertiesAreTaken() {
        Properties defaults = new Properties();
        defaults.setProperty("url", "jdbc:h2:mem:x");
        defaults.setProperty("dataSource.ssl", "true");
        Properties properties = new Properties(defaults);
        properties.put("dataSource.port", 5432);
        PoolConfig config = PoolConfig.from(properties);
        assertThat(config.dataSourceProperties()).containsEntry("ssl", "true").containsEntry("port", 5432);
        assertThat(config.url()).isEqualTo("jdbc:h2:mem:x");
    }

    @Test
    void textFormHasNoSecrets() {
        PoolConfig config = PoolConfig.builder()
                .url("jdbc:postgresql://app:hunter1@127.0.0.1/x?password=hunter2&ssl=true")
                .username("app")
                .password("hunter3")
                .dataSourceProperty("sslpassword", "hunter4")
                .dataSourceProperty("applicationName", "shop")
                .build();
        assertThat(config.toString())
                .doesNotContain("hunter")
                .contains("username=app", "password=***", "ssl=true", "dataSource.applicationName=shop");
    }

    @Test
    void copyHasEverything() {
        Ticker ticker = () -> 5;
        PoolConfig config = PoolConfig.builder()
                .dataSource(new JdbcDataSource())
                .credentialsProvider(() -> new Credentials("sa", ""))
                .failureClassifier(e -> null)
                .ticker(ticker)
                .maximumPoolSize(4)
                .build();
        PoolConfig copy = config.toBuilder().build();
        assertThat(copy.dataSource()).isSameAs(config.dataSource());
        assertThat(copy.credentialsProvider()).isSameAs(config.credentialsProvider());
        assertThat(copy.failureClassifier()).isSameAs(config.failureClassifier());
        assertThat(copy.ticker()).isSameAs(ticker);
        assertThat(copy.maximumPoolSize()).isEqualTo(4);
    }

    @Test
    void nullGoesBackToTheDefault() {
        assertThat(Samples.h2().schema("x").schema(null).build().schema()).isNull();
    }
}
