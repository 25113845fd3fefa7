package dev.weir.internal.settings;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.weir.PoolConfig;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Properties;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** P9: a wrong value or an unknown name is refused, by name. */
class SettingTest {
    static Stream<Arguments> badValues() {
        List<Arguments> rows = new ArrayList<>();
        for (Setting setting : Setting.values()) {
            List<Object> values = new ArrayList<>(List.of(new Object[0], List.of(1)));
            switch (setting.type()) {
                case TEXT -> values.addAll(List.of("", "  ", 5));
                case NAME, SECRET -> values.add(5);
                case INTEGER -> values.addAll(List.of("", "x", "1.5", 1.5, "99999999999", -1, "-1", 2_000_000, "0x10"));
                case BOOLEAN -> values.addAll(List.of("", "yes", "1", 1, "tru"));
                case DURATION ->
                    values.addAll(List.of(
                            "",
                            "x",
                            "5 parsecs",
                            "-366d",
                            "366d",
                            Long.MAX_VALUE,
                            Long.MIN_VALUE,
                            "9223372036854775807d",
                            "99999999999999999999",
                            Duration.ofNanos(1_500_000),
                            Duration.ofDays(366),
                            Duration.ofSeconds(Long.MAX_VALUE),
                            Duration.ofSeconds(Long.MIN_VALUE),
                            "PT"));
                case ISOLATION -> values.addAll(List.of("", "NONE", "TRANSACTION_NONE", 0, 3, 16, "-1", "READ"));
                case LIVENESS -> values.addAll(List.of("", "sockets", "true", 1));
                case POOL_MODE -> values.addAll(List.of("", "statement", "true", 1));
            }
            if (setting == Setting.URL) {
                values.add("postgresql://127.0.0.1/x");
            }
            values.removeIf(value -> setting.orNone(value) == null);
            values.forEach(value -> rows.add(Arguments.of(setting, value)));
        }
        return rows.stream();
    }

    @ParameterizedTest
    @MethodSource("badValues")
    void badValueIsRefusedByName(Setting setting, Object value) {
        Properties properties = Samples.around(setting);
        properties.put(setting.settingName(), value);
        assertThatIllegalArgumentException()
                .isThrownBy(() -> PoolConfig.from(properties))
                .withMessageStartingWith(setting.settingName() + ": ")
                .withMessageContaining("(expected: ");
    }

    static Stream<Setting> limited() {
        return Stream.of(Setting.values()).filter(setting -> !setting.range().isEmpty());
    }

    @ParameterizedTest
    @MethodSource("limited")
    void rangeIsTheOneOfTheMessage(Setting setting) {
        String[] limits = setting.range().split("\\.\\.", 2);
        for (String limit : limits) {
            assertThat(setting.parse(limit)).isNotNull();
        }
        long least = setting.type() == SettingType.DURATION
                ? Durations.parse(limits[0]).toMillis()
                : Long.parseLong(limits[0]);
        long most = setting.type() == SettingType.DURATION
                ? Durations.parse(limits[1]).toMillis()
                : Long.parseLong(limits[1]);
        for (long out : new long[] {least - 1, most + 1}) {
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> setting.parse(out))
                    .withMessage(setting.settingName() + ": " + out + " (expected: " + setting.range() + ")");
        }
    }

    @Test
    void everyNameIsThereOnce() {
        Set<String> seen = new HashSet<>();
        for (Setting setting : Setting.values()) {
            assertThat(seen.add(setting.settingName()))
                    .as(setting.settingName())
                    .isTrue();
            assertThat(setting.aliases()).allMatch(seen::add);
        }
    }

    /** The defaults that the users were promised, written down a second time. */
    @ParameterizedTest
    @CsvSource(
            nullValues = "none",
            value = {
                "url, none",
                "username, none",
                "password, none",
                "driverClassName, none",
                "dataSourceClassName, none",
                "poolName, none",
                "maximumPoolSize, 60",
                "minimumPoolSize, 10",
                "minimumIdle, 0",
                "poolMode, session",
                "acquireIncrement, 5",
                "acquireSurge, 8",
                "acquireRetries, 3",
                "acquireRetryDelay, 750",
                "connectionTimeout, 5000",
                "waitWarningThreshold, none",
                "validationTimeout, 1000",
                "connectTimeout, 30s",
                "returnTimeout, 30s",
                "closeTimeout, 10s",
                "jdbc4ConnectionTest, true",
                "connectionTestQuery, none",
                "validateAfterIdle, 500",
                "keepaliveTime, 2m",
                "idleTimeout, 600000",
                "maxLifetime, 1800000",
                "leakDetectionThreshold, 0",
                "measureLoans, false",
                "autoCommit, none",
                "readOnly, none",
                "transactionIsolation, none",
                "catalog, none",
                "schema, none",
                "connectionInitSql, none",
                "resetSql, none",
                "requestBoundaries, false",
                "initializationFailTimeout, none",
                "followServerName, false",
                "registerMbeans, true",
                "maximumWaiters, 0"
            })
    void defaultsAreThePromisedOnes(String name, String byDefault) {
        Setting setting = SettingNames.find(name);
        assertThat(setting).isNotNull();
        assertThat(setting.byDefault()).isEqualTo(byDefault == null ? null : setting.parse(byDefault));
        assertThat(Setting.values()).hasSize(41);
    }

    @Test
    void twelveSettingsChangeWhileThePoolRuns() {
        assertThat(Stream.of(Setting.values()).filter(Setting::changeable).map(Setting::settingName))
                .containsExactlyInAnyOrder(
                        "acquireIncrement",
                        "acquireSurge",
                        "acquireRetries",
                        "acquireRetryDelay",
                        "connectionTimeout",
                        "idleTimeout",
                        "leakDetectionThreshold",
                        "measureLoans",
                        "maxLifetime",
                        "minimumPoolSize",
                        "maximumPoolSize",
                        "waitWarningThreshold");
    }

    @ParameterizedTest
    @CsvSource({
        "0, PT0S",
        "1500, PT1.5S",
        "1500ms, PT1.5S",
        "30s, PT30S",
        "'30 s', PT30S",
        "5m, PT5M",
        "2h, PT2H",
        "1d, PT24H",
        "PT30S, PT30S",
        "pt5m, PT5M",
        "P1D, PT24H",
        "-1, PT-0.001S"
    })
    void timesAreReadInEveryForm(String text, Duration time) {
        assertThat(Durations.parse(text)).isEqualTo(time);
        assertThat(Durations.parse(Durations.format(time))).isEqualTo(time);
    }

    @ParameterizedTest
    @ValueSource(strings = {"READ_COMMITTED", "TRANSACTION_READ_COMMITTED", "transaction_read_committed", "2", " 2 "})
    void isolationIsANameOrTheNumberOfJdbc(String text) {
        assertThat(Setting.TRANSACTION_ISOLATION.parse(text)).isEqualTo(2);
    }

    @ParameterizedTest
    @CsvSource({
        "maximumPoolsize, maximumPoolSize",
        "maximum-pool-size, maximumPoolSize",
        "MAXIMUM_POOL_SIZE, maximumPoolSize",
        "conectionTimeout, connectionTimeout",
        "paswsord, password",
        "idleTimout, idleTimeout"
    })
    void unknownNameIsRefusedWithTheOneThatWasMeant(String wrong, String meant) {
        Properties properties = Samples.around(Setting.SCHEMA);
        properties.setProperty(wrong, "hunter2");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> PoolConfig.from(properties))
                .withMessage(wrong + ": not a setting (did you mean " + meant + "?)");
    }

    @ParameterizedTest
    @EnumSource(Setting.class)
    void nameWithATypoFindsItsSetting(Setting setting) {
        String name = setting.settingName();
        String typo = name.substring(0, 1) + "x" + name.substring(1);
        assertThat(SettingNames.faultOf(typo)).contains("(did you mean ");
    }

    @Test
    void nameLikeNoneIsRefusedWithoutASuggestion() {
        assertThat(SettingNames.faultOf("pancakes")).isEqualTo("pancakes: not a setting");
    }

    @ParameterizedTest
    @ValueSource(strings = {"testOnBorrow", "maxActive", "maxWaitMillis", "removeAbandonedTimeout"})
    void nameOfAnotherPoolIsRefused(String name) {
        Properties properties = Samples.around(Setting.SCHEMA);
        properties.setProperty(name, "1");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> PoolConfig.from(properties))
                .withMessageStartingWith(name + ": not a setting");
    }

    @Test
    void nameOfHikariWithoutMeaningHereIsRefusedWithTheReason() {
        assertThat(SettingNames.REFUSED)
                .allSatisfy((name, reason) ->
                        assertThat(SettingNames.faultOf(name)).isEqualTo(name + ": not a setting (" + reason + ")"));
    }

    @Test
    void theUrlGoesByHikarisNameToo() {
        assertThat(SettingNames.find("jdbcUrl")).isSameAs(Setting.URL);
    }

    @Test
    void thePoolModeIsAlsoCalledLending() {
        assertThat(SettingNames.find("lending")).isSameAs(Setting.POOL_MODE);
    }
}
