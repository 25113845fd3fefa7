package dev.weir.migration;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** The table of the way over from HikariCP is the table of the code. */
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

    private static String table() {
        StringBuilder text = new StringBuilder("""
                | HikariCP 7.1.0 | its default | Weir | its default | what differs, and why |
                |---|---|---|---|---|
                """);
        for (HikariProperty property : HikariProperty.values()) {
            text.append("| `").append(property.propertyName()).append("` | ");
            text.append(code(property.byDefault()))
                    .append(" | ")
                    .append(name(property))
                    .append(" | ");
            text.append(byDefault(property.setting()))
                    .append(" | ")
                    .append(differs(property))
                    .append(" |\n");
        }
        return text.toString();
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
        return text.isEmpty() ? "" : Character.toUpperCase(text.charAt(0)) + text.substring(1);
    }

    private static String code(String text) {
        return text.isEmpty() ? "" : '`' + text + '`';
    }
}
