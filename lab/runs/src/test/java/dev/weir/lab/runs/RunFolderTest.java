package dev.weir.lab.runs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

public final class RunFolderTest {
    private static final Cell FIRST = new Cell(1, "a case, of \"two\" words", "weir");
    private static final Cell SECOND = new Cell(1, "a case, of \"two\" words", "hikari");

    @TempDir
    private Path root;

    /** A run of these cells that is compared by these metrics. */
    public static RunInfo info(String workload, List<String> shown, List<Cell> cells) {
        return new RunInfo(
                workload,
                "./weir lab " + workload,
                RunFolder.now(),
                null,
                "equal",
                7,
                Machine.facts(),
                Map.of("weir", "1", "hikari", "2"),
                Map.of("weir", Map.of(RunInfo.TESTED, "after 500 ms idle", RunInfo.COUNTED, "loans")),
                Map.of("threads", "3"),
                List.of("weir", "hikari"),
                List.of(),
                shown,
                cells);
    }

    private RunFolder folder() throws IOException {
        return RunFolder.create(
                root, info("mixed", List.of("median"), List.of(FIRST, SECOND)), List.of(new Limit("hikari", "a, b")));
    }

    @Test
    void whatWasWrittenIsRead() throws IOException {
        RunFolder folder = folder();
        folder.append(FIRST, List.of(new Measurement(FIRST, "median", 1.5, "ms")));
        folder.fail(SECOND, "two\n  lines");
        folder.observe(Map.of("steal %", 0.5));
        folder.finish();

        RunFolder read = RunFolder.find(root).get(0);
        assertThat(read.path()).isEqualTo(folder.path());
        assertThat(read.info().ended()).isNotNull();
        assertThat(read.info().cells()).containsExactly(FIRST, SECOND);
        assertThat(read.info().machine()).containsEntry("steal %", 0.5).containsKey("jdk");
        assertThat(read.measurements()).containsExactly(new Measurement(FIRST, "median", 1.5, "ms"));
        assertThat(read.failures()).containsExactly(new Failure(SECOND, "two | lines"));
        assertThat(read.limits()).containsExactly(new Limit("hikari", "a, b"));
    }

    @Test
    void aRunNeverTakesTheFolderOfAnother() throws IOException {
        assertThat(List.of(folder().path(), folder().path(), folder().path())).doesNotHaveDuplicates();
        assertThatThrownBy(() -> RunFolder.read(root)).hasMessageContaining("expected: the folder of a run");
    }

    @Test
    void doubtsSayWhyNumbersAreNotToBePublished() {
        RunInfo info = info("mixed", List.of(), List.of(FIRST));
        assertThat(info.doubts()).anyMatch(doubt -> doubt.startsWith("Fewer than 5 rounds"));
        assertThat(info.withMachine(Map.of("steal %", 0.1, "foreign CPU %", 3.0))
                        .doubts())
                .anyMatch(doubt -> doubt.contains("foreign CPU % 3.0 (at most 1)"));
    }
}
