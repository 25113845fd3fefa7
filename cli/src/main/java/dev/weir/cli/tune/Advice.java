package dev.weir.cli.tune;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;

/**
 * How large the pool should be, and why.
 *
 * @param size connections
 * @param curve fitted through the measured points
 * @param isFitted whether the curve is near enough to the points to be believed; else the size is the best measured one
 * @param reason sentences for people
 */
record Advice(int size, UslCurve curve, boolean isFitted, List<String> reason) {
    /** Of the highest throughput; the last few percent cost the most connections, and the longest queues inside. */
    private static final double ENOUGH = 0.95;

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
        return error <= BELIEVED_ERROR ? fromCurve(curve, largest, error) : fromPoints(points, curve, largest, error);
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
                reason(
                        size,
                        largest,
                        text(
                                "The curve (Universal Scalability Law: lambda %.4g/s, sigma %.3g, kappa %.2g) is %.1f %%"
                                        + " from the measured points.",
                                curve.lambda(), curve.sigma(), curve.kappa(), 100 * error),
                        text("Its highest throughput up to %d connections is %.4g/s, at %d.", largest, highest, peak),
                        text(
                                "%d connections reach %.4g/s, %.0f %% of that; more would wait inside the database"
                                        + " instead of outside.",
                                size, curve.throughput(size), 100 * curve.throughput(size) / highest)));
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
                reason(
                        enough.connections(),
                        largest,
                        text(
                                "The curve (Universal Scalability Law) is %.0f %% from the measured points, too far to be"
                                        + " believed: something else used the database, or the time was too short.",
                                100 * error),
                        text(
                                "Of the sizes measured, %d reached %.4g/s, %.0f %% of the highest, %.4g/s at %d.",
                                enough.connections(),
                                enough.throughput(),
                                100 * enough.throughput() / best.throughput(),
                                best.throughput(),
                                best.connections())));
    }

    /** Whoever needs more than half of what was measured may gain by more than was measured. */
    private static List<String> reason(int size, int largest, String... sentences) {
        List<String> reason = new ArrayList<>(List.of(sentences));
        if (2 * size > largest) {
            reason.add(text(
                    "No more than %d connections were measured, and the throughput may rise further: a larger --max tells,"
                            + " where the database gives as many.",
                    largest));
        }
        reason.add("This is for all users of the database together: divide it among the JVMs that share it.");
        return List.copyOf(reason);
    }

    private static String text(String format, Object... values) {
        return String.format(Locale.ROOT, format, values);
    }
}
