package dev.weir.cli.tune;

import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.stream.Stream;

/**
 * How large the pool should be, and why.
 *
 * @param size connections
 * @param curve fitted through the measured points
 * @param isFitted whether the curve is near enough to the points to be believed; else the size is the best measured one, and not
 *     enough to go by
 * @param isLeast whether more connections than were measured may serve better
 * @param reason sentences for people
 */
record Advice(int size, UslCurve curve, boolean isFitted, boolean isLeast, List<String> reason) {
    /** Of the highest throughput; the last few percent cost the most connections, and the longest queues inside. */
    private static final double ENOUGH = 0.95;

    /** A curve of three parameters goes through any two points. */
    private static final int FEWEST = 3;

    private static final double BELIEVED_ERROR = 0.12;

    /**
     * The smallest size with 95 % of the highest throughput, among the sizes up to the largest one that was measured.
     *
     * @throws IllegalArgumentException if there is no point
     */
    static Advice from(List<Point> points) {
        UslCurve curve = UslCurve.fit(points);
        int largest = points.stream().mapToInt(Point::connections).max().orElseThrow();
        double error = curve.error(points);
        return points.size() >= FEWEST && error <= BELIEVED_ERROR
                ? fromCurve(curve, largest, error)
                : fromPoints(points, curve, largest, error);
    }

    /**
     * The same, unless the measured numbers say otherwise: then the smallest size that reached 95 % of the highest throughput, with
     * as many threads as connections or with more.
     */
    static Advice from(List<Point> points, List<Point> queues) {
        Advice advice = from(points);
        TreeMap<Integer, Double> reached = new TreeMap<>();
        Stream.concat(points.stream(), queues.stream())
                .forEach(point -> reached.merge(point.connections(), point.throughput(), Math::max));
        int best = Collections.max(reached.entrySet(), Map.Entry.comparingByValue())
                .getKey();
        double highest = Objects.requireNonNull(reached.get(best));
        Double ofSize = reached.get(advice.size);
        if (ofSize == null || ofSize >= ENOUGH * highest) {
            return advice;
        }
        int size = reached.entrySet().stream()
                .filter(one -> one.getValue() >= ENOUGH * highest)
                .findFirst()
                .orElseThrow()
                .getKey();
        boolean isLeast = 2 * size > reached.lastKey();
        return new Advice(
                size,
                advice.curve,
                advice.isFitted,
                isLeast,
                reason(
                        size,
                        reached.lastKey(),
                        text(
                                "A pool of %d reached %s, %.0f %% of the highest that was measured, %s with %d.",
                                size,
                                perSecond(Objects.requireNonNull(reached.get(size))),
                                100 * Objects.requireNonNull(reached.get(size)) / highest,
                                perSecond(highest),
                                best),
                        text(
                                "The curve (Universal Scalability Law) alone says %d, but %d reached only %s.",
                                advice.size, advice.size, perSecond(ofSize))));
    }

    private static Advice fromCurve(UslCurve curve, int largest, double error) {
        int peak = curve.peak(largest);
        double highest = curve.throughput(peak);
        int size = 1;
        while (curve.throughput(size) < ENOUGH * highest) {
            size++;
        }
        return new Advice(
                size,
                curve,
                true,
                2 * size > largest,
                reason(
                        size,
                        largest,
                        text(
                                "The curve (Universal Scalability Law: lambda %s, sigma %.3f, kappa %.5f) is %.1f %%"
                                        + " from the measured points.",
                                perSecond(curve.lambda()), curve.sigma(), curve.kappa(), 100 * error),
                        text(
                                "Its highest throughput up to %s is %s, at %d.",
                                connections(largest), perSecond(highest), peak),
                        text(
                                "%s reach%s %s, %.0f %% of that; more would wait inside the database instead of outside.",
                                connections(size),
                                size == 1 ? "es" : "",
                                perSecond(curve.throughput(size)),
                                100 * curve.throughput(size) / highest)));
    }

    private static Advice fromPoints(List<Point> points, UslCurve curve, int largest, double error) {
        Point best = points.stream()
                .max(Comparator.comparingDouble(Point::throughput))
                .orElseThrow();
        Point enough = points.stream()
                .filter(point -> point.throughput() >= ENOUGH * best.throughput())
                .min(Comparator.comparingInt(Point::connections))
                .orElseThrow();
        return new Advice(
                enough.connections(),
                curve,
                false,
                2 * enough.connections() > largest,
                reason(
                        enough.connections(),
                        largest,
                        points.size() < FEWEST
                                ? text(
                                        "Numbers of connections that were measured: %d, too few for a curve.",
                                        points.size())
                                : text(
                                        "The curve (Universal Scalability Law) is %.0f %% from the measured points, too far to"
                                                + " be believed: something else used the database, or the time was too short.",
                                        100 * error),
                        text(
                                "Of the sizes measured, %d reached %s, %.0f %% of the highest, %s at %d.",
                                enough.connections(),
                                perSecond(enough.throughput()),
                                100 * enough.throughput() / best.throughput(),
                                perSecond(best.throughput()),
                                best.connections()),
                        "Repeat it with a longer --time, and nothing else on the database."));
    }

    /** What to say first. */
    String headline() {
        if (!isFitted) {
            return "Not enough to go by";
        }
        return "maximumPoolSize: " + (isLeast ? "at least " : "") + size;
    }

    /** Executions per second with the digits that count. */
    static String perSecond(double value) {
        return number(value) + "/s";
    }

    static String number(double value) {
        return text(value >= 100 ? "%,.0f" : value >= 1 ? "%.1f" : "%.3f", value);
    }

    private static String connections(int count) {
        return count + (count == 1 ? " connection" : " connections");
    }

    /** Whoever needs more than half of what was measured may gain by more than was measured. */
    private static List<String> reason(int size, int largest, String... sentences) {
        List<String> reason = new ArrayList<>(List.of(sentences));
        if (2 * size > largest) {
            reason.add(text(
                    "No more than %s measured, and the throughput may rise further: a larger --max tells, where the database"
                            + " gives as many.",
                    connections(largest) + (largest == 1 ? " was" : " were")));
        }
        reason.add("This is for all users of the database together: divide it among the JVMs that share it.");
        return List.copyOf(reason);
    }

    private static String text(String format, Object... values) {
        return String.format(Locale.ROOT, format, values);
    }
}
