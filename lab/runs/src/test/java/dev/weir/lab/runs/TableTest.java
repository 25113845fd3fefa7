package dev.weir.lab.runs;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class TableTest {
    @Test
    void alignsTheColumnsOfATable() {
        assertThat(new Table("pool", "ns").row("weir", "1").row("x", "1,000").toString())
                .isEqualTo("| pool |    ns |\n|------|------:|\n| weir |     1 |\n| x    | 1,000 |\n");
    }

    @Test
    void medianIsTheMiddleOrTheMeanOfTheTwoInTheMiddle() {
        assertThat(Summary.of(9, 1, 5)).isEqualTo(new Summary(5, 1, 9));
        assertThat(Summary.of(4, 1, 2, 9).median()).isEqualTo(3);
        assertThat(Summary.of(4, Double.NaN).median()).isEqualTo(4);
        assertThat(Summary.of().median()).isNaN();
    }
}
