package dev.weir.cli.top;

import static dev.weir.cli.shared.Terminal.clean;

import dev.weir.console.window.JvmView;
import dev.weir.console.window.PoolView;
import dev.weir.console.window.PoolView.Holder;
import dev.weir.console.window.PoolView.Waiter;
import dev.weir.console.window.Times;
import java.time.Instant;
import java.time.ZoneId;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;
import org.jline.utils.AttributedString;
import org.jline.utils.AttributedStringBuilder;
import org.jline.utils.AttributedStyle;
import org.jspecify.annotations.Nullable;

/** Draws a look at a JVM's pools as lines of at most so many columns. */
final class Screen {
    private static final DateTimeFormatter CLOCK =
            DateTimeFormatter.ofPattern("HH:mm:ss").withZone(ZoneId.systemDefault());
    private static final AttributedStyle PLAIN = AttributedStyle.DEFAULT;
    private static final AttributedStyle BOLD = PLAIN.bold();
    private static final AttributedStyle FAINT = PLAIN.faint();
    private static final AttributedStyle RED = BOLD.foreground(AttributedStyle.RED);
    private static final String BARS = "▁▂▃▄▅▆▇█";
    private static final String ASCII_BARS = "_.:-=+*#";
    private static final int LABEL = 11;
    private static final int MOST_BARS = 60;
    private static final Map<String, String> LOAN_TIMES = Map.of(
            "inDriver", "database at work",
            "idleInTransaction", "idle in transactions",
            "betweenTransactions", "between transactions",
            "beforeFirstStatement", "before the first statement");

    private final int width;
    private final int height;
    private final boolean unicode;
    private final List<AttributedString> lines = new ArrayList<>();

    private Screen(int width, int height, boolean unicode) {
        this.width = Math.max(40, width);
        this.height = height;
        this.unicode = unicode;
    }

    /**
     * Returns one pool at length, under a line for each pool if there are several.
     *
     * @param height no more lines than this, unless that is too few for the counts
     */
    static List<AttributedString> of(
            JvmView jvm, @Nullable PoolView shown, Sort sort, int width, int height, boolean unicode) {
        Screen screen = new Screen(width, height, unicode);
        screen.head(jvm, shown);
        if (shown != null) {
            screen.pool(shown, sort);
        }
        return screen.lines;
    }

    /** All that one look says of a pool, in one line. */
    static String line(PoolView pool) {
        PoolView.Counts counts = pool.counts();
        PoolView.Rates rates = pool.rates();
        PoolView.Waits waits = pool.waits();
        PoolView.Uses uses = pool.uses();
        return clean(String.format(
                Locale.ROOT,
                "%s %s: in use %d/%d, idle %d, opening %d, waiting %d%s%s%s%s%s%s",
                CLOCK.format(Instant.ofEpochMilli(pool.at())),
                pool.name(),
                counts.inUse(),
                counts.maximum(),
                counts.idle(),
                counts.opening(),
                counts.waiting(),
                pool.waiters().isEmpty()
                        ? ""
                        : " (" + Times.text(pool.waiters().get(0).waited()) + ")",
                rates == null ? "" : ", " + rate(rates.acquired()) + " acquires/s, timeouts " + rates.timedOut(),
                waits == null ? "" : ", wait p99 " + Times.text(waits.p99()),
                uses == null ? "" : ", use p99 " + Times.text(uses.p99()),
                pool.suspended() ? ", suspended" : "",
                pool.troubles().isEmpty() ? "" : " ! " + String.join("; ", pool.troubles())));
    }

    private void head(JvmView jvm, @Nullable PoolView shown) {
        String clock = shown == null ? "" : CLOCK.format(Instant.ofEpochMilli(shown.at()));
        String title = "weir top  " + clean(jvm.jvm());
        int room = width - clock.length() - 2;
        String cut = cut(title, room);
        add(line().append(cut, BOLD).append(" ".repeat(Math.max(2, width - columns(cut) - clock.length())) + clock));
        if (jvm.pools().isEmpty()) {
            add(
                    line().append(
                                    "No pool is running there, or none in JMX (registerMbeans; with Spring Boot spring.jmx.enabled)."));
        }
        List<PoolView> pools = jvm.pools();
        if (pools.size() > 1) {
            int most = Math.max(2, height / 6);
            int from = Math.max(0, Math.min(pools.indexOf(shown) - most / 2, pools.size() - most));
            List<PoolView> some = pools.subList(from, Math.min(pools.size(), from + most));
            some.forEach(pool -> other(pool, pool.equals(shown)));
            more(pools.size() - some.size(), "pools");
        }
    }

    private void other(PoolView pool, boolean shown) {
        String text = String.format(
                Locale.ROOT,
                "%s %4d of %4d in use, %4d waiting, %8s acquires/s",
                pad(clean(pool.name()), 20),
                pool.counts().inUse(),
                pool.counts().maximum(),
                pool.counts().waiting(),
                pool.rates() == null ? "-" : rate(pool.rates().acquired()));
        add(line().append(shown ? "> " : "  ", BOLD)
                .append(text, pool.troubles().isEmpty() ? PLAIN : RED));
    }

    private void pool(PoolView pool, Sort sort) {
        PoolView.Counts counts = pool.counts();
        gap();
        add(line().append(clean(pool.name()), BOLD)
                .append(pool.suspended() ? "  SUSPENDED  " : "  ", RED)
                .append(String.format(
                        Locale.ROOT,
                        "%d of %d in use, %d idle, %d waiting, %d opening%s, %d closing",
                        counts.inUse(),
                        counts.maximum(),
                        counts.idle(),
                        counts.waiting(),
                        counts.opening(),
                        counts.oldestConnect() == 0 ? "" : ", the oldest for " + Times.text(counts.oldestConnect()),
                        counts.closing()))
                .append(pool.mode().equals("session") ? "" : "  poolMode " + pool.mode()));
        pool.troubles().forEach(trouble -> add(line().append("! " + clean(trouble), RED)));
        trends(pool);
        totals(pool);
        loans(pool);
        pool.advice().forEach(this::advice);
        if (!pool.failures().isEmpty()) {
            PoolView.Failure last = pool.failures().get(0);
            add(label("failed")
                    .append(Times.text(last.ago()) + " ago, " + last.kind().toLowerCase(Locale.ROOT) + ": "
                            + clean(last.message())));
        }
        if (!pool.told()) {
            add(line().append("This JMX user may only read: the pool does not tell it holders, waiters and failures."));
        }
        // Those that wait have a third of the rows below the two heads of the tables, and what the holders leave.
        int room = height - lines.size() - (isTall() ? 4 : 2);
        int waiters = pool.waiters().isEmpty()
                ? 0
                : Math.max(room / 3, room - pool.counts().inUse());
        holders(pool, sort, Math.max(1, room - Math.min(waiters, pool.counts().waiting())));
        waiters(pool, Math.max(1, waiters));
    }

    /** Two beside one another, each with its newest number. */
    private void trends(PoolView pool) {
        PoolView.Rates rates = pool.rates();
        PoolView.Trend trend = pool.trend();
        PoolView.Waits waits = pool.waits();
        PoolView.Uses uses = pool.uses();
        boolean idle = rates == null || (rates.acquired() == 0 && rates.timedOut() == 0);
        pair(
                trend(
                        "in use",
                        trend.inUse(),
                        pool.counts().maximum(),
                        "" + pool.counts().inUse()),
                trend("acquires", trend.acquired(), 0, rates == null ? "-" : rate(rates.acquired()) + "/s"));
        pair(
                trend("waiting", trend.waiting(), 0, "" + pool.counts().waiting()),
                trend("timeouts", trend.timedOut(), 0, rates == null ? "-" : "" + rates.timedOut()));
        pair(
                trend("wait p99", trend.p99(), 0, idle ? "-" : Times.text(last(trend.p99()))),
                label("wait 1 min")
                        .append(
                                waits == null
                                        ? "-"
                                        : percentiles(waits.p50(), waits.p99()) + ", " + rate(waits.waitedPercent())
                                                + " % waited"));
        pair(
                trend(
                        "use p99",
                        trend.useP99(),
                        0,
                        rates == null || last(trend.useP99()) == 0 ? "-" : Times.text(last(trend.useP99()))),
                label("use 1 min").append(uses == null ? "-" : percentiles(uses.p50(), uses.p99())));
    }

    private static double last(List<Double> values) {
        return values.get(values.size() - 1);
    }

    private static String percentiles(double p50, double p99) {
        return "p50 " + Times.text(p50) + ", p99 " + Times.text(p99);
    }

    private void pair(AttributedStringBuilder left, AttributedStringBuilder right) {
        int gap = width * 17 / 40 - left.columnLength();
        add(left.append(" ".repeat(Math.max(1, gap))).append(right));
    }

    private AttributedStringBuilder trend(String name, List<Double> values, double least, String now) {
        int bars = Math.min(MOST_BARS, width * 17 / 40 - LABEL - 12);
        AttributedStringBuilder line = label(name);
        return (values.size() < 3
                        ? line
                        : line.append(bars(values, Math.max(4, bars), least)).append(" "))
                .append(now, BOLD);
    }

    private String bars(List<Double> values, int most, double least) {
        String symbols = unicode ? BARS : ASCII_BARS;
        List<Double> last = values.subList(Math.max(0, values.size() - most), values.size());
        double top = Math.max(
                least, last.stream().mapToDouble(Double::doubleValue).max().orElse(0));
        return " ".repeat(most - last.size())
                + last.stream()
                        .map(value -> {
                            int step = top <= 0 ? 0 : (int) Math.ceil(value / top * (symbols.length() - 1));
                            return symbols.substring(step, step + 1);
                        })
                        .collect(Collectors.joining());
    }

    private void totals(PoolView pool) {
        PoolView.Rates rates = pool.rates();
        PoolView.Totals totals = pool.totals();
        String retired = inWords(totals.retired());
        add(label("opened")
                .append(rates == null ? "" : rate(rates.opened()) + "/s, retired " + rate(rates.retired()) + "/s; ")
                .append("since the start ")
                .append(String.format(
                        Locale.ROOT,
                        "%,d, %,d failed%s; %,d acquires, %,d timed out",
                        totals.opened(),
                        totals.openFailed(),
                        retired.isEmpty() ? "" : ", retired " + retired,
                        totals.acquired(),
                        totals.timedOut())));
        if (pool.servers().size() > 1) {
            add(label("servers").append(clean(inWords(pool.servers()))));
        }
        if (!pool.pinned().isEmpty()) {
            add(label("pinned").append(clean(inWords(pool.pinned()))));
        }
    }

    private void loans(PoolView pool) {
        long all = pool.loans().values().stream().mapToLong(Long::longValue).sum();
        if (all == 0) {
            return;
        }
        String shares = pool.loans().entrySet().stream()
                .sorted(Map.Entry.<String, Long>comparingByValue().reversed())
                .filter(entry -> entry.getValue() * 100 >= all)
                .map(entry -> Math.round(100.0 * entry.getValue() / all) + " % "
                        + LOAN_TIMES.getOrDefault(entry.getKey(), entry.getKey())
                        + (entry.getKey().equals("idleInTransaction")
                                        && !pool.idlePlaces().isEmpty()
                                ? " (" + pool.idlePlaces().get(0) + ")"
                                : ""))
                .collect(Collectors.joining(", "));
        String needed = pool.neededForTransactions() == 0 || pool.neededForTransactions() >= pool.mostInUse()
                ? ""
                : "; " + pool.neededForTransactions() + " would do what " + pool.mostInUse() + " do";
        add(label("loans").append(clean(shares + needed)));
    }

    /** Whole words: it is longer than most terminals are wide. */
    private void advice(String text) {
        AttributedStringBuilder line = label("advice");
        for (String word : clean(text).split(" ", -1)) {
            if (line.columnLength() + word.length() > width) {
                add(line);
                line = label("");
            }
            line.append(word).append(" ");
        }
        add(line);
    }

    private void holders(PoolView pool, Sort sort, int most) {
        List<Holder> holders = pool.holders().stream().sorted(sort.order()).toList();
        if (holders.isEmpty()) {
            return;
        }
        boolean sessions = holders.stream().anyMatch(one -> one.session() != null);
        int numbers = widest(holders.stream().map(one -> "#" + one.connection()).toList(), 6);
        int ids = widest(holders.stream().map(Screen::session).toList(), 9);
        int threads = widest(holders.stream().map(one -> clean(one.thread())).toList(), 6);
        int places = widest(holders.stream().map(Screen::place).toList(), 5);
        gap();
        add(line().append(
                        pad(
                                right("HELD", 10) + right("CONN", numbers) + (sessions ? right("SESSION", ids) : "")
                                        + pad("THREAD", threads) + " " + pad("PLACE", places) + " SQL"
                                        + (sort == Sort.AGE
                                                ? ""
                                                : "   (by " + sort.name().toLowerCase(Locale.ROOT) + ")"),
                                width),
                        PLAIN.inverse()));
        int rows = rows(holders.size(), pool.counts().inUse(), most);
        for (Holder one : holders.subList(0, rows)) {
            add(line().append(right(Times.text(one.heldFor()), 10) + right("#" + one.connection(), numbers))
                    .append(sessions ? right(session(one), ids) : "")
                    .append(pad(clean(one.thread()), threads) + " " + pad(place(one), places) + " "
                            + clean(one.sql())));
        }
        more(pool.counts().inUse() - rows, "in use");
    }

    private void waiters(PoolView pool, int most) {
        if (pool.waiters().isEmpty()) {
            return;
        }
        int threads =
                widest(pool.waiters().stream().map(one -> clean(one.thread())).toList(), 6);
        gap();
        add(line().append(
                        pad(right("WAITED", 10) + right("", 6) + pad("THREAD", threads) + " PLACE", width),
                        PLAIN.inverse()));
        int rows = rows(pool.waiters().size(), pool.counts().waiting(), most);
        for (Waiter one : pool.waiters().subList(0, rows)) {
            add(line().append(right(Times.text(one.waited()), 10) + right("", 6))
                    .append(pad(clean(one.thread()), threads) + " " + clean(one.place())));
        }
        more(pool.counts().waiting() - rows, "waiting");
    }

    /** One line less if it has to say how many are not shown. */
    private static int rows(int known, int all, int most) {
        int rows = Math.min(known, most);
        return rows < all && rows == most ? rows - 1 : rows;
    }

    private void more(int rest, String what) {
        if (rest > 0) {
            add(line().append(String.format(Locale.ROOT, "%10s %,d more %s", "", rest, what), FAINT));
        }
    }

    private int widest(List<String> texts, int least) {
        int widest = texts.stream().mapToInt(Screen::columns).max().orElse(0);
        return Math.max(least, Math.min(widest, width / 4));
    }

    private static String session(Holder one) {
        return clean(one.session());
    }

    /** Where it was acquired, or else where its thread is now. */
    static String place(Holder one) {
        return one.acquiredPlace() != null
                ? clean(one.acquiredPlace())
                : one.place() == null ? "-" : "now " + clean(one.place());
    }

    private static String inWords(Map<String, Long> counts) {
        return counts.entrySet().stream()
                .filter(entry -> entry.getValue() > 0)
                .map(entry -> entry.getKey() + " " + entry.getValue())
                .collect(Collectors.joining(", "));
    }

    private boolean isTall() {
        return height >= 30;
    }

    private void gap() {
        if (isTall()) {
            add(line());
        }
    }

    private static AttributedStringBuilder line() {
        return new AttributedStringBuilder();
    }

    private static AttributedStringBuilder label(String name) {
        return line().append(pad(name, LABEL), FAINT);
    }

    private void add(AttributedStringBuilder line) {
        AttributedString text = line.toAttributedString();
        lines.add(text.columnLength() <= width ? text : text.columnSubSequence(0, width));
    }

    private static String pad(String text, int columns) {
        String cut = cut(text, columns);
        return cut + " ".repeat(columns - columns(cut));
    }

    private static String right(String text, int columns) {
        return " ".repeat(Math.max(0, columns - columns(text))) + text + " ";
    }

    private static String cut(String text, int most) {
        return columns(text) <= most
                ? text
                : new AttributedString(text).columnSubSequence(0, Math.max(0, most - 2))
                        + "..".substring(0, Math.min(2, most));
    }

    /** A letter may take two columns, or none. */
    private static int columns(String text) {
        return new AttributedString(text).columnLength();
    }

    private static String rate(double perSecond) {
        return String.format(Locale.ROOT, perSecond == 0 || perSecond >= 10 ? "%,.0f" : "%.1f", perSecond);
    }
}
