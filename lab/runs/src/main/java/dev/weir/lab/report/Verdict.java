package dev.weir.lab.report;

import dev.weir.lab.runs.Summary;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/** What the numbers of a run say, in words: the best pool, by how much, and where Weir is not. */
public final class Verdict {
    private static final int CASES_ONE_BY_ONE = 3;

    private Verdict() {}

    /** Returns the verdict of a run without line breaks; empty where there was nothing to compare. */
    public static String of(Results results) {
        List<String> cases = results.cases().stream()
                .filter(name -> !sentence(results, name).isEmpty())
                .toList();
        List<String> said = new ArrayList<>();
        if (cases.size() > CASES_ONE_BY_ONE) {
            said.add(score(results, cases));
        } else {
            cases.forEach(name -> said.add((cases.size() == 1 ? "" : name + ": ") + sentence(results, name)));
        }
        return said.stream().filter(text -> !text.isEmpty()).collect(Collectors.joining(" "));
    }

    /** The best pool by the first metric, those level with it, and how far Weir is behind; empty if fewer than two were measured. */
    static String sentence(Results results, String caseName) {
        String metric = metric(results, caseName);
        List<String> ranking = contenders(results, caseName, metric);
        if (ranking.size() < 2 || results.better(metric) == 0) {
            return "";
        }
        String first = ranking.get(0);
        List<String> level = ranking.stream()
                .filter(pool -> pool.equals(first) || results.isLevel(caseName, pool, first, metric))
                .toList();
        StringBuilder text = new StringBuilder("Best by %s (%s is better): %s, %s"
                .formatted(
                        metric,
                        results.better(metric) < 0 ? "less" : "more",
                        first,
                        value(results, caseName, first, metric)));
        level.stream()
                .filter(pool -> !pool.equals(first))
                .forEach(pool -> text.append("; level: ")
                        .append(pool)
                        .append(", ")
                        .append(value(results, caseName, pool, metric)));
        ranking.stream()
                .filter(pool -> !level.contains(pool))
                .findFirst()
                .ifPresent(next -> text.append("; next: ")
                        .append(next)
                        .append(", ")
                        .append(value(results, caseName, next, metric)));
        text.append('.');
        loss(results, caseName)
                .ifPresent(loss -> text.append(" Weir loses: ").append(loss).append('.'));
        return text.toString();
    }

    private static String score(Results results, List<String> cases) {
        List<String> lost = cases.stream()
                .flatMap(name -> loss(results, name).map(loss -> name + " (" + loss + ")").stream())
                .toList();
        long all = cases.stream()
                .filter(name -> contenders(results, name, metric(results, name)).stream()
                        .anyMatch(Results::isOurs))
                .count();
        return all == 0
                ? ""
                : "Weir is best or level by %s in %d of %d cases%s."
                        .formatted(
                                metric(results, cases.get(0)),
                                all - lost.size(),
                                all,
                                lost.isEmpty() ? "" : "; it loses in " + String.join("; ", lost));
    }

    /** {@code 45 ms, of tomcat's 1.51, 1.30 to 1.70}, of the best of Weir's settings that took part. */
    private static Optional<String> loss(Results results, String caseName) {
        String metric = metric(results, caseName);
        List<String> ranking = contenders(results, caseName, metric);
        Optional<String> ours = ranking.stream().filter(Results::isOurs).findFirst();
        if (ours.isEmpty() || results.better(metric) == 0) {
            return Optional.empty();
        }
        String own = ours.get();
        String best = ranking.get(0);
        if (own.equals(best) || results.isLevel(caseName, own, best, metric)) {
            return Optional.empty();
        }
        Optional<Summary> ratio = results.ratio(caseName, own, best, metric);
        return Optional.of((own.equals(Results.OURS) ? "" : own + ", ")
                + value(results, caseName, own, metric)
                + ratio.map(one -> ", of " + best + "'s " + Tables.ratio(one))
                        .orElse(" to " + best + "'s " + value(results, caseName, best, metric)));
    }

    private static String metric(Results results, String caseName) {
        List<String> shown = results.shown(caseName);
        return shown.isEmpty() ? "" : shown.get(0);
    }

    private static String value(Results results, String caseName, String pool, String metric) {
        return Quantity.withUnit(results.median(caseName, pool, metric), results.unit(metric));
    }

    private static List<String> contenders(Results results, String caseName, String metric) {
        return results.ranking(caseName, metric).stream()
                .filter(pool -> !Results.isFloor(pool))
                .toList();
    }
}
