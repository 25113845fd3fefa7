package dev.weir.lab.runs;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class TableTest {
    @Test
    void alignsTheColumnsOfATable() {
        assertThat(new Table("pool", "ns").row("weir", "1").row("x", "1,000").toString())
                .isEqualTo("| pool |    ns |\n|------|------:|\n| weir |     1 |\n| x    | 1,000 |\n");
    }

    @Test
    void medianIsTheMiddleOrTheMeanOfTheTwoInTheMiddle() {
        assertThat(Summary.of(9, 1, 5)).isEqualTo(new Summary(5, 1, 9, 1, 9));
        assertThat(Summary.of(4, 1, 2, 9).median()).isEqualTo(3);
        assertThat(Summary.of(4, Double.NaN).median()).isEqualTo(4);
        assertThat(Summary.of().median()).isNaN();
    }

    @Test
    void theIntervalOfTheMedianIsThatOfTheBootstrap() {
        assertThat(Summary.of(9, 1, 5, 2, 7)).satisfies(few -> {
            assertThat(few.low()).isEqualTo(1);
            assertThat(few.high()).isEqualTo(9);
        });
        double[] many = IntStream.rangeClosed(1, 101).mapToDouble(i -> i).toArray();
        assertThat(Summary.of(many)).satisfies(sure -> {
            // The ranks of a binomial interval are 41 and 61.
            assertThat(sure.low()).isBetween(38.0, 44.0);
            assertThat(sure.high()).isBetween(58.0, 64.0);
            assertThat(sure.mayBe(51)).isTrue();
            assertThat(sure.mayBe(70)).isFalse();
        });
        assertThat(Summary.of(3).mayBe(3)).isTrue();
    }
}
