package dev.weir.console.window;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.console.window.PoolView.Counts;
import dev.weir.console.window.PoolView.Failure;
import dev.weir.console.window.PoolView.Holder;
import dev.weir.console.window.PoolView.Waiter;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Each trouble is named, and nothing that only looks like it. */
class TroublesTest {
    private final List<Sample> known = new ArrayList<>();
    private final List<Holder> holders = new ArrayList<>();
    private final List<Waiter> waiters = new ArrayList<>();
    private final List<Failure> failures = new ArrayList<>();

    private List<String> troubles(Counts counts) {
        if (known.isEmpty()) {
            known.add(sample(1_000));
        }
        return Troubles.of(known, counts, holders, waiters, failures, 1_000);
    }

    private static Counts counts(int total, int waiting, long oldestConnect) {
        return new Counts(10, 0, total, total, 0, waiting, 2, 0, oldestConnect);
    }

    private List<String> troubles() {
        return troubles(counts(10, waiters.size(), 0));
    }

    private static Sample sample(long up) {
        return new Sample(up, 0, 0, 0, 0, 0, 0, 0, List.of(), List.of());
    }

    private static Holder holder(long heldFor, String thread, @Nullable String acquiredPlace, String doing) {
        return new Holder(
                1, heldFor, thread, null, "select ?", "Audit.record", acquiredPlace, List.of(), List.of(), doing);
    }

    @Test
    void aLoanThatThePoolTakesForALeakIsTold() {
        holders.add(holder(46_200, "exec-1", "Report.pet", "leaked"));
        holders.add(holder(29_000, "exec-2", "Report.pet", "unknown"));
        assertThat(troubles())
                .containsExactly("connections that look leaked, since the code that acquired them has returned: 1;"
                        + " one for 46.2 s, acquired at Report.pet");
        holders.set(0, holder(46_200, "exec-1", null, "leaked"));
        assertThat(troubles()).singleElement().asString().endsWith("by thread 'exec-1'");
        holders.set(0, holder(46_200, "exec-1", "Report.pet", "application"));
        assertThat(troubles()).isEmpty();
    }

    @Test
    void aThreadThatWaitsAndHoldsIsNested() {
        holders.add(holder(900, "exec-1", "Report.pet", "waits"));
        waiters.add(new Waiter("exec-2", 800, "Audit.record", List.of()));
        assertThat(troubles()).as("it got the other one at once").isEmpty();
        waiters.add(new Waiter("exec-1", 700, "Audit.record", List.of()));
        assertThat(troubles())
                .containsExactly("1 of 2 waiting threads hold a connection already (nested getConnection()),"
                        + " acquired at Report.pet, and ask for another at Audit.record");
        holders.set(0, holder(900, "exec-1", null, "waits"));
        assertThat(troubles())
                .containsExactly("1 of 2 waiting threads hold a connection already (nested getConnection(), or leaked"
                        + " before), and ask for another at Audit.record");
        holders.add(holder(800, "exec-1", "Report.pet", "waits"));
        assertThat(troubles())
                .as("one thread holds two")
                .singleElement()
                .asString()
                .startsWith("1 of 2 waiting threads")
                .contains("(nested getConnection()), acquired at Report.pet, and ask for another at Audit.record");
        waiters.add(new Waiter("exec-1", 700, "Audit.record", List.of()));
        assertThat(troubles()).as("of two threads with one name").isEmpty();
        waiters.remove(2);
        holders.remove(1);
        holders.set(0, holder(900, "exec-1", "Report.pet", "unknown"));
        assertThat(troubles()).isEmpty();
    }

    @Test
    void connectsThatFailedAMinuteAgoAreToldOf() {
        failures.add(new Failure(6_700, "disconnect", "starting up"));
        assertThat(troubles()).containsExactly("connects failed until 6.7 s ago, and work again: starting up");
        failures.set(0, new Failure(61_000, "disconnect", "starting up"));
        assertThat(troubles()).isEmpty();
    }

    @Test
    void aConnectThatTakesLongIsToldWhileThreadsWaitAndThereIsAPlace() {
        assertThat(troubles(counts(8, 5, 4_230)))
                .containsExactly("connects are slow: 2 under way while threads wait, the oldest for 4.2 s");
        assertThat(troubles(counts(8, 5, 499))).isEmpty();
        assertThat(troubles(counts(8, 0, 4_230))).isEmpty();
        assertThat(troubles(counts(10, 5, 4_230))).isEmpty();
    }

    @Test
    void onePlaceThatHoldsMostConnectionsIsNamedWhileThreadsWait() {
        Counts full = new Counts(4, 0, 4, 4, 0, 1, 0, 0, 0);
        for (long held = 8_100; held > 5_100; held -= 1_000) {
            holders.add(holder(held, "exec-1", "Report.pet", "database"));
        }
        assertThat(troubles(full)).isEmpty();
        waiters.add(new Waiter("exec-9", 1_000, null, List.of()));
        assertThat(troubles(full))
                .containsExactly(
                        "3 of 4 connections are held at Report.pet, the longest for 8.1 s, last SQL: select ?",
                        "1 thread waits, the longest for 1 s (waitWarningThreshold: 1 s)");
        Counts room = new Counts(5, 0, 4, 4, 0, 1, 0, 0, 0);
        assertThat(troubles(room)).singleElement().asString().startsWith("1 thread waits");
        holders.subList(1, 3).clear();
        assertThat(troubles(full)).hasSize(1);
    }
}
