package dev.weir.lab.report;

import java.util.ArrayList;
import java.util.List;

/** A table, as aligned Markdown, which reads on a terminal as well, and as HTML. The first column is text. */
final class Table {
    private final List<List<String>> rows = new ArrayList<>();

    Table(List<String> header) {
        rows.add(List.copyOf(header));
    }

    Table row(List<String> cells) {
        if (cells.size() != rows.get(0).size()) {
            throw new IllegalArgumentException(
                    cells.size() + " cells (expected: " + rows.get(0).size() + ")");
        }
        rows.add(List.copyOf(cells));
        return this;
    }

    boolean isEmpty() {
        return rows.size() == 1;
    }

    @Override
    public String toString() {
        int columns = rows.get(0).size();
        int[] widths = new int[columns];
        for (List<String> row : rows) {
            for (int i = 0; i < columns; i++) {
                widths[i] = Math.max(widths[i], escaped(row.get(i)).length());
            }
        }
        StringBuilder out = new StringBuilder();
        for (int r = 0; r < rows.size(); r++) {
            for (int i = 0; i < columns; i++) {
                String cell = escaped(rows.get(r).get(i));
                String padding = " ".repeat(widths[i] - cell.length());
                out.append("| ")
                        .append(i == 0 ? cell + padding : padding + cell)
                        .append(' ');
            }
            out.append("|\n");
            if (r == 0) {
                for (int i = 0; i < columns; i++) {
                    out.append('|').append("-".repeat(widths[i] + 1)).append(i == 0 ? '-' : ':');
                }
                out.append("|\n");
            }
        }
        return out.toString();
    }

    private static String escaped(String cell) {
        return cell.replace("|", "\\|");
    }

    String html() {
        StringBuilder out = new StringBuilder("<div class=\"table\"><table>\n");
        for (int r = 0; r < rows.size(); r++) {
            String tag = r == 0 ? "th" : "td";
            boolean isOurs = r > 0 && rows.get(r).get(0).equals(Results.OURS);
            out.append(isOurs ? "<tr class=\"ours\">" : "<tr>");
            rows.get(r).forEach(cell -> out.append("<%1$s>%2$s</%1$s>".formatted(tag, Page.escaped(cell))));
            out.append("</tr>\n");
        }
        return out.append("</table></div>\n").toString();
    }
}
