package dev.weir.internal.settings;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.WeirDataSource;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** P9: an editor says about spring.datasource.weir.* what the table of the code says. */
class SpringMetadataTest {
    private static final String PREFIX = "spring.datasource.weir.";
    private static final Path FILE = Path.of(System.getProperty("basedir", ""))
            .toAbsolutePath()
            .resolveSibling("integrations/spring-boot-4/src/main/resources/META-INF/spring-configuration-metadata.json")
            .normalize();

    @Test
    void fileIsWhatTheCodeSays() throws IOException {
        if (Boolean.getBoolean("weir.docs.update")) {
            Files.createDirectories(FILE.getParent());
            Files.writeString(FILE, metadata());
        }
        assertThat(FILE)
                .as("run with -Dweir.docs.update=true to rewrite it")
                .content()
                .isEqualTo(metadata());
    }

    private static String metadata() {
        List<String> properties = new ArrayList<>();
        for (Setting setting : Setting.values()) {
            properties.add(property(
                    PREFIX + dashed(setting.settingName()),
                    typeOf(setting),
                    WeirDataSource.class.getName(),
                    setting.doc(),
                    defaultOf(setting)));
        }
        properties.add(property(
                PREFIX + "data-source-properties",
                "java.util.Map<java.lang.String,java.lang.String>",
                WeirDataSource.class.getName(),
                "Set on the driver's DataSource, or given to the driver with the url",
                null));
        properties.add(property(
                PREFIX + "ignore-hikari",
                Boolean.class.getName(),
                null,
                "Whether the application starts though spring.datasource.hikari.* are there that say something else than"
                        + " the pool does",
                null));
        properties.addAll(ofFleet());
        properties.add(property(
                "management.health.weir.enabled",
                Boolean.class.getName(),
                null,
                "Whether the health of the pools is shown",
                "true"));
        properties.add(property(
                "management.endpoint.weir.access",
                "org.springframework.boot.actuate.endpoint.Access",
                null,
                "Who may do what with the endpoint weir: to act or to change a setting needs unrestricted",
                "\"read-only\""));
        properties.add(property(
                "management.endpoint.weir.show-values",
                "org.springframework.boot.actuate.endpoint.Show",
                null,
                "Who sees the values of the settings at the endpoint weir",
                "\"never\""));
        properties.add(property(
                "management.endpoint.weir.show-sql",
                "org.springframework.boot.actuate.endpoint.Show",
                null,
                "Who sees the last SQL of each connection in use, without its literals, at the endpoint weir",
                "\"never\""));
        properties.add(property(
                "management.endpoint.weir.roles",
                "java.util.Set<java.lang.String>",
                null,
                "Roles of those who are authorized to see values and SQL; none: whoever is authenticated",
                null));
        properties.add(property(
                "management.endpoint.weir.long-loan",
                Duration.class.getName(),
                null,
                "Loans of this length and longer are kept for the endpoint weir, the last 20",
                "\"1s\""));
        properties.add(property(
                "management.endpoint.weir.slow-connect",
                Duration.class.getName(),
                null,
                "Connects that took this long and longer are kept for the endpoint weir, the last 20",
                "\"1s\""));
        properties.add(property(
                "management.endpoint.weirconsole.access",
                "org.springframework.boot.actuate.endpoint.Access",
                null,
                "Who may do what with the live page, where weir-console is on the class path: to act or to change a setting"
                        + " needs unrestricted",
                "\"read-only\""));
        properties.add(property(
                "management.opentelemetry.weir.enabled",
                Boolean.class.getName(),
                null,
                "Whether the pools are published through OpenTelemetry, where weir-opentelemetry is on the class path",
                "true"));
        properties.add(property(
                "management.opentelemetry.weir.spans-for-waits",
                Boolean.class.getName(),
                null,
                "Whether an acquire that had to wait becomes a span of the trace it is part of",
                "false"));
        properties.add(property(
                "management.metrics.weir.names",
                "dev.weir.micrometer.MetricNames",
                null,
                "Whose names the meters of the pools have, where weir-micrometer is on the class path",
                "\"weir\""));
        return "{\n  \"groups\": [\n    {\"name\": \"spring.datasource.weir\", \"type\": \"dev.weir.WeirDataSource\"}\n  ],\n"
                + "  \"properties\": [\n" + String.join(",\n", properties) + "\n  ],\n"
                + "  \"hints\": [\n    " + hint("transaction-isolation", SettingType.LEVELS) + ",\n    "
                + hint("pool-mode", List.of("session", "lazy", "transaction")) + "\n  ]\n}\n";
    }

    private static String hint(String name, List<String> values) {
        return values.stream()
                .map(value -> "{\"value\": \"" + value + "\"}")
                .collect(Collectors.joining(", ", "{\"name\": \"" + PREFIX + name + "\", \"values\": [", "]}"));
    }

    /** With {@code weir-fleet}, which the core does not know. */
    private static List<String> ofFleet() {
        String text = "java.lang.String";
        String number = "java.lang.Integer";
        String time = "java.time.Duration";
        return List.of(
                ofFleet(
                        "name",
                        text,
                        "Name of the fleet whose budget of connections the pool shares, alike for all its"
                                + " members; unset or empty: in no fleet",
                        null),
                ofFleet(
                        "application",
                        text,
                        "What the pool's shares are counted by, alike for all instances; unset:"
                                + " spring.application.name",
                        null),
                ofFleet(
                        "budget",
                        text,
                        "Connections of the whole fleet, or auto: as many as the server has for it,"
                                + " less leave-for-others",
                        "\"auto\""),
                ofFleet(
                        "leave-for-others",
                        number,
                        "With auto: connections that are left for those who are in no" + " fleet and not connected yet",
                        "0"),
                ofFleet("weight", number, "Weight of the application where all want more than there is", "1"),
                ofFleet(
                        "guaranteed",
                        number,
                        "Connections that the application gets before others get more than" + " theirs",
                        "0"),
                ofFleet(
                        "instances",
                        number,
                        "The application has at least so many instances; each is guaranteed its part of guaranteed",
                        "1"),
                ofFleet("lease", time, "How long a grant holds without a renewal, alike for all members", "\"30s\""),
                ofFleet(
                        "forget-after",
                        time,
                        "How long after that a member that cannot be seen keeps its"
                                + " connections, alike for all members",
                        "\"10m\""),
                ofFleet(
                        "create-tables",
                        Boolean.class.getName(),
                        "Create the tables of the fleet where they are" + " missing, which takes the right to",
                        "false"));
    }

    private static String ofFleet(String name, String type, String doc, @Nullable String byDefault) {
        return property(PREFIX + "fleet." + name, type, null, doc, byDefault);
    }

    private static String property(
            String name, String type, @Nullable String source, String doc, @Nullable String byDefault) {
        return "    {\"name\": \"" + name + "\", \"type\": \"" + type + "\""
                + (source == null ? "" : ", \"sourceType\": \"" + source + "\"")
                + ",\n     \"description\": \"" + doc + "\""
                + (byDefault == null ? "" : ", \"defaultValue\": " + byDefault) + "}";
    }

    private static String dashed(String name) {
        return name.replaceAll("([A-Z])", "-$1").toLowerCase(Locale.ROOT);
    }

    private static String typeOf(Setting setting) {
        return switch (setting.type()) {
            case INTEGER -> "java.lang.Integer";
            case BOOLEAN -> "java.lang.Boolean";
            case DURATION -> "java.time.Duration";
            default -> "java.lang.String";
        };
    }

    private static @Nullable String defaultOf(Setting setting) {
        Object value = setting.byDefault();
        if (value == null) {
            return null;
        }
        String text = setting.type().write(value);
        boolean quoted = setting.type() == SettingType.DURATION || setting.type() == SettingType.POOL_MODE;
        return quoted ? '"' + text + '"' : text;
    }
}
