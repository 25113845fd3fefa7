package dev.weir;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** What docs/performance.md says in sentences: each ratio stands in a page that its row links, and one table is of one machine. */
class PerformanceDocTest {
    private static final Path DOCS =
            Path.of(System.getProperty("basedir", "")).toAbsolutePath().resolveSibling("docs");
    private static final Pattern LINK = Pattern.compile("\\]\\((results/[^)#]+\\.md)");

    /** 0.97 (0.95 to 0.98), 0.97 of HikariCP's (0.95 to 0.98), or (0.97, 0.95 to 0.98). */
    private static final Pattern INTERVAL = Pattern.compile("\\((?:([\\d.]+), )?(\\d+\\.\\d+ to \\d+\\.\\d+)");

    private static final Pattern NUMBER = Pattern.compile("\\d+\\.\\d+");

    private static List<String> rows(String begin, String end) throws IOException {
        String page = Files.readString(DOCS.resolve("performance.md"));
        assertThat(page).containsOnlyOnce(begin).containsOnlyOnce(end);
        List<String> rows = page.substring(page.indexOf(begin), page.indexOf(end))
                .lines()
                .filter(line -> line.startsWith("| **"))
                .toList();
        assertThat(rows).hasSizeGreaterThan(2);
        return rows;
    }

    private static List<String> linked(String row) throws IOException {
        List<String> pages = new ArrayList<>();
        for (MatchResult link : LINK.matcher(row).results().toList()) {
            pages.add(Files.readString(DOCS.resolve(link.group(1))));
        }
        assertThat(pages).as("results that are linked from %s", row).isNotEmpty();
        return pages;
    }

    /** The ratio of an interval: before the comma in its brackets, or else the last number before them. */
    private static String ratio(String row, MatchResult interval) {
        if (interval.group(1) != null) {
            return interval.group(1);
        }
        Matcher number = NUMBER.matcher(row.substring(0, interval.start()).replaceAll("\\([^)]*\\)", ""));
        String last = "none";
        while (number.find()) {
            last = number.group();
        }
        return last;
    }

    @Test
    void eachRatioStandsInAPageThatItsRowLinks() throws IOException {
        int found = 0;
        for (String row : rows("## Where Weir wins", "## Machine and method")) {
            List<String> pages = linked(row);
            for (MatchResult interval : INTERVAL.matcher(row).results().toList()) {
                String text = "(" + ratio(row, interval) + ", " + interval.group(2);
                assertThat(pages).as("%s of %s", text, row).anyMatch(page -> page.contains(text));
                found++;
            }
        }
        assertThat(found).isGreaterThan(20);
    }

    @Test
    void theFirstTableIsOfOneMachine() throws IOException {
        Set<String> machines = new HashSet<>();
        for (String row : rows("## Where Weir wins", "### Of other runs")) {
            for (String page : linked(row)) {
                page.lines().filter(line -> line.startsWith("Machine: ")).forEach(machines::add);
            }
        }
        assertThat(machines).hasSize(1);
    }
}
