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
    void timesAreWrittenForPeople() {
        assertThat(Time.text(Duration.ofMillis(38_400))).isEqualTo("38 s");
        assertThat(Time.text(Duration.ofSeconds(60))).isEqualTo("1 min");
        assertThat(Time.text(Duration.ofMillis(89_600))).isEqualTo("1 min 30 s");
        assertThat(Time.text(Duration.ofSeconds(599))).isEqualTo("9 min 59 s");
        assertThat(Time.text(Duration.ofSeconds(640))).isEqualTo("11 min");
        assertThat(Time.text(Duration.ofMinutes(80))).isEqualTo("80 min");
        assertThat(Time.text(Duration.ofMinutes(365))).isEqualTo("6 h 05 min");
        assertThat(new Time().convert("2h")).isEqualTo(Duration.ofHours(2));
        assertThat(new Time().convert("250")).isEqualTo(Duration.ofMillis(250));
    }
}
