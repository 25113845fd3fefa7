package dev.weir.cli.explain;

import com.samskivert.mustache.Mustache;
import dev.weir.cli.explain.Findings.Finding;
import dev.weir.cli.explain.Story.Count;
import dev.weir.cli.explain.Story.Kind;
import dev.weir.cli.explain.Story.Loan;
import dev.weir.cli.explain.Story.Mark;
import dev.weir.cli.explain.Story.Pause;
import dev.weir.cli.explain.Story.Read;
import dev.weir.cli.explain.Story.Wait;
import dev.weir.console.window.Times;
import java.io.IOException;
import java.io.InputStream;
import java.io.StringReader;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.Base64;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;
import java.util.function.ToIntFunction;
import java.util.function.ToLongFunction;
import java.util.stream.Collectors;

/** A recording as one HTML file that needs no other. */
final class Page {
    private static final String CHARTS = "/META-INF/resources/webjars/uplot/1.6.30/dist/uPlot.";

    private static final String LICENCE = "/META-INF/resources/webjars/uplot/1.6.30/LICENSE";

    /** More points than pixels show nothing more. */
    private static final int POINTS = 1_200;

    private static final int ROWS = 15;

    private Page() {}

    static String of(Recording recording, String file) throws IOException {
        String script = "/*\n" + read(LICENCE) + "*/\n" + read(CHARTS + "iife.min.js") + "\n" + read("page.js");
        Map<String, Object> values = new LinkedHashMap<>();
        values.put("file", file);
        values.put(
                "from",
                DateTimeFormatter.ofPattern("yyyy-MM-dd HH:mm:ss z", Locale.ROOT)
                        .format(recording.from().atZone(ZoneId.systemDefault())));
        values.put("length", Times.text(recording.length().toMillis()));
        values.put("events", String.format(Locale.ROOT, "%,d", recording.events()));
        values.put("chartStyle", read(CHARTS + "min.css"));
        values.put("script", script);
        values.put("hash", hash(script));
        values.put("several", recording.stories().size() > 1);
        List<Map<String, Object>> pools = new ArrayList<>();
        for (Story story : recording.stories()) {
            pools.add(pool(story, pools.size()));
        }
        values.put("pools", pools);
        return Mustache.compiler()
                .emptyStringIsFalse(true)
                .compile(new StringReader(read("page.mustache")))
                .execute(values);
    }

    private static String read(String resource) throws IOException {
        try (InputStream in = Objects.requireNonNull(Page.class.getResourceAsStream(resource), resource)) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        }
    }

    /** The page allows this one script. */
    private static String hash(String script) {
        try {
            byte[] digest = MessageDigest.getInstance("SHA-256").digest(script.getBytes(StandardCharsets.UTF_8));
            return Base64.getEncoder().encodeToString(digest);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e); // every Java has it
        }
    }

    private static Map<String, Object> pool(Story story, int number) {
        Map<String, Object> values = new LinkedHashMap<>();
        values.put("name", story.pool());
        values.put("id", "pool-" + number);
        values.put("findings", Findings.of(story).stream().map(Page::finding).toList());
        values.put("chart", story.counts().isEmpty() ? false : chart(story));
        values.put("marks", legend(story));
        values.put("bars", Bars.of(story));
        values.put("flame", story.waits().isEmpty() ? false : Flame.of(story.waits()));
        values.put(
                "tables",
                tables(story).stream().filter(table -> !table.rows().isEmpty()).toList());
        return values;
    }

    /** The marks of the chart, each with its sign, as often as they are in it. */
    private static List<Map<String, String>> legend(Story story) {
        List<Map<String, String>> signs = new ArrayList<>();
        sign(signs, "refused", "\u25cf", story.refused().size(), "got no connection in time");
        sign(signs, "failed", "\u2715", story.marks(Kind.OPEN_FAILED).size(), "connect failed");
        sign(signs, "leaked", "\u25b2", story.marks(Kind.LEAKED).size(), "leak told");
        sign(signs, "retired", "\u25bc", story.marks(Kind.RETIRED).size(), "retired");
        sign(signs, "pause", "\u25a0", story.jvm().pauses().size(), "pause of the JVM");
        return signs;
    }

    private static void sign(List<Map<String, String>> signs, String kind, String sign, int count, String text) {
        if (count > 0) {
            signs.add(Map.of("kind", kind, "sign", sign, "count", number(count), "text", text));
        }
    }

    private static Map<String, String> finding(Finding finding) {
        return Map.of(
                "weight", finding.weight().name().toLowerCase(Locale.ROOT),
                "headline", finding.headline(),
                "detail", finding.detail(),
                "todo", finding.todo());
    }

    /** A table with its cells as text. */
    record Table(String title, List<String> head, List<List<String>> rows) {}

    /** A chart's numbers as JSON: there is no text in it. */
    private static String chart(Story story) {
        List<Count> counts = story.counts();
        int step = Math.max(1, (counts.size() + POINTS - 1) / POINTS);
        List<List<Count>> points = new ArrayList<>();
        for (int i = 0; i < counts.size(); i += step) {
            points.add(counts.subList(i, Math.min(counts.size(), i + step)));
        }
        List<Story.Load> loads =
                story.jvm().loads().stream().filter(load -> load.at() >= 0).toList();
        return "{\"length\":" + seconds(story.lengthNanos())
                + ",\"t\":" + numbers(points, some -> seconds(some.get(0).at()))
                + ",\"inUse\":" + most(points, Count::inUse)
                + ",\"opening\":" + most(points, Count::opening)
                + ",\"maximum\":" + most(points, Count::maximum)
                + ",\"waiting\":" + most(points, Count::waiting)
                + ",\"loadAt\":" + numbers(loads, load -> seconds(load.at()))
                + ",\"jvm\":" + numbers(loads, load -> decimal(100 * load.jvm()))
                + ",\"machine\":" + numbers(loads, load -> decimal(100 * load.machine()))
                + ",\"refused\":" + numbers(story.refused(), wait -> seconds(wait.at()))
                + ",\"failed\":" + numbers(story.marks(Kind.OPEN_FAILED), mark -> seconds(mark.at()))
                + ",\"retired\":" + numbers(story.marks(Kind.RETIRED), mark -> seconds(mark.at()))
                + ",\"leaked\":" + numbers(story.marks(Kind.LEAKED), mark -> seconds(mark.at()))
                + ",\"pauses\":"
                + numbers(story.jvm().pauses(), pause -> "[" + seconds(pause.at()) + "," + seconds(pause.nanos()) + "]")
                + "}";
    }

    private static String most(List<List<Count>> points, ToIntFunction<Count> value) {
        return numbers(
                points,
                some -> Integer.toString(some.stream().mapToInt(value).max().orElse(0)));
    }

    private static <T> String numbers(List<T> all, Function<T, String> number) {
        return all.stream().map(number).collect(Collectors.joining(",", "[", "]"));
    }

    private static String seconds(long nanos) {
        return String.format(Locale.ROOT, "%.3f", nanos / 1e9);
    }

    private static String decimal(double value) {
        return String.format(Locale.ROOT, "%.1f", value);
    }

    private static List<Table> tables(Story story) {
        return List.of(
                held(story),
                waits(story),
                refused(story),
                loans(story),
                connects(story),
                marks(story),
                jvm(story),
                reads(story),
                time(story));
    }

    /** The charts in numbers. */
    private static Table time(Story story) {
        List<List<String>> rows = new ArrayList<>();
        long step = Math.max(1, story.lengthNanos() / ROWS);
        for (long from = 0; from + step <= story.lengthNanos(); from += step) {
            long begin = from;
            List<Count> counts = story.counts().stream()
                    .filter(count -> count.at() >= begin && count.at() < begin + step)
                    .toList();
            rows.add(List.of(
                    Findings.at(from),
                    decimal(story.meanInUse(from, from + step)),
                    number(counts.stream().mapToInt(Count::inUse).max().orElse(0)),
                    number(counts.stream().mapToInt(Count::opening).max().orElse(0)),
                    number(counts.stream().mapToInt(Count::waiting).max().orElse(0)),
                    number(story.refused().stream()
                            .filter(wait -> wait.at() >= begin && wait.at() < begin + step)
                            .count())));
        }
        return new Table(
                "The time in numbers",
                List.of("from", "in use, mean", "in use, most", "opening, most", "waiting, most", "refused"),
                story.counts().isEmpty() ? List.of() : rows);
    }

    private static Table held(Story story) {
        return new Table(
                "Connections that did not come back",
                List.of("connection", "out for", "thread", "place", "last SQL"),
                story.held().stream()
                        .sorted(Comparator.comparing(loan -> -loan.nanos()))
                        .limit(ROWS)
                        .map(loan -> List.of(
                                loan.connectionInWords(),
                                Findings.time(loan.nanos()),
                                Objects.requireNonNullElse(loan.thread(), ""),
                                loan.place().inWords(),
                                Objects.requireNonNullElse(loan.sql(), "")))
                        .toList());
    }

    private static Table waits(Story story) {
        return new Table(
                "Waits by place",
                List.of("place", "waits", "in sum", "longest", "refused", "held another"),
                groups(story.waits(), wait -> wait.place().inWords(), Wait::nanos).stream()
                        .map(some -> List.of(
                                some.get(0).place().inWords(),
                                number(some.size()),
                                Findings.time(
                                        some.stream().mapToLong(Wait::nanos).sum()),
                                Findings.time(some.stream()
                                        .mapToLong(Wait::nanos)
                                        .max()
                                        .orElse(0)),
                                number(some.stream()
                                        .filter(wait -> wait.refused() != null)
                                        .count()),
                                number(some.stream().filter(Wait::holds).count())))
                        .toList());
    }

    private static Table refused(Story story) {
        return new Table(
                "Calls that got no connection",
                List.of("at", "waited", "thread", "place", "the pool then"),
                story.refused().stream()
                        .limit(ROWS)
                        .map(wait -> List.of(
                                Findings.at(wait.at()),
                                Findings.time(wait.nanos()),
                                wait.thread(),
                                wait.place().inWords(),
                                Objects.requireNonNullElse(wait.refused(), "")))
                        .toList());
    }

    private static Table loans(Story story) {
        return new Table(
                "Loans by place and SQL",
                List.of("place", "last SQL", "loans", "in sum", "longest", "time went"),
                groups(story.loans(), loan -> loan.place().inWords() + "\n" + loan.sql(), Loan::nanos).stream()
                        .map(some -> List.of(
                                some.get(0).place().inWords(),
                                Objects.requireNonNullElse(some.get(0).sql(), ""),
                                number(some.size()),
                                Findings.time(
                                        some.stream().mapToLong(Loan::nanos).sum()),
                                Findings.time(some.stream()
                                        .mapToLong(Loan::nanos)
                                        .max()
                                        .orElse(0)),
                                Findings.shareText(Findings.sum(some))))
                        .toList());
    }

    private static Table connects(Story story) {
        return new Table(
                "The slowest connects",
                List.of("at", "connection", "took"),
                story.marks(Kind.OPENED).stream()
                        .sorted(Comparator.comparing(mark -> -mark.tookNanos()))
                        .limit(5)
                        .map(mark -> List.of(
                                Findings.at(mark.at() - mark.tookNanos()),
                                "#" + mark.connection(),
                                Findings.time(mark.tookNanos())))
                        .toList());
    }

    private static Table marks(Story story) {
        List<Mark> told = story.marks().stream()
                .filter(mark -> mark.kind() != Kind.OPENED)
                .toList();
        return new Table(
                "What happened to connections",
                List.of("what", "how often", "first", "last", "said"),
                groups(told, mark -> mark.kind() + mark.text(), mark -> 1).stream()
                        .map(some -> List.of(
                                some.get(0).kind().inWords(),
                                number(some.size()),
                                Findings.at(some.get(0).at()),
                                Findings.at(some.get(some.size() - 1).at()),
                                some.get(0).text()))
                        .toList());
    }

    private static Table jvm(Story story) {
        return new Table(
                "The longest pauses of the JVM",
                List.of("at", "what", "took"),
                story.jvm().pauses().stream()
                        .sorted(Comparator.comparing(pause -> -pause.nanos()))
                        .limit(5)
                        .sorted(Comparator.comparing(Pause::at))
                        .map(pause -> List.of(Findings.at(pause.at()), pause.what(), Findings.time(pause.nanos())))
                        .toList());
    }

    private static Table reads(Story story) {
        return new Table(
                "Slow reads from sockets by threads that held a connection",
                List.of("address", "reads", "in sum", "longest"),
                groups(story.slowReads(), Read::address, Read::nanos).stream()
                        .map(some -> List.of(
                                some.get(0).address(),
                                number(some.size()),
                                Findings.time(
                                        some.stream().mapToLong(Read::nanos).sum()),
                                Findings.time(some.stream()
                                        .mapToLong(Read::nanos)
                                        .max()
                                        .orElse(0))))
                        .toList());
    }

    /** Those of one key together; the groups of the greatest sums first, so many as a table has rows. */
    private static <T> List<List<T>> groups(List<T> all, Function<T, String> key, ToLongFunction<T> weight) {
        Map<String, List<T>> groups = all.stream().collect(Collectors.groupingBy(key));
        return groups.values().stream()
                .sorted(Comparator.comparing(
                        some -> -some.stream().mapToLong(weight).sum()))
                .limit(ROWS)
                .toList();
    }

    private static String number(long value) {
        return String.format(Locale.ROOT, "%,d", value);
    }
}
