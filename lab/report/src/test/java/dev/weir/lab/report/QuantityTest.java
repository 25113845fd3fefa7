package dev.weir.lab.report;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class QuantityTest {
    @ParameterizedTest
    @CsvSource({
        "0, 0",
        "7, 7",
        "0.0123, 0.012",
        "1.2345, 1.23",
        "12.345, 12.3",
        "123.4, 123",
        "1234567.8, '1,234,568'",
        "0.00001, 1.0e-05"
    })
    void threeDigitsCount(double value, String text) {
        assertThat(Quantity.number(value)).isEqualTo(text);
    }

    @ParameterizedTest
    @CsvSource({
        "16, ns, 16 ns",
        "22300, us, 22.3 ms",
        "150000, us, 150 ms",
        "0.004, ms, 4 \u00b5s",
        "5, '', 5",
        "20000, 1/s, '20,000 per second'"
    })
    void aTimeHasTheUnitThatKeepsItShort(double value, String unit, String text) {
        assertThat(Quantity.withUnit(value, unit)).isEqualTo(text);
    }

    @Test
    void aColumnHasOneUnit() {
        assertThat(Quantity.scale("us", List.of(350.0, 25_000.0)).unit()).isEqualTo("ms");
        Quantity.Scale scale = Quantity.scale("ns", List.of(90.0, 5_000.0, 2_000_000.0));

        assertThat(scale.unit()).isEqualTo("us");
        assertThat(scale.apply(90)).isEqualTo(0.09);
        assertThat(Quantity.scale("us", List.of(0.05, 14.0)).unit()).isEqualTo("ns");
    }

    @Test
    void whatIsNoNumberIsADash() {
        assertThat(Quantity.number(Double.NaN)).isEqualTo("-");
        assertThat(Quantity.ratio(Double.POSITIVE_INFINITY)).isEqualTo("-");
    }
}
