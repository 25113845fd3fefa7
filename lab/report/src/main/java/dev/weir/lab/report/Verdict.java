package dev.weir.lab.report;

import dev.weir.lab.runs.Summary;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/** What the numbers of a case say, in words: who is best, by how much, and where Weir is not. */
final class Verdict {
    /** How many times worse a median must be for the word level to need an explanation. */
    private static final double DOUBTFUL = 1.25;

    private Verdict() {}

    /**
     * A comparison that Weir did not win.
     *
     * @param factor by which Weir is worse than the best, above 1; NaN where Weir has no number
     * @param interval of the ratio to the best, or that there was one round
     */
    record Loss(
            String workload,
            String caseName,
            String metric,
            String best,
            String bestValue,
            String ourValue,
            double factor,
            String interval) {}

    /** Who is best at a metric, and what Weir and HikariCP have; empty if it was not measured. */
    static String sentence(Run run, String caseName, String metric) {
        List<String> ranking = contenders(run, caseName, metric);
        Better better = run.better(metric);
        if (ranking.isEmpty() || better == Better.NEITHER) {
            return "";
        }
        String what = "Best by " + metric + (better == Better.LOWER ? " (less is better): " : " (more is better): ");
        List<String> level = level(run, caseName, metric, ranking);
        String best = level.contains(Run.OURS) ? Run.OURS : ranking.get(0);
        StringBuilder text = new StringBuilder(
                what + best + ", " + value(run, caseName, best, metric) + ratio(run, caseName, best, metric));
        if (level.size() > 1) {
            text.append("; level with it: ")
                    .append(String.join(
                            ", ",
                            level.stream().filter(pool -> !pool.equals(best)).toList()));
        }
        ranking.stream()
                .filter(pool -> best.equals(Run.OURS) && !level.contains(pool))
                .findFirst()
                .ifPresent(next ->
                        text.append("; next is ").append(next).append(", ").append(value(run, caseName, next, metric)));
        text.append('.');
        loss(run, caseName, metric)
                .ifPresent(loss -> text.append(" Weir loses: ")
                        .append(loss.ourValue())
                        .append(behind(run, loss, better))
                        .append('.'));
        return text.toString();
    }

    /** The best and those that are as good. */
    private static List<String> level(Run run, String caseName, String metric, List<String> ranking) {
        return ranking.stream()
                .filter(pool -> pool.equals(ranking.get(0)) || run.isLevel(caseName, pool, ranking.get(0), metric))
                .toList();
    }

    /** The defeat of Weir in a metric, if it is one. */
    static Optional<Loss> loss(Run run, String caseName, String metric) {
        return behindTheBest(run, caseName, metric)
                .filter(loss -> !run.isLevel(caseName, Run.OURS, loss.best(), metric));
    }

    /** Where Weir is level with the best only because the interval is wide: its median is worse by a quarter or more. */
    static List<Loss> doubtful(Run run, String metric) {
        return run.cases().stream()
                .flatMap(caseName -> behindTheBest(run, caseName, metric).stream())
                .filter(loss -> run.isLevel(loss.caseName(), Run.OURS, loss.best(), metric))
                .filter(loss -> loss.factor() >= DOUBTFUL)
                .toList();
    }

    /** By the medians, whatever the interval says. */
    private static Optional<Loss> behindTheBest(Run run, String caseName, String metric) {
        List<String> ranking = contenders(run, caseName, metric);
        Better better = run.better(metric);
        if (better == Better.NEITHER
                || !ranking.contains(Run.OURS)
                || ranking.get(0).equals(Run.OURS)) {
            return Optional.empty();
        }
        Summary best = run.summary(caseName, ranking.get(0), metric).orElseThrow();
        Summary ours = run.summary(caseName, Run.OURS, metric).orElseThrow();
        double ofRounds = behind(run, caseName, ranking.get(0), metric).median();
        double factor = Double.isNaN(ofRounds) ? factor(better, ours.median(), best.median()) : ofRounds;
        if (!better.beats(best.median(), ours.median())) {
            return Optional.empty();
        }
        return Optional.of(new Loss(
                run.info().workload(),
                caseName,
                metric,
                ranking.get(0),
                value(run, caseName, ranking.get(0), metric),
                value(run, caseName, Run.OURS, metric),
                factor,
                interval(run, caseName, ranking.get(0), metric)));
    }

    /** How many times worse; where the better value is 0, there is no such number, and it is infinite. */
    private static double factor(Better better, double ours, double best) {
        double more = better == Better.LOWER ? ours : best;
        double less = better == Better.LOWER ? best : ours;
        return less > 0 ? more / less : more > 0 ? Double.POSITIVE_INFINITY : 1;
    }

    /** In commas: how far Weir is behind the best, and behind HikariCP where that is another one. */
    private static String behind(Run run, Loss loss, Better better) {
        String ratio = ratio(run, loss.caseName(), Run.OURS, loss.metric());
        if (Double.isInfinite(loss.factor())) {
            return (better == Better.LOWER ? ", where the best has none" : ", none at all") + ratio;
        }
        if (loss.best().equals(Run.REFERENCE) && !ratio.isEmpty()) {
            return ratio;
        }
        return ", %s times %s %s%s"
                .formatted(
                        Quantity.ratio(loss.factor()),
                        better == Better.LOWER ? "as much as" : "less than",
                        loss.best(),
                        ratio);
    }

    /** How many times worse Weir is in each round: above 1 whichever way is the good one. */
    private static Summary behind(Run run, String caseName, String best, String metric) {
        boolean isLess = run.better(metric) == Better.LOWER;
        return run.ratios(caseName, isLess ? Run.OURS : best, isLess ? best : Run.OURS, metric)
                .orElse(Summary.of());
    }

    private static String interval(Run run, String caseName, String best, String metric) {
        Summary ratio = behind(run, caseName, best, metric);
        return run.rounds() < 2 ? "one round" : Double.isNaN(ratio.low()) ? "" : between(ratio);
    }

    /** Where the median lies with 95 % confidence. */
    static String between(Summary ratio) {
        return Quantity.ratio(ratio.low()) + " to " + Quantity.ratio(ratio.high());
    }

    static String value(Run run, String caseName, String pool, String metric) {
        return run.summary(caseName, pool, metric)
                .map(summary -> Quantity.withUnit(summary.median(), run.unit(metric)))
                .orElse("not measured");
    }

    /** In commas: the ratio to HikariCP's with its range; empty for HikariCP itself and where there is none. */
    static String ratio(Run run, String caseName, String pool, String metric) {
        if (pool.equals(Run.REFERENCE)) {
            return "";
        }
        return run.ratios(caseName, pool, metric)
                .map(ratio -> ", " + Quantity.ratio(ratio.median()) + " times hikari's"
                        + (run.rounds() > 1 ? " (" + between(ratio) + (ratio.mayBe(1) ? ", level)" : ")") : ""))
                .orElse("");
    }

    /** The ratio to HikariCP's with its interval, and whether that is level; a dash where there is none. */
    static String ratioOnly(Run run, String caseName, String metric) {
        return run.ratios(caseName, Run.OURS, metric)
                .map(ratio -> Quantity.ratio(ratio.median())
                        + (run.rounds() > 1 ? " (" + between(ratio) + (ratio.mayBe(1) ? ", level)" : ")") : ""))
                .orElse("-");
    }

    /** Whether Weir wins a metric, is level with the best, or loses, and to whom; empty where nobody can win it. */
    static String word(Run run, String caseName, String metric) {
        List<String> ranking = contenders(run, caseName, metric);
        if (ranking.isEmpty() || run.better(metric) == Better.NEITHER) {
            return "";
        }
        if (!ranking.contains(Run.OURS)) {
            return "**loses** to " + ranking.get(0);
        }
        Optional<Loss> loss = loss(run, caseName, metric);
        if (loss.isPresent()) {
            double factor = loss.get().factor();
            return "**loses** to " + loss.get().best()
                    + (Double.isFinite(factor)
                            ? ", %s times (%s)"
                                    .formatted(
                                            Quantity.ratio(factor), loss.get().interval())
                            : "");
        }
        List<String> level = level(run, caseName, metric, ranking).stream()
                .filter(pool -> !pool.equals(Run.OURS))
                .toList();
        return level.isEmpty() ? "wins" : "level with " + String.join(", ", level);
    }

    /** Of these metrics over all cases: in how many comparisons Weir is best, level, or beaten. */
    static String score(Run run, List<String> metrics) {
        int best = 0;
        int all = absences(run, metrics).size();
        for (String caseName : run.cases()) {
            for (String metric : metrics) {
                if (contenders(run, caseName, metric).contains(Run.OURS) && run.better(metric) != Better.NEITHER) {
                    all++;
                    best += loss(run, caseName, metric).isPresent() ? 0 : 1;
                }
            }
        }
        return all == 0
                ? ""
                : "Weir is best or level in %d of %d comparisons (%s)."
                        .formatted(best, all, String.join(", ", metrics));
    }

    static List<Loss> losses(Run run, List<String> metrics) {
        List<Loss> losses = new ArrayList<>();
        for (String caseName : run.cases()) {
            for (String metric : metrics) {
                loss(run, caseName, metric).ifPresent(losses::add);
            }
        }
        losses.addAll(absences(run, metrics));
        return losses;
    }

    /** Where Weir has no number and another pool has one: Weir failed, or what is measured never came with it. */
    private static List<Loss> absences(Run run, List<String> metrics) {
        List<Loss> absences = new ArrayList<>();
        for (String caseName : run.cases()) {
            if (run.failed(caseName, Run.OURS) > 0) {
                failure(run, caseName).ifPresent(absences::add);
            } else if (run.pools(caseName).contains(Run.OURS)) {
                metrics.stream()
                        .flatMap(metric -> nothing(run, caseName, metric).stream())
                        .forEach(absences::add);
            }
        }
        return absences;
    }

    private static Optional<Loss> failure(Run run, String caseName) {
        boolean promise = Chapter.of(run.info().workload()) == Chapter.CONTRACT;
        List<String> others = run.pools(caseName).stream()
                .filter(pool -> !pool.equals(Run.OURS) && !Run.isFloor(pool) && run.failed(caseName, pool) == 0)
                .toList();
        long failed = run.failed(caseName, Run.OURS);
        return others.isEmpty()
                ? Optional.empty()
                : Optional.of(new Loss(
                        run.info().workload(),
                        caseName,
                        promise ? "kept" : "failed",
                        String.join(", ", others),
                        promise ? "kept" : "never",
                        promise ? "broken" : failed + (failed == 1 ? " time" : " times"),
                        Double.NaN,
                        ""));
    }

    private static Optional<Loss> nothing(Run run, String caseName, String metric) {
        List<String> ranking = contenders(run, caseName, metric);
        return ranking.isEmpty() || ranking.contains(Run.OURS) || run.better(metric) == Better.NEITHER
                ? Optional.empty()
                : Optional.of(new Loss(
                        run.info().workload(),
                        caseName,
                        metric,
                        ranking.get(0),
                        value(run, caseName, ranking.get(0), metric),
                        "nothing",
                        Double.NaN,
                        ""));
    }

    /** Whether the warm-up was long enough: how far the second half of the measurement is from the first. */
    static String warmUp(Map<String, Double> changes) {
        double worst = 0;
        String where = "";
        int steady = 0;
        for (Map.Entry<String, Double> change : changes.entrySet()) {
            if (Math.abs(change.getValue()) <= 0.05) {
                steady++;
            }
            if (Math.abs(change.getValue()) > Math.abs(worst)) {
                worst = change.getValue();
                where = change.getKey();
            }
        }
        return String.format(
                Locale.ROOT,
                "In %d of %d measurements the second half differs from the first by at most 5 %%%s.",
                steady,
                changes.size(),
                where.isEmpty()
                        ? ""
                        : String.format(Locale.ROOT, "; the largest change is %+.0f %%, %s", worst * 100, where));
    }

    private static List<String> contenders(Run run, String caseName, String metric) {
        return run.ranking(caseName, metric).stream()
                .filter(pool -> !Run.isFloor(pool))
                .toList();
    }
}
