package dev.weir.lab.report;

import dev.weir.lab.report.Section.Row;
import dev.weir.lab.report.Section.Table;
import dev.weir.lab.runs.GridCase;
import dev.weir.lab.runs.Summary;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * What Weir set out to reach, all of it in one table: the report checks each run against it, and the table of
 * {@code docs/why/performance.md} is written from it.
 */
final class Aims {
    private static final List<String> STRICTLY_FAIR = List.of("vibur", "tomcat");

    /** In the order of the page. */
    private static final List<Aim> ALL = List.of(
            aim("connection cycle, 1 thread", Chapter.CYCLE, "^connection, 1 thread$", ofHikari("time", 0.25)),
            aim("connection cycle, more threads", Chapter.CYCLE, "^connection, \\d+ threads$", ofHikari("time", 0.35)),
            aim("connection cycle, each", Chapter.CYCLE, "^connection", ofPool("time", "beecp", 1)),
            aim("bytes of a connection cycle", Chapter.CYCLE, "^connection", atMost("bytes per op", 56)),
            aim("statement cycle", Chapter.CYCLE, "^statement", ofHikari("time", 0.6)),
            aim("full cycle", Chapter.CYCLE, "^full", ofHikari("time", 0.4)),
            aim("contended cycle", Chapter.CYCLE, "^contended", ofHikari("time", 1)),
            aim("contended cycle", Chapter.CYCLE, "^contended", ofPool("time", "beecp", 1)),
            aim("waits, throughput", Chapter.FAIR, "", atLeastOfHikari("throughput", 0.98)),
            aim("waits, p99, parked", Chapter.FAIR, "parked$", ofHikari("p99", 0.2)),
            aim("waits, p99, busy", Chapter.FAIR, "busy$", ofHikari("p99", 1)),
            aim("waits, p99, parked, against strict order", Chapter.FAIR, "parked$", ofStrictOrder("p99", 1.3)),
            aim("waits, p99, with a yield between", Chapter.FAIR, "yields between", ofHikari("p99", 1)),
            aim("waits, unserved threads", Chapter.FAIR, "", atMost("unserved", 0)),
            aim("classic mix, median", Chapter.MIXED, "", lowest("median")),
            aim("classic mix, slowest thread", Chapter.MIXED, "", lowest("max")),
            aim("spike, done", Chapter.SPIKE, "^spike", lowest("done")),
            aim("spike, connections at its end", Chapter.SPIKE, "^spike", atMost("connections at end", 6)),
            aim("spike, connections later", Chapter.SPIKE, "^spike", atMost("connections later", 6)),
            aim("ramp, mean wait", Chapter.SPIKE, "^ramp", ofHikari("mean", 0.1)),
            aim("ramp, mean wait", Chapter.SPIKE, "^ramp", ofBest("mean", 2)),
            aim("battle, slowest request", Chapter.BATTLE, "", atMost("max over p99.9", 3)),
            aim("first seconds", Chapter.START, "^first", ofHikari("first connection", 1)),
            aim("first seconds, 10,000 cycles", Chapter.START, "^first", ofHikari("done", 1)),
            aim("first seconds, the cycles alone", Chapter.START, "^first", ofHikari("cycles", 1)),
            aim("many connections", Chapter.CYCLE, "^many", ofHikari("time", 1)),
            aim(
                    "many connections, 1,000 against 32",
                    Chapter.CYCLE,
                    "^many.* 1000 connections",
                    ofCase("time", "1000 connections", "32 connections", 1.1)),
            aim("at rest", Chapter.START, "^at rest", lowest("classes")),
            aim("at rest", Chapter.START, "^at rest", lowest("heap")),
            aim("at rest", Chapter.START, "^at rest", lowest("threads")),
            aim("recovery, errors of users while idle", Chapter.DOWN, "idle", atMost("user errors", 0)),
            aim("recovery, longest getConnection()", Chapter.DOWN, "", ofTimeout("longest get", 1.1)),
            aim("recovery, first success", Chapter.DOWN, "", atMost("first success", 100)),
            aim("recovery, killed while idle, black hole", Chapter.DOWN, "idle|black hole", lowest("first success")),
            aim("failover, stopped primary", Chapter.FAILOVER, "^stopped", atMost("failed writes", 10)),
            aim("failover, stopped primary", Chapter.FAILOVER, "^stopped", atMost("longest gap", 1600)),
            aim("failover, demoted primary", Chapter.FAILOVER, "^demoted", atMost("failed writes", 1)),
            aim("failover, demoted primary", Chapter.FAILOVER, "^demoted", atMost("read-only lent again", 0)),
            aim("failover, switched name", Chapter.FAILOVER, "^switched", atMost("failed writes", 0)),
            aim("failover, switched name", Chapter.FAILOVER, "^switched", atMost("all moved", 10_000)),
            aim("fleet, errors", Chapter.FLEET, "", atMost("errors", 0)),
            aim("fleet, refused connects", Chapter.FLEET, "", atMost("refused connects", 0)),
            aim("fleet, moving bursts", Chapter.FLEET, "^bursts", atLeastOf("requests", Run.IDEAL, 0.9)),
            aim("fleet, moving bursts", Chapter.FLEET, "^bursts", ofPool("p90", Run.IDEAL, 2)),
            aim("fleet, even load", Chapter.FLEET, "^even", atLeastOf("requests", "hikari[maximumPoolSize=10]", 1)),
            aim("fleet, renewals of 200 members", Chapter.FLEET, "", atMost("cost of 200 members %", 0.1)),
            aim("grid, each cell", Chapter.GRID, "", atLeastOfBest("requests", 0.97)),
            new Aim(
                    "grid, more than 4 threads for each connection",
                    Chapter.GRID.id(),
                    Aims::isCrowded,
                    atLeastOfHikari("requests", 0.98)),
            new Aim(
                    "grid, more than 4 threads for each connection",
                    Chapter.GRID.id(),
                    Aims::isCrowded,
                    ofHikari("p99", 1)));

    private static final String YES = "yes";

    /** The number misses it; the interval of the ratio, which may be wide, does not. */
    private static final String LEVEL = "level";

    private static final String NO = "no";

    private static final String NONE = " has none";

    private Aims() {}

    /**
     * One aim.
     *
     * @param label what it is about, as the page says it
     * @param workload that shows it
     * @param cases those that it holds for
     * @param check what is to be reached in each
     */
    private record Aim(String label, String workload, Predicate<String> cases, Check check) {
        List<Measured> of(Run run) {
            if (!run.info().workload().equals(workload)) {
                return List.of();
            }
            return run.cases().stream()
                    .filter(cases)
                    .filter(caseName -> run.pools(caseName).contains(Run.OURS))
                    .flatMap(caseName ->
                            check.value().of(run, caseName).map(value -> measured(caseName, value)).stream())
                    .toList();
        }

        private Measured measured(String caseName, Value value) {
            boolean isReached = check.reached().test(value.number());
            return new Measured(
                    caseName, value.number(), value.text(), isReached ? YES : value.level() ? LEVEL : NO, "");
        }

        List<Measured> of(Page page) {
            if (!page.workload().equals(workload)) {
                return List.of();
            }
            return page.aims().stream()
                    .filter(cells -> cases.test(cells.get(0)) && cells.get(1).equals(check.text()))
                    .map(cells ->
                            new Measured(cells.get(0), number(cells.get(2)), cells.get(2), cells.get(3), page.link()))
                    .toList();
        }
    }

    /** What is to be reached, in words, and how it is looked up. */
    private record Check(String text, Predicate<Double> reached, Lookup value) {}

    @FunctionalInterface
    private interface Lookup {
        /** Empty if this run cannot tell. */
        Optional<Value> of(Run run, String caseName);
    }

    /**
     * What was measured.
     *
     * @param number NaN where what was waited for never came, infinite as a ratio to nothing
     * @param what follows the number, or stands alone where that is infinite
     * @param level whether it is as good as what it is compared with, as far as the rounds can tell, and that is enough
     */
    private record Value(double number, String what, boolean level) {
        String text() {
            return Double.isNaN(number) ? "nothing" : Double.isInfinite(number) ? what : Quantity.number(number) + what;
        }
    }

    /**
     * What came of an aim in a case.
     *
     * @param number see {@link Value}
     * @param text of the number
     * @param word whether it was reached: by the number itself, as far as the rounds can tell, or not
     * @param link to the page that says so; empty if it is of a run
     */
    private record Measured(String caseName, double number, String text, String word, String link) {
        boolean isReached() {
            return !word.equals(NO);
        }

        String shown() {
            String shown = caseName + ": " + text;
            return link.isEmpty() ? shown : "[" + shown + "](" + link + ")";
        }
    }

    /**
     * A published page on a run of this workload.
     *
     * @param aims the rows of its table of aims, see {@link #of(Run)}
     */
    record Page(String link, String workload, List<List<String>> aims) {}

    /** The aims of a run, each with what was measured; empty where there are none, or Weir was not in it. */
    static Table of(Run run) {
        List<Row> rows = new ArrayList<>();
        for (String caseName : run.cases()) {
            for (Aim aim : ALL) {
                for (Measured one : aim.of(run)) {
                    if (one.caseName().equals(caseName)) {
                        rows.add(Row.of(
                                one.isReached() ? "" : "bad",
                                caseName,
                                aim.check().text(),
                                one.text(),
                                one.word()));
                    }
                }
            }
        }
        return new Table("Aims", List.of("case", "aim", "measured", "reached"), rows);
    }

    /** All aims, and in how many cases of these runs each was reached. */
    static Table ofAll(List<Run> runs) {
        return table(aim -> runs.stream().flatMap(run -> aim.of(run).stream()));
    }

    /** As {@link #ofAll}, by what published pages say; what is furthest has a link to its page. */
    static Table ofPages(List<Page> pages) {
        return table(aim -> pages.stream().flatMap(page -> aim.of(page).stream()));
    }

    private static Table table(Function<Aim, Stream<Measured>> measured) {
        return new Table(
                "Aims",
                List.of("of", "aim", "reached", "furthest from it"),
                ALL.stream().map(aim -> row(aim, measured.apply(aim).toList())).toList());
    }

    private static Row row(Aim aim, List<Measured> all) {
        long reached = all.stream().filter(Measured::isReached).count();
        long level = all.stream().filter(one -> one.word().equals(LEVEL)).count();
        String worst = all.stream()
                .filter(one -> reached == all.size() ? one.word().equals(LEVEL) : !one.isReached())
                .max(Comparator.comparingDouble(one -> distance(aim, one)))
                .map(Measured::shown)
                .orElse("");
        String some = "%d of %d cases";
        String text = all.isEmpty()
                ? "not measured"
                : reached < all.size()
                        ? "no: in " + some.formatted(reached, all.size())
                        : level == 0 ? YES : "level: in " + some.formatted(level, all.size());
        return Row.of(
                reached == all.size() ? "" : "bad", aim.label(), aim.check().text(), text, worst);
    }

    /** What never came is furthest; of numbers the one that is furthest on the wrong side, wherever that is. */
    private static double distance(Aim aim, Measured one) {
        double number = one.number();
        return Double.isNaN(number)
                ? Double.MAX_VALUE
                : aim.check().reached().test(Double.MAX_VALUE) ? -number : number;
    }

    /** Of {@link Value#text()}. */
    private static double number(String text) {
        return text.equals("nothing")
                ? Double.NaN
                : text.endsWith(NONE)
                        ? Double.POSITIVE_INFINITY
                        : Double.parseDouble(text.split(" ", 2)[0].replace(",", ""));
    }

    private static Aim aim(String label, Chapter chapter, String cases, Check check) {
        return aim(label, chapter.id(), cases, check);
    }

    private static Aim aim(String label, String workload, String cases, Check check) {
        return new Aim(label, workload, Pattern.compile(cases).asPredicate(), check);
    }

    private static boolean isCrowded(String caseName) {
        return GridCase.of(caseName)
                .filter(place -> place.threads() > 4 * place.size())
                .isPresent();
    }

    private static Check ofHikari(String metric, double limit) {
        return ofPool(metric, Run.REFERENCE, limit);
    }

    private static Check ofPool(String metric, String pool, double limit) {
        return new Check(
                "%s at most %s of %s's%s"
                        .formatted(metric, Quantity.ratio(limit), pool, limit == 1 ? ", or level" : ""),
                ratio -> ratio <= limit,
                (run, caseName) -> ratio(run, caseName, pool, metric, limit));
    }

    /** Against the case of the same run whose name has these words in the place of those. */
    private static Check ofCase(String metric, String these, String others, double limit) {
        return new Check(
                "%s at most %s of that of %s".formatted(metric, Quantity.ratio(limit), others),
                ratio -> ratio <= limit,
                (run, caseName) -> Optional.of(caseName.replace(these, others))
                        .filter(name -> run.summary(name, Run.OURS, metric).isPresent())
                        .map(name -> new Value(
                                run.median(caseName, Run.OURS, metric) / run.median(name, Run.OURS, metric),
                                " of that of " + name,
                                false)));
    }

    private static Check atLeastOfHikari(String metric, double limit) {
        return atLeastOf(metric, Run.REFERENCE, limit);
    }

    private static Check atLeastOf(String metric, String pool, double limit) {
        return new Check(
                "%s at least %s of %s's%s"
                        .formatted(metric, Quantity.ratio(limit), pool, limit == 1 ? ", or level" : ""),
                ratio -> ratio >= limit,
                (run, caseName) -> ratio(run, caseName, pool, metric, limit));
    }

    private static Check lowest(String metric) {
        return new Check(
                "lowest " + metric + " of all, or level",
                ratio -> ratio <= 1,
                (run, caseName) -> ofBest(run, caseName, metric, 1));
    }

    private static Check ofBest(String metric, double limit) {
        return new Check(
                metric + " at most " + Quantity.ratio(limit) + " times the best",
                ratio -> ratio <= limit,
                (run, caseName) -> ofBest(run, caseName, metric, limit));
    }

    private static Check atLeastOfBest(String metric, double limit) {
        return new Check(
                metric + " at least " + Quantity.ratio(limit) + " of the best",
                ratio -> ratio >= limit,
                (run, caseName) -> ofBest(run, caseName, metric, limit));
    }

    private static Check ofStrictOrder(String metric, double limit) {
        return new Check(
                metric + " at most " + Quantity.ratio(limit) + " times that of strictly fair pools",
                ratio -> ratio <= limit,
                (run, caseName) -> run.ranking(caseName, metric).stream()
                        .filter(STRICTLY_FAIR::contains)
                        .findFirst()
                        .flatMap(best -> ratio(run, caseName, best, metric, limit)));
    }

    private static Check atMost(String metric, double limit) {
        return new Check(
                metric + " at most " + Quantity.number(limit),
                worst -> worst <= limit,
                (run, caseName) -> worst(run, caseName, metric));
    }

    /** In timeouts: the acquires of the workload have one. */
    private static Check ofTimeout(String metric, double limit) {
        return new Check(
                metric + " at most " + Quantity.ratio(limit) + " timeouts",
                worst -> worst <= limit,
                (run, caseName) -> worst(run, caseName, metric)
                        .map(value -> new Value(
                                value.number()
                                        / Double.parseDouble(
                                                run.info().settings().getOrDefault("timeout", "1000")),
                                " timeouts",
                                false)));
    }

    private static Optional<Value> ofBest(Run run, String caseName, String metric, double limit) {
        return run.ranking(caseName, metric).stream()
                .filter(pool -> !Run.isFloor(pool))
                .findFirst()
                .flatMap(best -> ratio(run, caseName, best, metric, limit));
    }

    private static Optional<Value> ratio(Run run, String caseName, String pool, String metric, double limit) {
        double own = run.median(caseName, Run.OURS, metric);
        if (run.median(caseName, pool, metric) == 0 && own > 0) {
            return Optional.of(new Value(
                    Double.POSITIVE_INFINITY,
                    Quantity.number(own) + unit(run, metric) + ", where " + pool + NONE,
                    false));
        }
        return run.ratios(caseName, Run.OURS, pool, metric)
                .map(ratio -> new Value(
                        ratio.median(),
                        " of " + pool + "'s",
                        limit == 1 && run.isLevel(caseName, Run.OURS, pool, metric)));
    }

    /** Of the rounds; nothing where it came with HikariCP and never with Weir. */
    private static Optional<Value> worst(Run run, String caseName, String metric) {
        Optional<Summary> own = run.summary(caseName, Run.OURS, metric);
        if (own.isEmpty() && run.summary(caseName, Run.REFERENCE, metric).isEmpty()) {
            return Optional.empty();
        }
        return Optional.of(new Value(own.map(Summary::max).orElse(Double.NaN), unit(run, metric), false));
    }

    /** As it follows a number. */
    private static String unit(Run run, String metric) {
        String unit = new Quantity.Scale(run.unit(metric), 1).shown();
        return unit.isEmpty() ? "" : " " + unit;
    }
}
