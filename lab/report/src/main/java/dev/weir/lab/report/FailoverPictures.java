package dev.weir.lab.report;

import dev.weir.lab.report.Charts.Line;
import dev.weir.lab.report.Section.Figure;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.knowm.xchart.XYChart;
import org.knowm.xchart.XYSeries.XYSeriesRenderStyle;

/** A failover over time, every pool on one scale: good writes, failed ones, and connections that stay at the old server. */
final class FailoverPictures {
    private static final String READY = "since_ready_ms";
    private static final String BACK = "since_back_ms";
    private static final String[] FAILED = {"failed_getting", "failed_in_use"};

    private static final double MARGIN_MILLIS = 50;

    private final Run run;
    private final String caseName;

    private FailoverPictures(Run run, String caseName) {
        this.run = run;
        this.caseName = caseName;
    }

    /**
     * The pictures of a case; none without samples.
     *
     * @param pools in the order in which they are drawn
     */
    static List<Figure> of(Run run, String caseName, List<String> pools) {
        FailoverPictures pictures = new FailoverPictures(run, caseName);
        List<Figure> figures = new ArrayList<>();
        Map<String, Samples> writes =
                Samples.ofCase(run, caseName, pools, READY, "good", FAILED[0], FAILED[1], "on_old");
        if (!writes.isEmpty()) {
            String from = "At 0 the new server takes writes and new connections lead to it. ";
            figures.add(pictures.figure(
                    "good", writes, READY, "good writes in %s", from + pictures.verdict("longest gap"), "good"));
            figures.add(pictures.figure(
                    "failed",
                    writes,
                    READY,
                    "failed writes in %s",
                    from + pictures.perPool("failed writes") + pictures.verdict("failed writes"),
                    FAILED));
            if (run.metrics(caseName).contains("all moved")) {
                figures.add(pictures.figure(
                        "old-server",
                        writes,
                        READY,
                        "connections to the old server",
                        from + pictures.verdict("all moved"),
                        "on_old"));
            }
        }
        Map<String, Samples> connects = Samples.ofCase(run, caseName, pools, BACK, "connects", "most_of_one_pool");
        if (!connects.isEmpty()) {
            double end = lastConnect(connects) + MARGIN_MILLIS;
            connects.replaceAll((pool, own) -> own.between(BACK, 0, end));
            figures.add(pictures.figure(
                    "connects",
                    connects,
                    BACK,
                    "connects of all pools in %s",
                    "At 0 the server is back. " + pictures.perPool("most connects in 10 ms")
                            + pictures.verdict("all served"),
                    "connects"));
        }
        return figures;
    }

    /** When the last connect of all pools came: nothing is seen after it. */
    private static double lastConnect(Map<String, Samples> all) {
        double last = 0;
        for (Samples own : all.values()) {
            for (int i = 0; i < own.size(); i++) {
                last = own.column("connects").get(i) > 0
                        ? Math.max(last, own.column(BACK).get(i))
                        : last;
            }
        }
        return last;
    }

    private String verdict(String metric) {
        return Verdict.sentence(run, caseName, metric);
    }

    /** Few failures are not seen beside many, so that their numbers stand below. */
    private String perPool(String metric) {
        List<String> numbers = run.ranking(caseName, metric).stream()
                .map(pool -> pool + " " + Quantity.number(run.median(caseName, pool, metric)))
                .toList();
        return numbers.isEmpty()
                ? ""
                : metric.substring(0, 1).toUpperCase(Locale.ROOT) + metric.substring(1) + ": "
                        + String.join(", ", numbers) + ". ";
    }

    /** @param axis what is counted, with a place for the length of a moment */
    private Figure figure(
            String name, Map<String, Samples> all, String time, String axis, String caption, String... columns) {
        double from = 0;
        double to = 0;
        double moment = Double.MAX_VALUE;
        List<Line> lines = new ArrayList<>();
        for (Map.Entry<String, Samples> own : all.entrySet()) {
            List<Double> millis = own.getValue().column(time);
            for (int i = 1; i < millis.size(); i++) {
                moment = Math.min(moment, millis.get(i) - millis.get(i - 1));
            }
            from = Math.min(from, millis.get(0));
            to = Math.max(to, millis.get(millis.size() - 1));
            lines.add(Line.of(
                            own.getKey(),
                            millis.stream().map(value -> value / 1000).toList(),
                            sums(own.getValue(), columns))
                    .plain());
        }
        XYChart chart = Charts.lines(
                caseName,
                "time, s",
                axis.formatted(Quantity.withUnit(moment, "ms")),
                Charts.FULL,
                XYSeriesRenderStyle.Step,
                lines);
        Charts.horizontal(chart, from / 1000, Math.max(to, from + MARGIN_MILLIS) / 1000, Quantity::number);
        return new Figure(
                Picture.of(run.info().workload() + "-" + caseName + "-" + name, chart),
                caption.strip(),
                run.info().command());
    }

    private static List<Double> sums(Samples samples, String... columns) {
        List<Double> sums = new ArrayList<>();
        for (int i = 0; i < samples.size(); i++) {
            double sum = 0;
            for (String column : columns) {
                sum += samples.column(column).get(i);
            }
            sums.add(sum);
        }
        return sums;
    }
}
