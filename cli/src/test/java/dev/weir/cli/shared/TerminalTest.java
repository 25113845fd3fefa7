package dev.weir.cli.shared;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.PrintWriter;
import java.io.StringReader;
import java.io.StringWriter;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class TerminalTest {

    @ParameterizedTest
    @CsvSource({"'\n', true", "'y\n', true", "' Yes \n', true", "'n\n', false", "'what?\n', false", "'', false"})
    void onlyYesAndTheEnterKeyBegin(String answer, boolean yes) {
        StringWriter out = new StringWriter();
        assertThat(Terminal.confirms(new PrintWriter(out), new StringReader(answer), "Begin?"))
                .isEqualTo(yes);
        assertThat(out).hasToString("Begin? [Y/n] ");
    }

    @Test
    void timesAreReadAsThePoolDoes() {
        assertThat(new Time().convert("2h")).isEqualTo(Duration.ofHours(2));
        assertThat(new Time().convert("250")).isEqualTo(Duration.ofMillis(250));
    }
}
