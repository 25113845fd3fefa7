package dev.weir.micrometer;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.weir.WeirDataSource;
import dev.weir.fleet.WeirFleet;
import dev.weir.testkit.StubDatabase;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The dashboard and the alert rules of the guide ask for nothing that a scrape of a running pool does not have. */
class DashboardTest {
    private static final Path MONITORING = Path.of("..", "..", "docs", "how-to", "monitoring");
    private static final Pattern METRIC = Pattern.compile("\\b(weir_\\w+)(?:\\{([^}]*)})?");
    private static final Pattern MATCHER = Pattern.compile("(\\w+)\\s*=~?\\s*\"([^\"]*)\"");
    private static final Pattern LEGEND = Pattern.compile("\\{\\{\\s*(?:\\$labels\\.)?(\\w+)\\s*}}");

    /** What Prometheus adds to whatever it scrapes. */
    private static final Set<String> ADDED = Set.of("instance", "job");

    private final StubDatabase db = new StubDatabase();
    private final WeirDataSource pool = Traffic.weir(db, "shop");
    private static WeirFleet fleet;
    private final Map<String, Map<String, Set<String>>> valuesByLabelByMetric = new HashMap<>();

    @BeforeAll
    static void join() throws Exception {
        fleet = Member.join("shop");
    }

    @AfterAll
    static void leave() {
        fleet.close();
    }

    @BeforeEach
    void scrape() throws Exception {
        PrometheusMeterRegistry registry = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
        new WeirMetrics(pool).bindTo(registry);
        new FleetMetrics(fleet).bindTo(registry);
        Traffic.run(pool, pool::setConnectionTimeout, () -> pool.stats().waiting());
        for (Scrape.Sample sample : new Scrape(registry).samples) {
            Map<String, Set<String>> values =
                    valuesByLabelByMetric.computeIfAbsent(sample.name(), name -> new HashMap<>());
            sample.labels()
                    .forEach((label, value) -> values.computeIfAbsent(label, name -> new HashSet<>())
                            .add(value));
        }
    }

    @AfterEach
    void close() {
        pool.close();
        db.close();
    }

    private void assertCanBeAsked(String expression, String legend) {
        Set<String> labels = new HashSet<>(ADDED);
        Matcher metric = METRIC.matcher(expression);
        int metrics = 0;
        while (metric.find()) {
            metrics++;
            Map<String, Set<String>> values = valuesByLabelByMetric.get(metric.group(1));
            assertThat(values).as("%s in %s", metric.group(1), expression).isNotNull();
            labels.addAll(values.keySet());
            Matcher matcher = MATCHER.matcher(metric.group(2) == null ? "" : metric.group(2));
            while (matcher.find()) {
                Pattern wanted = Pattern.compile(matcher.group(2).replace("$pool", ".*"));
                assertThat(values.get(matcher.group(1)))
                        .as("%s in %s", matcher.group(1), expression)
                        .isNotNull()
                        .anyMatch(value -> wanted.matcher(value).matches());
            }
        }
        assertThat(metrics).as(expression).isPositive();
        Matcher shown = LEGEND.matcher(legend);
        while (shown.find()) {
            assertThat(labels).as("%s of %s", legend, expression).contains(shown.group(1));
        }
    }

    @Test
    void eachQueryOfTheDashboardNamesWhatAScrapeHas() throws IOException {
        JsonNode dashboard = new ObjectMapper()
                .readTree(MONITORING.resolve("grafana-dashboard.json").toFile());
        List<JsonNode> targets = new ArrayList<>();
        dashboard.get("panels").forEach(panel -> panel.get("targets").forEach(targets::add));
        assertThat(targets).hasSizeGreaterThan(15);
        targets.forEach(target -> assertCanBeAsked(
                target.get("expr").asText(), target.get("legendFormat").asText()));
        List<JsonNode> variables = new ArrayList<>();
        dashboard.get("templating").get("list").forEach(variables::add);
        assertThat(variables)
                .filteredOn(variable -> variable.get("type").asText().equals("query"))
                .hasSize(1)
                .allSatisfy(variable -> {
                    String asked = variable.get("query").get("query").asText();
                    assertThat(variable.get("definition").asText()).isEqualTo(asked);
                    assertCanBeAsked(asked, "{{" + variable.get("name").asText() + "}}");
                });
    }

    @Test
    void eachMeterIsOnTheDashboard() throws IOException {
        String dashboard = Files.readString(MONITORING.resolve("grafana-dashboard.json"));
        assertThat(valuesByLabelByMetric.keySet())
                .filteredOn(name -> !name.equals("weir_connections_min")
                        && !name.equals("weir_connections_acquire_seconds_max")) // that of the waits
                .allSatisfy(name -> assertThat(dashboard).containsPattern("\\b" + name + "\\b"));
    }

    @Test
    void eachAlertNamesWhatAScrapeHas() throws IOException {
        List<String> lines = Files.readAllLines(MONITORING.resolve("alert-rules.yml"));
        List<String> expressions = lines.stream()
                .map(String::strip)
                .filter(line -> line.startsWith("expr: "))
                .map(line -> line.substring("expr: ".length()))
                .toList();
        List<String> summaries = lines.stream()
                .map(String::strip)
                .filter(line -> line.startsWith("summary: "))
                .toList();
        assertThat(expressions).hasSizeGreaterThan(5).hasSameSizeAs(summaries);
        for (int i = 0; i < expressions.size(); i++) {
            assertCanBeAsked(expressions.get(i), summaries.get(i));
        }
    }
}
