package dev.weir.lab.report;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class SamplesTest {
    @TempDir
    private Path root;

    @Test
    void aLineThatWasCutOffIsLeftOut() throws IOException {
        Samples samples = samples("time_us\ttotal\n0\t5\n250\t6\n50");

        assertThat(samples.column("time_us")).containsExactly(0.0, 250.0);
        assertThat(samples.column("total")).containsExactly(5.0, 6.0);
    }

    @Test
    void onlyWhatChangesIsDrawn() throws IOException {
        Samples samples = samples("t\tn\n0\t5\n1\t5\n2\t5\n3\t6\n4\t6\n");

        assertThat(samples.changesOf("n").column("t")).containsExactly(0.0, 3.0, 4.0);
    }

    @Test
    void aRangeIsCutOut() throws IOException {
        assertThat(samples("t\n-1\n0\n1\n2\n").between("t", 0, 1).column("t")).containsExactly(0.0, 1.0);
    }

    @Test
    void aColumnThatIsNotThereIsRefusedByName() throws IOException {
        assertThatThrownBy(() -> samples("t\n1\n").column("waiting"))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessage("column: waiting (expected: one of [t])");
    }

    @Test
    void anEmptyFileHasNothing() throws IOException {
        assertThat(samples("").isEmpty()).isTrue();
    }

    private Samples samples(String text) throws IOException {
        return Samples.read(Files.writeString(root.resolve("samples.tsv"), text));
    }
}
