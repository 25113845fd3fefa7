package dev.weir.lab.demo;

import dev.weir.PoolStats;
import dev.weir.RetireReason;
import dev.weir.lab.runs.Table;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.ToLongFunction;

/** What happened: the pools' counts after they were closed, beside what their users counted. */
final class Summary {

    private record Column(String name, PoolStats stats, Meter meter) {}

    private final List<Column> columns = new ArrayList<>();

    void add(String name, PoolStats stats, Meter meter) {
        columns.add(new Column(name, stats, meter));
    }

    String table() {
        List<String> header = new ArrayList<>(List.of("what happened"));
        columns.forEach(column -> header.add(column.name()));
        Table table = new Table(header.toArray(String[]::new));
        row(table, "acquired", column -> column.stats().acquired());
        row(table, "acquired, by the users' own count", column -> column.meter().acquired());
        row(table, "timed out", column -> column.stats().timedOut());
        row(
                table,
                "timed out, by the users' own count",
                column -> column.meter().timedOut());
        row(table, "opened", column -> column.stats().opened());
        row(table, "failed to open", column -> column.stats().openFailed());
        for (RetireReason reason : RetireReason.values()) {
            ToLongFunction<Column> retired = column -> column.stats().retired().getOrDefault(reason, 0L);
            if (reason == RetireReason.CLOSED
                    || columns.stream().mapToLong(retired).sum() > 0) {
                row(table, "retired, " + reason.name().toLowerCase(Locale.ROOT), retired);
            }
        }
        row(table, "left open", column -> column.stats().total());
        return table.toString();
    }

    private void row(Table table, String name, ToLongFunction<Column> value) {
        List<String> cells = new ArrayList<>(List.of(name));
        columns.forEach(column -> cells.add(String.format(Locale.ROOT, "%,d", value.applyAsLong(column))));
        table.row(cells);
    }
}
