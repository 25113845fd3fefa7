package dev.weir.internal.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.ThreadFactoryTest;
import dev.weir.internal.slots.Inbox;
import dev.weir.testkit.Await;
import dev.weir.testkit.StubDatabase;
import dev.weir.testkit.servers.ThreadsLeft;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Function;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * P11, P12: a user whose recursion ends in a StackOverflowError, at whatever depth of getConnection(), use and close(), costs
 * the pool nothing: no place, no lock, no thread.
 */
@Timeout(120)
final class OverflowTest {
    private static final int MAXIMUM = 4;
    private static final int ROUNDS = 150;
    private static final long STACK_BYTES = 180 * 1024;

    /** A driver without a lock of its own, which an overflow could leave locked. */
    private static Object driverObject(Class<?> type) {
        return Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, (proxy, method, arguments) -> {
            Class<?> result = method.getReturnType();
            if (method.getName().equals("getAutoCommit") || method.getName().equals("isValid")) {
                return true;
            }
            if (Statement.class.isAssignableFrom(result)) {
                return driverObject(result);
            }
            if (method.getName().equals("hashCode")) {
                return 1;
            }
            return result == int.class ? (Object) 0 : result == boolean.class ? (Object) false : null;
        });
    }

    private static LivePool pool(int minimum) throws SQLException {
        LivePool live = LivePool.of(
                new StubDatabase(),
                builder -> builder.maximumPoolSize(MAXIMUM)
                        .minimumPoolSize(minimum)
                        .connectionTimeout(Duration.ofSeconds(5)),
                () -> (Connection) driverObject(Connection.class));
        live.pool.start();
        return live;
    }

    /** The work of the user at each depth. */
    private interface Step {
        void run() throws SQLException;
    }

    @SuppressWarnings("InfiniteRecursion") // the subject of the test
    private static void recurse(Step step) throws SQLException {
        step.run();
        recurse(step);
    }

    /** Runs a recursion in a thread of little stack, each time with a stack that is used up a little more at its begin. */
    private static void overflow(Step step, int padding) throws InterruptedException {
        AtomicReference<Throwable> end = new AtomicReference<>();
        Thread thread = new Thread(
                null,
                () -> {
                    try {
                        padded(step, padding);
                    } catch (Throwable e) {
                        end.set(e);
                    }
                },
                "overflows",
                STACK_BYTES + padding * 8L);
        thread.start();
        thread.join();
        Throwable seen = end.get();
        for (Throwable cause = seen; cause != null; cause = cause.getCause()) {
            if (cause instanceof StackOverflowError) {
                return;
            }
        }
        throw new AssertionError("the recursion did not overflow", seen);
    }

    /** Does this once, in such a thread, at this depth. */
    private static boolean overflows(Step step, int depth) throws InterruptedException {
        AtomicBoolean overflows = new AtomicBoolean();
        Thread thread = new Thread(
                null,
                () -> {
                    try {
                        down(step, depth);
                    } catch (StackOverflowError e) {
                        overflows.set(true);
                    } catch (SQLException e) {
                        throw new AssertionError(e);
                    }
                },
                "overflows",
                STACK_BYTES);
        thread.start();
        thread.join();
        return overflows.get();
    }

    private static void down(Step step, int depth) throws SQLException {
        if (depth > 0) {
            down(step, depth - 1);
        } else {
            step.run();
        }
    }

    private static void padded(Step step, int padding) throws SQLException {
        if (padding > 0) {
            padded(step, padding - 1);
        } else {
            recurse(step);
        }
    }

    /** Every place can be lent, at once. */
    private static void assertWhole(LivePool live, int round) throws SQLException {
        List<Connection> all = new ArrayList<>();
        try {
            for (int i = 0; i < MAXIMUM; i++) {
                all.add(live.pool.acquire());
            }
        } catch (SQLException e) {
            throw new AssertionError(
                    "round " + round + ": " + all.size() + " of " + MAXIMUM + " lent; " + live.pool.dump(), e);
        } finally {
            for (Connection connection : all) {
                connection.close();
            }
        }
    }

    private static void assertSurvives(int minimum, Function<LivePool, Step> user) throws Exception {
        try (LivePool live = pool(minimum)) {
            for (int round = 0; round < ROUNDS; round++) {
                overflow(user.apply(live), round % 50);
                assertWhole(live, round);
            }
            assertThat(live.pool.stats().waiting()).isZero();
        }
        ThreadsLeft.assertNone("weir-live", Duration.ofSeconds(5));
    }

    private static void use(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute("x");
        }
    }

    @Test
    void p11UserWhoBorrowsAndReturnsAtEachDepth() throws Exception {
        assertSurvives(0, live -> () -> {
            try (Connection connection = live.pool.acquire()) {
                use(connection);
            }
        });
    }

    @Test
    void p11UserWhoTouchesNothingAtEachDepth() throws Exception {
        assertSurvives(MAXIMUM, live -> () -> live.pool.acquire().close());
    }

    @Test
    void p11UserWhoHoldsOneConnectionAllTheWayDown() throws Exception {
        assertSurvives(0, live -> () -> {
            try (Connection connection = live.pool.acquire()) {
                recurse(() -> use(connection));
            }
        });
    }

    /** Others hold and wait meanwhile, so that each acquire queues and each return hands over. */
    @Test
    void p11UserWhoOverflowsAmongThoseWhoWait() throws Exception {
        try (LivePool live = pool(0)) {
            AtomicBoolean over = new AtomicBoolean();
            List<CompletableFuture<Integer>> others = new ArrayList<>();
            for (int i = 0; i < 2 * MAXIMUM; i++) {
                others.add(LivePool.on("other" + i, () -> {
                    int served = 0;
                    while (!over.get()) {
                        try (Connection connection = live.pool.acquire()) {
                            use(connection);
                            served++;
                        }
                    }
                    return served;
                }));
            }
            for (int round = 0; round < ROUNDS / 3; round++) {
                overflow(
                        () -> {
                            try (Connection connection = live.pool.acquire()) {
                                use(connection);
                            }
                        },
                        round % 50);
            }
            over.set(true);
            for (CompletableFuture<Integer> other : others) {
                assertThat(other.get(LivePool.LIMIT.toMillis(), TimeUnit.MILLISECONDS))
                        .isPositive();
            }
            assertWhole(live, ROUNDS);
        }
        ThreadsLeft.assertNone("weir-live", Duration.ofSeconds(5));
    }

    /** The unpark of a virtual thread is Java code: where an overflow cuts it off halfway, no later one wakes the thread. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    @Timeout(30)
    void p11UserWhoWakesTheKeeperAtEachDepth(boolean virtual) throws Exception {
        Inbox inbox = new Inbox();
        AtomicInteger wakes = new AtomicInteger();
        AtomicBoolean over = new AtomicBoolean();
        Thread keeper = (virtual ? ThreadFactoryTest.virtual() : (ThreadFactory) Thread::new).newThread(() -> {
            while (!over.get()) {
                LockSupport.park();
                wakes.incrementAndGet();
            }
        });
        inbox.belongsTo(keeper);
        keeper.start();
        int depth = 0;
        for (int round = 0; round < 5 * ROUNDS; round++) { // to and fro, where there is stack for a part of it
            String which = "round " + round + ", depth " + depth;
            Await.await(which, LivePool.LIMIT, () -> keeper.getState() == Thread.State.WAITING);
            int before = wakes.get();
            if (overflows(() -> inbox.nudge(0), depth)) {
                depth--;
            } else {
                depth += depth < 500 ? 100 : 40;
            }
            inbox.nudge(0);
            Await.await(which, LivePool.LIMIT, () -> wakes.get() > before);
        }
        over.set(true);
        inbox.nudge(0);
        keeper.join();
    }
}
