package dev.weir.lab;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

class DemoTest {

    @Test
    void aShortDemoSucceedsAndItsTableAddsUp() {
        StringWriter text = new StringWriter();

        int exit = Main.run(new PrintWriter(text), "demo", "--seconds", "1", "--threads", "6", "--pool-size", "3");

        String out = text.toString();
        assertThat(exit).as(out).isZero();
        assertThat(out).contains("Money in all accounts: 1,000,000 before, 1,000,000 after.");
        for (int column = 0; column < 2; column++) {
            assertThat(cell(out, "acquired", column)).isPositive();
            // The pool also counts the few that came to a thread which had been served meanwhile, and went straight
            // back.
            assertThat(cell(out, "acquired, by the users' own count", column))
                    .isBetween(cell(out, "acquired", column) * 99 / 100, cell(out, "acquired", column));
            assertThat(cell(out, "timed out", column)).isZero();
            assertThat(retired(out, column)).isEqualTo(cell(out, "opened", column));
            assertThat(cell(out, "left open", column)).isZero();
        }
        assertThat(cell(out, "acquired, by the users' own count", 1)).isEqualTo(50);
    }

    @Test
    void anUnreachableDatabaseIsNamedInPlainWordsWithoutThePassword() {
        StringWriter text = new StringWriter();

        int exit = Main.run(
                new PrintWriter(text),
                "demo",
                "--url",
                "jdbc:postgresql://127.0.0.1:1/nothing?password=hush-hush",
                "--user",
                "someone",
                "--password=top-secret");

        assertThat(exit).isEqualTo(1);
        assertThat(text.toString())
                .contains("Cannot connect to jdbc:postgresql://127.0.0.1:1/nothing as someone")
                .contains("refused")
                .doesNotContain("top-secret")
                .doesNotContain("hush-hush");
    }

    @Test
    void aUrlWithoutADriverSaysWhereToPutIt() {
        StringWriter text = new StringWriter();

        int exit = Main.run(new PrintWriter(text), "demo", "--url", "jdbc:nosuch://127.0.0.1/x");

        assertThat(exit).isEqualTo(1);
        assertThat(text.toString()).contains("No JDBC driver").contains("WEIR_CLASSPATH");
    }

    @Test
    void aValueOutOfRangeIsRefusedByName() {
        StringWriter text = new StringWriter();

        int exit = Main.run(new PrintWriter(text), "demo", "--threads", "0");

        assertThat(exit).isEqualTo(2);
        assertThat(text.toString()).contains("--threads: 0 (expected: 1..1000)");
    }

    private static long retired(String out, int column) {
        Matcher rows =
                Pattern.compile("^\\| (retired, \\w+) ", Pattern.MULTILINE).matcher(out);
        long sum = 0;
        while (rows.find()) {
            sum += cell(out, rows.group(1), column);
        }
        return sum;
    }

    private static long cell(String out, String row, int column) {
        Matcher line = Pattern.compile("^\\| " + Pattern.quote(row) + " *\\|(.*)\\|$", Pattern.MULTILINE)
                .matcher(out);
        assertThat(line.find()).as("row '%s' in %s", row, out).isTrue();
        String[] cells = line.group(1).split("\\|", -1);
        return Long.parseLong(cells[column].strip().replace(",", ""));
    }
}
