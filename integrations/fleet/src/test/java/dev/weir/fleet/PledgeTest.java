package dev.weir.fleet;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

class PledgeTest {
    private static final long SECOND = 1_000_000_000L;
    private static final long SENT = Math.subtractExact(Long.MAX_VALUE, 10 * SECOND); // nanoTime may overflow

    private static final Grant GRANT = new Grant(9, 9, 0, 9, 2, 0, 21, 11, 1, false);

    private final Pledge pledge = new Pledge(30 * SECOND, 60 * SECOND);

    private void grant() {
        Claim self = new Claim("app", "m0", 1, 4, 20, 3, 0, 0, 0, 0, 0, 0, false, "tag");
        assertThat(pledge.claim(self, () -> 0, () -> 0, 9, SENT).has()).isZero();
        pledge.granted(GRANT, SENT);
    }

    @Test
    void itEndsHereBeforeItEndsInTheTable() {
        assertThat(pledge.allowed(SENT)).isZero();
        grant();
        assertThat(pledge.allowed(SENT + 28 * SECOND)).isEqualTo(9);
        assertThat(pledge.allowed(SENT + 29 * SECOND)).isEqualTo(2);
        assertThat(pledge.allowed(SENT + 85 * SECOND)).isEqualTo(2);
        assertThat(pledge.allowed(SENT + 86 * SECOND)).isZero();
        pledge.failed(true, true);
        assertThat(pledge.allowed(SENT + 1_000 * SECOND))
                .as("there is no table")
                .isEqualTo(2);
    }

    @Test
    void afterADeathItOpensNothingUntilTheServerHasAnswered() {
        grant();
        assertThat(pledge.mayConnect(9, 0, SENT)).isTrue();
        assertThat(pledge.mayConnect(10, 0, SENT)).isFalse();
        pledge.lost(false);
        assertThat(pledge.mayConnect(1, 0, SENT)).isFalse();
        pledge.failed(false, false);
        assertThat(pledge.mayConnect(1, 0, SENT)).as("nobody answers").isFalse();
        pledge.failed(true, false);
        assertThat(pledge.mayConnect(9, 0, SENT)).as("a row is locked, say").isTrue();
    }

    @Test
    void whatWasClosedKeepsItsPlaceUntilTheServerIsSeenToHaveEndedIt() {
        grant();
        assertThat(pledge.mayConnect(9, 0, SENT)).isTrue();
        assertThat(pledge.mayConnect(9, 1, SENT)).as("one was closed").isFalse();
        assertThat(pledge.mayConnect(8, 1, SENT)).isTrue();
        Claim self = new Claim("app", "m0", 1, 4, 20, 3, 0, 0, 0, 0, 0, 0, false, "tag");
        assertThat(pledge.claim(self, () -> 7, () -> 2, 9, SENT).unended()).isEqualTo(2);
        assertThat(pledge.mayConnect(8, 3, SENT)).as("three by now").isFalse();
        pledge.granted(new Grant(9, 9, 1, 9, 2, 0, 21, 11, 1, false), SENT);
        assertThat(pledge.mayConnect(8, 3, SENT))
                .as("one of two is there, and a third was closed since")
                .isFalse();
        assertThat(pledge.mayConnect(7, 3, SENT)).isTrue();
        assertThat(pledge.claim(self, () -> 7, () -> 3, 9, SENT).unended()).isEqualTo(2);
        pledge.granted(GRANT, SENT);
        assertThat(pledge.mayConnect(9, 3, SENT)).isTrue();
        assertThat(pledge.mayConnect(9, 4, SENT)).isFalse();
        pledge.failed(true, false);
        assertThat(pledge.mayConnect(9, 5, SENT)).as("a row is locked, say").isFalse();
        pledge.failed(true, true);
        assertThat(pledge.mayConnect(9, 5, SENT))
                .as("nobody could ever tell that they have ended")
                .isTrue();
        pledge.failed(false, false);
        assertThat(pledge.mayConnect(9, 5, SENT)).as("nobody answers").isFalse();
    }

    @Test
    void anAnswerWithoutAPauseEndsNoneThatIsStillToCome() {
        pledge.claim(new Claim("app", "m0", 1, 4, 20, 3, 0, 0, 0, 0, 0, 0, false, "tag"), () -> 0, () -> 0, 9, SENT);
        pledge.granted(new Grant(9, 9, 0, 9, 2, 500, 21, 11, 1, true), SENT);
        pledge.granted(new Grant(9, 9, 0, 9, 2, 0, 21, 11, 1, true), SENT + SECOND / 40);
        assertThat(pledge.mayConnect(1, 0, SENT + SECOND / 3)).isFalse();
        assertThat(pledge.mayConnect(1, 0, SENT + SECOND * 2 / 3)).isTrue();
        pledge.granted(new Grant(9, 9, 0, 9, 2, 300, 21, 11, 1, true), SENT + SECOND);
        assertThat(pledge.mayConnect(1, 0, SENT + SECOND + SECOND / 5)).isFalse();
        assertThat(pledge.mayConnect(1, 0, SENT + SECOND + SECOND / 2)).isTrue();
    }

    /** It may come from the server that the connection was lost with, and another one answers from now on. */
    @Test
    void anAnswerToAClaimBeforeTheDeathDoesNotCount() {
        grant();
        Claim member = new Claim("app", "m", 1, 0, 20, 1, 0, 0, 0, 0, 0, 0, false, null);
        assertThat(pledge.claim(member, () -> 5, () -> 0, 5, SENT).recovering()).isFalse();
        pledge.lost(true);
        pledge.granted(GRANT, SENT);
        assertThat(pledge.mayConnect(1, 0, SENT)).as("the answer is older").isFalse();
        assertThat(pledge.claim(member, () -> 5, () -> 0, 5, SENT).recovering()).isTrue();
        pledge.failed(false, false);
        assertThat(pledge.mayConnect(1, 0, SENT)).isFalse();
        assertThat(pledge.claim(member, () -> 5, () -> 0, 5, SENT).recovering()).isTrue();
        pledge.granted(GRANT, SENT);
        assertThat(pledge.mayConnect(1, 0, SENT)).isTrue();
    }
}
