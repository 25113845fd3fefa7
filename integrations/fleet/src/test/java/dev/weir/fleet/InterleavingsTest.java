package dev.weir.fleet;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** {@code -Dfleet.states=2000000} makes it long; a failure names the steps, which {@link Interleavings} explains. */
class InterleavingsTest {
    private static final int STATES = Integer.getInteger("fleet.states", 40_000);

    private static final String ALL_JOIN = "s0c0a0s1c1a1s2c2a2";

    @ParameterizedTest
    @CsvSource({
        "true, ''",
        "false, ''",
        "true, 's0c0a0s0c0a0g0d0g0d0s1c1a1s2'", // one had all, the others come
        "false, 's0c0a0s0c0a0g0d0s1c1a1s2'",
        "true, '" + ALL_JOIN + "s0c0a0g0T0T0'", // a connect is under way when the lease is about to end
        "true, '" + ALL_JOIN + "s0c0a0g0d0T0T0U0s1c1a1'", // the lease has ended here, and soon will in the table
        "true, '" + ALL_JOIN + "s0c0a0T0T0U0U0s1c1'", // the lease of two has ended in the table
        "false, '" + ALL_JOIN + "s0c0a0g0T0T0U0U0s1c1'",
        "true, 's0c0a0s0c0a0w0c0'", // one that had all has said that it wants less, and does not know the answer
        "true, 's0c0a0s0c0a0g0d0k0T0T0U0U0'", // the only member was killed, its sessions are still there
        "true, '" + ALL_JOIN + "s0c0a0g0d0R0'", // a restart
        "true, 's0c0a0s0c0a0g0d0g0d0x0x0'", // one that had all has closed two, which the server has not ended
    })
    void noOrderOfEventsBreaksTheBudget(boolean tagged, String situation) {
        Interleavings interleavings = new Interleavings(tagged, Interleavings.ALL, Integer.MAX_VALUE);
        int longest = interleavings.explore(situation, STATES / 12);
        assertThat(longest).as("steps after the situation").isGreaterThanOrEqualTo(4);
    }

    /**
     * Of some kinds of events, and so many claims of each member, there are so few states that all are looked at: joining,
     * connecting, closing, and renewals that are given up; a restart; members that are killed; places that are given back;
     * connections that are lost.
     */
    @ParameterizedTest
    @CsvSource({
        "true, '', scafgdxe, 1",
        "false, '', scafgdx, 1",
        "true, '', scagd, 2",
        "false, '', scagd, 2",
        "true, '', scagdR, 2",
        "true, '', scagdke, 2",
        "true, '', scagdnxle, 1",
        "true, 's0c0a0s0c0a0g0d0g0d0', scagdnxle, 2",
        "true, 's0c0a0s0c0a0g0d0', scafghdxlke, 2",
        "true, 's0c0a0s0c0a0g0d0g0d0s0x0x0e0g0s1c1c0a0', scagdxe, 4", // closed two, one of which has not ended, and
        // opens one
    })
    @Tag("thorough")
    void everyOrderOfSomeKindsOfEventsKeepsIt(boolean tagged, String situation, String happens, int claims) {
        Interleavings interleavings = new Interleavings(tagged, happens, claims);
        int longest = interleavings.explore(situation, 1_000_000);
        assertThat(interleavings.ended).isTrue();
        assertThat(longest).isGreaterThan(12);
    }
}
