package dev.weir.fleet;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.WeirDataSource;
import dev.weir.testkit.Await;
import dev.weir.testkit.StubDatabase;
import java.lang.management.ManagementFactory;
import java.sql.Connection;
import java.time.Duration;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntSupplier;
import javax.management.MBeanAttributeInfo;
import javax.management.MBeanServer;
import javax.management.ObjectName;
import org.junit.jupiter.api.Test;

/** P11: what a budget of somebody else's throws, and when it hangs. */
class FaultyBudgetTest {
    private static final Duration SOON = Duration.ofSeconds(10);

    /** Grants five, or does what is asked of it. */
    private static final class Faulty implements FleetBudget {
        final AtomicInteger calls = new AtomicInteger();
        final Queue<Integer> callsThen = new ConcurrentLinkedQueue<>(); // when it left
        volatile Runnable act = () -> {};
        String refusal = "";
        Grant grant = new Grant(5, 5, 0, 5, 0, 0, 10, 5, 1, true);

        @Override
        public Grant renew(Claim claim, IntSupplier standing) throws FleetRefusedException {
            calls.incrementAndGet();
            if (!refusal.isEmpty()) {
                throw new FleetRefusedException(refusal);
            }
            act.run();
            return grant;
        }

        @Override
        public void leave(String instance) {
            callsThen.add(calls.get());
            act.run();
        }

        @Override
        public void close() {}
    }

    private static WeirDataSource pool() {
        StubDatabase database = new StubDatabase();
        WeirDataSource pool = new WeirDataSource();
        pool.setDataSource(database.dataSource());
        pool.setMaximumPoolSize(4);
        pool.setMinimumPoolSize(0);
        return pool;
    }

    @Test
    void aBudgetMayRefuseAMember() {
        Faulty budget = new Faulty();
        budget.refusal = "fleet f: budget 9 (expected: 10)";
        try (WeirDataSource pool = pool()) {
            assertThatThrownBy(() -> WeirFleet.join(pool, FleetOptions.of("f", "a"), budget))
                    .isInstanceOf(FleetRefusedException.class)
                    .hasMessage(budget.refusal);
        }
    }

    /** With an answer like this one nothing else would have it renew for ten seconds. */
    @Test
    void aMemberWithWaitersRenewsAtOnceButOnceIn50MillisAtMost() throws Exception {
        Faulty budget = new Faulty();
        budget.grant = new Grant(3, 3, 0, 3, 0, 0, 10, 5, 1, false);
        try (WeirDataSource pool = pool();
                WeirFleet fleet = WeirFleet.join(pool, FleetOptions.of("f", "a"), budget);
                Connection one = pool.getConnection();
                Connection other = pool.getConnection();
                Waiters waiters = new Waiters(pool, 2, "select 1")) {
            assertThat(one).isNotSameAs(other);
            int before = budget.calls.get();
            Await.await("one renewal", SOON, () -> budget.calls.get() > before);
            long begun = System.nanoTime();
            Await.await(() -> "ten more: " + fleet.stats(), SOON, () -> budget.calls.get() > before + 10);
            assertThat(Duration.ofNanos(System.nanoTime() - begun)).isGreaterThan(Duration.ofMillis(450));
            one.close();
            other.close();
            assertThat(waiters.failures()).isZero();
        }
    }

    /** The member looks at it every 25 ms; the operator is so fast that he comes in between. */
    @Test
    void whatAnOperatorSetsWhileTheMemberLooksStays() throws Exception {
        Faulty budget = new Faulty();
        try (WeirDataSource pool = pool();
                WeirFleet fleet = WeirFleet.join(pool, FleetOptions.of("f", "a"), budget)) {
            pool.start();
            int begun = budget.calls.get();
            Await.await("it has seen the pool run", SOON, () -> budget.calls.get() > begun + 1);
            for (int i = 0; budget.calls.get() < begun + 10; i++) {
                int most = 3 + i % 2;
                int least = i % 3;
                pool.setMaximumPoolSize(most);
                pool.setMinimumPoolSize(least);
                assertThat(pool.getMaximumPoolSize()).as("%s", fleet.stats()).isEqualTo(most);
                assertThat(pool.getMinimumPoolSize()).as("%s", fleet.stats()).isEqualTo(least);
            }
        }
    }

    @Test
    void jmxShowsWhatAMemberMayHave() throws Exception {
        MBeanServer server = ManagementFactory.getPlatformMBeanServer();
        ObjectName all = new ObjectName("dev.weir:type=Fleet,name=seen*");
        try (WeirDataSource pool = pool()) {
            pool.setPoolName("seen");
            try (WeirFleet fleet = WeirFleet.join(pool, FleetOptions.of("f", "a"), new Faulty())) {
                ObjectName name = server.queryNames(all, null).iterator().next();
                for (MBeanAttributeInfo attribute : server.getMBeanInfo(name).getAttributes()) {
                    assertThat(attribute.getDescription()).isNotBlank();
                    server.getAttribute(name, attribute.getName());
                }
                assertThat(server.getAttribute(name, "Granted"))
                        .isEqualTo(fleet.stats().granted())
                        .isEqualTo(5);
                assertThat(server.getAttribute(name, "Budget")).isEqualTo(10);
            }
        }
        assertThat(server.queryNames(all, null)).isEmpty();
    }

    @Test
    void membersOfOneNameAreInJmxOneAfterTheOther() throws Exception {
        MBeanServer server = ManagementFactory.getPlatformMBeanServer();
        ObjectName twin = new ObjectName("dev.weir:type=Fleet,name=twin");
        try (WeirDataSource first = pool();
                WeirDataSource second = pool()) {
            first.setPoolName("twin");
            second.setPoolName("twin");
            WeirFleet old = WeirFleet.join(first, FleetOptions.of("old", "a"), new Faulty());
            WeirFleet fresh = WeirFleet.join(second, FleetOptions.of("fresh", "a"), new Faulty());
            assertThat(server.getAttribute(twin, "Instance")).isEqualTo(old.instance());
            old.close();
            assertThat(server.getAttribute(twin, "Instance")).isEqualTo(fresh.instance());
            fresh.close();
            assertThat(server.isRegistered(twin)).isFalse();
        }
    }

    @Test
    void anErrorOfTheBudgetEndsNoRenewals() throws Exception {
        Faulty budget = new Faulty();
        try (WeirDataSource pool = pool();
                WeirFleet fleet = WeirFleet.join(pool, FleetOptions.of("f", "a"), budget)) {
            budget.act = () -> {
                throw new StackOverflowError();
            };
            Await.await("two failed", SOON, () -> fleet.stats().failures() >= 2);
            assertThat(fleet.stats().lastFailure()).contains("StackOverflowError");
            long before = fleet.stats().renewals();
            budget.act = () -> {};
            Await.await("it renews again", SOON, () -> fleet.stats().renewals() > before);
            try (Connection connection = pool.getConnection()) {
                assertThat(connection.isClosed()).isFalse();
            }
        }
    }

    @Test
    void closeDoesNotWaitForARenewalThatHangs() throws Exception {
        CountDownLatch never = new CountDownLatch(1);
        Faulty budget = new Faulty();
        WeirDataSource pool = pool();
        WeirFleet fleet = WeirFleet.join(pool, FleetOptions.of("f", "a"), budget);
        int before = budget.calls.get();
        budget.act = () -> {
            try {
                never.await();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        };
        try {
            Await.await("a renewal hangs", SOON, () -> budget.calls.get() > before);
            long begun = System.nanoTime();
            fleet.close();
            assertThat(Duration.ofNanos(System.nanoTime() - begun)).isLessThan(Duration.ofSeconds(4));
            assertThat(pool.isClosed()).isTrue();
        } finally {
            never.countDown();
        }
    }

    /** A renewal after that would write the member's row again; this one is due all the time. */
    @Test
    void aMemberThatHasLeftRenewsNoMore() throws Exception {
        Faulty budget = new Faulty();
        WeirFleet fleet = WeirFleet.join(pool(), FleetOptions.of("f", "a"), budget);
        fleet.close();
        assertThat(budget.callsThen).containsExactly(budget.calls.get());
    }
}
