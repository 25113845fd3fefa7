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
    private static final int SOCKET_TIMEOUT_SECONDS = 1;

    /** Where each end is heard of, so that a session which the machine starved is not taken for one that ended. */
    private static final int PATIENT_SECONDS = 30;

    private static final Path PAGE = Path.of("..", "docs", "reference", "how-a-connection-dies.md");
    private static final String BEGIN = "<!-- the matrix, written by HowConnectionsDieTest -->\n";
    private static final String END = "<!-- its end -->\n";
    private static final String BUSY_BEGIN = "<!-- in the midst of use, written by HowConnectionsDieTest -->\n";
    private static final String BUSY_END = "<!-- its end, too -->\n";

    /** About half of five. */
    private static final int HALF = 2;

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

    /** In the midst of use: one way, and how many of the five connections end. */
    private record Midst(Way way, int dying) {}

    /** What may throw, for one of the pools. */
    @FunctionalInterface
    private interface Task<T> {
        T run(Kind kind) throws Exception;
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
                // Without a look at the socket both lend what they trust: which of the connections is lent so soon is a
                // race.
                boolean raced = kind == Kind.WEIR_WITHOUT_SOCKETS && weir.idleMillis() < TRUSTED_MILLIS;
                assertThat(weir.errors())
                        .as("%s with %s: %s", cell, kind, outcomes)
                        .isLessThanOrEqualTo(raced ? Math.max(hikari.errors(), Side.SIZE) : hikari.errors());
            }
        }
    }

    @Test
    void inTheMidstOfUseAConnectionCostsOneErrorAtMost() throws Exception {
        assertOneErrorEach(run(new Midst(Way.RST, Side.SIZE)), Side.SIZE);
        assertOneErrorEach(run(new Midst(Way.TERMINATE, HALF)), HALF);
    }

    @Test
    @Tag("thorough")
    @Timeout(value = 5, unit = TimeUnit.MINUTES)
    void inTheMidstOfUseNoWayCostsMore() throws Exception {
        Map<Midst, Map<Kind, Outcome>> midsts = new LinkedHashMap<>();
        for (Way way : Way.values()) {
            for (int dying : way == Way.RESTART ? new int[] {Side.SIZE} : new int[] {Side.SIZE, HALF}) {
                Midst midst = new Midst(way, dying);
                midsts.put(midst, run(midst));
                System.out.println(midst + ": " + midsts.get(midst));
            }
        }
        if (Boolean.getBoolean("weir.docs.update")) {
            publishMidsts(midsts);
        }
        midsts.forEach((midst, outcomes) -> assertOneErrorEach(outcomes, midst.dying));
    }

    /**
     * Which of the connections are lent when they end, and which of those have their answer already, is a race that each pool
     * runs for itself: the numbers of two pools are not comparable one by one. Whatever the race, the first call on a
     * connection that ended fails for its user, with any pool, as the pool cannot do it again. The failure says that the
     * connection is gone, so it is not lent again. So the connections that ended bound the errors; with more threads than
     * connections, about as many are lent then.
     */
    private static void assertOneErrorEach(Map<Kind, Outcome> outcomes, int dying) {
        assertThat(outcomes.get(Kind.WEIR).errors()).as("%s", outcomes).isLessThanOrEqualTo(dying);
        assertThat(outcomes.get(Kind.WEIR_WITHOUT_SOCKETS).errors())
                .as("%s", outcomes)
                .isLessThanOrEqualTo(dying);
    }

    private static Map<Kind, Outcome> run(Midst midst) throws Exception {
        boolean silent = midst.way == Way.BLACK_HOLE || midst.way == Way.FREEZE;
        return forEach(!silent && midst.way != Way.RESTART, kind -> {
            Outcome outcome = run(midst, kind, silent ? SOCKET_TIMEOUT_SECONDS : PATIENT_SECONDS);
            for (int i = 1; silent && i < TRIES && outcome.errors() > midst.dying; i++) {
                // As a session that this machine starved for so long is taken for one that ended: once more.
                outcome = run(midst, kind, SOCKET_TIMEOUT_SECONDS);
            }
            return outcome;
        });
    }

    private static Outcome run(Midst midst, Kind kind, int socketTimeoutSeconds) throws Exception {
        try (Side side = new Side(kind, SERVER, socketTimeoutSeconds)) {
            return side.usesWhile(midst.way, midst.dying);
        }
    }

    private static <T> Map<Kind, T> forEach(boolean sideBySide, Task<T> task) throws Exception {
        Map<Kind, FutureTask<T>> tasks = new EnumMap<>(Kind.class);
        for (Kind kind : Kind.values()) {
            FutureTask<T> one = new FutureTask<>(() -> task.run(kind));
            tasks.put(kind, one);
            if (sideBySide) {
                new Thread(one, "side " + kind).start();
            } else {
                one.run();
            }
        }
        Map<Kind, T> results = new EnumMap<>(Kind.class);
        for (Map.Entry<Kind, FutureTask<T>> one : tasks.entrySet()) {
            results.put(one.getKey(), one.getValue().get());
        }
        return results;
    }

    private static Map<Cell, Map<Kind, Outcome>> run(List<Cell> cells) throws Exception {
        Map<Cell, Map<Kind, Outcome>> outcomes = new LinkedHashMap<>();
        forEach(cells.get(0).way != Way.RESTART, kind -> run(cells, kind))
                .forEach((kind, of) ->
                        of.forEach((cell, outcome) -> outcomes.computeIfAbsent(cell, c -> new EnumMap<>(Kind.class))
                                .put(kind, outcome)));
        return outcomes;
    }

    private static Map<Cell, Outcome> run(List<Cell> cells, Kind kind) throws Exception {
        Map<Cell, Outcome> outcomes = new LinkedHashMap<>();
        try (Side side = new Side(kind, SERVER, SOCKET_TIMEOUT_SECONDS)) {
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
                        Side side = new Side(kind, SERVER, SOCKET_TIMEOUT_SECONDS);
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
        replace(BEGIN, END, table);
    }

    private static void publishMidsts(Map<Midst, Map<Kind, Outcome>> midsts) throws Exception {
        StringBuilder table = new StringBuilder("| in the midst of use | all five | two of five |\n|---|---|---|\n");
        for (Way way : Way.values()) {
            table.append("| ").append(way.words).append(" |");
            for (int dying : new int[] {Side.SIZE, HALF}) {
                Map<Kind, Outcome> of = midsts.get(new Midst(way, dying));
                table.append(' ')
                        .append(of == null ? "" : shown(of.get(Kind.WEIR), of.get(Kind.HIKARI)))
                        .append(" |");
            }
            table.append('\n');
        }
        replace(BUSY_BEGIN, BUSY_END, table);
    }

    private static void replace(String begin, String end, CharSequence table) throws Exception {
        String page = Files.readString(PAGE);
        int from = page.indexOf(begin) + begin.length();
        int to = page.indexOf(end);
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
