package dev.weir.internal.keeping;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.SplittableRandom;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SizerTest {
    private static final int SURGE = 8; // acquireSurge's default

    private static final long MS = 1_000_000L;
    private static final long SECOND = 1_000 * MS;
    private static final long TIMEOUT = 5 * SECOND;

    private final Sizer sizer = new Sizer();
    private long lent;

    private int wanted(long now, int live, int pending, int queued, long waited, long... ages) {
        for (long age : ages) {
            sizer.holding(age);
        }
        sizer.waiting(queued, 0, now); // nobody comes who was not there
        return sizer.opensWanted(now, live, pending, 50, 50, queued, now - waited, TIMEOUT);
    }

    @Test
    void nobodyWaitsNothingOpens() {
        assertThat(wanted(0, 5, 0, 0, SECOND, SECOND, SECOND)).isZero();
        assertThat(wanted(0, 0, 0, 0, 0)).isZero();
    }

    @Test
    void anEmptyPoolOpensOneForEachWaiterUpToTheIncrement() {
        assertThat(sizer.opensWanted(0, 0, 0, 50, 5, 3, 0, TIMEOUT)).isEqualTo(3);
        assertThat(sizer.opensWanted(0, 0, 0, 50, 5, 20, 0, TIMEOUT)).isEqualTo(5);
        assertThat(sizer.opensWanted(0, 0, 4, 50, 5, 20, 0, TIMEOUT)).isEqualTo(1);
        assertThat(sizer.opensWanted(0, 0, 4, 50, 5, 3, 0, TIMEOUT)).isZero();
        assertThat(sizer.opensWanted(0, 0, 0, 2, 5, 20, 0, TIMEOUT)).isEqualTo(2);
    }

    @Test
    void aPoolThatLostAllItsConnectionsOpensLikeAnEmptyOne() {
        sizer.connected(150 * MS, 0);
        sizer.loanEnded(MS, 0);
        assertThat(sizer.opensWanted(SECOND, 0, 0, 50, 5, 20, SECOND, TIMEOUT)).isEqualTo(5);
    }

    @Test
    void theLimitsHoldWhateverTheQueue() {
        sizer.loanEnded(10 * SECOND, 0);
        assertThat(sizer.opensWanted(SECOND, 48, 1, 50, 5, 10_000, 0, TIMEOUT)).isEqualTo(1);
        assertThat(sizer.opensWanted(SECOND, 10, 3, 50, 5, 10_000, 0, TIMEOUT)).isEqualTo(2);
        assertThat(sizer.opensWanted(SECOND, 10, 5, 50, 5, 10_000, 0, TIMEOUT)).isZero();
        // The limit and the increment were lowered below what there is.
        assertThat(sizer.opensWanted(SECOND, 60, 0, 50, 5, 10_000, 0, TIMEOUT)).isZero();
        assertThat(sizer.opensWanted(SECOND, 10, 5, 50, 1, 10_000, 0, TIMEOUT)).isZero();
    }

    @Test
    void aLoneWaiterBehindLongHoldsGetsOneConnection() {
        assertThat(wanted(SECOND, 1, 0, 1, 10 * MS, 10 * SECOND)).isEqualTo(1);
        assertThat(wanted(SECOND, 1, 1, 1, 10 * MS, 10 * SECOND)).isZero();
    }

    @Test
    void aLeakedConnectionDoesNotMakeEveryHoldLookLong() {
        sizer.connected(150 * MS, 0);
        sizer.loanEnded(2 * MS, SECOND);
        assertThat(wanted(SECOND, 5, 0, 45, 10 * MS, 3_600 * SECOND, MS, MS, MS, MS))
                .isZero();
        assertThat(wanted(SECOND, 5, 0, 45, 10 * MS, 500 * MS, 500 * MS, 500 * MS, 500 * MS, 500 * MS))
                .isPositive();
    }

    @Test
    void agesCountForOneQuestionOnly() {
        sizer.loanEnded(2 * MS, SECOND);
        assertThat(wanted(SECOND, 2, 0, 10, 5 * MS, 10 * SECOND, 10 * SECOND)).isPositive();
        assertThat(wanted(SECOND, 2, 0, 10, 5 * MS)).isZero();
    }

    @Test
    void longHoldsOfThePastCountOnlyOnceTheHeadHasWaited() {
        sizer.connected(160 * MS, 0);
        sizer.loanEnded(200 * MS, 0);
        assertThat(wanted(15 * MS, 5, 0, 45, 15 * MS, 15 * MS, 15 * MS, 15 * MS, 15 * MS, 15 * MS))
                .isZero();
        assertThat(wanted(20 * MS, 5, 0, 45, 20 * MS, 20 * MS, 20 * MS, 20 * MS, 20 * MS, 20 * MS))
                .isGreaterThan(20);
    }

    @Test
    void aMeanOfHoldsNotConfirmedForASecondIsForgotten() {
        sizer.connected(160 * MS, 0);
        sizer.loanEnded(200 * MS, 0);
        long now = 1_001 * MS;
        assertThat(wanted(now, 5, 0, 45, 20 * MS, 10 * MS, 10 * MS, 10 * MS, 10 * MS, 10 * MS))
                .isZero();
        sizer.loanEnded(2 * MS, now); // replaces 200 ms, does not average with it
        assertThat(wanted(now, 5, 0, 45, 30 * MS)).isZero();
    }

    @Test
    @DisplayName("the backstop opens 1, then 2, then 4, then 4")
    void backstopEscalates() {
        sizer.connected(100 * MS, 0);
        sizer.loanEnded(MS, 0);
        assertThat(backstop(0, 49)).isZero();
        assertThat(backstop(0, 50)).isEqualTo(1);
        assertThat(sizer.opensWanted(10 * MS, 20, 1, 50, 50, 9, -90 * MS, TIMEOUT))
                .isZero(); // something is pending
        assertThat(backstop(100, 60)).isEqualTo(2);
        assertThat(backstop(200, 60)).isEqualTo(4);
        assertThat(backstop(300, 60)).isEqualTo(4);
    }

    @Test
    void backstopStartsAgainAtOneOnceTheQueueWasEmpty() {
        sizer.connected(100 * MS, 0);
        sizer.loanEnded(MS, 0);
        assertThat(backstop(0, 50)).isEqualTo(1);
        assertThat(backstop(100, 50)).isEqualTo(2);
        assertThat(sizer.opensWanted(150 * MS, 20, 0, 50, 50, 0, 0, TIMEOUT)).isZero();
        assertThat(backstop(200, 50)).isEqualTo(1);
    }

    @Test
    void backstopStartsAgainAtOneForAHeadThatCameAfterTheLastStepArrived() {
        sizer.connected(100 * MS, 0);
        sizer.loanEnded(MS, 0);
        assertThat(backstop(0, 50)).isEqualTo(1);
        assertThat(backstop(100, 50)).isEqualTo(2);
        assertThat(backstop(800, 50)).isEqualTo(1);
    }

    private int backstop(long nowMillis, long waitedMillis) {
        return wanted(nowMillis * MS, 20, 0, 9, waitedMillis * MS);
    }

    @Test
    void arrivalsOfTheLastSecondCount() {
        sizer.connected(150 * MS, 0);
        sizer.loanEnded(20 * MS, 0);
        long now = 0;
        for (int i = 0; i <= 20; i++, now += 100 * MS) {
            sizer.arrivals(140L * i, now); // 1,400 a second, five times what five connections serve
        }
        sizer.loanEnded(20 * MS, now);
        assertThat(wanted(now, 5, 0, 45, 20 * MS)).isPositive();
    }

    @Test
    void arrivalsBeforeALongSleepDoNotCount() {
        sizer.connected(150 * MS, 0);
        long now = 0;
        for (int i = 0; i <= 20; i++, now += 100 * MS) {
            sizer.arrivals(140L * i, now);
        }
        now += 3_600 * SECOND;
        sizer.loanEnded(20 * MS, now);
        assertThat(wanted(now, 5, 0, 30, 20 * MS)).as("no call since").isZero();
        sizer.arrivals(2_900, now);
        assertThat(wanted(now, 5, 0, 30, 20 * MS)).as("counting afresh").isZero();
    }

    // ------------------------------------------------------ a standing queue

    /** A queue of this length for so long, looked at each millisecond, while others come and go; returns all it asked for. */
    private int standing(long fromMillis, long millis, int live, int pending, int queued, long waited) {
        int opens = 0;
        for (long t = fromMillis; t < fromMillis + millis; t++) {
            lent += 5;
            sizer.waiting(queued, lent, t * MS);
            opens += sizer.opensWanted(t * MS, live, pending, 50, 50, queued, (t - waited) * MS, TIMEOUT);
        }
        return opens;
    }

    @Test
    void aSlowConnectDoesNotForbidToMeasureItAnew() {
        sizer.connected(30 * SECOND, 0);
        sizer.loanEnded(MS, 0);
        assertThat(standing(0, 40, 5, 0, 35, 7)).isZero();
        assertThat(standing(40, 20, 5, 0, 35, 7)).as("one to measure").isPositive();
    }

    @Test
    void aQueueThatStoodForAsLongAsAConnectCostsIsWorthOneForEach() {
        sizer.connected(100 * MS, 0);
        sizer.loanEnded(MS, 0);
        standing(0, 95, 5, 1, 20, 4);
        assertThat(standing(95, 30, 5, 1, 20, 4)).isGreaterThanOrEqualTo(19);
    }

    @Test
    void aQueueThatNobodyJoinsDoesNotStand() {
        sizer.connected(100 * MS, 0);
        for (long t = 0; t < 200; t++) {
            sizer.waiting(20, 0, t * MS);
            assertThat(sizer.opensWanted(t * MS, 19, 1, 50, 50, 20, (t - 4) * MS, TIMEOUT))
                    .isZero();
        }
    }

    @Test
    void aQueueThatIsSoonGoneOpensNothingHoweverOftenItComes() {
        sizer.connected(10 * MS, 0);
        sizer.loanEnded(MS, 0);
        for (long t = 0; t < 3_000; t += 60) {
            assertThat(standing(t, 40, 5, 0, 3, 2)).isZero();
            sizer.waiting(0, lent, (t + 40) * MS);
        }
        assertThat(standing(3_000, 60, 5, 0, 3, 2)).isPositive();
    }

    @Test
    void aQueueThatWasServedWhileNobodyLookedIsANewOne() {
        sizer.connected(10 * MS, 0);
        for (long t = 0; t < 45; t++) {
            sizer.waiting(3, lent += 2, t * MS);
        }
        lent += 3;
        assertThat(standing(50, 40, 5, 0, 3, 2)).isZero();
    }

    @Test
    void aConnectThatHangsDoesNotStopTheOthers() {
        sizer.connected(20 * MS, 0);
        sizer.loanEnded(MS, 0);
        assertThat(standing(0, 500, 5, 1, 2, 5)).isPositive();
    }

    @Test
    void aMuchFasterConnectReplacesTheEstimateAndSoDoesOneLongAfter() {
        sizer.connected(30 * SECOND, 0);
        sizer.connected(5 * MS, 0);
        assertThat(backstop(0, 24)).isZero();
        assertThat(backstop(0, 25)).isEqualTo(1);
        sizer.connected(9_000 * MS, 11 * SECOND);
        sizer.connected(80 * MS, 22 * SECOND);
        sizer.waiting(0, 0, 21_999 * MS);
        assertThat(backstop(22_000, 39)).isZero();
        assertThat(backstop(22_000, 40)).isPositive();
    }

    @ParameterizedTest
    @ValueSource(longs = {1_000, 5_000, 30_000})
    void whoeverWaitsIsHelpedInAPartOfConnectionTimeout(long timeoutMillis) {
        sizer.connected(60 * SECOND, 0);
        sizer.loanEnded(MS, 0);
        long waited = timeoutMillis / 32;
        assertThat(sizer.opensWanted(0, 5, 0, 50, 50, 1, -(Math.min(50, waited) - 1) * MS, timeoutMillis * MS))
                .isZero();
        assertThat(sizer.opensWanted(0, 5, 0, 50, 50, 1, -(waited + 1) * MS, timeoutMillis * MS))
                .isEqualTo(1);
    }

    // ------------------------------------------------------ a queue that grows

    /** A queue that is one longer each millisecond, and connects that do not end; returns how many were under way at last. */
    private int growing(long millis, boolean well, boolean served, long oldestMillis) {
        sizer.connected(150 * MS, 0);
        sizer.loanEnded(20 * MS, 0);
        int pending = 0;
        for (long t = 0; t < millis; t++) {
            lent += served && t % 4 == 0 ? 1 : 0;
            int queued = (int) t + 1;
            sizer.waiting(queued, lent, t * MS);
            sizer.connects(well, pending > 0 ? oldestMillis * MS : Long.MAX_VALUE, SURGE);
            pending += sizer.opensWanted(t * MS, 5, pending, 100, 5, queued, 0, TIMEOUT);
            assertThat(pending).isLessThanOrEqualTo(sizer.mostAtOnce(5));
        }
        return pending;
    }

    @Test
    void p6WhileAQueueGrowsTwiceAsManyConnectsMayBeUnderWayAndTwiceAgain() {
        assertThat(growing(20, true, true, 0)).isLessThanOrEqualTo(5);
        lent = 0;
        assertThat(new SizerTest().growing(40, true, true, 0)).isEqualTo(10);
        assertThat(new SizerTest().growing(55, true, true, 0)).isEqualTo(20);
        assertThat(new SizerTest().growing(140, true, true, 0)).isEqualTo(5 * SURGE);
    }

    @Test
    void p6NotMoreThanTheIncrementWhereTheDatabaseIsInTrouble() {
        assertThat(new SizerTest().growing(140, false, true, 0))
                .as("a connect failed")
                .isEqualTo(5);
        assertThat(new SizerTest().growing(140, true, false, 0))
                .as("no loan ends")
                .isEqualTo(5);
        assertThat(new SizerTest().growing(140, true, true, -500))
                .as("a connect is late")
                .isEqualTo(5);
    }

    @Test
    void p6NotMoreThanTheIncrementForAQueueThatFalls() {
        growing(140, true, true, 0);
        for (int queued = 140; queued > 80; queued -= 2) {
            long now = (280 - queued) * MS;
            sizer.waiting(queued, lent += 3, now);
            int ignored = sizer.opensWanted(now, 5, 40, 100, 5, queued, 0, TIMEOUT);
        }
        assertThat(sizer.mostAtOnce(5)).isEqualTo(5);
    }

    @Test
    void aFastConnectIsStillNotFree() {
        sizer.connected(MS, 0);
        sizer.loanEnded(2 * MS, 0);
        assertThat(wanted(4 * MS, 5, 0, 40, 4 * MS)).isZero();
    }

    @ParameterizedTest
    @ValueSource(longs = {Long.MIN_VALUE, Long.MAX_VALUE - 5 * SECOND, -SECOND, 0})
    void theOriginOfTheClockDoesNotMatter(long origin) {
        sizer.connected(100 * MS, 0);
        sizer.arrivals(0, origin);
        sizer.loanEnded(200 * MS, origin + 4 * SECOND);
        long now = origin + 4 * SECOND + 900 * MS; // past the wrap for one of the origins
        sizer.arrivals(500, now);
        assertThat(wanted(now + 200 * MS, 5, 0, 20, 300 * MS, 300 * MS, 300 * MS))
                .isEqualTo(reference(now + 200 * MS - origin));
    }

    private static int reference(long now) {
        Sizer other = new Sizer();
        other.connected(100 * MS, 0);
        other.arrivals(0, 0);
        other.loanEnded(200 * MS, 4 * SECOND);
        other.arrivals(500, 4 * SECOND + 900 * MS);
        other.holding(300 * MS);
        other.holding(300 * MS);
        return other.opensWanted(now, 5, 0, 50, 50, 20, now - 300 * MS, TIMEOUT);
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4})
    void anyInputGivesACountWithinTheLimits(long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        for (int i = 0; i < 20_000; i++) {
            sizer.connected(odd(random), odd(random));
            sizer.loanEnded(odd(random), odd(random));
            sizer.arrivals(odd(random), odd(random));
            for (int h = random.nextInt(100); h > 0; h--) {
                sizer.holding(odd(random));
            }
            int live = random.nextInt(60);
            int pending = random.nextInt(10);
            int limit = random.nextInt(1, 60);
            int increment = random.nextInt(1, 10);
            int queued = random.nextInt(-1, 10_000);
            sizer.waiting(Math.max(0, queued), odd(random), odd(random));
            int opens = sizer.opensWanted(
                    odd(random),
                    live,
                    pending,
                    limit,
                    increment,
                    queued,
                    odd(random),
                    random.nextLong(1, Long.MAX_VALUE));
            assertThat(opens).isBetween(0, Math.max(0, Math.min(increment - pending, limit - live - pending)));
            assertThat(opens).isLessThanOrEqualTo(Math.max(0, queued));
        }
    }

    /** Mostly plausible nanoseconds, sometimes the ends of the range. */
    private static long odd(SplittableRandom random) {
        return switch (random.nextInt(8)) {
            case 0 -> Long.MAX_VALUE;
            case 1 -> Long.MIN_VALUE;
            case 2 -> 0;
            case 3 -> random.nextLong();
            default -> random.nextLong(10 * SECOND);
        };
    }

    @ParameterizedTest
    @ValueSource(longs = {Long.MIN_VALUE, -1, 0, 1, 50_000_000, 10_000_000_000L, Long.MAX_VALUE})
    void theTimerLooksAgainBetweenOneAndAHundredMilliseconds(long waited) {
        assertThat(Sizer.lookAgainNanos(waited)).isBetween(MS, 100 * MS);
    }
}
