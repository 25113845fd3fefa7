package dev.weir.console;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.weir.PoolConfig;
import dev.weir.WeirDataSource;
import dev.weir.console.Console.Answer;
import dev.weir.testkit.Await;
import dev.weir.testkit.StubDatabase;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class ConsoleTest {
    private static final Duration LIMIT = Duration.ofSeconds(30);
    private static final String HOSTILE = "</script><img src=x onerror=alert(1)>\u2028\r\nERROR all is lost";

    private final StubDatabase db = new StubDatabase();
    private final WeirDataSource pool = new WeirDataSource(PoolConfig.builder()
            .dataSource(db.dataSource())
            .poolName(HOSTILE)
            .minimumPoolSize(2)
            .maximumPoolSize(3)
            .build());
    private final Logger logger = Logger.getLogger("dev.weir.console");
    private final Lines lines = new Lines();

    private static final class Lines extends Handler {
        final List<String> said = new ArrayList<>();

        @Override
        public void publish(LogRecord line) {
            said.add(line.getLevel() + " " + line.getMessage());
        }

        @Override
        public void flush() {}

        @Override
        public void close() {}
    }

    @BeforeEach
    void begin() throws Exception {
        logger.addHandler(lines);
        logger.setUseParentHandlers(false);
        pool.start();
        Await.await("the minimum", LIMIT, () -> pool.stats().idle() == 2);
        Await.await(
                "JMX has it",
                LIMIT,
                () -> text(Console.ofThisJvm(false).get("look", Map.of())).contains("onerror"));
    }

    @AfterEach
    void end() {
        logger.removeHandler(lines);
        logger.setUseParentHandlers(true);
        pool.close();
        db.close();
    }

    private static String text(Answer answer) {
        return new String(answer.body(), StandardCharsets.UTF_8);
    }

    private static JsonNode json(Answer answer) throws Exception {
        assertThat(answer.contentType()).isEqualTo("application/json;charset=utf-8");
        return new ObjectMapper().readTree(answer.body());
    }

    private static Answer act(Console console, String operation) {
        return console.post("act", Map.of("pool", HOSTILE, "operation", operation), "alice\nroot at ::1");
    }

    private static Answer change(Console console, String setting, String value) {
        return console.post("change", Map.of("pool", HOSTILE, "setting", setting, "value", value), "alice");
    }

    @Test
    void pageNamesItsFilesByRelativeAddressesBelowItsBase() {
        Console console = Console.ofThisJvm(false);
        Answer page = console.get("", Map.of());
        assertThat(page.contentType()).isEqualTo("text/html;charset=utf-8");
        assertThat(text(page)).contains("\"page.js\"", "\"uplot.css\"").doesNotContain("{base}", "http://", "https://");
        assertThat(text(console.get("", Map.of("base", "weirconsole")))).contains("\"weirconsole/page.js\"");
        assertThat(text(console.get("", Map.of("base", "\"><script>")))).isEqualTo(text(page));
        for (String asset : List.of("page.js", "page.css", "uplot.js", "uplot.css")) {
            assertThat(console.get(asset, Map.of()).status()).as(asset).isEqualTo(200);
        }
        assertThat(text(console.get("uplot.js", Map.of()))).contains("uPlot");
        for (String other : List.of("page.html", "../Console.class", "Console.class", "/etc/passwd", "act", "look/")) {
            assertThat(console.get(other, Map.of()).status()).as(other).isEqualTo(404);
        }
    }

    @Test
    void lookShowsPoolsAndWhetherTheyCanBeChangedInPlainAscii() throws Exception {
        try (Connection held = pool.getConnection()) {
            held.createStatement().execute("SELECT caf\u00e9 FROM t WHERE name = '</script>'");
            Answer answer = Console.ofThisJvm(true).get("look", Map.of());
            JsonNode look = json(answer);
            assertThat(look.get("writable").asBoolean()).isTrue();
            assertThat(look.at("/pools/0/name").asText()).isEqualTo(HOSTILE);
            assertThat(look.at("/pools/0/holders/0/stack").size()).isPositive();
            assertThat(look.at("/pools/0/holders/0/sql").asText()).contains("caf\u00e9");
            assertThat(text(answer)).matches("[ -~]*");
        }
        assertThat(json(Console.ofThisJvm(false).get("look", Map.of()))
                        .get("writable")
                        .asBoolean())
                .isFalse();
        assertThat(text(Console.ofThisJvm(false).get("dump", Map.of("pool", HOSTILE))))
                .contains("maximum 3");
        assertThat(Console.ofThisJvm(false).get("dump", Map.of("pool", "other")).status())
                .isEqualTo(404);
    }

    @Test
    void nothingIsChangedUnlessItIsWritable() throws Exception {
        Console console = Console.ofThisJvm(false);
        assertThat(act(console, "evictAll").status()).isEqualTo(403);
        assertThat(json(change(console, "maximumPoolSize", "7")).get("error").asText())
                .contains("read-only");
        assertThat(pool.getMaximumPoolSize()).isEqualTo(3);
        assertThat(lines.said).isEmpty();
    }

    @Test
    void whatIsDoneIsLoggedInOneLineWithWhoDidIt() throws Exception {
        Console console = Console.ofThisJvm(true);
        assertThat(act(console, "suspend").status()).isEqualTo(200);
        assertThat(pool.isSuspended()).isTrue();
        assertThat(json(console.get("look", Map.of())).at("/pools/0/suspended").asBoolean())
                .as("the next look shows it")
                .isTrue();
        assertThat(act(console, "resume").status()).isEqualTo(200);
        assertThat(pool.isSuspended()).isFalse();
        assertThat(change(console, "connectionTimeout", "7s").status()).isEqualTo(200);
        assertThat(pool.getConnectionTimeout()).isEqualTo(Duration.ofSeconds(7));
        assertThat(lines.said).hasSize(3).noneMatch(line -> line.matches("(?s).*[\\p{Cntrl}\u2028].*"));
        assertThat(lines.said.get(0))
                .startsWith(Level.INFO + " </script><img")
                .endsWith("?ERROR all is lost: suspend, by alice?root at ::1");
        assertThat(lines.said.get(2)).contains(": connectionTimeout from 5000 to 7000, by alice");
    }

    @Test
    void whatCannotBeDoneIsSaidAndNotLogged() throws Exception {
        Console console = Console.ofThisJvm(true);
        Answer refused = change(console, "maximumPoolSize", "0");
        assertThat(refused.status()).isEqualTo(409);
        assertThat(json(refused).get("error").asText()).startsWith("maximumPoolSize: 0 (expected: ");
        assertThat(change(console, "maximumPoolSize", "many").status()).isEqualTo(400);
        assertThat(json(change(console, "password", "x")).get("error").asText()).contains("maximumPoolSize");
        assertThat(act(console, "close").status()).isEqualTo(400);
        assertThat(act(console, "dump").status()).isEqualTo(400);
        assertThat(console.post("act", Map.of("operation", "evictAll"), "alice").status())
                .isEqualTo(404);
        assertThat(console.post("look", Map.of(), "alice").status()).isEqualTo(404);
        assertThat(lines.said).isEmpty();
        assertThat(pool.stats().idle()).isEqualTo(2);
    }
}
