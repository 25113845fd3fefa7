package dev.weir.internal.keeping;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.Configured;
import dev.weir.PoolConfig;
import dev.weir.spi.FailureClass;
import java.time.Duration;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** P6 for each acquireRetryDelay that is allowed: no pause is too short, however many connects have failed. */
class RetryGateTest {
    private static final int FAILURES = 200;

    private static RetryGate gate(Duration delay) {
        PoolConfig config =
                PoolConfig.builder().url("jdbc:stub:").acquireRetryDelay(delay).build();
        return new RetryGate(Configured.settings(config, "gate"), new SplittableRandom(1));
    }

    @ParameterizedTest
    @ValueSource(strings = {"PT0.001S", "PT0.75S", "PT29S", "PT30S", "PT3H", "P365D"})
    void refusedCredentialsAreNeverHammered(String delay) {
        hasPauses(Duration.parse(delay), FailureClass.AUTHENTICATION);
    }

    @ParameterizedTest
    @ValueSource(strings = {"PT0.001S", "PT0.75S", "PT29S", "PT30S", "PT3H", "P365D"})
    void aServerThatIsAwayIsNeverHammered(String delay) {
        hasPauses(Duration.parse(delay), FailureClass.DISCONNECT);
    }

    private static void hasPauses(Duration delay, FailureClass failure) {
        RetryGate gate = gate(delay);
        long longest = Math.max(delay.toNanos(), Duration.ofSeconds(30).toNanos());
        for (int failed = 1; failed <= FAILURES; failed++) {
            gate.connectFailed(failure, null, false, 0, 0, 0);
            assertThat(gate.probeAtNanos()).as("after %d", failed).isBetween(delay.toNanos() / 2, longest);
        }
    }

    /** Credentials that were refused long ago do not keep him from being heard. */
    @Test
    void anOperatorEndsThePauseAfterConnectionsOfNoUse() {
        RetryGate gate = gate(Duration.ofMinutes(1));
        gate.connectFailed(FailureClass.AUTHENTICATION, null, false, 0, 0, 0);
        gate.connectSucceeded();
        gate.connectionUseless(1, 2);
        gate.connectionUseless(3, 4);
        assertThat(gate.isShut(5)).isTrue();
        gate.tryAgain(5);
        assertThat(gate.isShut(5)).isFalse();
    }
}
