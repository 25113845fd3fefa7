package dev.weir.lab;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.cli.shared.Stop;
import dev.weir.lab.runs.Measurement;
import dev.weir.lab.runs.RunFolder;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@Tag("thorough") // starts servers, a database and a generator of load
class LabCommandGridTest {
    @TempDir
    private Path folder;

    @Test
    void aGridServesEachCellAndHasItsPicturesAndTables() throws Exception {
        StringWriter out = new StringWriter();
        int exit = Main.run(
                Stop::new,
                new PrintWriter(out),
                "lab",
                "grid",
                "--sizes=1,2",
                "--threads=2",
                "--pools=weir,hikari",
                "--clients=3",
                "--warm-up=1",
                "--seconds=1",
                "--turns=2",
                "--rows=2000",
                "--results=" + folder);

        assertThat(exit).as("%s", out).isZero();
        RunFolder run = RunFolder.find(folder).get(0);
        assertThat(run.failures()).isEmpty();
        List<Measurement> all = run.measurements();
        assertThat(all.stream().filter(one -> one.metric().equals("requests")))
                .hasSize(4)
                .allSatisfy(one -> assertThat(one.value()).isPositive());
        assertThat(all.stream().filter(one -> one.metric().equals("errors")))
                .allSatisfy(one -> assertThat(one.value()).isZero());
        assertThat(run.path().resolve("report.md")).content().contains("best by mean", "worst by p99", "-map.png");
        assertThat(run.path().resolve("pictures/grid-3-clients-closed-weir-map.png"))
                .isNotEmptyFile();
    }
}
