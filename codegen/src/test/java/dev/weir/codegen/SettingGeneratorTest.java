package dev.weir.codegen;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;

/** One row of the table is a whole setting. */
class SettingGeneratorTest {
    static final List<SettingSpec> ROWS = SettingTable.ALL;

    private static String source(String name) {
        return SettingGenerator.sources().text().get(name);
    }

    private static String capitalized(String name) {
        return Character.toUpperCase(name.charAt(0)) + name.substring(1);
    }

    @Test
    void theSourcesAreTheSameWheneverTheyAreWritten() {
        assertThat(SettingGenerator.sources().text())
                .isEqualTo(SettingGenerator.sources().text());
    }

    @ParameterizedTest
    @FieldSource("ROWS")
    void aRowIsAConstantAGetterAndSettersEverywhere(SettingSpec row) {
        assertThat(source("Setting")).contains("    " + row.constant() + "(", '"' + row.doc() + '"');
        assertThat(source("ConfigValues")).contains(" " + row.name() + "() {");
        assertThat(source("ConfigSetters")).contains("PoolConfig.Builder " + row.name() + "(");
        assertThat(source("DataSourceBean"))
                .containsPattern(" (get|is)" + capitalized(row.name()) + "\\(\\) \\{")
                .contains(" set" + capitalized(row.name()) + "(");
        if (row.changeable()) {
            assertThat(source("ChangeableSettings")).contains(" set" + capitalized(row.name()) + "(");
            assertThat(source("ChangeableSettingsBean")).contains(" set" + capitalized(row.name()) + "(");
        } else {
            assertThat(source("ChangeableSettings")).doesNotContain(" set" + capitalized(row.name()) + "(");
        }
    }

    @ParameterizedTest
    @FieldSource("ROWS")
    void eachNameOfARowHasASetterForText(SettingSpec row) {
        String setters = TextSetterGenerator.sources("any").text().get("TextSetters");
        assertThat(Stream.concat(Stream.of(row.name()), row.otherNames().stream()))
                .allSatisfy(name -> assertThat(setters)
                        .contains(
                                " set" + capitalized(name) + "(@Nullable String value) {",
                                "set(\"" + name + "\", value);"));
    }

    @ParameterizedTest
    @FieldSource("ROWS")
    void aRowIsDocumentedInOneLine(SettingSpec row) {
        assertThat(row.doc()).isNotBlank().doesNotContain("\n", "<", "&", "@", "|");
        assertThat(row.what()).isNotBlank().doesNotContain("\n", "<", "&", "@").doesNotEndWith(".");
    }

    @Test
    void noNameIsThereTwice() {
        Set<String> seen = new HashSet<>();
        assertThat(ROWS.stream().flatMap(row -> Stream.concat(Stream.of(row.name()), row.otherNames().stream())))
                .allMatch(seen::add);
    }

    @Test
    void linesOfJavadocAreNotTooLong() {
        assertThat(SettingGenerator.sources().text().values())
                .flatMap(source -> source.lines()
                        .filter(line -> line.strip().startsWith("*"))
                        .toList())
                .allMatch(line -> line.length() <= 120);
    }
}
