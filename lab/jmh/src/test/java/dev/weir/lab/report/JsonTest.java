package dev.weir.lab.report;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class JsonTest {
    @Test
    void writesNestedValuesAndEscapesText() {
        assertThat(Json.write(Map.of("a\"b", List.of(1, 2.5, "x\ny", Double.NaN))))
                .isEqualTo("{\n  \"a\\\"b\": [\n    1,\n    2.5,\n    \"x\\u000ay\",\n    null\n  ]\n}\n");
    }

    @Test
    void alignsTheColumnsOfATable() {
        assertThat(new Table("pool", "ns").row("weir", "1").row("x", "1,000").toString())
                .isEqualTo("| pool |    ns |\n|------|------:|\n| weir |     1 |\n| x    | 1,000 |\n");
    }
}
