package dev.weir.lab.grid;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.lab.load.LoadResult;
import dev.weir.lab.runs.Cell;
import dev.weir.lab.runs.Measurement;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

final class GridBenchTest {
    private static final Cell CELL = new Cell(1, "8 connections, 4 threads, 50 clients, closed", "weir");

    private static List<String> metrics(LoadResult load) {
        return GridBench.outcome(CELL, load, Duration.ZERO, Duration.ZERO).measurements().stream()
                .map(Measurement::metric)
                .toList();
    }

    /** A server that refuses all is not the quickest. */
    @Test
    void aCellThatServedNothingHasNoTimes() {
        assertThat(metrics(new LoadResult(0, 0, 0, 0, 0, 0, 0, 0, 70, 0, 0, 70, 0)))
                .contains("requests", "errors")
                .doesNotContain("mean", "p99", "max");
        assertThat(metrics(new LoadResult(7, 5, 1, 5, 6, 7, 7, 7, 0, 0, 0, 7, 7)))
                .contains("mean", "p99", "max");
    }
}
