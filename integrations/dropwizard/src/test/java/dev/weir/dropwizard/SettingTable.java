package dev.weir.dropwizard;

import dev.weir.internal.settings.Setting;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;

/** The core's table of settings, with a value for each. */
public final class SettingTable {
    private SettingTable() {}

    /**
     * One setting.
     *
     * @param name that users write
     * @param yaml a good value other than the default, as it is written in YAML
     * @param value the same as the configuration has it
     * @param around what has to stand beside it
     */
    public record Row(String name, String yaml, Object value, List<String> around) {
        @Override
        public String toString() {
            return name;
        }
    }

    /** Every setting there is. */
    public static Stream<Row> rows() {
        return Stream.of(Setting.values()).map(SettingTable::row);
    }

    private static Row row(Setting setting) {
        Object value = switch (setting) {
            case URL -> "jdbc:h2:mem:other";
            case MINIMUM_POOL_SIZE -> 7;
            default ->
                switch (setting.type()) {
                    case TEXT, NAME, SECRET -> "some " + setting.settingName();
                    case INTEGER -> 17;
                    case BOOLEAN -> !Boolean.TRUE.equals(setting.byDefault());
                    case DURATION -> Duration.ofSeconds(77);
                    case ISOLATION -> 8;
                    case LIVENESS -> "test";
                    case POOL_MODE -> "lazy";
                };
        };
        String yaml = switch (setting.type()) {
            case DURATION -> "77 seconds";
            case ISOLATION -> "serializable";
            default -> value.toString();
        };
        return new Row(setting.settingName(), yaml, value, around(setting));
    }

    private static List<String> around(Setting setting) {
        String url = "url: jdbc:h2:mem:around";
        return switch (setting) {
            case URL, DATA_SOURCE_CLASS_NAME -> List.of();
            case JDBC4_CONNECTION_TEST -> List.of(url, "connectionTestQuery: select 1");
            default -> List.of(url);
        };
    }
}
