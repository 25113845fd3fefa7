package dev.weir.micrometer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.weir.testkit.servers.Programs;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What Prometheus itself says of the alert rules and of the dashboard's queries, where its {@code promtool} is installed. */
class PromtoolTest {
    private static final Path MONITORING = Path.of("..", "..", "docs", "how-to", "monitoring");
    private static final long LIMIT_SECONDS = 60;

    @BeforeAll
    static void isInstalled() {
        assumeTrue(Programs.areInstalled("promtool", "promtool"), "promtool, of Prometheus, is not installed here");
    }

    /** Runs promtool in a folder and fails with what it said, if it is not content. */
    private static void promtool(Path folder, String... arguments) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(List.of("promtool"));
        command.addAll(List.of(arguments));
        Path said = Files.createTempFile("promtool", ".txt");
        try {
            Process process = new ProcessBuilder(command)
                    .directory(folder.toFile())
                    .redirectErrorStream(true)
                    .redirectOutput(said.toFile())
                    .start();
            try {
                boolean ended = process.waitFor(LIMIT_SECONDS, TimeUnit.SECONDS);
                String output = Files.readString(said, StandardCharsets.UTF_8);
                assertThat(ended).as("%s ended: %s", command, output).isTrue();
                assertThat(process.exitValue()).as("%s: %s", command, output).isZero();
            } finally {
                process.destroyForcibly();
            }
        } finally {
            Files.delete(said);
        }
    }

    @Test
    void theAlertRulesAreRules() throws Exception {
        promtool(MONITORING, "check", "rules", "alert-rules.yml");
    }

    @Test
    void eachAlertFiresWhenItShouldAndNotBefore() throws Exception {
        String tests = Files.readString(MONITORING.resolve("alert-rules-test.yml"));
        assertThat(Files.readAllLines(MONITORING.resolve("alert-rules.yml")).stream()
                        .map(String::strip)
                        .filter(line -> line.startsWith("- alert: "))
                        .map(line -> line.substring("- alert: ".length())))
                .isNotEmpty()
                .allSatisfy(alert -> assertThat(tests).contains("- alertname: " + alert));
        promtool(MONITORING, "test", "rules", "alert-rules-test.yml");
    }

    /** JSON is YAML: each query becomes a recording rule, with what Grafana puts in the place of its variables. */
    @Test
    void eachQueryOfTheDashboardIsPromQl(@TempDir Path folder) throws Exception {
        JsonNode dashboard = new ObjectMapper()
                .readTree(MONITORING.resolve("grafana-dashboard.json").toFile());
        List<Map<String, String>> rules = new ArrayList<>();
        for (JsonNode panel : dashboard.get("panels")) {
            for (JsonNode target : panel.get("targets")) {
                String query = target.get("expr")
                        .asText()
                        .replace("$__rate_interval", "1m")
                        .replace("$__range", "3600s")
                        .replace("$pool", ".*");
                assertThat(query).doesNotContain("$");
                rules.add(Map.of("record", "query:" + rules.size(), "expr", query));
            }
        }
        assertThat(rules).hasSizeGreaterThan(15);
        new ObjectMapper()
                .writeValue(
                        folder.resolve("queries.yml").toFile(),
                        Map.of("groups", List.of(Map.of("name", "dashboard", "rules", rules))));
        promtool(folder, "check", "rules", "queries.yml");
    }
}
