package dev.weir.lab.runs;

import java.util.ArrayList;
import java.util.List;

/** A Markdown table whose columns are aligned, so that it reads on a terminal as well. The first column is text. */
public final class Table {
    private final List<List<String>> rows = new ArrayList<>();

    public Table(String... header) {
        rows.add(List.of(header));
    }

    public Table row(List<String> cells) {
        if (cells.size() != rows.get(0).size()) {
            throw new IllegalArgumentException(
                    cells.size() + " cells (expected: " + rows.get(0).size() + ")");
        }
        rows.add(List.copyOf(cells));
        return this;
    }

    public Table row(String... cells) {
        return row(List.of(cells));
    }

    @Override
    public String toString() {
        int columns = rows.get(0).size();
        int[] widths = new int[columns];
        for (List<String> row : rows) {
            for (int i = 0; i < columns; i++) {
                widths[i] = Math.max(widths[i], row.get(i).length());
            }
        }
        StringBuilder out = new StringBuilder();
        for (int r = 0; r < rows.size(); r++) {
            appendRow(out, rows.get(r), widths);
            if (r == 0) {
                appendRule(out, widths);
            }
        }
        return out.toString();
    }

    private static void appendRow(StringBuilder out, List<String> row, int[] widths) {
        for (int i = 0; i < widths.length; i++) {
            String padding = " ".repeat(widths[i] - row.get(i).length());
            out.append("| ")
                    .append(i == 0 ? row.get(i) + padding : padding + row.get(i))
                    .append(' ');
        }
        out.append("|\n");
    }

    private static void appendRule(StringBuilder out, int[] widths) {
        for (int i = 0; i < widths.length; i++) {
            out.append('|').append("-".repeat(widths[i] + 1)).append(i == 0 ? '-' : ':');
        }
        out.append("|\n");
    }
}
