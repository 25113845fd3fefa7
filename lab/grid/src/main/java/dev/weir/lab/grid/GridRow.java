package dev.weir.lab.grid;

import dev.weir.lab.runs.Cell;
import dev.weir.lab.runs.Measurement;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * What one cell measured: a row of {@code grid.csv}. Each metric is a column of that file and a line of
 * {@code measurements.csv}.
 *
 * @param cell where
 * @param values by metric
 */
record GridRow(GridCell cell, Map<Metric, Double> values) {

    /** What is measured. */
    enum Metric {
        REQUESTS("requests", "requests", ""),
        MEAN("mean", "mean_us", "us"),
        STDEV("stdev", "stdev_us", "us"),
        P50("p50", "p50_us", "us"),
        P90("p90", "p90_us", "us"),
        P99("p99", "p99_us", "us"),
        P999("p99.9", "p999_us", "us"),
        MAX("max", "max_us", "us"),
        ERRORS("errors", "errors", ""),
        OFFERED_RATE("offered rate", "offered_rate", "1/s"),
        SERVED_RATE("served rate", "served_rate", "1/s"),
        SERVER_CPU("server cpu", "server_cpu_s", "s"),
        DB_CONNECTIONS("connections", "db_connections", ""),
        NON_200("non 200", "non_200", ""),
        WRK_RATE("wrk rate", "wrk_rate", "1/s"),
        WRK_MEAN("wrk mean", "wrk_mean_us", "us"),
        WRK_P99("wrk p99", "wrk_p99_us", "us");

        final String text;
        final String column;
        final String unit;

        Metric(String text, String column, String unit) {
            this.text = text;
            this.column = column;
            this.unit = unit;
        }
    }

    /** The value, or NaN where it was not measured. */
    double get(Metric metric) {
        return values.getOrDefault(metric, Double.NaN);
    }

    List<Measurement> measurements() {
        Cell place = cell.toCell();
        List<Measurement> all = new ArrayList<>();
        for (Metric metric : Metric.values()) {
            Double value = values.get(metric);
            if (value != null && !value.isNaN()) {
                all.add(new Measurement(place, metric.text, value, metric.unit));
            }
        }
        return all;
    }
}
