package dev.weir.lab.report;

import dev.weir.lab.runs.Table;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.BiFunction;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * How Weir compares, on the project's first page: what a user gets, what the pool costs, the picture of a spike, and each
 * defeat of {@code down} and {@code spike} by name. All of it comes from runs of one machine that nothing speaks against.
 */
public final class Readme {
    static final String BEGIN = "<!-- compare:begin";
    static final String END = "<!-- compare:end -->";
    static final String IMAGES = "docs/images";
    static final String PICTURE = "spike-weir-hikari";

    /** What somebody notices who only uses the pool. */
    private static final List<Line> FOR_USERS = List.of(
            new Line(Chapter.GRID, "", "served rate", "web service on PostgreSQL, {case}: requests"),
            new Line(Chapter.GRID, "", "p99", "web service on PostgreSQL, {case}: p99"),
            new Line(Chapter.BATTLE, "", "p99", "application of many tiers, {case}: p99"),
            new Line(Chapter.BATTLE, "", "max", "application of many tiers, {case}: slowest request"),
            new Line(Chapter.DOWN, "", "first success", "PostgreSQL fails, {case}: first success after its return"),
            new Line(Chapter.SPIKE, "^spike", "done", "crowd on idle connections: all served"),
            new Line(Chapter.SPIKE, "^ramp", "mean", "load that grows: mean wait"));

    /** What the pool adds to a call, and how long it lets threads wait, without a database. */
    private static final List<Line> OF_THE_POOL = List.of(
            new Line(Chapter.CYCLE, "^connection, (1|32) threads?$", "time", "acquire and return, {case}"),
            new Line(Chapter.CYCLE, "^full, 1 thread$", "time", "the same with a statement and ten rows, {case}"),
            new Line(
                    Chapter.CYCLE,
                    "^contended, (8|32) threads$",
                    "time",
                    "acquire and return of 4 connections, {case}"),
            new Line(
                    Chapter.FAIR,
                    "^(200 platform|10,000 virtual) threads, 4 connections, parked(, yields between)?$",
                    "throughput",
                    "{case}: requests"),
            new Line(
                    Chapter.FAIR,
                    "^(200 platform|10,000 virtual) threads, 4 connections, parked(, yields between)?$",
                    "p99",
                    "{case}: p99 of the wait"),
            new Line(
                    Chapter.FAIR,
                    "^10,000 virtual threads, 4 connections, parked(, yields between)?$",
                    "unserved",
                    "{case}: never served in 3 s"),
            new Line(Chapter.MIXED, "", "median", "classic mix of JDBC calls, median thread"));

    /** Of which each defeat is told by its name. */
    private static final List<Chapter> LOSSES_BY_NAME = List.of(Chapter.DOWN, Chapter.SPIKE);

    private final List<Run> runs;

    private Readme(List<Run> runs) {
        this.runs = runs;
    }

    /**
     * One row for each case of these.
     *
     * @param cases which cases of the chapter, by a regular expression that their names contain
     * @param words what the row is about; {@code {case}} stands for the case
     */
    private record Line(Chapter chapter, String cases, String metric, String words) {
        boolean isOf(String workload, String caseName) {
            return chapter.id().equals(workload)
                    && Pattern.compile(cases).matcher(caseName).find();
        }

        boolean isOf(Run run, String caseName) {
            return isOf(run.info().workload(), caseName)
                    && run.metrics(caseName).contains(metric);
        }
    }

    /**
     * Returns the rows of the page that would be missing if these were run, so that it is not only seen when they have been.
     *
     * @param casesByWorkload names of cases by the names of workloads
     */
    public static List<String> missing(Map<String, List<String>> casesByWorkload) {
        return Stream.concat(FOR_USERS.stream(), OF_THE_POOL.stream())
                .filter(line -> casesByWorkload.getOrDefault(line.chapter().id(), List.of()).stream()
                        .noneMatch(caseName -> line.isOf(line.chapter().id(), caseName)))
                .map(line -> line.chapter().id() + ": " + line.cases())
                .toList();
    }

    /**
     * Replaces what stands between the marks of a file.
     *
     * @return what was written where, for the user
     * @throws IOException if these runs are not to be published together, or a row or the marks are not there
     */
    static String write(Path file, List<Run> runs) throws IOException {
        Publication.check(runs);
        String text = Files.readString(file);
        int begin = text.indexOf('\n', Math.max(0, text.indexOf(BEGIN))) + 1;
        int end = text.indexOf(END);
        if (!text.contains(BEGIN) || end < begin) {
            throw new IOException("%s (expected: lines '%s ...-->' and '%s')".formatted(file, BEGIN, END));
        }
        String block = new Readme(runs).block();
        Path images = Files.createDirectories(file.toAbsolutePath().resolveSibling(IMAGES));
        Spike spike = Spike.of(runs);
        SpikePictures.sideBySide(PICTURE, spike.samples, Run.OURS, Run.REFERENCE)
                .write(images);
        Files.writeString(file, text.substring(0, begin) + block + text.substring(end));
        return file + ", " + images.resolve(PICTURE + ".svg") + ", " + images.resolve(PICTURE + ".png");
    }

    private String block() throws IOException {
        return """

                What a user gets, each row from one run. *Best other* is the best of the other pools in that run.

                %s
                %s

                ![Threads waiting and connections over time, Weir beside HikariCP](%s/%s.svg)

                %s

                What the pool itself costs, on a driver without a database. A thread of the waits asks again at once, before anybody else could, as in no application; where it *yields between*, others run first.

                %s
                %s

                %s
                %s

                """.formatted(
                        table(FOR_USERS),
                        terms(FOR_USERS),
                        IMAGES,
                        PICTURE,
                        Spike.of(runs).text(),
                        table(OF_THE_POOL),
                        terms(OF_THE_POOL),
                        losses(),
                        origin());
    }

    private Table table(List<Line> lines) throws IOException {
        Table table = new Table("", "Weir", "HikariCP", "of HikariCP's", "best other", "Weir");
        for (Line line : lines) {
            boolean any = false;
            for (Run run : runs) {
                for (String caseName : run.cases()) {
                    if (line.isOf(run, caseName)) {
                        table.row(row(run, caseName, line));
                        any = true;
                    }
                }
            }
            if (!any) {
                throw new IOException("no run of %s with %s of a case '%s' (expected: one, for the first page)"
                        .formatted(line.chapter().id(), line.metric(), line.cases()));
            }
        }
        return table;
    }

    private static List<String> row(Run run, String caseName, Line line) {
        String metric = line.metric();
        String best = run.ranking(caseName, metric).stream()
                .filter(pool -> !Run.isFloor(pool) && !pool.equals(Run.OURS) && !pool.equals(Run.REFERENCE))
                .findFirst()
                .map(pool -> pool + " " + Verdict.value(run, caseName, pool, metric))
                .orElse("not in this run");
        return List.of(
                line.words().replace("{case}", caseName),
                Verdict.value(run, caseName, Run.OURS, metric),
                Verdict.value(run, caseName, Run.REFERENCE, metric),
                Verdict.ratioOnly(run, caseName, metric),
                best,
                Verdict.word(run, caseName, metric));
    }

    /** On what terms the pools of these lines were compared; those of all runs are the same, else each says its own. */
    private String terms(List<Line> lines) {
        Map<String, Set<String>> workloadsByTerms = new LinkedHashMap<>();
        for (Run run : runs) {
            if (lines.stream()
                    .anyMatch(line -> line.chapter().id().equals(run.info().workload()))) {
                workloadsByTerms
                        .computeIfAbsent(Tables.terms(run, run.pools()), terms -> new LinkedHashSet<>())
                        .add(run.info().workload());
            }
        }
        workloadsByTerms.remove("");
        return workloadsByTerms.entrySet().stream()
                .map(entry -> "`" + String.join("`, `", entry.getValue()) + "`: " + entry.getKey())
                .collect(Collectors.joining("\n\n"));
    }

    /** Every defeat in what decides, and below it what is level by a wide interval alone. */
    private String losses() {
        String lost = told((run, metric) -> Verdict.losses(run, List.of(metric)).stream()
                .filter(loss -> loss.metric().equals(metric) || loss.metric().equals("failed"))
                .distinct()
                .toList());
        String doubtful = told(Verdict::doubtful);
        return (lost.isEmpty()
                        ? "In these runs Weir loses to no pool in what decides."
                        : "Where Weir loses in these runs, in all that decides; what is level is not listed:\n\n"
                                + lost)
                + "\n"
                + (doubtful.isEmpty()
                        ? ""
                        : "\nLevel by a wide interval alone, as the median is worse by a quarter or more:\n\n"
                                + doubtful + "\n");
    }

    /** By name where that is promised, else how many of how many, and the worst. */
    private String told(BiFunction<Run, String, List<Verdict.Loss>> which) {
        List<String> told = new ArrayList<>();
        for (Run run : runs) {
            Chapter chapter = Chapter.of(run.info().workload());
            for (String metric : chapter.headlines(run)) {
                List<Verdict.Loss> losses = which.apply(run, metric);
                if (LOSSES_BY_NAME.contains(chapter)) {
                    losses.forEach(loss -> told.add("- " + run.info().workload() + ", " + told(loss)));
                } else {
                    losses.stream()
                            .max(Comparator.comparingDouble(
                                    loss -> Double.isNaN(loss.factor()) ? Double.POSITIVE_INFINITY : loss.factor()))
                            .ifPresent(worst -> told.add("- %s, %s in %d of %d cases; furthest behind: %s"
                                    .formatted(
                                            run.info().workload(),
                                            metric,
                                            losses.size(),
                                            run.cases().size(),
                                            told(worst))));
                }
            }
        }
        return told.stream().distinct().collect(Collectors.joining("\n"));
    }

    private static String told(Verdict.Loss loss) {
        String by = Double.isFinite(loss.factor())
                ? ", %s times%s"
                        .formatted(
                                Quantity.ratio(loss.factor()),
                                loss.interval().isEmpty() ? "" : " (" + loss.interval() + ")")
                : "";
        return "%s: %s %s to %s's %s%s"
                .formatted(loss.caseName(), loss.metric(), loss.ourValue(), loss.best(), loss.bestValue(), by);
    }

    private String origin() {
        Run first = runs.get(0);
        String dates = runs.stream()
                .map(run -> run.info().started())
                .map(started -> started.substring(0, Math.min(10, started.length())))
                .distinct()
                .sorted()
                .collect(Collectors.joining(", "));
        String commands = runs.stream()
                .map(run -> "- `" + run.info().command() + "`")
                .distinct()
                .collect(Collectors.joining("\n"));
        return """
                One machine, %s: JDK %s, %s cores, %s, hypervisor: %s. Medians of %d rounds; in brackets the 95 %% interval of the ratio, round by round; where 1 lies in it the word is *level*.
                `./weir lab published` runs all of it again, and each of these a part:

                %s""".formatted(
                        dates,
                        fact(first, "jdk"),
                        fact(first, "cores"),
                        fact(first, "processor"),
                        fact(first, "hypervisor"),
                        runs.stream().mapToInt(Run::rounds).min().orElse(0),
                        commands);
    }

    private static String fact(Run run, String name) {
        return Objects.toString(run.info().machine().get(name), "unknown");
    }

    /** The first case with samples of both pools, for the picture. */
    private record Spike(Run run, String caseName, Map<String, Samples> samples) {
        static Spike of(List<Run> runs) throws IOException {
            for (Run run : runs) {
                if (Chapter.of(run.info().workload()) == Chapter.SPIKE) {
                    for (String caseName : run.cases()) {
                        Map<String, Samples> samples = SpikePictures.samples(run, caseName);
                        if (samples.keySet().containsAll(List.of(Run.OURS, Run.REFERENCE))) {
                            return new Spike(run, caseName, samples);
                        }
                    }
                }
            }
            throw new IOException("no run of spike with samples of both %s and %s (expected: one)"
                    .formatted(Run.OURS, Run.REFERENCE));
        }

        String text() {
            return "The crowd: " + caseName + ". "
                    + List.of("done", "connections at end", "connections later").stream()
                            .filter(run.metrics(caseName)::contains)
                            .map(metric -> Verdict.sentence(run, caseName, metric))
                            .collect(Collectors.joining(" "));
        }
    }
}
