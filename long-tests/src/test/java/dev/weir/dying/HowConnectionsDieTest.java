package dev.weir.dying;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.dying.Side.Kind;
import dev.weir.dying.Side.Outcome;
import dev.weir.testkit.servers.PostgresServer;
import dev.weir.testkit.servers.ThreadsLeft;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * P7: in whatever way connections died, and however long they had been idle, users of Weir meet no more errors than those of
 * HikariCP. With {@code -Dweir.docs.update=true} the whole matrix is written into its page.
 */
class HowConnectionsDieTest {
    /** Both pools lend what answered so lately without a test, Weir up to 100 ms less. */
    private static final long TRUSTED_MILLIS = 500;

    private static final long TESTED_FROM_MILLIS = 400;

    private static final int[] QUICK_MILLIS = {100, 600};
    private static final int[] SHORT_MILLIS = {0, 100, 600, 2_000};
    private static final int LONG_MILLIS = 40_000;
    private static final int TRIES = 5;
    private static final Path PAGE = Path.of("..", "docs", "reference", "how-a-connection-dies.md");
    private static final String BEGIN = "<!-- the matrix, written by HowConnectionsDieTest -->\n";
    private static final String END = "<!-- its end -->\n";

    private static final ThreadsLeft THREADS = ThreadsLeft.sinceNow();
    private static final PostgresServer SERVER =
            PostgresServer.builder().maxConnections(300).role("weir", "weir").start();

    /** One way, one pace, one time idle. */
    private record Cell(Way way, boolean busy, int idleMillis) {
        @Override
        public String toString() {
            return way + (busy ? ", five threads" : ", one thread") + ", idle for " + idleMillis + " ms";
        }
    }

    @AfterAll
    static void stop() {
        SERVER.close();
        THREADS.none("weir-", Duration.ofSeconds(20));
    }

    @Test
    void noWayCostsMoreErrorsThanWithHikariCp() throws Exception {
        for (Way way : Way.QUICK) {
            run(cells(way, QUICK_MILLIS)).forEach(HowConnectionsDieTest::assertNoWorse);
        }
    }

    private static List<Cell> cells(Way way, int[] idles) {
        List<Cell> cells = new ArrayList<>();
        for (int idle : idles) {
            cells.add(new Cell(way, false, idle));
            cells.add(new Cell(way, true, idle));
        }
        return cells;
    }

    @Test
    @Tag("thorough")
    @Timeout(value = 20, unit = TimeUnit.MINUTES)
    void noneOfTheWholeMatrixDoes() throws Exception {
        Map<Cell, Map<Kind, Outcome>> matrix = new LinkedHashMap<>();
        for (Way way : Way.values()) {
            matrix.putAll(run(cells(way, SHORT_MILLIS)));
        }
        matrix.putAll(runLong());
        if (Boolean.getBoolean("weir.docs.update")) {
            publish(matrix);
        }
        matrix.forEach(HowConnectionsDieTest::assertNoWorse);
    }

    private static void assertNoWorse(Cell cell, Map<Kind, Outcome> outcomes) {
        System.out.println(cell + ": " + outcomes);
        Outcome hikari = outcomes.get(Kind.HIKARI);
        for (Kind kind : List.of(Kind.WEIR, Kind.WEIR_WITHOUT_SOCKETS)) {
            Outcome weir = outcomes.get(kind);
            // A restart takes about as long as both pools trust a connection: one of the two may have had to test.
            if (weir.idleMillis() >= TRUSTED_MILLIS || hikari.idleMillis() < TRUSTED_MILLIS) {
                assertThat(weir.errors())
                        .as("%s with %s: %s", cell, kind, outcomes)
                        .isLessThanOrEqualTo(hikari.errors());
            }
        }
    }

    /** The pools side by side, but where one stops the server. */
    private static Map<Cell, Map<Kind, Outcome>> run(List<Cell> cells) throws Exception {
        Map<Kind, FutureTask<Map<Cell, Outcome>>> tasks = new EnumMap<>(Kind.class);
        for (Kind kind : Kind.values()) {
            FutureTask<Map<Cell, Outcome>> task = new FutureTask<>(() -> run(cells, kind));
            tasks.put(kind, task);
            if (cells.get(0).way == Way.RESTART) {
                task.run();
            } else {
                new Thread(task, "side " + kind).start();
            }
        }
        Map<Cell, Map<Kind, Outcome>> outcomes = new LinkedHashMap<>();
        for (Map.Entry<Kind, FutureTask<Map<Cell, Outcome>>> task : tasks.entrySet()) {
            task.getValue()
                    .get()
                    .forEach((cell, outcome) -> outcomes.computeIfAbsent(cell, c -> new EnumMap<>(Kind.class))
                            .put(task.getKey(), outcome));
        }
        return outcomes;
    }

    private static Map<Cell, Outcome> run(List<Cell> cells, Kind kind) throws Exception {
        Map<Cell, Outcome> outcomes = new LinkedHashMap<>();
        try (Side side = new Side(kind, SERVER)) {
            for (Cell cell : cells) {
                outcomes.put(cell, run(cell, side));
            }
        }
        return outcomes;
    }

    /** Once more where the machine was so busy that the time idle became one at which connections are tested. */
    private static Outcome run(Cell cell, Side side) throws Exception {
        for (int i = 0; i < TRIES; i++) {
            side.fill();
            Outcome outcome = endAndUse(side, cell);
            if (cell.idleMillis >= TESTED_FROM_MILLIS
                    || cell.way == Way.RESTART
                    || outcome.idleMillis() < TESTED_FROM_MILLIS) {
                return outcome;
            }
        }
        return Assumptions.abort("this machine is too busy: " + cell);
    }

    private static Outcome endAndUse(Side side, Cell cell) throws Exception {
        side.awaitIdle(cell.idleMillis);
        cell.way.end(side);
        return side.uses(cell.busy);
    }

    /** All lie idle together, and end one after the other; those that the restart ends come last. */
    private static Map<Cell, Map<Kind, Outcome>> runLong() throws Exception {
        Map<Cell, Map<Kind, Side>> sides = new LinkedHashMap<>();
        Map<Cell, Map<Kind, Outcome>> outcomes = new LinkedHashMap<>();
        try {
            for (Way way : Way.values()) {
                for (boolean busy : new boolean[] {false, true}) {
                    Map<Kind, Side> row = new EnumMap<>(Kind.class);
                    sides.put(new Cell(way, busy, LONG_MILLIS), row);
                    for (Kind kind : Kind.values()) {
                        Side side = new Side(kind, SERVER);
                        row.put(kind, side);
                        side.fill();
                    }
                }
            }
            for (Map.Entry<Cell, Map<Kind, Side>> row : sides.entrySet()) {
                Map<Kind, Outcome> of = new EnumMap<>(Kind.class);
                outcomes.put(row.getKey(), of);
                for (Map.Entry<Kind, Side> side : row.getValue().entrySet()) {
                    of.put(side.getKey(), endAndUse(side.getValue(), row.getKey()));
                }
            }
        } finally {
            for (Map<Kind, Side> row : sides.values()) {
                for (Side side : row.values()) {
                    side.close();
                }
            }
        }
        return outcomes;
    }

    private static void publish(Map<Cell, Map<Kind, Outcome>> matrix) throws Exception {
        StringBuilder table = new StringBuilder("| all five connections are | threads |");
        int[] idles = {SHORT_MILLIS[0], SHORT_MILLIS[1], SHORT_MILLIS[2], SHORT_MILLIS[3], LONG_MILLIS};
        for (int idle : idles) {
            table.append(" idle ").append(idle / 1000.0).append(" s |");
        }
        table.append("\n|---|---:|").append("---|".repeat(idles.length)).append('\n');
        for (Way way : Way.values()) {
            for (boolean busy : new boolean[] {false, true}) {
                table.append("| ").append(way.words).append(busy ? " | 5 |" : " | 1 |");
                for (int idle : idles) {
                    Map<Kind, Outcome> of = matrix.get(new Cell(way, busy, idle));
                    table.append(' ')
                            .append(shown(of.get(Kind.WEIR), of.get(Kind.HIKARI)))
                            .append(" |");
                }
                table.append('\n');
            }
        }
        String page = Files.readString(PAGE);
        int from = page.indexOf(BEGIN) + BEGIN.length();
        int to = page.indexOf(END);
        Files.writeString(PAGE, page.substring(0, from) + "\n" + table + "\n" + page.substring(to));
    }

    /** Errors; and the longest waits where one of them is more than a busy machine makes of any. */
    private static String shown(Outcome weir, Outcome hikari) {
        String errors = weir.errors() + " : " + hikari.errors();
        boolean waited = Math.max(weir.longestMillis(), hikari.longestMillis()) >= 900;
        return waited ? errors + "<br>" + seconds(weir) + " : " + seconds(hikari) + " s" : errors;
    }

    private static String seconds(Outcome outcome) {
        return String.format(Locale.ROOT, "%.1f", outcome.longestMillis() / 1000.0);
    }
}
