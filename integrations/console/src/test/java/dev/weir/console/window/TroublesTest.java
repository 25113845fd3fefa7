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
    private static final List<String> IDLE = List.of("java.lang.Object.wait(Object.java)", "Tomcat.run(Tomcat.java:1)");

    private final List<Sample> known = new ArrayList<>();
    private final List<Holder> holders = new ArrayList<>();
    private static final String ACQUIRING = "dev.weir.internal.lending.Acquiring.acquire(Acquiring.java:1)";

    private final List<Waiter> waiters = new ArrayList<>();
    private final List<Failure> failures = new ArrayList<>();

    private List<String> troubles(int waiting, int opening) {
        if (known.isEmpty()) {
            known.add(sample(1_000, opening, 0));
        }
        return Troubles.of(
                known, new Counts(10, 0, 10, 10, 0, waiting, opening, 0), holders, waiters, failures, 1_000, 0);
    }

    private static Sample sample(long up, int opening, long opened) {
        return new Sample(up, 0, 0, opening, 0, 0, opened, 0, 0, List.of(), List.of());
    }

    private static Holder holder(
            long heldFor, String thread, @Nullable String place, List<String> acquiredAt, List<String> stack) {
        return new Holder(1, heldFor, thread, null, "select ?", null, place, stack, acquiredAt);
    }

    private static Holder sampled(long heldFor, List<String> stack) {
        return holder(heldFor, "exec-1", "Report.pet", List.of("shop.Report.pet(Report.java:7)"), stack);
    }

    @Test
    void aLongLoanWhoseCodeHasReturnedLooksLeaked() {
        holders.add(sampled(46_200, IDLE));
        holders.add(sampled(29_000, IDLE));
        assertThat(troubles(0, 0))
                .containsExactly("connections that look leaked, since the code that acquired them has returned: 1;"
                        + " one for 46 s, acquired at Report.pet");
        holders.set(0, holder(46_200, "exec-1", null, List.of(), List.of()));
        assertThat(troubles(0, 0)).singleElement().asString().endsWith("by thread 'exec-1'");
    }

    @Test
    void aLongLoanWhoseCodeStillRunsIsNoLeak() {
        holders.add(sampled(46_200, List.of("shop.Mail.send(Mail.java:1)", "shop.Report.pet(Report.java:9)")));
        holders.add(
                sampled(46_200, List.of("app//shop.Mail.send(Mail.java:1)", "app//shop.Report.pet(Report.java:9)")));
        holders.add(holder(46_200, "exec-1", null, List.of(), IDLE));
        List<String> whole = List.of(
                "spring.Connections.fetch(C.java:1)",
                "spring.Connections.get(C.java:2)",
                "spring.Template.query(T.java:3)",
                "shop.Report.pet(Report.java:7)",
                "Tomcat.run(Tomcat.java:1)");
        holders.add(holder(46_200, "exec-1", "Report.pet", whole, List.of("shop.Report.pet(Report.java:7)")));
        assertThat(troubles(0, 0)).isEmpty();
        holders.add(holder(46_200, "exec-1", "Report.pet", whole, IDLE));
        assertThat(troubles(0, 0)).singleElement().asString().contains("look leaked");
    }

    @Test
    void aThreadThatWaitsAndHoldsIsNestedUnlessItLeakedBefore() {
        holders.add(sampled(900, List.of("shop.Audit.record(A.java:1)", "shop.Report.pet(Report.java:8)")));
        waiters.add(new Waiter("exec-1", 900, "Audit.record", List.of()));
        waiters.add(new Waiter("exec-2", 800, "Audit.record", List.of()));
        assertThat(troubles(2, 0))
                .containsExactly("1 of 2 waiting threads hold a connection already (nested getConnection()),"
                        + " acquired at Report.pet, and ask for another at Audit.record");
        holders.set(0, sampled(900, List.of("shop.Audit.record(A.java:1)")));
        assertThat(troubles(2, 0)).isEmpty();
        String acquired = "shop.Report.pet(Report.java:7)"; // and once more
        holders.set(
                0,
                new Holder(
                        1,
                        900,
                        "exec-1",
                        null,
                        null,
                        "Report.pet",
                        "Report.pet",
                        List.of("app//" + ACQUIRING, "app//" + acquired),
                        List.of(acquired)));
        assertThat(troubles(2, 0)).isEmpty();
        holders.set(0, holder(900, "exec-1", null, List.of(), List.of(acquired)));
        assertThat(troubles(2, 0))
                .containsExactly("1 of 2 waiting threads hold a connection already (nested getConnection(), or leaked"
                        + " before), and ask for another at Audit.record");
        holders.set(0, holder(10_100, "exec-1", null, List.of(), List.of(acquired)));
        assertThat(troubles(2, 0)).isEmpty();
        waiters.set(0, new Waiter("exec-1", 10_000, "Audit.record", List.of())); // with a connectionTimeout of a minute
        assertThat(troubles(2, 0)).first().asString().startsWith("1 of 2 waiting threads hold a connection already");
    }

    /** All pages acquire by one helper, which is in the stack of each that waits. */
    @Test
    void byAHelperThatAllShareALeakIsToldFromANestedAcquire() {
        String helper = "shop.Db.open(Db.java:3)";
        String filter = "shop.Login.filter(Login.java:5)";
        List<String> acquiredAt = List.of(helper, "shop.Report.pet(Report.java:7)", filter);
        waiters.add(new Waiter("exec-1", 900, "Db.open", List.of()));
        for (List<String> acquired :
                List.of(acquiredAt, List.of(helper, acquiredAt.get(1), filter, "Tomcat.run(T.java:1)"))) {
            holders.clear();
            holders.add(byHelper(acquired, List.of(ACQUIRING, helper, "shop.Owners.list(Owners.java:3)", filter)));
            assertThat(troubles(1, 0)).as("the next request").isEmpty();
            List<String> audits =
                    List.of(ACQUIRING, helper, "shop.Audit.record(A.java:1)", "shop.Report.pet(Report.java:8)", filter);
            holders.set(0, byHelper(acquired, audits));
            assertThat(troubles(1, 0))
                    .as("the same request")
                    .singleElement()
                    .asString()
                    .contains("(nested getConnection())");
            List<String> recursive = List.of(ACQUIRING, helper, acquiredAt.get(1), helper, acquiredAt.get(1), filter);
            holders.set(0, byHelper(acquired, recursive));
            assertThat(troubles(1, 0)).as("the helper calls back").hasSize(1);
        }
    }

    private static Holder byHelper(List<String> acquiredAt, List<String> stack) {
        return new Holder(1, 900, "exec-1", null, null, "Db.open", "Db.open", stack, acquiredAt);
    }

    /** The holders are read before the waiters. */
    @Test
    void aThreadThatReturnedAndWaitsSinceTheHoldersWereReadIsNotNested() {
        holders.add(sampled(900, List.of("shop.Report.pet(Report.java:8)")));
        waiters.add(new Waiter("exec-1", 40, "Report.pet", List.of()));
        Counts counts = new Counts(10, 0, 10, 10, 0, 1, 0, 0);
        List<Sample> first = List.of(sample(1_000, 0, 0));
        assertThat(Troubles.of(first, counts, holders, waiters, failures, 1_000, 40))
                .isEmpty();
        assertThat(Troubles.of(first, counts, holders, waiters, failures, 1_000, 39))
                .singleElement()
                .asString()
                .contains("nested");
    }

    @Test
    void aLongLoanUsedOnTheLineThatAcquiredItIsNoLeak() {
        List<String> line = List.of("shop.Report.pet(Report.java:7)");
        holders.add(new Holder(1, 46_200, "exec-1", null, "select ?", "Report.pet", "Report.pet", line, line));
        assertThat(troubles(0, 0)).isEmpty();
        List<String> again = List.of(ACQUIRING, line.get(0));
        holders.set(0, new Holder(1, 46_200, "exec-1", null, "select ?", "Report.pet", "Report.pet", again, line));
        assertThat(troubles(0, 0)).singleElement().asString().contains("look leaked");
    }

    @Test
    void whatAThreadDoesIsReadFromItsStackUnlessTheLoanIsOfBefore() {
        String executing = "app//dev.weir.internal.handles.StatementHandle.execute(StatementHandle.java:1)";
        String user = "shop.Report.pet(Report.java:8)";
        assertThat(sampled(46_200, List.of(executing, user)).getDoing()).isEqualTo("database");
        assertThat(sampled(46_200, List.of(user)).getDoing()).isEqualTo("application");
        assertThat(sampled(46_200, List.of(ACQUIRING, user)).getDoing()).isEqualTo("waits");
        List<String> nextRequest = List.of(ACQUIRING, "shop.Owners.list(Owners.java:3)");
        assertThat(sampled(46_200, nextRequest).getDoing()).isEqualTo("leaked");
        assertThat(sampled(29_000, nextRequest).getDoing()).isEqualTo("unknown");
        assertThat(sampled(29_000, List.of()).getDoing()).isEqualTo("unknown");
        assertThat(holder(9_900, "exec-1", null, List.of(), nextRequest).getDoing())
                .isEqualTo("waits");
        assertThat(holder(10_100, "exec-1", null, List.of(), nextRequest).getDoing())
                .isEqualTo("unknown");
        assertThat(holder(46_200, "exec-1", null, List.of(), List.of(executing)).getDoing())
                .isEqualTo("database");
    }

    @Test
    void threadsThatCannotBeToldApartAreNotNested() {
        for (String name : List.of("worker", "")) {
            holders.add(holder(900, name, null, List.of(), IDLE));
            waiters.add(new Waiter(name, 900, null, List.of()));
            waiters.add(new Waiter(name, 900, null, List.of()));
            assertThat(troubles(2, 0)).as("'%s'", name).isEmpty();
        }
        waiters.clear();
        waiters.add(new Waiter("", 900, null, List.of()));
        assertThat(troubles(1, 0)).isEmpty();
    }

    @Test
    void connectsThatFailedAMinuteAgoAreToldOf() {
        failures.add(new Failure(6_700, "disconnect", "starting up"));
        assertThat(troubles(0, 0)).containsExactly("connects failed until 7 s ago, and work again: starting up");
        failures.set(0, new Failure(61_000, "disconnect", "starting up"));
        assertThat(troubles(0, 0)).isEmpty();
    }

    @Test
    void connectsThatDoNotEndAreSlowWhileThreadsWait() {
        known.addAll(List.of(sample(1_000, 2, 6), sample(2_000, 4, 7), sample(3_500, 3, 7)));
        assertThat(troubles(5, 3))
                .containsExactly("connects are slow: 3 under way while threads wait, and none has ended for 1.5 s");
        assertThat(troubles(0, 3)).isEmpty();
        known.add(sample(4_000, 3, 8));
        assertThat(troubles(5, 3)).isEmpty();
    }

    @Test
    void onePlaceThatHoldsMostConnectionsIsNamedWhileThreadsWait() {
        Counts full = new Counts(4, 0, 4, 4, 0, 1, 0, 0);
        List<String> stack = List.of("shop.Report.pet(Report.java:7)");
        for (long held = 8_000; held > 5_000; held -= 1_000) {
            holders.add(sampled(held, stack));
        }
        assertThat(Troubles.of(List.of(sample(1_000, 0, 0)), full, holders, waiters, failures, 1_000, 0))
                .isEmpty();
        waiters.add(new Waiter("exec-9", 1_000, null, List.of()));
        assertThat(Troubles.of(List.of(sample(1_000, 0, 0)), full, holders, waiters, failures, 1_000, 0))
                .startsWith("3 of 4 connections are held at Report.pet, the longest for 8.0 s, last SQL: select ?")
                .hasSize(2);
        Counts room = new Counts(5, 0, 4, 4, 0, 1, 0, 0);
        assertThat(Troubles.of(List.of(sample(1_000, 0, 0)), room, holders, waiters, failures, 1_000, 0))
                .singleElement()
                .asString()
                .startsWith("1 thread waits");
        holders.subList(1, 3).clear();
        assertThat(Troubles.of(List.of(sample(1_000, 0, 0)), full, holders, waiters, failures, 1_000, 0))
                .hasSize(1);
    }

    @Test
    void aThreadThatWaitsWhileThereIsAPlaceWaitsForASlowConnect() {
        waiters.add(new Waiter("exec-1", 1_000, null, List.of()));
        Sample first = sample(1_000, 2, 0);
        Counts growing = new Counts(10, 0, 8, 8, 0, 1, 2, 0);
        assertThat(Troubles.of(List.of(first), growing, holders, waiters, failures, 1_500, 0))
                .containsExactly("connects are slow: 2 under way, and a thread has waited for 1.0 s");
        Counts full = new Counts(10, 0, 10, 10, 0, 1, 0, 0);
        assertThat(Troubles.of(List.of(first), full, holders, waiters, failures, 1_500, 0))
                .isEmpty();
        waiters.set(0, new Waiter("exec-1", 999, null, List.of()));
        assertThat(Troubles.of(List.of(first), growing, holders, waiters, failures, 1_500, 0))
                .isEmpty();
    }
}
