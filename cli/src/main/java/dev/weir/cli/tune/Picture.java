package dev.weir.cli.tune;

import java.util.Arrays;
import java.util.List;
import java.util.Locale;

/** The throughput over the connections, drawn with letters: o measured, . the curve, | the answer. */
final class Picture {
    private static final int HEIGHT = 14;
    private static final int WIDTH = 64;
    private static final int LABEL = 11;

    private final char[][] cells = new char[HEIGHT][WIDTH];
    private final int largest;
    private final double highest;

    private Picture(int largest, double highest) {
        this.largest = largest;
        this.highest = highest;
        for (char[] row : cells) {
            Arrays.fill(row, ' ');
        }
    }

    static String of(Findings findings) {
        List<Point> points = findings.sizes();
        Advice advice = findings.advice();
        // More threads than connections may have shown that a larger pool serves more than the sizes measured before.
        int answered = Math.max(2, advice.size());
        int largest = points.stream().mapToInt(Point::connections).reduce(answered, Math::max);
        double highest = points.stream().mapToDouble(Point::throughput).max().orElseThrow();
        // The curve may be highest between two sizes.
        double[] curve = new double[advice.isFitted() ? WIDTH : 0];
        for (int column = 0; column < curve.length; column++) {
            curve[column] = advice.curve().throughput(Math.pow(largest, column / (WIDTH - 1.0)));
            highest = Math.max(highest, curve[column]);
        }
        Picture picture = new Picture(largest, highest);
        int answer = picture.column(advice.size());
        for (char[] row : picture.cells) {
            row[answer] = advice.isFitted() ? '|' : ' ';
        }
        for (int column = 0; column < curve.length; column++) {
            picture.put(column, curve[column], '.');
        }
        points.forEach(point -> picture.put(picture.column(point.connections()), point.throughput(), 'o'));
        return picture.text(points, advice);
    }

    /** Sizes double from mark to mark, so the axis is logarithmic. */
    private int column(int connections) {
        return (int) Math.round((WIDTH - 1) * Math.log(connections) / Math.log(largest));
    }

    private void put(int column, double throughput, char mark) {
        int row = (int) Math.round((HEIGHT - 1) * throughput / highest);
        cells[HEIGHT - 1 - row][column] = mark;
    }

    private String text(List<Point> points, Advice advice) {
        StringBuilder text = new StringBuilder();
        for (int row = 0; row < HEIGHT; row++) {
            double value = highest * (HEIGHT - 1 - row) / (HEIGHT - 1);
            String label = row % 4 == 0 || row == HEIGHT - 1
                    ? String.format(Locale.ROOT, "%,." + decimals() + "f", value)
                    : "";
            text.append(String.format("%" + LABEL + "s |%s%n", label, new String(cells[row]).stripTrailing()));
        }
        text.append(" ".repeat(LABEL)).append(" +").append("-".repeat(WIDTH)).append(System.lineSeparator());
        char[] axis = new char[WIDTH + 4];
        Arrays.fill(axis, ' ');
        if (advice.isFitted()) {
            label(axis, advice.size());
        }
        points.forEach(point -> label(axis, point.connections()));
        text.append(" ".repeat(LABEL + 2))
                .append(new String(axis).stripTrailing())
                .append(System.lineSeparator());
        text.append("  1/s over connections: o measured" + (advice.isFitted() ? ", . fitted curve, | recommended" : ""))
                .append(System.lineSeparator());
        return text.toString();
    }

    /** Of the greatest throughput three digits are told: a slow statement runs less than once a second. */
    private int decimals() {
        return Math.max(0, 2 - (int) Math.floor(Math.log10(highest)));
    }

    /** A number under its column, unless another one stands there. */
    private void label(char[] axis, int connections) {
        String number = Integer.toString(connections);
        int from = column(connections);
        for (int i = Math.max(0, from - 1); i <= from + number.length(); i++) {
            if (axis[i] != ' ') {
                return;
            }
        }
        number.getChars(0, number.length(), axis, from);
    }
}
