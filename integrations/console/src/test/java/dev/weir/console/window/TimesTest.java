package dev.weir.console.window;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class TimesTest {

    @ParameterizedTest
    @CsvSource({
        "0, 0",
        "0.3549, 0.35 ms",
        "4, 4 ms",
        "9.96, 10 ms",
        "9.25, 9.3 ms",
        "350, 350 ms",
        "999.4, 999 ms",
        "999.6, 1.0 s",
        "9250, 9.3 s",
        "30000, 30 s",
        "38420, 38.4 s",
        "59960, 1 min",
        "60000, 1 min",
        "93700, 1 min 34 s",
        "124000, 2 min 04 s",
        "599000, 9 min 59 s",
        "640000, 11 min",
        "4800000, 80 min",
        "21900000, 6 h 05 min"
    })
    void aTimeHasTheUnitThatPeopleReadItIn(double millis, String text) {
        assertThat(Times.text(millis)).isEqualTo(text);
    }
}
