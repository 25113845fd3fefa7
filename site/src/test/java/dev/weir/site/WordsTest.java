package dev.weir.site;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** The pages stay short enough to be read: a page that says more says it instead of something else. */
class WordsTest {
    private static final Path DOCS =
            Path.of(System.getProperty("basedir", "")).toAbsolutePath().resolveSibling("docs");

    @Test
    void allPagesTogetherHaveAtMost35000Words() throws IOException {
        long words = 0;
        for (Path page : pages(DOCS)) {
            if (!page.startsWith(DOCS.resolve("results"))) {
                words += words(page);
            }
        }
        assertThat(words).isBetween(10_000L, 35_000L);
    }

    @Test
    void aDecisionHasAtMost400Words() throws IOException {
        assertThat(pages(DOCS.resolve("why/decisions")))
                .isNotEmpty()
                .allSatisfy(page -> assertThat(words(page)).as(page.toString()).isLessThanOrEqualTo(400));
    }

    private static List<Path> pages(Path folder) throws IOException {
        try (Stream<Path> files = Files.walk(folder)) {
            return files.filter(file -> file.toString().endsWith(".md")).toList();
        }
    }

    private static long words(Path page) {
        try {
            return Files.readString(page).strip().split("\\s+").length;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
