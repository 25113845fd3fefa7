package dev.weir;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A number stands by hand in one page only: a page that shows rows of another page's table names the page, the columns and
 * the rows, and this test compares them. With {@code -Dweir.docs.update=true} it writes them.
 */
class ExcerptsDocTest {
    private static final Path ROOT =
            Path.of(System.getProperty("basedir", "")).toAbsolutePath().getParent();
    private static final Pattern EXCERPT = Pattern.compile(
            "(<!-- excerpt:begin\\nfrom: (.+)\\ncolumns: (.+)\\nrows: (.+)\\nwritten by ExcerptsDocTest -->\\n)"
                    + "((?:\\|.*\\n)*)(<!-- excerpt:end -->)");

    @ParameterizedTest
    @ValueSource(
            strings = {"README.md", "docs/performance.md", "docs/decisions/0017-marks-for-a-thousand-connections.md"})
    void showsTheRowsOfTheOtherPage(String name) throws IOException {
        Path page = ROOT.resolve(name);
        String text = Files.readString(page);
        List<MatchResult> excerpts = EXCERPT.matcher(text).results().toList();
        assertThat(excerpts).hasSize(text.split("<!-- excerpt:begin", -1).length - 1);
        checkPublished(page, excerpts);
        StringBuilder expected = new StringBuilder();
        int written = 0;
        for (MatchResult excerpt : excerpts) {
            expected.append(text, written, excerpt.start())
                    .append(excerpt.group(1))
                    .append(table(page.resolveSibling(excerpt.group(2)), excerpt.group(3), excerpt.group(4)))
                    .append(excerpt.group(6));
            written = excerpt.end();
        }
        expected.append(text.substring(written));
        if (Boolean.getBoolean("weir.docs.update")) {
            Files.writeString(page, expected);
        }
        assertThat(page)
                .as("run with -Dweir.docs.update=true to rewrite it")
                .content()
                .isEqualTo(expected.toString());
    }

    /** Numbers of one page come from one machine, and from no run that says of itself that it is not to be published. */
    private static void checkPublished(Path page, List<MatchResult> excerpts) throws IOException {
        Set<String> machines = new HashSet<>();
        for (MatchResult excerpt : excerpts) {
            Path source = page.resolveSibling(excerpt.group(2));
            List<String> lines = Files.readAllLines(source);
            if (source.toString().contains("results")) {
                machines.add(lines.stream()
                        .filter(line -> line.startsWith("Machine: "))
                        .findFirst()
                        .orElse("not said"));
            }
            assertThat(lines)
                    .as("a page that %s shows rows of: %s", page, source)
                    .noneMatch(line -> line.contains("Not to be published")
                            || line.startsWith("Fewer than ")
                            || line.contains("numbers mean nothing"));
        }
        assertThat(machines).as("machines of the numbers of %s", page).hasSizeLessThanOrEqualTo(1);
    }

    /** Some columns and rows of the first table that has all these columns. */
    private static String table(Path source, String columns, String rows) throws IOException {
        List<String> names = List.of(columns.split("; "));
        Matcher wanted = Pattern.compile(rows).matcher("");
        StringBuilder table = new StringBuilder();
        List<Integer> chosen = List.of();
        for (String line : Files.readAllLines(source)) {
            if (!line.startsWith("|")) {
                if (!table.isEmpty()) {
                    break;
                }
                chosen = List.of();
                continue;
            }
            List<String> cells = cells(line);
            if (chosen.isEmpty() && cells.containsAll(names)) {
                chosen = names.stream().map(cells::indexOf).toList();
                table.append(row(cells, chosen));
            } else if (!chosen.isEmpty()
                    && (isRule(cells) || wanted.reset(String.join(" | ", cells)).find())) {
                table.append(row(cells, chosen));
            }
        }
        assertThat(table.toString().lines().count())
                .as("rows '%s' of a table of %s with the columns %s", rows, source, names)
                .isGreaterThan(2);
        return table.toString();
    }

    private static boolean isRule(List<String> cells) {
        return cells.stream().allMatch(cell -> cell.matches(":?-+:?"));
    }

    private static List<String> cells(String line) {
        return Arrays.stream(line.substring(1, line.lastIndexOf('|')).split("\\|", -1))
                .map(String::strip)
                .toList();
    }

    private static String row(List<String> cells, List<Integer> chosen) {
        List<String> shown = new ArrayList<>();
        for (int column : chosen) {
            shown.add(isRule(cells) ? cells.get(column).replaceAll("-+", "---") : cells.get(column));
        }
        return "| " + String.join(" | ", shown) + " |\n";
    }
}
