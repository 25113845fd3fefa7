package dev.weir.cli.migrate;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.WeirDataSource;
import java.io.IOException;
import java.lang.reflect.Method;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The tables of the other pools against Weir's settings, and the guide against the tables. The laboratory holds them against those pools. */
class ForeignPoolTest {
    private static final Path GUIDES = Path.of(System.getProperty("basedir", ""))
            .toAbsolutePath()
            .getParent()
            .resolve("docs/start/migrating");

    @ParameterizedTest
    @EnumSource
    void everySettingNamedIsOneOfWeirs(ForeignPool pool) {
        Set<String> setters = Arrays.stream(WeirDataSource.class.getMethods())
                .map(Method::getName)
                .collect(Collectors.toSet());
        for (ForeignProperty property : pool.properties()) {
            String name = property.setting();
            if (name.isEmpty()) {
                assertThat(property.differs()).as(property.name()).isNotEmpty();
            } else {
                assertThat(setters).contains("set" + Character.toUpperCase(name.charAt(0)) + name.substring(1));
            }
        }
    }

    @ParameterizedTest
    @EnumSource
    void guideIsWhatTheCodeSays(ForeignPool pool) throws IOException {
        String beginMark = "<!-- " + pool.key() + ":begin, written by ForeignPoolTest -->\n";
        Path guide = GUIDES.resolve(pool == ForeignPool.DROPWIZARD ? "../dropwizard.md" : pool.key() + ".md")
                .normalize();
        String text = Files.readString(guide);
        int begin = text.indexOf(beginMark);
        int end = text.indexOf("<!-- " + pool.key() + ":end -->");
        assertThat(begin).as(beginMark).isNotNegative().isLessThan(end);
        String expected = text.substring(0, begin + beginMark.length()) + table(pool) + text.substring(end);
        if (Boolean.getBoolean("weir.docs.update")) {
            Files.writeString(guide, expected);
        }
        assertThat(guide)
                .as("run with -Dweir.docs.update=true to rewrite it")
                .content()
                .isEqualTo(expected);
    }

    /** A row for each property; those of which the same is to be said share one, settings in the order of their names. */
    private static String table(ForeignPool pool) {
        Map<String, List<ForeignProperty>> rows = new LinkedHashMap<>();
        for (ForeignProperty property : pool.properties()) {
            String key = property.setting().isEmpty()
                    ? property.differs()
                    : code(property.byDefault()) + unit(property) + property.differs();
            rows.computeIfAbsent(key, name -> new ArrayList<>()).add(property);
        }
        StringBuilder text =
                new StringBuilder("| " + pool.title() + " | its default | Weir | what differs, and why |\n");
        text.append("|---|---|---|---|\n");
        for (List<ForeignProperty> row : rows.values()) {
            ForeignProperty first = row.get(0);
            text.append("| ").append(joined(row, ForeignProperty::name)).append(" | ");
            text.append(joined(row, ForeignProperty::byDefault)).append(" | ");
            text.append(first.setting().isEmpty() ? "none" : joined(row, ForeignProperty::setting) + unit(first));
            text.append(" | ").append(first.differs().replace("<", "&lt;")).append(" |\n");
        }
        return text.toString();
    }

    private static String joined(List<ForeignProperty> row, Function<ForeignProperty, String> cell) {
        return row.stream()
                .map(cell)
                .filter(text -> !text.isEmpty())
                .distinct()
                .map(ForeignPoolTest::code)
                .collect(Collectors.joining(", "));
    }

    private static String unit(ForeignProperty property) {
        return property.unit() == ForeignProperty.Unit.SECONDS ? ", seconds there" : "";
    }

    private static String code(String text) {
        return text.isEmpty() ? "" : '`' + text + '`';
    }
}
