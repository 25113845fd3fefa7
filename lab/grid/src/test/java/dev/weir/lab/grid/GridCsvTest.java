package dev.weir.lab.grid;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIOException;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import dev.weir.lab.grid.GridRow.Metric;
import dev.weir.lab.runs.Cell;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class GridCsvTest {
    private static final String HEADER = "config,pool_size,max_threads,clients,mode,requests,mean_us,stdev_us,p50_us,"
            + "p90_us,p99_us,p999_us,max_us,errors,offered_rate,served_rate,server_cpu_s,db_connections\n";

    @TempDir
    private Path folder;

    @Test
    void theTablesShowTheFiveBestAndWorstBesideThePublishedFigures() throws Exception {
        StringBuilder csv = new StringBuilder(HEADER);
        for (int size : new int[] {1, 2, 4, 8, 16, 32}) {
            int mean = 1_000 * size;
            csv.append("weir,%d,4,100,closed,%d,%d,1,1,1,%d,1,1,0,,1,1,%d%n"
                    .formatted(size, 100_000 / size, mean, 3 * mean, size));
        }
        csv.append("hikari,4,4,100,closed,0,,,,,,,,50,,0,1,4\n");
        csv.append("weir,4,4,100,open at 500/s,400,700,1,1,1,900,1,1,7,500,480,1,4\n");

        String text = GridTables.text(GridCsv.read(Files.writeString(folder.resolve("grid.csv"), csv)));

        String closed = text.substring(text.indexOf("== 100 clients, closed"), text.indexOf("== 100 clients, open"));
        assertThat(closed).contains("1 of 7 cells served nothing");
        String best = closed.substring(closed.indexOf("best mean"), closed.indexOf("worst mean"));
        assertThat(best).containsSubsequence("1/4", "2/4", "4/4", "8/4", "16/4").doesNotContain("32/4");
        assertThat(best).containsSubsequence("hikari (published, another machine)", "4/4", "8,035 us");
        String worst = closed.substring(closed.indexOf("worst mean"), closed.indexOf("best p99"));
        assertThat(worst).containsSubsequence("32/4", "32,000 us", "16/4", "2/4", "1/4", "27,325 us");
        String requests = closed.substring(closed.indexOf("best requests"), closed.indexOf("worst requests"));
        assertThat(requests).containsSubsequence("1/4", "100,000", "2/4", "869,924");
        // Sizes above 1: 3 x 32,000 over 3 x 2,000.
        assertThat(closed).contains("weir: worst p99 is 16.00 times the best");
        // 7 of 407 answers.
        String open = text.substring(text.indexOf("== 100 clients, open"));
        assertThat(open).contains("1 of 1 cells have errors in more than 1 %");
        assertThat(open.substring(open.indexOf("best mean"), open.indexOf("worst mean")))
                .doesNotContain("700 us");
        assertThat(open.substring(open.indexOf("worst mean")))
                .contains("700 us")
                .contains("7 |");
    }

    @Test
    void aFileThatIsNoGridIsRefusedWithTheLine() throws Exception {
        Path wrong = Files.writeString(folder.resolve("wrong.csv"), HEADER + "weir,many,4,100,closed,1,,,,,,,,0,,,,\n");
        assertThatIOException()
                .isThrownBy(() -> GridCsv.read(wrong))
                .withMessageContaining("wrong.csv, line 2")
                .withMessageContaining("many");

        Path other = Files.writeString(folder.resolve("other.csv"), "a,b\n1,2\n");
        assertThatIOException().isThrownBy(() -> GridCsv.read(other)).withMessageContaining("other.csv, line 2");
    }

    @Test
    void aCellIsFoundAgainInItsName() {
        for (GridCell cell : List.of(
                new GridCell("weir", 8, 16, 100, 0), new GridCell("c3p0[helperThreads=10]", 1, 2, 300, 5_000))) {
            assertThat(GridCell.of(cell.toCell())).isEqualTo(cell);
        }
        assertThatIllegalArgumentException().isThrownBy(() -> GridCell.of(new Cell(1, "spike", "weir")));
    }

    @Test
    void cellsAreShuffledByTheirSeedAlone() {
        GridSettings settings = settings(7);
        assertThat(settings.cells())
                .hasSize(8)
                .doesNotHaveDuplicates()
                .isEqualTo(settings(7).cells());
        assertThat(settings.cells()).isNotEqualTo(settings(8).cells());
        assertThat(GridSettings.of(settings.asMap())).isEqualTo(settings);
    }

    @Test
    void theGridIsThatOfThePublishedExperimentUnlessAFirstLookIsAskedFor() {
        GridOptions options = new GridOptions();
        GridSettings full = options.settings();
        assertThat(full.pools()).containsExactly("weir", "hikari", "tomcat");
        assertThat(full.sizes()).containsExactly(1, 2, 4, 8, 16, 32);
        assertThat(full.threads()).containsExactly(1, 2, 4, 8, 16, 32, 64);
        assertThat(full.clients()).containsExactly(100);
        assertThat(full.seconds()).isEqualTo(60);
        assertThat(full.turns()).isEqualTo(10);
        assertThat(full.database()).isEqualTo("1000000 rows");

        options.quick = true;
        GridSettings quick = options.settings();
        assertThat(quick.cells()).hasSize(3 * 3 * 3);
        assertThat(quick.seconds()).isEqualTo(5);
    }

    private static GridSettings settings(long seed) {
        return new GridSettings(
                List.of("weir", "hikari"),
                List.of(1, 2),
                List.of(4),
                List.of(10),
                List.of(0, 50),
                1,
                2,
                4,
                seed,
                87,
                false,
                "x");
    }

    @Test
    void whatIsOutOfRangeOrThereTwiceIsRefusedByName() {
        for (String wrong : List.of("", "0", "1,1", "1,x", "1,,2", "10001")) {
            assertThatIllegalArgumentException()
                    .isThrownBy(() -> GridSettings.numbers("sizes", wrong, 1, 10_000))
                    .withMessageContaining("--sizes: " + wrong + " (expected: different numbers of 1..10000");
        }
    }

    @Test
    void whatWrkSaysIsRead() throws Exception {
        Wrk.Result result = Wrk.parse("""
                Running 10s test @ http://127.0.0.1:8080/?user=87
                  1 threads and 100 connections
                  Thread Stats   Avg      Stdev     Max   +/- Stdev
                    Latency    12.34ms    3.21ms  98.76ms   89.12%
                    Req/Sec     8.05k   321.00     9.12k    70.00%
                  Latency Distribution
                     50%  830.00us
                     75%   13.41ms
                     90%   15.90ms
                     99%    1.02s
                  80755 requests in 10.00s, 150.20MB read
                  Non-2xx or 3xx responses: 12
                Requests/sec:   8072.31
                Transfer/sec:     15.01MB
                """);

        assertThat(result).isEqualTo(new Wrk.Result(8072.31, 12_340, 1_020_000));
        assertThatIOException()
                .isThrownBy(() -> Wrk.parse("unable to connect"))
                .withMessageContaining("unable to connect");
        assertThat(new Wrk(folder.resolve("absent").toString()).isInstalled()).isFalse();
    }

    @Test
    void wrkIsStopped() throws Exception {
        Path endless = Files.writeString(folder.resolve("wrk"), "#!/bin/sh\nexec sleep 60\n");
        assertThat(endless.toFile().setExecutable(true)).isTrue();

        assertThatIOException()
                .isThrownBy(() -> new Wrk(endless.toString())
                        .run(URI.create("http://127.0.0.1/"), 1, 600, CompletableFuture.completedFuture(null)))
                .withMessageContaining("wrk failed");
    }

    @Test
    void processorTimeIsReadFromTheKernelsLine() {
        assertThat(SshServers.cpuOf("42 (java) main) S 1 42 42 0 -1 4194560 1 0 0 0 250 50 0 0 20 0 9 0 1 1 1"))
                .isEqualTo(Duration.ofSeconds(3));
    }

    @Test
    void aMetricThatWasNotMeasuredIsLeftOut() {
        GridRow row = new GridRow(new GridCell("weir", 1, 1, 1, 0), java.util.Map.of(Metric.REQUESTS, 5.0));

        assertThat(row.measurements()).hasSize(1);
        assertThat(row.get(Metric.WRK_P99)).isNaN();
    }
}
