package dev.weir.fleet;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Map;
import java.util.Objects;
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

    /** Else the queue of those who come back one by one grows for as long as connections break somewhere. */
    @Test
    void nobodysTurnIsLaterThanTheLongestPause() throws Exception {
        Row back = row(10, 0, 1, true);
        Claim claim = new Claim("app", "m0", 1, 0, 20, 1, 2, 10, 0, 10, 0, 20, true, "tag");
        Ledger.Sessions none = new Ledger.Sessions() {
            @Override
            public Map<String, Integer> byInstance() {
                return Map.of();
            }

            @Override
            public int nameless() {
                return 0;
            }
        };
        Ledger.Outcome outcome =
                Objects.requireNonNull(LEDGER.settle(NOW, 21, NOW + 60_000, List.of(back), claim, none, () -> 0));
        assertThat(outcome.grant().pauseMillis()).isEqualTo(5_000);
        assertThat(outcome.turnMillis()).isEqualTo(NOW + 5_000);
    }

    @Test
    void theDoorIsOnePlaceAndOneOfEveryFifty() {
        assertThat(Ledger.door(3)).isEqualTo(1);
        assertThat(Ledger.door(57)).isEqualTo(2);
        assertThat(Ledger.door(500)).isEqualTo(11);
    }

    private static final Ledger LEDGER = new Ledger(30_000, 60_000);
    private static final long NOW = 1_000_000;

    private static Row row(int has, int floor, int atOnce, boolean live) {
        return new Row("app", "m0", 1, 0, 20, atOnce, 1, has, 20, has, floor, live ? NOW + 1 : NOW, "tag");
    }

    /** What another member, which wants all, may have of 21 places, 20 without the door. */
    private static int leftBy(Row row, int shown, int nameless) throws Exception {
        Claim claim = new Claim("app", "m1", 1, 0, 20, 1, 1, 0, 0, 0, 0, 20, false, "tag");
        return settle(row, claim, Map.of("m0", shown), nameless).grant().ceiling();
    }

    private static Ledger.Outcome settle(Row row, Claim claim, Map<String, Integer> shown, int nameless)
            throws Exception {
        return settle(List.of(row), claim, shown, nameless, 0);
    }

    private static Ledger.Outcome settle(
            List<Row> rows, Claim claim, Map<String, Integer> shown, int nameless, int standing) throws Exception {
        Ledger.Sessions sessions = new Ledger.Sessions() {
            @Override
            public Map<String, Integer> byInstance() {
                return shown;
            }

            @Override
            public int nameless() {
                return nameless;
            }
        };
        return Objects.requireNonNull(LEDGER.settle(NOW, 21, 0, rows, claim, sessions, () -> standing));
    }

    @Test
    void aRowWhoseLeaseHasEndedHoldsWhatItsMemberMayHave() throws Exception {
        assertThat(leftBy(row(12, 0, 3, false), 4, 0)).as("seen, and under way").isEqualTo(20 - 4 - 3);
        assertThat(leftBy(row(12, 0, 3, false), 4, 2)).as("or renamed").isEqualTo(20 - 4 - 3 - 2);
        assertThat(leftBy(row(12, 9, 3, false), 4, 0)).as("or what it may open").isEqualTo(20 - 9);
        assertThat(leftBy(row(5, 9, 3, false), 4, 0))
                .as("never more than it had")
                .isEqualTo(20 - 5);
    }

    @Test
    void sessionsThatTheServerHasNotEndedHoldTheirPlaces() throws Exception {
        assertThat(leftBy(row(12, 0, 3, true), 15, 0)).as("of a live member").isEqualTo(20 - 15);
        Claim left = new Claim("app", "m1", 1, 0, 20, 1, 1, 0, 0, 0, 0, 20, false, "tag");
        int ceiling = settle(row(5, 0, 1, true), left, Map.of("m0", 5, "m9", 8), 0)
                .grant()
                .ceiling();
        assertThat(ceiling).as("of one that has left").isEqualTo(20 - 5 - 8);
        Claim back = new Claim("app", "m0", 1, 0, 20, 1, 2, 1, 11, 12, 0, 20, true, "tag");
        Ledger.Outcome outcome = settle(row(12, 0, 3, true), back, Map.of("m0", 7), 0);
        assertThat(outcome.grant().unended())
                .as("of one whose connections broke")
                .isEqualTo(7);
        assertThat(outcome.row().has())
                .as("those that have not ended are among them")
                .isEqualTo(20);
    }

    /** A connect of its own may soon take the place; of the ones shown it cannot be told from that which has to end. */
    @Test
    void aPlaceIsGivenBackWhenTheServerHasEndedTheSession() throws Exception {
        assertThat(heldAfterGivingBack(4, 7, 7))
                .as("all that it has left, and itself")
                .isEqualTo(8);
        assertThat(heldAfterGivingBack(4, 7, 9)).as("two have not ended").isEqualTo(10);
        assertThat(heldAfterGivingBack(4, 6, 7))
                .as("one has not ended, if one was closed while the claim was on its way, or has just come")
                .isEqualTo(9);
        assertThat(heldAfterGivingBack(0, 5, 7))
                .as("two have just come, none was closed")
                .isEqualTo(8);
        assertThat(heldAfterGivingBack(9, 0, 12)).as("never more than it had").isEqualTo(12);
        Claim tagless = new Claim("app", "m0", 1, 0, 20, 1, 2, 8, 4, 8, 0, 8, false, null);
        assertThat(settle(SHORT, tagless, Map.of("m0", 12), 0, 7).row().has())
                .as("nobody sees it")
                .isEqualTo(8);
    }

    /** The renewal after the one that gave less: the member has broken connections no more, and the server still has them. */
    @Test
    void whatTheServerHasNotEndedIsNotTheMembersToOpenAgain() throws Exception {
        Claim again = new Claim("app", "m0", 1, 0, 20, 1, 3, 0, 10, 0, 0, 20, false, "tag");
        Grant grant = settle(row(10, 0, 1, true), again, Map.of("m0", 10), 0).grant();
        assertThat(grant.ceiling())
                .as("with these ten, beside itself, which does not show")
                .isEqualTo(20 - 1);
        assertThat(grant.unended()).isEqualTo(10);
    }

    /** To read them is the most that a renewal costs. */
    @Test
    void whoHasRoomForWhatItClosedAsksForNoSessions() throws Exception {
        Claim roomy = new Claim("app", "m0", 1, 0, 20, 1, 2, 3, 2, 12, 0, 5, false, "tag");
        Ledger.Sessions unread = new Ledger.Sessions() {
            @Override
            public Map<String, Integer> byInstance() {
                throw new AssertionError("read");
            }

            @Override
            public int nameless() {
                throw new AssertionError("read");
            }
        };
        Grant grant = Objects.requireNonNull(
                        LEDGER.settle(NOW, 21, 0, List.of(row(12, 0, 1, true)), roomy, unread, () -> 0))
                .grant();
        assertThat(grant.unended()).isEqualTo(2);
        assertThat(grant.ceiling()).isGreaterThan(5);
    }

    @Test
    void aMemberThatMayHaveNothingHoldsNothing() throws Exception {
        Claim nothing = new Claim("app", "m0", 1, 0, 0, 1, 3, 0, 0, 0, 0, 1, false, "tag");
        assertThat(settle(row(1, 0, 1, true), nothing, Map.of(), 0).grant().held())
                .isZero();
    }

    @Test
    void aMemberWhoseLeaseHadEndedGivesNoSessionBackThatIsShown() throws Exception {
        Claim woken = new Claim("app", "m0", 1, 0, 20, 2, 3, 2, 1, 2, 0, 2, false, "tag");
        assertThat(settle(row(3, 0, 2, false), woken, Map.of("m0", 1), 0).row().has())
                .as("one connects, one is ending, and itself")
                .isGreaterThanOrEqualTo(3);
    }

    /** Two want all that there is. */
    private static final List<Row> SHORT =
            List.of(row(12, 0, 1, true), new Row("app", "m1", 1, 0, 20, 1, 1, 8, 20, 8, 0, NOW + 1, "tag"));

    private static int heldAfterGivingBack(int unended, int standing, int shown) throws Exception {
        Claim back = new Claim("app", "m0", 1, 0, 20, 1, 2, 8, unended, 8, 0, 8, false, "tag");
        Ledger.Outcome outcome = settle(SHORT, back, Map.of("m0", shown), 0, standing);
        assertThat(outcome.grant().held()).isEqualTo(outcome.row().has());
        return outcome.row().has();
    }
}
