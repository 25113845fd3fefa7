package dev.weir.cli.demo;

import dev.weir.PoolStats;
import dev.weir.RetireReason;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.Function;
import java.util.function.ToLongFunction;

/** What happened: the pools' counts after they were closed, beside what their users counted. */
final class Summary {
    private static final int NAME_WIDTH = "timed out, by the users' own count".length();
    private static final int COUNT_WIDTH = 10;

    private record Column(String name, PoolStats stats, Meter meter) {}

    private final List<Column> columns = new ArrayList<>();

    void add(String name, PoolStats stats, Meter meter) {
        columns.add(new Column(name, stats, meter));
    }

    String table() {
        StringBuilder table = new StringBuilder();
        append(table, "what happened", Column::name);
        table.append("|").append("-".repeat(NAME_WIDTH + 2));
        columns.forEach(
                column -> table.append("|").append("-".repeat(COUNT_WIDTH + 1)).append(":"));
        table.append("|\n");
        count(table, "acquired", column -> column.stats().acquired());
        count(
                table,
                "acquired, by the users' own count",
                column -> column.meter().acquired());
        count(table, "timed out", column -> column.stats().timedOut());
        count(
                table,
                "timed out, by the users' own count",
                column -> column.meter().timedOut());
        count(table, "opened", column -> column.stats().opened());
        count(table, "failed to open", column -> column.stats().openFailed());
        for (RetireReason reason : RetireReason.values()) {
            ToLongFunction<Column> retired = column -> column.stats().retired().getOrDefault(reason, 0L);
            if (reason == RetireReason.CLOSED
                    || columns.stream().mapToLong(retired).sum() > 0) {
                count(table, "retired, " + reason.name().toLowerCase(Locale.ROOT), retired);
            }
        }
        count(table, "left open", column -> column.stats().total());
        return table.toString();
    }

    private void count(StringBuilder table, String name, ToLongFunction<Column> count) {
        append(table, name, column -> String.format(Locale.ROOT, "%,d", count.applyAsLong(column)));
    }

    private void append(StringBuilder table, String name, Function<Column, String> cell) {
        table.append("| ")
                .append(name)
                .append(" ".repeat(NAME_WIDTH - name.length()))
                .append(" ");
        for (Column column : columns) {
            String text = cell.apply(column);
            table.append("| ")
                    .append(" ".repeat(Math.max(0, COUNT_WIDTH - text.length())))
                    .append(text)
                    .append(" ");
        }
        table.append("|\n");
    }
}
