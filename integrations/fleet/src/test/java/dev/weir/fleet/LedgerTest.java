package dev.weir.fleet;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class LedgerTest {

    @Test
    void theFleetsTimeGoesOnWithTheServersAndTakesNoPartInItsSteps() {
        assertThat(Ledger.clock(0, 0, 5_000)).as("the first").isEqualTo(5_000);
        assertThat(Ledger.clock(5_000, 5_000, 6_200)).isEqualTo(6_200);
        assertThat(Ledger.clock(5_000, 5_000, 4_000)).as("set back").isEqualTo(5_000);
        assertThat(Ledger.clock(5_000, 4_000, 4_100)).as("goes on").isEqualTo(5_100);
        assertThat(Ledger.clock(5_000, 5_000, 3_605_000))
                .as("set ahead by an hour")
                .isEqualTo(7_000);
    }

    @Test
    void theDoorIsOnePlaceAndOneOfEveryFifty() {
        assertThat(Ledger.door(3)).isEqualTo(1);
        assertThat(Ledger.door(57)).isEqualTo(2);
        assertThat(Ledger.door(500)).isEqualTo(11);
    }
}
