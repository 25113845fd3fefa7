package dev.weir.migration;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** The table of the way over from HikariCP is the table of the code, with what {@link SameNamesTest} sees. */
class HikariDocTest {
    private static final String BEGIN = "<!-- hikaricp:begin, written by HikariDocTest -->\n";
    private static final String END = "<!-- hikaricp:end -->";
    private static final Map<String, String> DEFAULTS =
            HikariProperty.anyPool().build().values();
    private static final Path GUIDE = Path.of(System.getProperty("basedir", ""))
            .toAbsolutePath()
            .resolve("../../docs/start/migrating/hikaricp.md")
            .normalize();

    @Test
    void guideIsWhatTheCodeSays() throws IOException {
        String text = Files.readString(GUIDE);
        int begin = text.indexOf(BEGIN);
        int end = text.indexOf(END);
        assertThat(begin).as(BEGIN).isNotNegative().isLessThan(end);
        String expected = text.substring(0, begin + BEGIN.length()) + table() + text.substring(end);
        if (Boolean.getBoolean("weir.docs.update")) {
            Files.writeString(GUIDE, expected);
        }
        assertThat(GUIDE)
                .as("run with -Dweir.docs.update=true to rewrite it")
                .content()
                .isEqualTo(expected);
    }

    /** A row for each property; those of which the same is to be said share one. */
    private static String table() {
        Map<String, List<String>> names = new LinkedHashMap<>();
        for (HikariProperty property : HikariProperty.values()) {
            String own = SameNamesTest.differing(property);
            String rest = " | " + cell(name(property), byDefault(property.setting())) + " | " + differs(property)
                    + (own.isEmpty() ? "" : "<br>*Own configuration:* " + own) + " |\n";
            names.computeIfAbsent(rest, row -> new ArrayList<>())
                    .add(cell(code(property.propertyName()), code(property.byDefault())));
        }
        StringBuilder text = new StringBuilder("""
                | HikariCP 7.1.0, its default | Weir, its default | what differs, and why |
                |---|---|---|
                """);
        names.forEach((rest, those) ->
                text.append("| ").append(String.join(", ", those)).append(rest));
        return text.toString();
    }

    private static String cell(String name, String byDefault) {
        return byDefault.isEmpty() ? name : name + " = " + byDefault;
    }

    private static String name(HikariProperty property) {
        return switch (property.fate()) {
            case TAKEN -> code(property.setting());
            case ADAPTED ->
                switch (property) {
                    case DATA_SOURCE -> "a `DataSource` object";
                    case THREAD_FACTORY -> "a `ThreadFactory` object";
                    default -> "`dataSource.*`";
                };
            case WITHOUT_EFFECT -> "accepted, without effect";
            case REFUSED -> "refused";
        };
    }

    private static String byDefault(String setting) {
        if ("initializationFailTimeout".equals(setting)) {
            return "`connectionTimeout`";
        }
        return setting == null || setting.equals("url") ? "" : code(DEFAULTS.getOrDefault(setting, ""));
    }

    private static String differs(HikariProperty property) {
        String text = property.differs().replace("<", "&lt;");
        return text.isEmpty() || text.startsWith("weir-")
                ? text
                : Character.toUpperCase(text.charAt(0)) + text.substring(1);
    }

    private static String code(String text) {
        return text.isEmpty() ? "" : '`' + text + '`';
    }
}
