package dev.weir.internal.settings;

import dev.weir.PoolConfig;
import java.time.Duration;
import java.util.Properties;
import java.util.UUID;

/** Values for every setting that differ from the default, and a configuration that has nothing wrong with it. */
public final class Samples {
    private Samples() {}

    public static String h2Url() {
        return "jdbc:h2:mem:" + UUID.randomUUID();
    }

    public static PoolConfig.Builder h2() {
        return PoolConfig.builder().url(h2Url()).username("sa").password("");
    }

    /** A good value other than the default, in its public type. */
    public static Object other(Setting setting) {
        return switch (setting) {
            case URL -> "jdbc:h2:mem:other";
            case MINIMUM_POOL_SIZE -> 7;
            case TRANSACTION_ISOLATION -> 8;
            case KEEPALIVE_TIME -> Duration.ofSeconds(90);
            default ->
                switch (setting.type()) {
                    case TEXT, NAME, SECRET -> "some " + setting.settingName();
                    case INTEGER -> 17;
                    case BOOLEAN -> !Boolean.TRUE.equals(setting.byDefault());
                    case DURATION -> Duration.ofSeconds(1234);
                    case ISOLATION -> 8;
                    case LIVENESS -> "test";
                    case POOL_MODE -> "lazy";
                };
        };
    }

    /** The same value as text. */
    public static String otherText(Setting setting) {
        Object value = other(setting);
        return setting.type() == SettingType.SECRET
                ? (String) value
                : setting.type().write(value);
    }

    /** The least that must stand beside this setting for the whole to be right. */
    public static Properties around(Setting setting) {
        Properties properties = new Properties();
        if (setting != Setting.URL && setting != Setting.DATA_SOURCE_CLASS_NAME) {
            properties.setProperty("url", "jdbc:h2:mem:around");
        }
        if (setting == Setting.JDBC4_CONNECTION_TEST) {
            properties.setProperty("connectionTestQuery", "select 1");
        }
        return properties;
    }
}
