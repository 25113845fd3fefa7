package dev.weir.lab.runs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.FutureTask;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RunFolderTest {
    private static final Cell FIRST = new Cell(1, "4 connections, \"parked\"", "weir");
    private static final Cell SECOND = new Cell(1, "4 connections, \"parked\"", "c3p0[helperThreads=10]");

    @TempDir
    private Path root;

    @Test
    void whatWasWrittenIsRead() throws IOException {
        RunFolder folder = RunFolder.create(root, info(), List.of(new Limit("weir", "none, really")));
        folder.append(
                FIRST,
                List.of(new Measurement(FIRST, "p99", 1.25, "ms"), new Measurement(FIRST, "opened", 5_000_000, "")));
        folder.fail(SECOND, "refused: \"no\",\n  at all");

        RunFolder read = RunFolder.read(folder.path());

        assertThat(read.info()).isEqualTo(info());
        assertThat(read.measurements())
                .containsExactly(
                        new Measurement(FIRST, "p99", 1.25, "ms"), new Measurement(FIRST, "opened", 5_000_000, ""));
        assertThat(read.failures()).containsExactly(new Failure(SECOND, "refused: \"no\", | at all"));
        assertThat(read.limits()).containsExactly(new Limit("weir", "none, really"));
        assertThat(read.done()).containsExactlyInAnyOrder(FIRST, SECOND);
        assertThat(Files.readString(folder.path().resolve("measurements.csv")))
                .startsWith(
                        "round,case,pool,metric,value,unit\n1,\"4 connections, \"\"parked\"\"\",weir,p99,1.25,ms\n");
    }

    @Test
    void aRunNeverTakesTheFolderOfAnother() throws IOException {
        RunFolder first = RunFolder.create(root, info(), List.of());
        RunFolder second = RunFolder.create(root, info(), List.of());

        assertThat(second.path()).isNotEqualTo(first.path());
        assertThat(root.relativize(first.path()).toString()).matches("\\d{4}-\\d\\d-\\d\\d/mixed/\\d{6}");
        assertThat(RunFolder.find(root)).hasSize(2);
    }

    @Test
    void aCellThatWasHalfWrittenIsNotDone() throws IOException {
        RunFolder folder = RunFolder.create(root, info(), List.of());
        folder.append(FIRST, List.of(new Measurement(FIRST, "p99", 1, "ms")));
        Files.writeString(
                folder.path().resolve("measurements.csv"), "1,\"4 connections, \"\"pa", StandardOpenOption.APPEND);

        RunFolder read = RunFolder.open(folder.path());
        assertThat(read.done()).containsExactly(FIRST);
        read.append(SECOND, List.of(new Measurement(SECOND, "p99", 2, "ms")));

        assertThat(read.done()).containsExactlyInAnyOrder(FIRST, SECOND);
        assertThat(read.measurements()).hasSize(2);
    }

    @Test
    void runsAreFoundWhileOneIsUnderWay() throws Exception {
        RunFolder folder = RunFolder.create(root, info(), List.of());
        FutureTask<Void> writer = new FutureTask<>(() -> {
            for (int i = 0; i < 2_000; i++) {
                Json.write(folder.path().resolve("grid.csv"), i);
            }
            return null;
        });
        Thread thread = new Thread(writer);
        thread.start();

        do {
            assertThat(RunFolder.find(root)).hasSize(1);
        } while (!writer.isDone());

        thread.join();
        writer.get();
    }

    @Test
    void theNewestUnfinishedRunIsFound() throws IOException {
        RunFolder first = RunFolder.create(root, info(), List.of());
        RunFolder second = RunFolder.create(root, info(), List.of());
        assertThat(RunFolder.newestUnfinished(root, "mixed").map(RunFolder::path))
                .contains(second.path());

        second.finish();

        assertThat(RunFolder.newestUnfinished(root, "mixed").map(RunFolder::path))
                .contains(first.path());
        assertThat(RunFolder.newestUnfinished(root, "fair")).isEmpty();
        assertThat(RunFolder.read(second.path()).info().ended()).isNotNull();
    }

    @Test
    void aRunThatIsUnderWayInAnotherProcessIsNotGoneOnWith() throws Exception {
        RunFolder older = RunFolder.create(root, info(), List.of());
        Child.Builder jvm = Child.jvm(List.of(), Child.ownClassPath(), OtherProcess.class.getName(), root.toString());
        CompletableFuture<Matcher> line = jvm.line(Pattern.compile(".+"));
        Path path;
        try (Child other = jvm.start()) {
            path = Path.of(other.await(line, Duration.ofSeconds(60)).group());

            assertThatThrownBy(() -> RunFolder.open(path))
                    .isInstanceOf(IOException.class)
                    .hasMessage(path + " is under way");
            assertThat(RunFolder.newestUnfinished(root, "mixed").map(RunFolder::path))
                    .contains(older.path());
            assertThat(RunFolder.find(root)).extracting(RunFolder::path).contains(path);
            assertThat(RunFolder.read(path).done()).containsExactly(FIRST);

            other.handle().destroyForcibly();
        }
        assertThat(RunFolder.newestUnfinished(root, "mixed").map(RunFolder::path))
                .contains(path);
        RunFolder.open(path).finish();
        assertThat(path).isDirectoryNotContaining("glob:**.lock");
    }

    /** Begins a run, says where, and stays. */
    static final class OtherProcess {
        private OtherProcess() {}

        public static void main(String[] arguments) throws Exception {
            ChildMain.endWithParent();
            RunFolder folder = RunFolder.create(Path.of(arguments[0]), info(), List.of());
            folder.append(FIRST, List.of(new Measurement(FIRST, "p99", 1, "ms")));
            System.out.println(folder.path());
            Thread.currentThread().join();
        }
    }

    @Test
    void aRunThatIsFinishedIsNotGoneOnWith() throws IOException {
        RunFolder folder = RunFolder.create(root, info(), List.of());
        folder.finish();
        String ended = Files.readString(folder.path().resolve("run.json"));

        assertThatThrownBy(() -> RunFolder.open(folder.path()))
                .isInstanceOf(IOException.class)
                .hasMessage(
                        folder.path() + " is finished since " + folder.info().ended());
        assertThat(folder.path().resolve("run.json")).hasContent(ended);
        assertThat(folder.path()).isDirectoryNotContaining("glob:**.lock");
    }

    @Test
    void aFolderThatIsNoRunIsRefused() {
        assertThatThrownBy(() -> RunFolder.open(root))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("run.json");
    }

    @Test
    void rawSamplesHaveAPlaceOfTheirOwnForEachCell() throws IOException {
        assertThat(RunFolder.raw(root, SECOND, "percentiles"))
                .isEqualTo(root.resolve("raw/4-connections-parked/c3p0-helperThreads=10-1-percentiles.tsv"))
                .hasParentRaw(root.resolve("raw/4-connections-parked"));
    }

    private static RunInfo info() {
        return new RunInfo(
                "mixed",
                "./weir lab mixed",
                "2026-11-22T10:00:00Z",
                null,
                "equal",
                7L,
                Map.of("jdk", "17"),
                Map.of("weir", "1"),
                Map.of("weir", Map.of(RunInfo.TESTED, "never")),
                Map.of("threads", "5"),
                List.of("weir"),
                List.of(),
                List.of(FIRST, SECOND));
    }
}
