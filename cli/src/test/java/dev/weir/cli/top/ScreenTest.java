package dev.weir.cli.top;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.console.window.JvmView;
import dev.weir.console.window.PoolView;
import dev.weir.console.window.PoolView.Counts;
import dev.weir.console.window.PoolView.Failure;
import dev.weir.console.window.PoolView.Holder;
import dev.weir.console.window.PoolView.Rates;
import dev.weir.console.window.PoolView.Totals;
import dev.weir.console.window.PoolView.Trend;
import dev.weir.console.window.PoolView.Uses;
import dev.weir.console.window.PoolView.Waiter;
import dev.weir.console.window.PoolView.Waits;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jline.utils.AttributedString;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class ScreenTest {

    private static PoolView crowd(String name) {
        return crowd(name, 40.2);
    }

    private static PoolView crowd(String name, double use) {
        return new PoolView(
                name,
                "transaction",
                1_795_983_820_706L,
                true,
                new Counts(1_000, 10, 1_000, 1_000, 0, 10_000, 1, 2, 4_200),
                new Totals(1_234_567, 42, 1_060, 3, Map.of("AGE", 7L, "FAULT", 0L)),
                new Rates(1, 210.4, 0.5, 0, 4, 0),
                new Waits(3.14, 0, 12.3),
                new Uses(4.1, use),
                true,
                IntStream.range(0, 100)
                        .mapToObj(i -> new Holder(
                                i,
                                12_300 - i,
                                "worker-" + (100 + i),
                                "4711",
                                "SELECT \u001b[31m表" + i,
                                null,
                                "OrderView.render",
                                List.of(),
                                List.of(),
                                "application"))
                        .toList(),
                IntStream.range(0, 100)
                        .mapToObj(i -> new Waiter("waiter-" + i, 90_000 - i, "Cart.load", List.of()))
                        .toList(),
                List.of(new Failure(12_000, "AUTHENTICATION", "FATAL: no\nentry")),
                Map.of("inDriver", 620L, "idleInTransaction", 380L),
                List.of("OrderView.render"),
                40,
                12,
                Map.of("SET", 3L),
                new TreeMap<>(Map.of("a:5432", 4L, "b:5432", 5L)),
                Map.of(),
                new Trend(
                        List.of(1_000L, 2_000L, 3_000L),
                        List.of(1.0, 500.0, 1_000.0),
                        List.of(0.0, 0.0, 10_000.0),
                        List.of(1.0, 2.0, 3.0),
                        List.of(0.0, 0.0, 4.0),
                        List.of(1.0, 2.0, 12.3),
                        List.of(0.0, use / 2, use)),
                List.of("p99 of use is 40 ms at 210/s: 9 connections; 1000 allowed, 12 were ever busy in 5 minutes"),
                List.of("4 acquires timed out in 1 s"));
    }

    private static List<AttributedString> draw(int width, int height) {
        PoolView shown = crowd("orders");
        JvmView jvm = new JvmView("pid 4711", false, List.of(crowd("audit"), shown));
        return Screen.of(jvm, shown, Sort.AGE, width, height, true);
    }

    @Test
    void allThatIsKnownIsSaid() {
        String text = draw(160, 60).stream().map(AttributedString::toString).collect(Collectors.joining("\n"));
        assertThat(text)
                .contains("> orders", "SUSPENDED", "poolMode transaction", "! 4 acquires timed out in 1 s")
                .contains("1000 of 1000 in use, 0 idle, 10000 waiting, 1 opening, the oldest for 4.2 s, 2 closing")
                .contains("▂▅█ 1000", "210/s", "p50 0, p99 12 ms, 3.1 % waited", "▁▅█ 40 ms", "p50 4.1 ms, p99 40 ms")
                .contains("since the start 1,060, 3 failed, retired AGE 7; 1,234,567 acquires, 42 timed out")
                .contains("62 % database at work, 38 % idle in transactions (OrderView.render); 12 would do what 40 do")
                .contains("pinned     SET 3", "servers    a:5432 4, b:5432 5", "advice     p99 of use is 40 ms")
                .contains("12 s ago, authentication: FATAL: no entry")
                .contains("SESSION", "    12.3 s     #0      4711 worker-100 OrderView.render SELECT  [31m表0")
                .contains("1 min 30 s        waiter-0 ", "Cart.load")
                .doesNotContain("\u001b");
    }

    @ParameterizedTest
    @CsvSource({"80, 24", "100, 30", "200, 60", "40, 24"})
    void aCrowdFillsNoMoreThanTheScreen(int width, int height) {
        List<AttributedString> lines = draw(width, height);
        assertThat(lines).hasSizeLessThanOrEqualTo(height);
        assertThat(lines).allSatisfy(line -> assertThat(line.columnLength()).isLessThanOrEqualTo(width));
        String text = lines.stream().map(AttributedString::toString).collect(Collectors.joining("\n"));
        assertThat(text)
                .containsPattern("9\\d\\d more in use")
                .containsPattern("9,9\\d\\d more waiting|10,000 more waiting");
    }

    @Test
    void timesOfMinutesMoveNothing() {
        PoolView shown = crowd("orders", 90_000);
        JvmView jvm = new JvmView("pid 4711", false, List.of(shown));
        List<String> lines = Screen.of(jvm, shown, Sort.AGE, 80, 24, true).stream()
                .map(AttributedString::toString)
                .toList();
        assertThat(lines)
                .anyMatch(line -> line.matches(".{34}use 1 min  p50 4.1 ms, p99 1 min 30 s"))
                .anyMatch(line -> line.matches(".{34}acquires .*"));
    }

    @Test
    void ofManyPoolsThoseAroundTheShownAreListed() {
        List<PoolView> pools =
                IntStream.range(0, 100).mapToObj(i -> crowd("pool-" + i)).toList();
        for (int i : new int[] {0, 50, 99}) {
            List<AttributedString> lines =
                    Screen.of(new JvmView("here", false, pools), pools.get(i), Sort.AGE, 100, 24, true);
            assertThat(lines).hasSizeLessThanOrEqualTo(24);
            assertThat(lines.toString()).contains("> pool-" + i + " ", "96 more pools");
        }
    }

    /** A pool that has opened a million connections, and names whose letters take two columns or none. */
    @ParameterizedTest
    @ValueSource(
            strings = {"w", "表表表表表表表表表表表表", "e\u0301e\u0301e\u0301", "\uD83D\uDE00\uD83D\uDE00", "a\nb", "", "\uD800"})
    void columnsStandUnderTheirHeadsWhateverIsInThem(String name) {
        PoolView crowd = crowd("orders");
        List<Holder> holders = List.of(
                new Holder(
                        1_234_567,
                        5,
                        name,
                        "123456789012",
                        "SQL",
                        null,
                        name + ".render",
                        List.of(),
                        List.of(),
                        "unknown"),
                new Holder(7, 4, "worker", null, "SQL", null, "OrderView.render", List.of(), List.of(), "unknown"));
        PoolView pool = new PoolView(
                name,
                crowd.mode(),
                crowd.at(),
                false,
                new Counts(9, 0, 2, 2, 0, 0, 0, 0, 0),
                crowd.totals(),
                null,
                null,
                null,
                true,
                holders,
                List.of(),
                List.of(),
                Map.of(),
                List.of(),
                0,
                0,
                Map.of(),
                Map.of(),
                Map.of(),
                new Trend(List.of(), List.of(2.0), List.of(0.0), List.of(), List.of(), List.of(), List.of()),
                List.of(),
                List.of());
        List<AttributedString> lines =
                Screen.of(new JvmView("here", true, List.of(pool, crowd)), pool, Sort.AGE, 120, 40, true);
        assertThat(columnsBefore("SQL", lines))
                .as("%s", lines)
                .hasSize(3)
                .containsOnly(columnsBefore("SQL", lines).get(0));
        lines.removeIf(line -> !line.toString().endsWith("acquires/s"));
        assertThat(columnsBefore(" in use", lines)).containsExactly(35, 35);
    }

    private static List<Integer> columnsBefore(String word, List<AttributedString> lines) {
        return lines.stream()
                .filter(line -> line.toString().contains(word))
                .map(line -> line.subSequence(0, line.toString().indexOf(word)).columnLength())
                .toList();
    }

    @Test
    void theOrderIsThatOfTheSort() {
        PoolView pool = crowd("orders");
        assertThat(pool.holders().stream().sorted(Sort.AGE.order()).toList()).isEqualTo(pool.holders());
        assertThat(pool.holders().stream().sorted(Sort.SQL.order()).skip(1).findFirst())
                .hasValueSatisfying(one -> assertThat(one.connection()).isEqualTo(1));
        assertThat(Sort.AGE.next().next().next().next()).isEqualTo(Sort.AGE);
    }

    @Test
    void aLineHasTheCountsTheRatesAndTheTroubles() {
        assertThat(Screen.line(crowd("orders")))
                .matches(
                        "\\d\\d:\\d\\d:\\d\\d orders: in use 1000/1000, idle 0, opening 1, waiting 10000 \\(1 min 30 s\\),"
                                + " 210 acquires/s, timeouts 4, wait p99 12 ms, use p99 40 ms, suspended ! 4 acquires timed out in 1 s");
    }
}
