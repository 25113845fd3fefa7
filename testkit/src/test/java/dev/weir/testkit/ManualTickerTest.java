package dev.weir.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import org.junit.jupiter.api.Test;

final class ManualTickerTest {

    @Test
    void standsStillUntilMoved() {
        ManualTicker ticker = new ManualTicker();
        long start = ticker.getAsLong();
        assertThat(ticker.getAsLong()).isEqualTo(start);
        ticker.advance(Duration.ofMinutes(2));
        assertThat(ticker.getAsLong() - start).isEqualTo(Duration.ofMinutes(2).toNanos());
        assertThatThrownBy(() -> ticker.advance(Duration.ofNanos(-1))).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void overflowsAsRealClocksMay() {
        ManualTicker ticker = new ManualTicker();
        assertThat(ticker.getAsLong()).isPositive();
        assertThat(ticker.advance(Duration.ofMinutes(2))).isNegative();
    }
}
