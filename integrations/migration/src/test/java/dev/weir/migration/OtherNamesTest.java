package dev.weir.migration;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.weir.PoolConfig;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The names of other pools mean the setting they are listed for. */
class OtherNamesTest {
    private static final Map<String, String> TEXTS = Map.ofEntries(
            Map.entry("url", "jdbc:h2:mem:x"),
            Map.entry("transactionIsolation", "TRANSACTION_SERIALIZABLE"),
            Map.entry("maximumPoolSize", "17"),
            Map.entry("minimumPoolSize", "7"),
            Map.entry("minimumIdle", "7"),
            Map.entry("maximumWaiters", "17"),
            Map.entry("registerMbeans", "false"),
            Map.entry("autoCommit", "false"),
            Map.entry("readOnly", "true"));

    static Set<String> names() {
        return OtherNames.all().keySet();
    }

    private static String text(String setting) {
        return TEXTS.getOrDefault(setting, "1234s");
    }

    private static Properties around(String name, String value) {
        Properties properties = new Properties();
        properties.setProperty("url", "jdbc:h2:mem:x");
        properties.setProperty(name, value);
        return properties;
    }

    @ParameterizedTest
    @MethodSource("names")
    void nameMeansItsSetting(String name) {
        String setting = OtherNames.all().get(name);
        PoolConfig config = PoolConfig.from(OtherNames.toSettings(around(name, text(setting))));
        assertThat(config)
                .hasToString(PoolConfig.from(around(setting, text(setting))).toString());
    }

    /** What the pool knows itself need not be here. */
    @ParameterizedTest
    @MethodSource("names")
    void nameIsNoneThatThePoolKnows(String name) {
        Properties given = around(name, text(OtherNames.all().get(name)));
        assertThatIllegalArgumentException()
                .isThrownBy(() -> PoolConfig.from(given))
                .withMessageStartingWith(name + ": not a setting");
    }

    @Test
    void oneSettingHasOneValue() {
        Properties twice = around("connectionTimeoutInMs", "1500");
        twice.setProperty("acquisitionTimeout", "1500");
        assertThat(OtherNames.toSettings(twice)).containsEntry("connectionTimeout", "1500");
        twice.setProperty("connectionTimeout", "1600");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> OtherNames.toSettings(twice))
                .withMessage("connectionTimeout: two values under several names (expected: one connectionTimeout)");
    }
}
