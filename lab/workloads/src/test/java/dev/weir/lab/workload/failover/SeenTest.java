package dev.weir.lab.workload.failover;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.lab.workload.Sampler.Sample;
import dev.weir.lab.workload.Users.Request;
import dev.weir.lab.workload.Users.Result;
import java.util.List;
import org.junit.jupiter.api.Test;

final class SeenTest {
    private static final long STRUCK = 1_000_000_000L;
    private static final long READY = STRUCK + 2_000_000_000L;
    private static final long END = READY + 5_000_000_000L;

    /** A request in milliseconds after the new server is ready. */
    private static Request request(long got, long end, String sqlState) {
        Result outcome = sqlState.isEmpty() ? Result.SERVED : Result.FAILED_IN_USE;
        return new Request(READY, got * 1_000_000L, READY + end * 1_000_000L, outcome, sqlState, "");
    }

    private static Seen seen(Request... requests) {
        return new Seen(List.of(requests), STRUCK, READY, END);
    }

    @Test
    void theLongestGapCountsFromTheNewServerAndTheRawGapFromTheFailure() {
        Seen seen = seen(request(0, 300, ""), request(0, 800, ""), request(0, 4_900, ""));
        assertThat(seen.longestGapMillis()).isEqualTo(4_100);
        assertThat(seen.rawGapMillis()).isEqualTo(4_100);
        seen = seen(request(0, 300, ""), request(0, 2_000, ""), request(0, 3_700, ""));
        assertThat(seen.longestGapMillis()).isEqualTo(1_700);
        assertThat(seen.rawGapMillis()).isEqualTo(2_300);
    }

    @Test
    void whereNobodyWritesAnyMoreTheGapLastsUntilTheEnd() {
        assertThat(seen().longestGapMillis()).isEqualTo(5_000);
        assertThat(seen().rawGapMillis()).isEqualTo(7_000);
        assertThat(seen().lastFailureMillis()).isZero();
    }

    @Test
    void aRefusalThatWasUnderWayWhenTheFirstWasKnownIsNotLentAgain() {
        Seen seen = seen(
                request(10, 30, "25006"),
                request(29, 60, "25006"),
                request(31, 70, "25006"),
                request(40, 80, "08006"),
                request(50, 90, ""));
        assertThat(seen.failed()).isEqualTo(4);
        assertThat(seen.readOnlyLentAgain()).isEqualTo(1);
        assertThat(seen.lastFailureMillis()).isEqualTo(2_080);
    }

    @Test
    void allHaveMovedWhenTheLastIsGoneAndNoneComesBack() {
        List<Sample<Integer>> gone = List.of(
                new Sample<>(STRUCK - 5, 10),
                new Sample<>(STRUCK + 1_000_000, 3),
                new Sample<>(STRUCK + 2_000_000, 0),
                new Sample<>(STRUCK + 3_000_000, 1),
                new Sample<>(STRUCK + 4_000_000, 0));
        assertThat(FailoverWorkload.movedMillis(gone, STRUCK, END)).isEqualTo(3);
        assertThat(FailoverWorkload.movedMillis(gone.subList(0, 4), STRUCK, END))
                .isNaN();
    }
}
