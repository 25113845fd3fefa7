package dev.weir.cli.explain;

import dev.weir.cli.explain.Story.Kind;
import dev.weir.cli.explain.Story.Loan;
import dev.weir.cli.explain.Story.Mark;
import dev.weir.cli.explain.Story.Measured;
import dev.weir.cli.explain.Story.Pause;
import dev.weir.cli.explain.Story.Shares;
import dev.weir.cli.explain.Story.Wait;
import dev.weir.console.window.Times;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.StringJoiner;
import java.util.function.Function;
import java.util.function.ToLongFunction;
import java.util.stream.Collectors;

/** What a story means, in words, each with its numbers: the worst first, and a cause before what comes of it. */
final class Findings {
    private static final long MILLI = 1_000_000;
    private static final long SECOND = 1_000 * MILLI;

    /** Load over fewer seconds than this says nothing of the load an hour later. */
    private static final long BUSY_NANOS = 10 * SECOND;

    /** Waits of less than this in sum, as a share of the time, are not worth a change. */
    private static final double LITTLE_WAITING = 0.01;

    /** A loan that is still out after this is no request's that the end of the recording cut off. */
    private static final long LONG_NANOS = 10 * SECOND;

    /** A connect that takes this long is felt by whoever waits for it. */
    private static final long SLOW_CONNECT_NANOS = 500 * MILLI;

    /** So many looks at the pool are the least that a size is told from. */
    private static final int COUNTS_FOR_SIZE = 50;

    enum Weight {
        TROUBLE,
        ADVICE,
        GOOD
    }

    /**
     * One finding.
     *
     * @param todo what to do about it; empty for nothing
     */
    record Finding(Weight weight, String headline, String detail, String todo) {}

    private final Story story;
    private final List<Finding> found = new ArrayList<>();

    private Findings(Story story) {
        this.story = story;
    }

    static List<Finding> of(Story story) {
        Findings findings = new Findings(story);
        findings.leaks();
        findings.connects();
        findings.nested();
        boolean explained = findings.isTroubled();
        findings.timeouts();
        findings.waits();
        findings.pauses();
        findings.shares();
        findings.size(explained);
        if (findings.found.stream().allMatch(one -> one.weight() == Weight.GOOD)) {
            findings.add(
                    Weight.GOOD,
                    "Nothing was wrong with pool '" + story.pool() + "'",
                    "Nobody was refused a connection, none leaked, none failed to open.",
                    "");
        }
        findings.found.sort(Comparator.comparing(Finding::weight));
        return List.copyOf(findings.found);
    }

    /** Those with the most troubles first, equal ones in their order: there may be a pool for each tenant. */
    static List<Story> worstFirst(List<Story> stories) {
        return stories.stream()
                .map(story -> Map.entry(-troubles(story), story))
                .sorted(Map.Entry.comparingByKey())
                .map(Map.Entry::getValue)
                .toList();
    }

    private static long troubles(Story story) {
        return of(story).stream().filter(one -> one.weight() == Weight.TROUBLE).count();
    }

    private boolean isTroubled() {
        return found.stream().anyMatch(one -> one.weight() == Weight.TROUBLE);
    }

    private void add(Weight weight, String headline, String detail, String todo) {
        found.add(new Finding(weight, headline, detail.strip(), todo));
    }

    private void timeouts() {
        List<Wait> refused = story.refused();
        if (refused.isEmpty()) {
            return;
        }
        Wait first = refused.get(0);
        long from = first.at() - first.nanos();
        long to = refused.get(refused.size() - 1).at();
        List<Mark> failed = story.marks(Kind.OPEN_FAILED).stream()
                .filter(mark -> mark.at() > from && mark.at() < to)
                .toList();
        add(
                Weight.TROUBLE,
                count(refused.size(), "call") + " of getConnection() got no connection in time"
                        + (failed.isEmpty() ? mainHolder(from, to) : ""),
                (failed.isEmpty()
                                ? holders(from, to)
                                : "Meanwhile " + count(failed.size(), "connect") + " failed: "
                                        + sentence(failed.get(0).text()))
                        + " The first gave up at " + at(first.at()) + " after " + time(first.nanos()) + ", at "
                        + first.place().inWords() + ". Then: " + first.refused() + ".",
                failed.isEmpty() ? cure(sum(loansIn(from, to))) : "");
    }

    private List<Loan> loansIn(long from, long to) {
        return story.loans().stream()
                .filter(loan -> loan.at() < to && loan.end() > from)
                .toList();
    }

    private static String cure(Shares shares) {
        return shares.total() == 0
                ? ""
                : 2 * shares.inDriver() > shares.total()
                        ? "The database is at work for these loans: look there at the plan and the locks of their statements."
                        : "The database has little to do for these loans: see where their time goes, below.";
    }

    /** Those who had the connections meanwhile, by where and what. */
    private String holders(long from, long to) {
        List<Loan> loans = loansIn(from, to);
        if (loans.isEmpty()) {
            return "";
        }
        Top top = top(loans, Findings::where, within(from, to));
        String times = shareText(sum(loans));
        return "Meanwhile " + top.percent() + " % of the time on loan was of " + top.key()
                + (times.isEmpty() ? "." : "; of these loans' time: " + times + ".");
    }

    /** For a headline; empty where it is not one place for most of the time, or not known. */
    private String mainHolder(long from, long to) {
        Top top = top(loansIn(from, to), loan -> loan.place().inWords(), within(from, to));
        return top.percent() < 50 || top.key().equals(Story.Place.UNKNOWN.inWords())
                ? ""
                : "; " + top.key() + " had the connections for " + top.percent() + " % of their time";
    }

    private static ToLongFunction<Loan> within(long from, long to) {
        return loan -> Math.min(to, loan.end()) - Math.max(from, loan.at());
    }

    private static String where(Loan loan) {
        String at = !loan.place().equals(Story.Place.UNKNOWN)
                ? loan.place().inWords()
                : loan.thread() == null ? "an unknown place" : "thread '" + loan.thread() + "'";
        return at + (loan.sql() == null ? "" : ", last SQL: " + loan.sql());
    }

    private static String whereHeld(Loan loan) {
        return (loan.place().equals(Story.Place.UNKNOWN)
                        ? ""
                        : ", acquired at " + loan.place().inWords())
                + (loan.sql() == null ? "" : ", last SQL: " + loan.sql());
    }

    private void leaks() {
        List<Loan> held = story.held().stream()
                .filter(this::isLeft)
                .sorted(Comparator.comparing(loan -> -loan.nanos()))
                .toList();
        if (!held.isEmpty()) {
            Loan longest = held.get(0);
            Top place = top(held, loan -> loan.place().inWords(), loan -> 1);
            boolean isPlace = !place.key().equals(Story.Place.UNKNOWN.inWords());
            add(
                    Weight.TROUBLE,
                    count(held.size(), "connection") + " did not come back"
                            + (isPlace ? ", " + place.percent() + " % of them acquired at " + place.key() : ""),
                    "Connection " + longest.connectionInWords() + " was out for " + time(longest.nanos())
                            + " when the recording ended"
                            + (longest.thread() == null ? "" : ", taken by thread '" + longest.thread() + "'")
                            + whereHeld(longest) + "."
                            + (held.size() == 1
                                    ? ""
                                    : " Of all, "
                                            + top(held, Findings::where, loan -> 1)
                                                    .inWords() + "."),
                    "Close each connection where it is opened, by try-with-resources. leakDetectionThreshold"
                            + " makes the pool note where a connection was acquired.");
        } else if (!story.marks(Kind.LEAKED).isEmpty()) {
            List<Mark> leaks = story.marks(Kind.LEAKED);
            add(
                    Weight.ADVICE,
                    count(leaks.size(), "loan") + " lasted longer than leakDetectionThreshold",
                    "They came back later. The first, of connection "
                            + leaks.get(0).connection() + " at "
                            + at(leaks.get(0).at()) + ": " + leaks.get(0).text() + ".",
                    "Shorten these loans, or raise leakDetectionThreshold if they are meant to be so long.");
        }
    }

    /** Whether it did not come back, and so has nothing to do for good. */
    private boolean isLeft(Loan loan) {
        return loan.nanos() >= LONG_NANOS || isToldAsLeak(loan);
    }

    private boolean isToldAsLeak(Loan loan) {
        return story.marks(Kind.LEAKED).stream().anyMatch(mark -> mark.connection() == loan.connection());
    }

    private void connects() {
        List<Mark> failed = story.marks(Kind.OPEN_FAILED);
        List<Mark> broken = story.marks(Kind.RETIRED).stream()
                .filter(mark -> !List.of("AGE", "SURPLUS", "EVICTED", "CLOSED").contains(mark.text()))
                .toList();
        String thrown = broken.isEmpty()
                ? ""
                : count(broken.size(), "connection") + " had to be thrown away from "
                        + at(broken.get(0).at()) + " on (" + reasons(broken) + ")";
        if (!failed.isEmpty()) {
            long from = failed.get(0).at();
            long to = failed.get(failed.size() - 1).at();
            add(
                    Weight.TROUBLE,
                    count(failed.size(), "connect") + " failed"
                            + (failed.size() == 1 ? ", at " + at(from) : ", from " + at(from) + " to " + at(to)),
                    sentence(top(failed, Mark::text, mark -> 1).inWords()) + " "
                            + (thrown.isEmpty() ? "" : thrown + ": then the database went away."),
                    "Read what the database or the network says: a size does not help.");
        } else if (!thrown.isEmpty()) {
            add(
                    broken.size() == 1 ? Weight.ADVICE : Weight.TROUBLE,
                    thrown,
                    "New ones could be opened.",
                    "Look at what ends connections: a restart, a time limit.");
        }
        if (failed.isEmpty()) { // else they come of the same
            slowConnects();
        }
    }

    private void slowConnects() {
        List<Mark> slow = story.marks(Kind.OPENED).stream()
                .filter(mark -> mark.tookNanos() >= SLOW_CONNECT_NANOS)
                .toList();
        if (!slow.isEmpty()) {
            long longest = slow.stream().mapToLong(Mark::tookNanos).max().orElseThrow();
            List<Wait> met = story.waits().stream()
                    .filter(wait -> slow.stream()
                            .anyMatch(mark ->
                                    mark.at() - mark.tookNanos() < wait.at() && mark.at() > wait.at() - wait.nanos()))
                    .toList();
            boolean most = !met.isEmpty() && 2 * waited(met) >= waited(story.waits()); // else, as at a start, no cause
            add(
                    most ? Weight.TROUBLE : Weight.ADVICE,
                    slow.size() + " of " + count(story.marks(Kind.OPENED).size(), "connect") + " took up to "
                            + time(longest)
                            + (met.isEmpty() ? "" : ", and " + count(met.size(), "thread") + " waited meanwhile"),
                    "Each took " + time(SLOW_CONNECT_NANOS)
                            + " or more. A load that grows waits that long for each connection.",
                    "Look at name resolution, TLS and the server's authentication; set minimumPoolSize so that"
                            + " connections are there before they are needed.");
        }
    }

    private static String sentence(String text) {
        return text.endsWith(".") ? text : text + ".";
    }

    private static String reasons(List<Mark> marks) {
        return marks.stream().collect(Collectors.groupingBy(Mark::text, Collectors.counting())).entrySet().stream()
                .sorted(Comparator.comparing(entry -> -entry.getValue()))
                .map(entry -> entry.getValue() + " " + entry.getKey())
                .collect(Collectors.joining(", "));
    }

    private List<Wait> nestedWaits() {
        return story.waits().stream().filter(Wait::holds).toList();
    }

    private void nested() {
        List<Wait> nested = nestedWaits();
        if (!nested.isEmpty() && isMuch(story.waits())) {
            Top at = top(nested, wait -> wait.place().inWords(), Wait::nanos);
            add(
                    Weight.TROUBLE,
                    count(nested.size(), "wait") + " for a connection by threads that held one already, " + at.percent()
                            + " % of their time at " + at.key(),
                    "",
                    "Use one connection a thread: once all connections are held so, none of these threads goes on. Until"
                            + " then maximumPoolSize has to be above the number of such threads.");
        }
    }

    private boolean isMuch(List<Wait> waits) {
        return waited(waits) >= LITTLE_WAITING * story.lengthNanos();
    }

    private static long waited(List<Wait> waits) {
        return waits.stream().mapToLong(Wait::nanos).sum();
    }

    private void waits() {
        List<Wait> waits = story.waits();
        if (waits.isEmpty() || !isMuch(waits)) {
            return;
        }
        List<Wait> nested = nestedWaits();
        Top top = top(waits, wait -> wait.place().inWords(), Wait::nanos);
        boolean same = !nested.isEmpty()
                && top(nested, wait -> wait.place().inWords(), Wait::nanos)
                        .key()
                        .equals(top.key());
        if (!same && isTroubled()) {
            return; // whoever waits most suffers from it, and is not its cause
        }
        add(
                Weight.ADVICE,
                top.percent() + " % of the time waited came from " + top.key()
                        + (same ? ", which holds another connection" : ""),
                count(waits.size(), "wait") + " took "
                        + time(waited(waits)) + " in sum, the longest "
                        + time(waits.stream().mapToLong(Wait::nanos).max().orElseThrow()) + ". "
                        + (story.refused().isEmpty()
                                ? holders(
                                        waits.get(0).at() - waits.get(0).nanos(),
                                        waits.get(waits.size() - 1).at())
                                : ""),
                "");
    }

    private void pauses() {
        List<Pause> pauses = story.jvm().pauses();
        Map<Pause, Long> hit = new HashMap<>();
        long length = pauses.stream().mapToLong(Pause::nanos).max().orElse(0);
        for (Pause pause :
                pauses.stream().filter(one -> one.nanos() >= 50 * MILLI).toList()) {
            hit.put(
                    pause,
                    story.waits().stream()
                            .filter(wait -> wait.at() - wait.nanos() < pause.at() + pause.nanos()
                                    && wait.at() > pause.at()
                                    && wait.nanos() < 2 * pause.nanos())
                            .count());
        }
        long waits = hit.values().stream().mapToLong(Long::longValue).sum();
        if (waits > 0) {
            add(
                    Weight.ADVICE,
                    count(waits, "wait") + " met a pause of the whole JVM",
                    count(hit.size(), "pause") + " took 50 ms or more, the longest " + time(length) + ".",
                    "Look at the garbage collector before the pool.");
        }
        double load = story.jvm().loads().stream()
                .mapToDouble(Story.Load::machine)
                .average()
                .orElse(0);
        if (load >= 0.9) {
            add(
                    Weight.ADVICE,
                    "The machine had no processor to spare",
                    "All processors were busy for " + Math.round(100 * load)
                            + " % of the time: loans last longer for that.",
                    "");
        }
    }

    private void shares() {
        Shares all = story.measured().isEmpty()
                ? sum(story.loans())
                : story.measured().stream().map(Measured::shares).reduce(Shares.NONE, Shares::plus);
        long idle = all.total() - all.inDriver();
        long left = story.held().stream()
                .filter(this::isLeft)
                .mapToLong(Loan::nanos)
                .sum();
        if (all.total() >= SECOND && idle > all.total() / 2 && 2 * left < all.total()) {
            List<Loan> idling = story.loans().stream()
                    .filter(loan -> loan.shares().total() > 0)
                    .toList();
            Top top = top(
                    idling,
                    loan -> loan.place().inWords(),
                    loan -> loan.shares().total() - loan.shares().inDriver());
            add(
                    Weight.ADVICE,
                    "For " + percent(idle, all.total()) + " % of the time on loan the database had nothing to do",
                    "Of that time, " + shareText(all) + "."
                            + (idling.isEmpty()
                                    ? ""
                                    : " Of the idle time of the loans that were recorded, " + top.percent()
                                            + " % was at " + top.key() + "."),
                    "Take the connection later and give it back earlier: calls of other services and long work do not belong"
                            + " between getConnection() and close().");
        }
    }

    static String shareText(Shares shares) {
        StringJoiner text = new StringJoiner(", ");
        addShare(text, shares.inDriver(), shares, "database at work");
        addShare(text, shares.idleInTransaction(), shares, "idle in a transaction");
        addShare(text, shares.beforeFirstStatement(), shares, "before the first statement");
        addShare(text, shares.betweenTransactions(), shares, "between transactions");
        return text.toString();
    }

    private static void addShare(StringJoiner text, long part, Shares all, String what) {
        long percent = percent(part, all.total());
        if (percent > 0) {
            text.add(percent + " % " + what);
        }
    }

    static Shares sum(List<Loan> loans) {
        return loans.stream().map(Loan::shares).reduce(Shares.NONE, Shares::plus);
    }

    /**
     * By Little's law: the mean number in use is arrivals times time held. Twice its root is room for chance.
     *
     * @param explained whether a trouble is told whose effect it is that threads waited, or that few connections were in use
     */
    private void size(boolean explained) {
        if (story.counts().size() < COUNTS_FOR_SIZE) {
            return;
        }
        int maximum = story.maximum();
        int most = story.mostInUse();
        long window = Math.min(BUSY_NANOS, story.lengthNanos());
        double busiest = 0;
        for (long from = 0; from + window <= story.lengthNanos(); from += SECOND) {
            busiest = Math.max(busiest, story.meanInUse(from, from + window));
        }
        int enough = (int) Math.max(1, Math.ceil(busiest + 2 * Math.sqrt(busiest)));
        long full = story.counts().stream()
                .filter(count -> count.waiting() > 0 && count.inUse() >= count.maximum())
                .count();
        String looks = "in " + count(story.counts().size(), "look") + " at the pool";
        String little = "On average " + String.format(Locale.ROOT, "%.1f", busiest) + " were in use in the busiest "
                + time(window) + rate();
        boolean anyStuck = !story.refused().isEmpty() || story.waits().stream().anyMatch(Wait::holds);
        if (full == 0 && !anyStuck && 4 * Math.max(enough, most) <= 3 * maximum) {
            add(
                    Weight.ADVICE,
                    (maximum - most) + " of " + count(maximum, "connection") + " were never in use at once",
                    "At most " + most + " were, " + looks + ". " + little
                            + ": by Little's law and with room for chance " + Math.max(enough, most)
                            + " serve this load.",
                    "maximumPoolSize=" + Math.max(enough, most) + ", if the recording has the busiest time.");
        } else if (explained) {
            return;
        } else if (100 * full >= story.counts().size()) {
            add(
                    Weight.ADVICE,
                    "All " + count(maximum, "connection") + " were in use and threads waited, "
                            + percent(full, story.counts().size()) + " % of the time",
                    little + ". How many would be needed cannot be seen while threads wait: the loans' time says more.",
                    "Shorten the loans first. ./weir tune measures how many connections the database itself serves best.");
        } else {
            add(
                    Weight.GOOD,
                    "The maximum of " + maximum + " fits the load",
                    "At most " + most + " were in use at once, " + looks + ". " + little + ".",
                    "");
        }
    }

    private String rate() {
        long loans = story.measured().stream().mapToLong(Measured::loans).sum();
        long held =
                story.measured().stream().mapToLong(one -> one.shares().total()).sum();
        double seconds = story.measured().size() * BUSY_NANOS / (double) SECOND;
        return 100 * loans <= seconds // too few to tell a rate
                ? ""
                : String.format(
                                Locale.ROOT,
                                loans < 10 * seconds ? " (%.2f loans/s of " : " (%,.0f loans/s of ",
                                loans / seconds)
                        + time(held / loans) + ")";
    }

    /** The key with the greatest sum. */
    record Top(String key, long percent) {
        String inWords() {
            return percent == 100 ? key : percent + " %: " + key;
        }
    }

    static <T> Top top(List<T> all, Function<T, String> key, ToLongFunction<T> weight) {
        Map<String, Long> sums = new HashMap<>();
        long total = 0;
        for (T one : all) {
            long more = weight.applyAsLong(one);
            sums.merge(key.apply(one), more, Long::sum);
            total += more;
        }
        long sum = total;
        return sums.entrySet().stream()
                .max(Map.Entry.<String, Long>comparingByValue().thenComparing(Map.Entry.comparingByKey()))
                .map(entry -> new Top(entry.getKey(), percent(Objects.requireNonNull(entry.getValue()), sum)))
                .orElse(new Top("", 0));
    }

    static long percent(long part, long all) {
        return Math.round(100.0 * part / Math.max(1, all));
    }

    static String count(long count, String what) {
        return String.format(Locale.ROOT, "%,d %s%s", count, what, count == 1 ? "" : "s");
    }

    static String time(long nanos) {
        return Times.text(nanos / 1e6);
    }

    /** A moment of the story: minutes and seconds since its beginning. */
    static String at(long nanos) {
        long tenths = Math.max(0, nanos / (100 * MILLI));
        String minutes = String.format(Locale.ROOT, "%d:%02d", tenths / 600, tenths / 10 % 60);
        return minutes + (nanos < 600 * SECOND ? "." + tenths % 10 : "");
    }
}
