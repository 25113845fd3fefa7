package dev.weir.lab.report;

import dev.weir.lab.report.Charts.Bar;
import dev.weir.lab.report.Charts.Line;
import dev.weir.lab.report.Quantity.Scale;
import dev.weir.lab.report.Section.Figure;
import dev.weir.lab.report.Section.Row;
import dev.weir.lab.report.Section.Table;
import dev.weir.lab.runs.Published;
import dev.weir.lab.runs.Summary;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.knowm.xchart.XYChart;
import org.knowm.xchart.XYSeries.XYSeriesRenderStyle;
import org.knowm.xchart.style.markers.SeriesMarkers;

/** Makes of a run what the report says of it. */
final class Sections {
    private static final int BUCKETS = 240;
    private static final List<String> PERCENTILES = List.of("p50", "p90", "p99", "p99.9", "p99.99");

    private static final String BACK = "since_back_ms";

    private final Run run;
    private final Chapter chapter;
    private final Section section;

    private Sections(Run run, boolean only) {
        this.run = run;
        this.chapter = Chapter.of(run.info().workload());
        String title = chapter == Chapter.OTHER ? run.info().workload() : chapter.title();
        this.section = new Section(
                run.info().workload() + "-" + run.info().started().substring(0, 10) + "-"
                        + run.folder().path().getFileName(),
                only ? title : title + ", run of " + run.info().started(),
                only);
    }

    /**
     * Makes a section.
     *
     * @param only whether the report has no other run of this workload
     */
    static Section of(Run run, boolean only) {
        Sections made = new Sections(run, only);
        made.write();
        return made.section;
    }

    private void write() {
        section.text(chapter.description());
        if (run.info().ended() == null) {
            section.text("This run was not finished; what was done by then is shown.");
        }
        run.info().doubts().forEach(section::text);
        if (chapter != Chapter.CONTRACT) {
            matrices();
        }
        if (chapter == Chapter.GRID) {
            GridPictures.write(run, section);
            section.text(Tables.terms(run, run.pools()));
            section.table(Aims.of(run));
        } else if (chapter == Chapter.CONTRACT) {
            contract();
        } else {
            score();
            section.table(Aims.of(run));
            pictures();
            for (String caseName : run.cases()) {
                section.table(Tables.ofCase(run, caseName, metrics(caseName)));
                section.text(Tables.terms(run, run.pools(caseName)));
            }
        }
        ratios();
        warmUp();
        failures();
        section.table(Tables.limits(run));
        section.table(Tables.facts("How it was run", facts()));
    }

    /** What decides, of all cases in one table for each metric, so that other pages can show rows of it. */
    private void matrices() {
        List<String> metrics = chapter.headlines(run);
        metrics.forEach(metric -> section.table(Tables.matrix(run, metric)));
        if (!metrics.isEmpty()) {
            section.text(Tables.terms(run, run.pools()));
        }
    }

    private void score() {
        String score = Verdict.score(run, chapter.headlines(run));
        if (!score.isEmpty()) {
            section.text(score);
        }
    }

    private void pictures() {
        switch (chapter) {
            case MIXED -> perThread();
            case SPIKE -> spike();
            case FAIR -> fair();
            case BATTLE -> battle();
            case DOWN -> down();
            case FAILOVER -> failover();
            case FLEET -> fleet();
            default -> run.cases().forEach(caseName -> bars(caseName, chapter.headlines(run, caseName)));
        }
    }

    /** A picture of bars for each metric, with what to see in it. */
    private void bars(String caseName, List<String> metrics) {
        List<Figure> figures = new ArrayList<>();
        for (String metric : metrics) {
            List<String> ranking = run.ranking(caseName, metric);
            if (ranking.isEmpty()) {
                continue;
            }
            Scale scale = Tables.scale(run, caseName, metric);
            List<Bar> bars = ranking.stream()
                    .map(pool -> bar(pool, run.summary(caseName, pool, metric).orElseThrow(), scale))
                    .toList();
            if (bars.stream().allMatch(bar -> bar.high() == 0)) {
                section.text(caseName + ", " + metric + ": 0 with every pool.");
                continue;
            }
            figures.add(barFigure(
                    caseName,
                    metric,
                    scale,
                    bars,
                    Verdict.sentence(run, caseName, metric) + missing(caseName, metric)));
        }
        section.figures(figures);
    }

    /** Those that measured something in this case, but not this: of a time, because it never came. */
    private String missing(String caseName, String metric) {
        List<String> without = run.pools(caseName).stream()
                .filter(pool -> run.summary(caseName, pool, metric).isEmpty())
                .toList();
        return without.isEmpty() ? "" : " Nothing to measure: " + String.join(", ", without) + ".";
    }

    private static Bar bar(String pool, Summary summary, Scale scale) {
        return new Bar(
                pool,
                Palette.of(pool),
                scale.apply(summary.min()),
                scale.apply(summary.median()),
                scale.apply(summary.max()));
    }

    private Figure barFigure(String caseName, String metric, Scale scale, List<Bar> bars, String sentence) {
        String note = Charts.isWide(bars) ? "points on a logarithmic scale" : "bars";
        String spread = run.rounds() > 1
                ? "%s: median of %d rounds; whiskers: least and greatest".formatted(note, run.rounds())
                : note + ": the one round";
        return figure(
                caseName + "-" + metric,
                Charts.bars(caseName, axis(metric, scale), Charts.HALF, bars),
                (sentence.isEmpty() ? metric + "." : sentence) + " (" + spread + ".)");
    }

    private Figure figure(String name, org.knowm.xchart.internal.chartpart.Chart<?, ?> chart, String caption) {
        return new Figure(
                Picture.of(run.info().workload() + "-" + name, chart),
                caption,
                run.info().command());
    }

    private static String axis(String metric, Scale scale) {
        return Quantity.named(metric, scale);
    }

    /** Median and maximum of the threads; whatever others published stands beside it, in grey. */
    private void perThread() {
        for (String caseName : run.cases()) {
            Scale scale = scaleOfThreads(caseName);
            List<Bar> bars = new ArrayList<>();
            for (String pool : run.ranking(caseName, "median")) {
                double median = run.median(caseName, pool, "median");
                double max = run.median(caseName, pool, "max");
                bars.add(new Bar(
                        pool,
                        Palette.of(pool),
                        scale.apply(median),
                        scale.apply(median),
                        scale.apply(Double.isFinite(max) ? max : median)));
            }
            List<Published> published = published();
            for (Published other : published) {
                double factor = Quantity.factor(other.unit(), run.unit("median"));
                bars.add(new Bar(
                        other.pool() + "*",
                        Palette.MUTED,
                        scale.apply(other.median() * factor),
                        scale.apply(other.median() * factor),
                        scale.apply(other.max() * factor)));
            }
            if (bars.isEmpty()) {
                continue;
            }
            String sentences = Stream.of("median", "max")
                    .map(metric -> Verdict.sentence(run, caseName, metric))
                    .filter(text -> !text.isEmpty())
                    .reduce((a, b) -> a + " " + b)
                    .orElse("");
            String foreign = published.isEmpty()
                    ? ""
                    : " Grey and with a star: published by others, of another machine, not to be compared in numbers.";
            section.figure(
                    Picture.of(
                            run.info().workload() + "-" + caseName,
                            Charts.bars(caseName, axis("time per thread", scale), Charts.FULL, bars)),
                    sentences + " (" + (Charts.isWide(bars) ? "Points" : "Bars")
                            + ": median of the threads; whiskers: up to the slowest thread.)" + foreign,
                    run.info().command());
            section.table(publishedTable(published));
        }
    }

    /** Of all that is in the picture: the medians, the slowest threads, and what others published. */
    private Scale scaleOfThreads(String caseName) {
        String unit = run.unit("median");
        Stream<Double> own = run.pools(caseName).stream()
                .flatMap(pool -> Stream.of(run.median(caseName, pool, "median"), run.median(caseName, pool, "max")));
        Stream<Double> others = published().stream().map(one -> one.max() * Quantity.factor(one.unit(), unit));
        return Quantity.scale(
                unit, Stream.concat(own, others).filter(Double::isFinite).toList());
    }

    private List<Published> published() {
        return Published.ALL.stream()
                .filter(one -> one.workload().equals(run.info().workload()))
                .toList();
    }

    private static Table publishedTable(List<Published> published) {
        return new Table(
                "Published by others, of another machine: not to be compared in numbers",
                List.of("pool", "median", "mean", "max"),
                published.stream()
                        .map(one -> new Row(
                                "foreign",
                                List.of(
                                        one.pool(),
                                        Quantity.withUnit(one.median(), one.unit()),
                                        Quantity.withUnit(one.mean(), one.unit()),
                                        Quantity.withUnit(one.max(), one.unit()))))
                        .toList());
    }

    private void spike() {
        for (String caseName : run.cases()) {
            section.heading(caseName);
            Map<String, Samples> samples = SpikePictures.samples(run, caseName);
            List<String> metrics = chapter.headlines(run, caseName);
            if (!samples.isEmpty()) {
                section.figures(SpikePictures.perPool(run, caseName, samples));
                String verdict = metrics.isEmpty() ? "" : Verdict.sentence(run, caseName, metrics.get(0));
                section.figure(
                        SpikePictures.together(run, caseName, samples, "waiting", "threads waiting"),
                        "Every pool on one time scale. " + verdict,
                        run.info().command());
                section.figure(
                        SpikePictures.together(run, caseName, samples, "total", "connections"),
                        mostConnections(samples),
                        run.info().command());
            }
            bars(caseName, metrics);
        }
    }

    private static String mostConnections(Map<String, Samples> samples) {
        Map<String, Double> greatest = new TreeMap<>();
        samples.forEach((pool, own) -> greatest.put(pool, SpikePictures.greatest(own, "total")));
        Map.Entry<String, Double> most = Collections.max(greatest.entrySet(), Map.Entry.comparingByValue());
        Map.Entry<String, Double> least = Collections.min(greatest.entrySet(), Map.Entry.comparingByValue());
        return "Connections open. %s has the most at a time, %s; %s the fewest, %s."
                .formatted(
                        most.getKey(),
                        Quantity.number(most.getValue()),
                        least.getKey(),
                        Quantity.number(least.getValue()));
    }

    private void fair() {
        FrontierPicture.of(run, ourselvesLast(run.pools())).ifPresent(figure -> section.figures(List.of(figure)));
        for (String caseName : run.cases()) {
            section.heading(caseName);
            List<Figure> figures = new ArrayList<>();
            percentiles(caseName).ifPresent(figures::add);
            luck(caseName).ifPresent(figures::add);
            section.figures(figures);
            bars(caseName, Chapter.find(run, caseName, "throughput").stream().toList());
        }
    }

    /** The curve through the percentiles that were measured; logarithmic, so that the tail is seen. */
    private Optional<Figure> percentiles(String caseName) {
        List<String> measured =
                PERCENTILES.stream().filter(run.metrics(caseName)::contains).toList();
        if (measured.size() < 2) {
            return Optional.empty();
        }
        String tail = measured.get(measured.size() - 1);
        Scale scale = Tables.scale(run, caseName, tail);
        List<Line> lines = new ArrayList<>();
        for (String pool : ourselvesLast(run.pools(caseName))) {
            List<String> own = measured.stream()
                    .filter(metric -> run.median(caseName, pool, metric) > 0)
                    .toList();
            if (!own.isEmpty()) {
                lines.add(Line.of(
                        pool,
                        own.stream()
                                .map(metric -> tail(Double.parseDouble(metric.substring(1))))
                                .toList(),
                        own.stream()
                                .map(metric -> scale.apply(run.median(caseName, pool, metric)))
                                .toList()));
            }
        }
        if (lines.isEmpty()) {
            return Optional.empty();
        }
        XYChart chart = percentileAxis(
                Charts.logarithmic(
                        Charts.lines(
                                caseName,
                                "share of the requests",
                                axis("wait", scale),
                                Charts.HALF,
                                XYSeriesRenderStyle.Line,
                                lines),
                        lines),
                tail(Double.parseDouble(tail.substring(1))));
        return Optional.of(figure(
                caseName + "-percentiles",
                chart,
                Verdict.sentence(run, caseName, tail) + " Lower and flatter is better."));
    }

    /** Where a percentile stands on an axis on which each decade is one more nine. */
    private static double tail(double percentile) {
        return 100 / Math.max(100 - percentile, 1e-4);
    }

    private static XYChart percentileAxis(XYChart chart, double last) {
        chart.getStyler().setXAxisLogarithmic(true).setXAxisLogarithmicDecadeOnly(true);
        return Charts.horizontal(chart, 1, Math.max(100, last), Sections::percentLabel);
    }

    private static String percentLabel(double tail) {
        double percent = 100 - 100 / tail;
        return tail <= 1.0001 ? "0 %" : trimZeros(String.format(Locale.ROOT, "%.4f", percent)) + " %";
    }

    private static String trimZeros(String decimal) {
        return decimal.replaceFirst("\\.?0+$", "");
    }

    /** Completions of the unluckiest thread, and up to the luckiest. */
    private Optional<Figure> luck(String caseName) {
        Optional<String> least = Chapter.find(run, caseName, "least");
        Optional<String> most = Chapter.find(run, caseName, "most");
        if (least.isEmpty() || most.isEmpty()) {
            return Optional.empty();
        }
        List<Bar> bars = new ArrayList<>();
        for (String pool : run.ranking(caseName, least.get())) {
            double low = run.median(caseName, pool, least.get());
            double high = run.median(caseName, pool, most.get());
            bars.add(new Bar(pool, Palette.of(pool), low, low, Double.isFinite(high) ? high : low));
        }
        List<String> unserved =
                bars.stream().filter(bar -> bar.value() == 0).map(Bar::label).toList();
        String starving = unserved.isEmpty()
                ? "No pool leaves a thread unserved."
                : "At least one thread is never served by " + String.join(", ", unserved) + ".";
        return Optional.of(figure(
                caseName + "-luck",
                Charts.bars(caseName, "requests served, of one thread", Charts.HALF, bars),
                starving + " (Bars: the unluckiest thread; whiskers: up to the luckiest. A short whisker is fair.)"));
    }

    private void battle() {
        for (String caseName : run.cases()) {
            section.heading(caseName);
            section.figures(overTime(caseName));
            percentileCurve(caseName)
                    .or(() -> percentiles(caseName))
                    .ifPresent(figure -> section.figures(List.of(figure)));
            bars(caseName, chapter.headlines(run, caseName));
        }
    }

    /** The slowest response of each moment, a picture for each pool, all on one scale. */
    private List<Figure> overTime(String caseName) {
        Map<String, ResponseTime> series = new LinkedHashMap<>();
        for (String pool : run.pools(caseName)) {
            // One pool at a time: a run may have a million responses of each.
            Samples.ofCase(run, caseName, List.of(pool), ResponseTime.TIME, ResponseTime.RESPONSE)
                    .forEach((name, samples) -> series.put(name, ResponseTime.of(samples, BUCKETS)));
        }
        double most = series.values().stream()
                .mapToDouble(response -> response.worst().slowest())
                .max()
                .orElse(1);
        double longest =
                series.values().stream().mapToDouble(ResponseTime::end).max().orElse(1);
        List<Figure> figures = new ArrayList<>();
        series.forEach((pool, response) -> {
            List<Double> time =
                    response.moments().stream().map(ResponseTime.Moment::time).toList();
            Line slowest = Line.of(
                            pool,
                            time,
                            response.moments().stream()
                                    .map(ResponseTime.Moment::slowest)
                                    .toList())
                    .plain();
            Line median = new Line(
                    "median",
                    Palette.INK,
                    Palette.stroke("median"),
                    SeriesMarkers.NONE,
                    time,
                    response.moments().stream().map(ResponseTime.Moment::median).toList());
            XYChart chart = Charts.lines(
                    pool,
                    "time, s",
                    "response time, ms",
                    Charts.HALF,
                    XYSeriesRenderStyle.Line,
                    List.of(slowest.named("slowest"), median));
            chart.getStyler().setYAxisMax(most * 1.06);
            Charts.horizontal(chart, 0, Math.ceil(longest), Quantity::number);
            figures.add(figure(
                    caseName + "-" + pool + "-over-time",
                    chart,
                    "%s: the slowest response is %s ms, after %s s; half of all moments have one above %s ms."
                            .formatted(
                                    pool,
                                    Quantity.number(response.worst().slowest()),
                                    Quantity.number(response.worst().time()),
                                    Quantity.number(response.usualWorst()))));
        });
        return figures;
    }

    private Optional<Figure> percentileCurve(String caseName) {
        Map<String, Samples> all =
                Samples.ofCase(run, caseName, ourselvesLast(run.pools(caseName)), "percentile", "value_ms");
        if (all.isEmpty()) {
            return Optional.empty();
        }
        List<Line> lines = new ArrayList<>();
        double last = tail(99.99);
        all.forEach((pool, samples) -> {
            Samples shown = samples.between("percentile", 0, 99.99).between("value_ms", Double.MIN_VALUE, 1e12);
            lines.add(Line.of(
                            pool,
                            shown.column("percentile").stream()
                                    .map(Sections::tail)
                                    .toList(),
                            shown.column("value_ms"))
                    .plain());
        });
        XYChart chart = percentileAxis(
                Charts.logarithmic(
                        Charts.lines(
                                caseName,
                                "share of the requests",
                                "response time, ms",
                                Charts.FULL,
                                XYSeriesRenderStyle.Line,
                                lines),
                        lines),
                last);
        String verdict = Chapter.find(run, caseName, "p99.9")
                .map(metric -> Verdict.sentence(run, caseName, metric))
                .orElse("");
        return Optional.of(figure(caseName + "-percentiles", chart, "Up to 99.99 % of all responses. " + verdict));
    }

    private void down() {
        for (String caseName : run.cases()) {
            section.heading(caseName);
            recovery(caseName).ifPresent(figure -> section.figures(List.of(figure)));
            bars(caseName, chapter.headlines(run, caseName));
        }
    }

    private void failover() {
        for (String caseName : run.cases()) {
            section.heading(caseName);
            section.figures(FailoverPictures.of(run, caseName, ourselvesLast(run.pools(caseName))));
            bars(caseName, chapter.headlines(run, caseName));
        }
    }

    private void fleet() {
        for (String caseName : run.cases()) {
            section.heading(caseName);
            section.figures(FleetPictures.of(run, caseName, run.ranking(caseName, "requests")));
            bars(caseName, chapter.headlines(run, caseName));
        }
    }

    /** How many requests are served from moment to moment, around the one at which the database is back. */
    private Optional<Figure> recovery(String caseName) {
        List<Line> lines = new ArrayList<>();
        double from = 0;
        double to = 0;
        double moment = Double.MAX_VALUE;
        Map<String, Samples> all = Samples.ofCase(run, caseName, ourselvesLast(run.pools(caseName)), BACK, "served");
        for (Map.Entry<String, Samples> own : all.entrySet()) {
            List<Double> millis = own.getValue().column(BACK);
            for (int i = 1; i < millis.size(); i++) {
                moment = Math.min(moment, millis.get(i) - millis.get(i - 1));
            }
            from = Math.min(from, millis.get(0));
            to = Math.max(to, millis.get(millis.size() - 1));
            lines.add(Line.of(
                            own.getKey(),
                            millis.stream().map(value -> value / 1000).toList(),
                            own.getValue().column("served"))
                    .plain());
        }
        if (lines.isEmpty() || from >= to) {
            return Optional.empty();
        }
        XYChart chart = Charts.lines(
                caseName,
                "time since the database is back, s",
                "requests served in " + Quantity.withUnit(moment, "ms"),
                Charts.FULL,
                XYSeriesRenderStyle.Step,
                lines);
        Charts.horizontal(chart, from / 1000, to / 1000, Quantity::number);
        String verdict = Chapter.find(run, caseName, "full rate")
                .map(metric -> Verdict.sentence(run, caseName, metric))
                .orElse("");
        return Optional.of(figure(
                caseName + "-recovery", chart, "The fault strikes on the left; at 0 the database is back. " + verdict));
    }

    /** Weir's line is drawn last, so that no other hides it. */
    private static List<String> ourselvesLast(Set<String> pools) {
        List<String> sorted = new ArrayList<>(pools);
        sorted.sort(Comparator.comparing(pool -> pool.equals(Run.OURS)));
        return sorted;
    }

    /** Promises against pools: a case is a promise, and what it measured says whether it is kept. */
    private void contract() {
        List<String> pools = List.copyOf(new LinkedHashSet<>(Stream.concat(
                        run.pools().stream(),
                        run.failures().stream().map(failure -> failure.cell().pool()))
                .toList()));
        ContractMatrix matrix = ContractMatrix.of(run, pools);
        section.text(matrix.sentence());
        section.text(ContractMatrix.legend(run.info().command()));
        section.text(matrix.howItWasRun());
        section.text(Tables.terms(run, pools));
        section.text(ContractMatrix.INVITATION);
        matrix.tables().forEach(section::table);
        section.table(matrix.broken());
    }

    private void ratios() {
        if (chapter == Chapter.CONTRACT || run.rounds() < 2) {
            return;
        }
        chapter.headlines(run).stream().limit(2).forEach(metric -> section.table(Tables.ratios(run, metric)));
    }

    private void warmUp() {
        Map<String, Double> changes = Tables.changes(run);
        if (!changes.isEmpty()) {
            section.heading("Was the warm-up long enough?");
            section.text(Verdict.warmUp(changes));
            section.table(Tables.warmUp(run));
        }
        run.cases().forEach(caseName -> section.table(Tables.repeats(run, caseName)));
    }

    private void failures() {
        if (!run.failures().isEmpty() && chapter != Chapter.CONTRACT) {
            List<String> pools = run.failures().stream()
                    .map(failure -> failure.cell().pool())
                    .distinct()
                    .toList();
            section.text("Failed at least once: " + String.join(", ", pools) + ".");
            section.table(Tables.failures(run));
        }
    }

    private List<String> metrics(String caseName) {
        List<String> headlines = chapter.headlines(run, caseName);
        return Stream.concat(
                        headlines.stream(),
                        run.metrics(caseName).stream()
                                .filter(metric -> !headlines.contains(metric) && !Tables.isOfWarmUp(metric)))
                .toList();
    }

    private Map<String, Object> facts() {
        Map<String, Object> facts = new LinkedHashMap<>();
        facts.put("command", run.info().command());
        facts.put("started", run.info().started());
        facts.put(
                "ended",
                run.info().ended() == null ? "not finished" : run.info().ended());
        facts.put("profile", run.info().profile());
        if (run.info().seed() != null) {
            facts.put("seed of the order", run.info().seed());
        }
        run.info().machine().forEach((name, value) -> {
            if (!(value instanceof Map)) { // which is for run.json
                facts.put(name, value);
            }
        });
        run.info().versions().forEach((pool, version) -> facts.put("version of " + pool, version));
        run.info().settings().forEach((name, value) -> facts.put("setting " + name, value));
        facts.put("raw data", ofProject(run.folder().path()));
        return facts;
    }

    /** A page is read on other machines: below the project the path from there, else the folder's own name. */
    private static Path ofProject(Path folder) {
        Path home =
                Path.of(System.getProperty("weir.home", "")).toAbsolutePath().normalize();
        return folder.startsWith(home) ? home.relativize(folder) : folder.getFileName();
    }
}
