package dev.weir.lab.report;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.lab.runs.RunFolder;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class ArchiveTest {
    @TempDir
    private Path root;

    @Test
    void theWholeFolderOfASmallRunIsKeptAndTheSameFolderGivesTheSameBytes() throws IOException {
        RunFolder run = new TestRuns(root.resolve("runs")).spike("weir", "hikari");
        Files.writeString(run.path().resolve("raw/a.log"), "what the JVM said");
        Files.writeString(run.path().resolve("run.lock"), "");
        Path one = Files.createDirectories(root.resolve("one"));
        Path other = Files.createDirectories(root.resolve("other"));

        assertThat(Archive.of(run.path()).write(one)).contains("run.zip");
        Archive.of(run.path()).write(other);

        try (ZipFile zip = new ZipFile(one.resolve(Archive.NAME).toFile())) {
            List<String> names = zip.stream().map(ZipEntry::getName).toList();
            assertThat(names)
                    .isSorted()
                    .contains("run.json", "measurements.csv", "failures.csv", "limits.csv", "raw/a.log")
                    .doesNotContain("run.lock")
                    .anyMatch(name -> name.startsWith("raw/") && name.endsWith(".tsv"));
        }
        assertThat(one.resolve(Archive.NAME)).hasSameBinaryContentAs(other.resolve(Archive.NAME));
        assertThat(one.resolve(Archive.DIGESTS)).doesNotExist();
    }

    @Test
    void ofALargeRunTheDigestsAreKept() throws IOException {
        RunFolder run = new TestRuns(root.resolve("runs")).fair();
        byte[] noise = new byte[Archive.MOST_BYTES + 1];
        new Random(1).nextBytes(noise);
        Files.createDirectories(run.path().resolve("raw"));
        Files.write(run.path().resolve("raw/noise"), noise);
        Path folder = Files.createDirectories(root.resolve("one"));
        Files.writeString(folder.resolve(Archive.NAME), "of an earlier call");

        assertThat(Archive.of(run.path()).write(folder)).contains("run.sha256");

        assertThat(folder.resolve(Archive.NAME)).doesNotExist();
        assertThat(Files.readAllLines(folder.resolve(Archive.DIGESTS)))
                .hasSize(5)
                .allSatisfy(line -> assertThat(line).matches("[0-9a-f]{64}  \\S+"))
                .anyMatch(line -> line.endsWith("  raw/noise"));
    }
}
