package dev.weir.internal.lending;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.weir.RetireReason;
import dev.weir.internal.engine.LivePool;
import dev.weir.internal.engine.SteppedPool;
import dev.weir.internal.settings.Setting;
import dev.weir.internal.slots.WaitQueue;
import dev.weir.internal.sources.ConnectionSource;
import dev.weir.testkit.Await;
import dev.weir.testkit.StubDatabase;
import dev.weir.testkit.StubSession;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.SQLTransientConnectionException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The fate of a thread that asks for a connection. */
@Timeout(60)
class AcquiringTest {
    private static final Duration NEVER_START = Duration.ofMillis(-1);
    private static final Duration TIMEOUT = Duration.ofMillis(150);

    /** Time a busy machine may add; what the tests guard against is waiting for the network, which lasts for ever. */
    private static final Duration SLACK = Duration.ofSeconds(3);

    // ------------------------------------------------------------ P4, P8

    private static Throwable assertTimesOut(LivePool live) {
        long start = System.nanoTime();
        Throwable e = catchThrowable(live.pool::acquire);
        Duration took = Duration.ofNanos(System.nanoTime() - start);
        assertThat(e).isInstanceOf(SQLTransientConnectionException.class);
        assertThat(took).isBetween(TIMEOUT, TIMEOUT.plus(SLACK));
        assertThat(sqlState(e)).isEqualTo("08001");
        assertThat(live.pool.stats().timedOut()).isEqualTo(1);
        assertThat(live.pool.state.queue.sizeVolatile()).isZero();
        return e;
    }

    private static String stackTrace(Throwable e) {
        StringWriter text = new StringWriter();
        e.printStackTrace(new PrintWriter(text));
        return text.toString();
    }

    private static String sqlState(Throwable e) {
        return ((SQLException) e).getSQLState();
    }

    @Test
    void p8ATimeoutCountsTheTimeThatWasSpentBefore() throws Exception {
        Duration before = Duration.ofSeconds(40);
        try (SteppedPool stepped = SteppedPool.of(b ->
                b.connectionTimeout(Duration.ofSeconds(30)).maximumPoolSize(1).minimumPoolSize(1))) {
            stepped.run(Duration.ofMillis(1));
            Connection only = stepped.acquire();
            stepped.ticker.advance(before.plusSeconds(1));
            assertThatThrownBy(() -> stepped.pool.acquiring.acquire(before.toNanos()))
                    .isInstanceOf(SQLTransientConnectionException.class)
                    .hasMessageMatching("(?s).*no connection within 4\\d{4} ms \\(connectionTimeout: 30000 ms\\).*");
            assertThat(only.isClosed()).isFalse();
        }
    }

    /** Classes to load, and no CPU for it: that is no reason to refuse a thread that has not even asked. */
    @Test
    void whoseTimeWentIntoMakingThePoolHasItAgain() throws Exception {
        try (LivePool live = LivePool.of(new StubDatabase(), b -> b.connectionTimeout(LivePool.LIMIT))) {
            live.pool
                    .acquiring
                    .acquire(LivePool.LIMIT.multipliedBy(3).toNanos())
                    .close();
        }
        try (LivePool live = LivePool.of(
                new StubDatabase(),
                b -> b.initializationFailTimeout(NEVER_START).connectionTimeout(LivePool.LIMIT))) {
            live.pool
                    .acquiring
                    .acquire(LivePool.LIMIT.multipliedBy(3).toNanos())
                    .close();
        }
    }

    @Test
    void p8ATimeoutSaysHowLongHowManyWhoAndWhy() throws Exception {
        String password = "hunter22";
        try (LivePool live = LivePool.started(b ->
                b.connectionTimeout(TIMEOUT).maximumPoolSize(2).username("u").password(password))) {
            String sql = "SELECT 42, name FROM t WHERE id = 'geheim' /* password=" + password + " */";
            CountDownLatch done = new CountDownLatch(1);
            CountDownLatch running = new CountDownLatch(1);
            CompletableFuture<?> holder = LivePool.on("the holder", () -> {
                try (Connection c = live.pool.acquire();
                        PreparedStatement statement = c.prepareStatement(sql)) {
                    statement.execute();
                    running.countDown();
                    return done.await(1, TimeUnit.MINUTES);
                }
            });
            running.await();
            SQLException refused = new SQLException("no route, password=" + password, "08001");
            live.db.fail(StubDatabase.CONNECT, () -> refused);
            Throwable e = assertTimesOut(live);
            assertThat(e)
                    .hasMessageContaining("pool '" + live.settings.poolName() + "'")
                    .hasMessageContaining("(connectionTimeout: 150 ms)")
                    .hasMessageContaining("maximum 2, total 1, in use 1, idle 0, waiting 0")
                    .hasMessageContaining("connection 1 held for ")
                    .hasMessageContaining("by thread 'the holder'")
                    .hasMessageContaining("last SQL: SELECT ?, name FROM t WHERE id = ...;")
                    .hasMessageContaining("no route")
                    .hasMessageNotContaining(password)
                    .hasMessageNotContaining("geheim")
                    .hasStackTraceContaining("Caused by: java.sql.SQLException: no route, password=***")
                    .extracting(Throwable::getCause)
                    .satisfies(cause -> assertThat(sqlState(cause)).isEqualTo("08001"));
            assertThat(stackTrace(e)).doesNotContain(password, "geheim");
            done.countDown();
            holder.get(10, TimeUnit.SECONDS);
        }
    }

    @Test
    void anInterruptEndsTheWaitAndLosesNothing() throws Exception {
        try (LivePool live = LivePool.started(b -> b.maximumPoolSize(1).connectionTimeout(LivePool.LIMIT))) {
            Connection held = live.pool.acquire();
            AtomicBoolean stillSet = new AtomicBoolean();
            CompletableFuture<Thread> waiter = new CompletableFuture<>();
            CompletableFuture<Throwable> outcome = LivePool.on("interrupted", () -> {
                waiter.complete(Thread.currentThread());
                Throwable e = catchThrowable(live.pool::acquire);
                stillSet.set(Thread.currentThread().isInterrupted());
                return e;
            });
            live.awaitWaiting(1);
            waiter.get().interrupt();
            Throwable e = outcome.get(10, TimeUnit.SECONDS);
            assertThat(e).isInstanceOf(SQLTransientConnectionException.class).hasMessageContaining("interrupted");
            assertThat(sqlState(e)).isEqualTo("08001");
            assertThat(stillSet).isTrue();
            assertThat(live.pool.state.queue.sizeVolatile()).isZero();
            held.close();
            live.pool.acquire().close();
        }
    }

    @Test
    void moreThanMaximumWaitersFailAtOnce() throws Exception {
        try (LivePool live = LivePool.started(
                b -> b.maximumPoolSize(1).maximumWaiters(2).connectionTimeout(Duration.ofMinutes(1)))) {
            Connection held = live.pool.acquire();
            CompletableFuture<Connection> first = live.acquireOn("first");
            CompletableFuture<Connection> second = live.acquireOn("second");
            live.awaitWaiting(2);
            Throwable e = catchThrowable(live.pool::acquire);
            assertThat(e).isInstanceOf(SQLTransientConnectionException.class);
            assertThat(e).hasMessageContaining("maximumWaiters: 2").hasMessageContaining("waiting 2");
            held.close();
            CompletableFuture.anyOf(first, second).get(10, TimeUnit.SECONDS);
            (first.isDone() ? first : second).get().close();
            first.get(10, TimeUnit.SECONDS).close();
            second.get(10, TimeUnit.SECONDS).close();
        }
    }

    // --------------------------------------------------- authentication

    @Test
    void p6AnAuthenticationFailureIsNotHammered() {
        try (SteppedPool stepped = SteppedPool.of(b -> b)) {
            stepped.db.requirePassword("u", "right");
            int refused = 0;
            for (int i = 0; i < 300; i++) { // 3 s of users who ask every 10 ms
                Throwable e = catchThrowable(stepped::acquireHelped);
                assertThat(e).isNotNull();
                refused += e.getMessage().contains("refuses") ? 1 : 0;
                stepped.run(Duration.ofMillis(10));
            }
            assertThat(refused).isEqualTo(300);
            assertThat(stepped.db.calls(StubDatabase.CONNECT)).isBetween(2L, 6L);
        }
    }

    @Test
    void anAuthenticationFailureDoesNotKeepIdleConnectionsFromBeingLent() throws SQLException {
        try (SteppedPool stepped = SteppedPool.of(b -> b.maximumPoolSize(2))) {
            Connection held = stepped.acquireHelped();
            stepped.db.requirePassword("u", "right");
            stepped.change(Setting.MINIMUM_POOL_SIZE, 2);
            stepped.run(Duration.ofMillis(10));
            assertThat(stepped.pool.stats().openFailed()).isEqualTo(1);
            held.close();
            stepped.acquireHelped().close();
        }
    }

    // ------------------------------------------------------- validation

    @Test
    void p7TestedBeforeItIsLentWhenIdleForValidateAfterIdle() throws SQLException {
        try (SteppedPool stepped = SteppedPool.of(b -> b.validateAfterIdle(Duration.ofMillis(500)))) {
            stepped.acquireHelped().close();
            for (int idle = 0; idle <= 700; idle += 50) {
                try (Connection c = stepped.acquireHelped()) {
                    c.getCatalog(); // used, so that it counts as alive when it comes home
                }
                long tests = stepped.db.calls("Connection.isValid");
                stepped.run(Duration.ofMillis(idle));
                stepped.acquireHelped().close();
                boolean tested = stepped.db.calls("Connection.isValid") > tests;
                if (idle <= 300) {
                    assertThat(tested).as("tested after %d ms", idle).isFalse();
                } else if (idle >= 500) {
                    assertThat(tested).as("tested after %d ms", idle).isTrue();
                }
            }
        }
    }

    @Test
    void p7AClosedHandleThatTouchedNothingDoesNotMakeItsConnectionFresh() throws SQLException {
        try (SteppedPool stepped = SteppedPool.of(b -> b.validateAfterIdle(Duration.ofMillis(500)))) {
            stepped.acquireHelped().close();
            long tests = stepped.db.calls("Connection.isValid");
            for (int i = 0; i < 6; i++) {
                stepped.run(Duration.ofMillis(100));
                stepped.acquireHelped().close();
            }
            assertThat(stepped.db.calls("Connection.isValid")).isGreaterThan(tests);
        }
    }

    @Test
    void p7ValidateAfterIdleZeroTestsBeforeEveryHandOut() throws Exception {
        try (LivePool live = LivePool.started(b -> b.maximumPoolSize(2).validateAfterIdle(Duration.ZERO))) {
            List<CompletableFuture<Integer>> users = new ArrayList<>();
            for (int i = 0; i < 4; i++) {
                users.add(LivePool.on("user " + i, () -> {
                    for (int n = 0; n < 50; n++) {
                        try (Connection c = live.pool.acquire()) {
                            c.getCatalog();
                        }
                    }
                    return 50;
                }));
            }
            for (CompletableFuture<Integer> user : users) {
                user.get(30, TimeUnit.SECONDS);
            }
            for (StubSession session : live.db.sessions()) {
                boolean tested = true; // when it was opened
                for (String call : session.journal()) {
                    if (call.startsWith("Connection.getCatalog")) {
                        assertThat(tested)
                                .as("a test before each loan of %s", session)
                                .isTrue();
                        tested = false;
                    }
                    tested |= call.startsWith("Connection.isValid");
                }
            }
        }
    }

    @Test
    void p7ValidateAfterIdleZeroTestsAlsoWhileTheKeeperLags() throws SQLException {
        try (SteppedPool stepped = SteppedPool.of(b -> b.validateAfterIdle(Duration.ZERO))) {
            stepped.acquireHelped().close();
            stepped.pass();
            for (int i = 0; i < 3; i++) {
                stepped.ticker.advance(Duration.ofSeconds(1));
                long tests = stepped.db.calls("Connection.isValid");
                stepped.acquireHelped().close();
                assertThat(stepped.db.calls("Connection.isValid")).isGreaterThan(tests);
                tests = stepped.db.calls("Connection.isValid");
                stepped.acquireHelped().close();
                assertThat(stepped.db.calls("Connection.isValid")).isGreaterThan(tests);
            }
        }
    }

    @Test
    void p7WhereThereIsRoomNobodyWaitsForSilentlyDeadConnections() throws Exception {
        try (LivePool live = LivePool.started(b -> b.maximumPoolSize(20)
                .minimumPoolSize(10)
                .validationTimeout(Duration.ofSeconds(30))
                .connectionTimeout(Duration.ofSeconds(25)))) {
            Await.await("ten are open", LivePool.LIMIT, () -> live.pool.stats().idle() >= 10);
            live.db.openSessions().forEach(StubSession::freeze);
            live.pool.clock.suspect(live.pool.clock.now());
            long start = System.nanoTime();
            Connection served = live.pool.acquire();
            assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(SLACK);
            served.close();
            live.db.heal();
        }
    }

    @Test
    void p7OneDisconnectPutsItsSiblingsUnderSuspicion() throws SQLException {
        try (SteppedPool stepped =
                SteppedPool.of(b -> b.minimumPoolSize(5).maximumPoolSize(5).validateAfterIdle(Duration.ofMinutes(5)))) {
            stepped.run(Duration.ofMillis(100));
            Connection unlucky = stepped.acquireHelped();
            Connection healthy = stepped.acquireHelped();
            List<StubSession> dead = stepped.db.openSessions().stream()
                    .filter(session -> session != stepped.session(healthy))
                    .toList();
            dead.forEach(StubSession::kill);
            healthy.close();
            assertThatThrownBy(() -> execute(unlucky, "SELECT")).isInstanceOf(SQLException.class);
            unlucky.close();
            for (int i = 0; i < 5; i++) {
                stepped.run(Duration.ofMillis(10));
                execute(stepped.acquireHelped(), "SELECT");
            }
            assertThat(stepped.retired(RetireReason.INVALID)).isEqualTo(3);
            assertThat(stepped.retired(RetireReason.FAULT)).isEqualTo(1);
            assertThat(stepped.session(healthy).isClosed()).isFalse();
        }
    }

    @Test
    void p7SiblingsUnderSuspicionAreTestedAtOnceThoughNobodyAsks() throws SQLException {
        try (SteppedPool stepped = SteppedPool.of(b ->
                b.minimumPoolSize(5).maximumPoolSize(5).acquireIncrement(2).validateAfterIdle(Duration.ofMinutes(5)))) {
            stepped.run(Duration.ofMillis(100));
            Connection unlucky = stepped.acquireHelped();
            stepped.db.killAll();
            assertThatThrownBy(() -> execute(unlucky, "SELECT")).isInstanceOf(SQLException.class);
            unlucky.close();
            stepped.run(Duration.ofMillis(50));
            assertThat(stepped.db.openSessions()).hasSize(5);
            assertThat(stepped.idle()).isEqualTo(5);
        }
    }

    @Test
    void p7ConnectionsUsedBeforeADisconnectButReturnedAfterItAreTestedBeforeTheyAreLentAgain() throws SQLException {
        try (SteppedPool stepped = SteppedPool.of(b -> b.maximumPoolSize(2).validateAfterIdle(Duration.ofMinutes(5)))) {
            Connection sibling = stepped.acquireHelped();
            Connection unlucky = stepped.acquireHelped();
            sibling.getCatalog();
            stepped.run(Duration.ofSeconds(1));
            assertThatThrownBy(() -> execute(unlucky, "FAIL 08006")).isInstanceOf(SQLException.class);
            stepped.run(Duration.ofSeconds(1));
            sibling.close(); // without another word to the server
            long tests = stepped.db.calls("Connection.isValid");
            Connection again = stepped.acquireHelped();
            assertThat(stepped.session(again)).isSameAs(stepped.session(sibling));
            assertThat(stepped.db.calls("Connection.isValid")).isGreaterThan(tests);
        }
    }

    @Test
    void p4NoUserThreadEverSpeaksWithTheNetworkForThePoolsSake() throws Exception {
        StubDatabase db = new StubDatabase();
        Set<String> threads = ConcurrentHashMap.newKeySet();
        ConnectionSource source = () -> {
            threads.add("connect on " + Thread.currentThread().getName());
            return recording(db.dataSource().getConnection(), threads);
        };
        try (LivePool live = LivePool.of(
                db, b -> b.maximumPoolSize(3).minimumPoolSize(1).validateAfterIdle(Duration.ZERO), source)) {
            live.pool.start();
            List<CompletableFuture<Integer>> users = new ArrayList<>();
            for (int i = 0; i < 4; i++) {
                users.add(LivePool.on("user " + i, () -> {
                    for (int n = 0; n < 25; n++) {
                        live.pool.acquire().close();
                    }
                    return 0;
                }));
            }
            for (CompletableFuture<Integer> user : users) {
                user.get(30, TimeUnit.SECONDS);
            }
            live.pool.evictAll();
        }
        assertThat(threads).isNotEmpty().allMatch(call -> call.contains(" on weir-live"));
        assertThat(threads).anyMatch(call -> call.startsWith("isValid")).anyMatch(call -> call.startsWith("close"));
    }

    /** A connection that notes on which threads its calls come. */
    private static Connection recording(Connection real, Set<String> threads) {
        return (Connection) Proxy.newProxyInstance(
                AcquiringTest.class.getClassLoader(), new Class<?>[] {Connection.class}, (proxy, method, arguments) -> {
                    if (method.getDeclaringClass() == Connection.class) {
                        threads.add(method.getName() + " on "
                                + Thread.currentThread().getName());
                    }
                    return invoke(real, method, arguments);
                });
    }

    private static @Nullable Object invoke(
            Connection real, java.lang.reflect.Method method, Object @Nullable [] arguments) throws Throwable {
        try {
            return method.invoke(real, arguments);
        } catch (InvocationTargetException e) {
            throw e.getCause();
        }
    }

    private static void execute(Connection connection, String sql) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    // ------------------------------------------------------------- fairness

    /** Here no Keeper makes good what was forgotten. */
    @Test
    void whoIsHandedAConnectionWakesTheNextForOneThatCameHomeMeanwhile() throws Exception {
        try (SteppedPool stepped =
                SteppedPool.of(b -> b.maximumPoolSize(2).minimumPoolSize(2).connectionTimeout(LivePool.LIMIT))) {
            for (int i = 0; i < 50; i++) {
                Connection one = stepped.acquireHelped();
                Connection other = stepped.acquireHelped();
                CountDownLatch bothServed = new CountDownLatch(2);
                List<CompletableFuture<Void>> users = new ArrayList<>();
                for (int user = 1; user <= 2; user++) {
                    users.add(LivePool.on("user", () -> {
                        try (Connection ignored = stepped.pool.acquire()) {
                            bothServed.countDown();
                            bothServed.await(20, TimeUnit.SECONDS);
                        }
                        return null;
                    }));
                    int waiting = user;
                    assertThat(Await.becomesTrue(
                                    Duration.ofSeconds(20), () -> stepped.pool.state.queue.sizeVolatile() == waiting))
                            .isTrue();
                }
                stepped.ticker.advance(Duration.ofNanos(2 * WaitQueue.PATIENCE_NANOS));
                one.close(); // to the first, who is due
                other.close(); // to lie idle
                assertThat(bothServed.await(20, TimeUnit.SECONDS))
                        .as("in turn %d", i)
                        .isTrue();
                for (CompletableFuture<Void> user : users) {
                    user.get(20, TimeUnit.SECONDS);
                }
            }
        }
    }
}
