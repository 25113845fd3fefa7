package dev.weir.lab.workload;

import dev.weir.lab.runs.Cell;
import dev.weir.lab.runs.Measurement;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** What came of a cell: measurements, or a message that says why it failed. */
public record Outcome(
        List<Measurement> measurements, @Nullable String failure) {

    public static Outcome measured(List<Measurement> measurements) {
        return new Outcome(measurements, null);
    }

    public static Outcome failed(String message) {
        return new Outcome(List.of(), message);
    }

    /** Returns this with a count of one more thing. */
    Outcome with(Cell cell, String metric) {
        return new Outcome(
                Stream.concat(measurements.stream(), Stream.of(new Measurement(cell, metric, 1, "")))
                        .toList(),
                failure);
    }
}
