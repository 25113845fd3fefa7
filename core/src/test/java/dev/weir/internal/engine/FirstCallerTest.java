package dev.weir.internal.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.weir.LogCapture;
import dev.weir.PoolConfig;
import dev.weir.WeirDataSource;
import dev.weir.internal.handles.ConnectionHandle;
import dev.weir.spi.Credentials;
import dev.weir.testkit.Await;
import dev.weir.testkit.Fault;
import dev.weir.testkit.StubDatabase;
import dev.weir.testkit.servers.ThreadsLeft;
import java.lang.management.ManagementFactory;
import java.lang.ref.WeakReference;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLTransientConnectionException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.UnaryOperator;
import javax.management.JMException;
import javax.management.MBeanServer;
import javax.management.MBeanServerDelegate;
import javax.management.MBeanServerNotification;
import javax.management.NotificationListener;
import javax.management.ObjectName;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** P4 for those who come first: the deadline and the maximum hold though the pool is only being started. */
@Timeout(60)
class FirstCallerTest {
    private static final MBeanServer SERVER = ManagementFactory.getPlatformMBeanServer();
    private static final Duration LIMIT = LivePool.LIMIT;

    /** Less than the second that the end of a failed start may take, which is nobody's to wait for. */
    private static final Duration SLACK = Duration.ofMillis(900);

    private static final Duration SHORT = Duration.ofMillis(100);

    private final StubDatabase db = new StubDatabase();
    private final LogCapture log = new LogCapture();

    @AfterEach
    void close() {
        db.close();
        log.close();
    }

    private WeirDataSource pool(UnaryOperator<PoolConfig.Builder> configure) {
        PoolConfig.Builder defaults = PoolConfig.builder()
                .dataSource(db.dataSource())
                .poolName("first")
                .registerMbeans(false)
                .maximumPoolSize(4)
                .minimumPoolSize(4)
                .closeTimeout(Duration.ofMillis(100));
        return new WeirDataSource(configure.apply(defaults).build());
    }

    private static Duration refused(WeirDataSource pool, String... words) {
        long begun = System.nanoTime();
        assertThatThrownBy(pool::getConnection)
                .isInstanceOf(SQLTransientConnectionException.class)
                .satisfies(e -> assertThat(e.getMessage()).contains(List.of(words)));
        return Duration.ofNanos(System.nanoTime() - begun);
    }

    // ------------------------------------------------------------- deadline

    @Test
    void p4ALongerTimeToStartDoesNotLengthenTheWaitOfACaller() throws SQLException {
        Fault hang = db.hang(StubDatabase.CONNECT);
        try (WeirDataSource pool =
                pool(b -> b.connectionTimeout(SHORT).initializationFailTimeout(Duration.ofMinutes(1)))) {
            assertThat(refused(pool, "connectionTimeout: 100 ms")).isBetween(SHORT, LIMIT);
            hang.release();
            Await.await("the start goes on", LIMIT, pool::isRunning);
            pool.getConnection().close();
            Await.await("by the connects that hung", LIMIT, () -> pool.stats().idle() == 4);
            assertThat(db.opened()).isEqualTo(4);
        }
    }

    @Test
    void whoComesNextWaitsForTheConnectsThatAreUnderWay() throws SQLException {
        Fault hang = db.hang(StubDatabase.CONNECT);
        try (WeirDataSource pool = pool(b -> b.connectionTimeout(SHORT).minimumPoolSize(1))) {
            refused(pool, "maximum 4, total 0");
            hang.awaitWaiting(1, LIMIT);
            CompletableFuture<Connection> next;
            pool.setConnectionTimeout(LIMIT);
            next = LivePool.on("next", pool::getConnection);
            Await.await("he waits", LIMIT, () -> pool.stats().waiting() == 1);
            hang.release();
            next.join().close();
            assertThat(db.opened()).isEqualTo(1);
        }
    }

    @Test
    void p8WhoWaitsForTheStartOfAnotherIsToldTheCountsAndTheLastFailure() throws Exception {
        db.failNext(StubDatabase.CONNECT, 1, () -> new SQLException("no route", "08001"));
        Fault hang = db.hang(StubDatabase.CONNECT);
        try (WeirDataSource pool =
                pool(b -> b.connectionTimeout(SHORT).minimumPoolSize(2).initializationFailTimeout(LIMIT))) {
            CompletableFuture<Throwable> start = LivePool.on("starter", () -> catchThrowable(pool::start));
            hang.awaitWaiting(1, LIMIT);
            Await.await("a failure", LIMIT, () -> pool.stats().openFailed() == 1);
            refused(pool, "maximum 4, total 0", "opening 1", "last failure to open", "no route");
            hang.release();
            assertThat(start.get(20, TimeUnit.SECONDS)).isNull();
        }
    }

    // -------------------------------------------------------------- maximum

    @Test
    void p6TheMaximumHoldsOverStartsThatFailed() throws SQLException {
        Fault hang = db.hang(StubDatabase.CONNECT);
        try (WeirDataSource pool = pool(b -> b.initializationFailTimeout(SHORT))) {
            startFails(pool, "maximum 4, total 0"); // the first connect goes alone, for about as long
            // A busy machine may end the time of a start before the last of its connects has come to the driver.
            Await.await("four connects hang", LIMIT, () -> {
                startFails(pool, "maximum 4, total 0");
                return hang.waiting() == 4;
            });
            Duration least = LIMIT;
            for (int i = 0; i < 4; i++) {
                Duration took = startFails(pool, "maximum 4, total 0", "closing 4");
                least = took.compareTo(least) < 0 ? took : least;
                assertThat(pool.physicalConnections()).isEqualTo(4);
            }
            assertThat(least).isLessThan(SHORT.plus(SLACK));
            assertThat(hang.hits()).isEqualTo(4);
            hang.release();
            Await.await("what hung is gone", LIMIT, () -> pool.physicalConnections() == 0);
            pool.setInitializationFailTimeout(LIMIT);
            pool.start();
            pool.getConnection().close();
            assertThat(db.maxOpenAtOnce()).isLessThanOrEqualTo(4);
        }
        ThreadsLeft.assertNone("weir-first-", LIMIT);
    }

    private static Duration startFails(WeirDataSource pool, String... words) {
        long begun = System.nanoTime();
        assertThatThrownBy(pool::start)
                .hasMessageContaining("could not open the first connection")
                .satisfies(e -> assertThat(e.getMessage()).contains(List.of(words)));
        return Duration.ofNanos(System.nanoTime() - begun);
    }

    @Test
    void whatHangsLongerThanConnectTimeoutLeavesRoomForOneProbe() throws SQLException {
        Fault hang = db.hangNext(StubDatabase.CONNECT, 4);
        try (WeirDataSource pool =
                pool(b -> b.initializationFailTimeout(SHORT).connectTimeout(Duration.ofMillis(150)))) {
            assertThatThrownBy(pool::start).isInstanceOf(SQLException.class);
            Await.await("one probe is served", LIMIT, () -> catchThrowable(pool::start) == null);
            hang.awaitWaiting(4, LIMIT);
            hang.release();
        }
    }

    // -------------------------------------------------------------- failure

    @Test
    void afterAStartThatFailedThePoolMayBeConfiguredAnew() throws SQLException {
        db.requirePassword("u", "right");
        try (WeirDataSource pool = pool(b -> b.username("u").password("wrong").connectionTimeout(LIMIT))) {
            refused(
                    pool,
                    "password authentication failed"); // by the start, or by the refusal that another thread heard
            pool.setPassword("right");
            pool.getConnection().close();
        }
    }

    @Test
    void theCountsAndFailuresOfAStartThatFailedAreKeptUntilTheNext() throws SQLException {
        Fault down = db.fail(StubDatabase.CONNECT, "08001");
        try (WeirDataSource pool =
                pool(b -> b.minimumPoolSize(1) // only the first connects, however late its failure is seen
                        .initializationFailTimeout(SHORT)
                        .acquireRetryDelay(Duration.ofHours(1)))) {
            startFails(pool, "fails as asked");
            assertThat(pool.isRunning()).isFalse();
            assertThat(pool.openFailures())
                    .singleElement()
                    .satisfies(f -> assertThat(f.message()).contains("fails as asked"));
            assertThat(pool.stats().openFailed()).isOne();
            assertThat(pool.stats().begun()).isOne();
            down.release();
            pool.start();
            assertThat(pool.stats().openFailed()).isZero();
            assertThat(pool.stats().begun()).isGreaterThan(1);
        }
    }

    /** An application may try again for days. */
    @Test
    void theStartsThatFailedAreForgotten() throws SQLException {
        db.requirePassword("u", "right");
        List<WeakReference<Credentials>> given = new CopyOnWriteArrayList<>();
        try (WeirDataSource pool = pool(b -> b.credentialsProvider(() -> {
                    Credentials wrong = new Credentials("u", "wrong" + given.size());
                    given.add(new WeakReference<>(wrong));
                    return wrong;
                })
                .minimumPoolSize(0))) {
            for (int i = 0; i < 5; i++) {
                assertThatThrownBy(pool::start).hasMessageContaining("password authentication failed");
            }
            Await.await("the first is collected", LIMIT, () -> {
                System.gc();
                return given.get(0).get() == null;
            });
        }
    }

    @Test
    void whoIsRefusedWhenTimeIsUpMayConfigureThePoolAnew() throws SQLException {
        Fault down = db.fail(StubDatabase.CONNECT, "08001");
        try (WeirDataSource pool =
                pool(b -> b.connectionTimeout(Duration.ofMillis(500)).acquireRetryDelay(Duration.ofHours(1)))) {
            for (int i = 0; i < 3; i++) {
                refused(pool, "fails as asked");
                pool.setValidationTimeout(Duration.ofSeconds(1));
            }
            down.release();
            pool.setConnectionTimeout(LIMIT);
            pool.getConnection().close();
        }
        ThreadsLeft.assertNone("weir-first-", LIMIT);
    }

    // ------------------------------------------------- what a start has opened

    /** Registration is told to listeners of the server's, which may take their time, as its first use does in a cold JVM. */
    private static final class SlowJmx implements AutoCloseable {
        final CountDownLatch entered = new CountDownLatch(1);
        final CountDownLatch proceed = new CountDownLatch(1);
        private final NotificationListener listener = (notification, name) -> {
            if (MBeanServerNotification.REGISTRATION_NOTIFICATION.equals(notification.getType())
                    && ((MBeanServerNotification) notification).getMBeanName().equals(name)) {
                entered.countDown();
                try {
                    proceed.await(20, TimeUnit.SECONDS);
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                }
            }
        };

        SlowJmx(ObjectName name) throws JMException {
            SERVER.addNotificationListener(MBeanServerDelegate.DELEGATE_NAME, listener, null, name);
        }

        @Override
        public void close() throws JMException {
            proceed.countDown();
            SERVER.removeNotificationListener(MBeanServerDelegate.DELEGATE_NAME, listener);
        }
    }

    @Test
    void nobodyWaitsForJmx() throws Exception {
        ObjectName name = new ObjectName("dev.weir:type=Pool,name=first");
        try (SlowJmx jmx = new SlowJmx(name);
                WeirDataSource pool = pool(b -> b.registerMbeans(true).connectionTimeout(Duration.ofSeconds(10)))) {
            CompletableFuture<Connection> first = LivePool.on("first", pool::getConnection);
            assertThat(jmx.entered.await(20, TimeUnit.SECONDS)).isTrue();
            first.get(5, TimeUnit.SECONDS).close();
            assertThat(pool.isRunning()).isTrue();
            jmx.proceed.countDown();
            Await.await("it is in JMX", LIMIT, () -> SERVER.isRegistered(name));
        }
        assertThat(SERVER.isRegistered(name)).isFalse();
    }

    @Test
    void aPoolThatIsClosedWhileItIsRegisteredIsNotLeftInJmx() throws Exception {
        ObjectName name = new ObjectName("dev.weir:type=Pool,name=first");
        for (int round = 0; round < 20; round++) {
            try (SlowJmx jmx = new SlowJmx(name)) {
                WeirDataSource pool = pool(b -> b.registerMbeans(true));
                CompletableFuture<Connection> first = LivePool.on("first", pool::getConnection);
                assertThat(jmx.entered.await(20, TimeUnit.SECONDS)).isTrue();
                first.get(5, TimeUnit.SECONDS).close();
                CompletableFuture<Void> closing = LivePool.on("closer", () -> {
                    pool.close();
                    return null;
                });
                Await.await("it is closing", LIMIT, pool::isClosed);
                jmx.proceed.countDown();
                closing.get(20, TimeUnit.SECONDS);
                assertThat(SERVER.isRegistered(name)).isFalse();
            }
        }
    }

    /** Idle for 450 of 500 ms, on a clock that counts the last 100 ms as stale so as never to be late. */
    private static SteppedPool idleFor(Duration time) {
        SteppedPool stepped =
                SteppedPool.of(b -> b.minimumPoolSize(1).maximumPoolSize(1).connectionTimeout(Duration.ofMillis(300)));
        stepped.run(Duration.ofMillis(1));
        stepped.ticker.advance(time);
        stepped.pool.clock.tick(stepped.pool.clock.now());
        return stepped;
    }

    private static ConnectionHandle atTheEndOfHisTime(SteppedPool stepped) throws SQLException {
        return stepped.pool.acquiring.acquire(stepped.settings.connectionTimeoutNanos());
    }

    @Test
    void nobodyTimesOutWhileAFreshConnectionIsIdle() throws SQLException {
        try (SteppedPool stepped = idleFor(Duration.ofMillis(450))) {
            atTheEndOfHisTime(stepped).close();
            assertThat(stepped.pool.stats().timedOut()).isZero();
        }
    }

    @Test
    void p7WhoseTimeIsUpIsGivenNothingThatHasToBeTested() {
        try (SteppedPool stepped = idleFor(Duration.ofMillis(600))) {
            assertThatThrownBy(() -> atTheEndOfHisTime(stepped)).hasMessageContaining("idle 1");
        }
        try (SteppedPool stepped = idleFor(Duration.ofMillis(450))) {
            stepped.pool.clock.suspect(stepped.pool.clock.now());
            assertThatThrownBy(() -> atTheEndOfHisTime(stepped)).hasMessageContaining("idle 1");
        }
        try (SteppedPool stepped = idleFor(Duration.ofMillis(450))) {
            stepped.pool.suspend();
            assertThatThrownBy(() -> atTheEndOfHisTime(stepped)).hasMessageContaining("suspended");
        }
    }

    /** However long the machine keeps him from running: what was opened for him is his. */
    @Test
    void theFirstConnectionIsHandedToWhoStartedThePool() throws SQLException {
        db.delay(StubDatabase.CONNECT, SHORT);
        try (LivePool live = LivePool.of(
                db, b -> b.validateAfterIdle(Duration.ofMillis(0)).connectionTimeout(Duration.ofSeconds(10)))) {
            live.pool.acquiring.acquire(0).close();
            assertThat(db.calls("Connection.isValid")).isEqualTo(db.opened()); // of the opener, and none of an idle one
        }
    }

    @Test
    void aStartOnABusyMachineServes() throws Exception {
        AtomicBoolean stop = new AtomicBoolean();
        List<Thread> burners = new ArrayList<>();
        for (int i = 0; i < 4 * Runtime.getRuntime().availableProcessors(); i++) {
            Thread burner = new Thread(
                    () -> {
                        while (!stop.get()) {
                            Thread.onSpinWait();
                        }
                    },
                    "burner " + i);
            burner.setDaemon(true);
            burner.start();
            burners.add(burner);
        }
        try {
            for (int round = 0; round < 5; round++) {
                try (WeirDataSource pool = pool(b -> b.connectionTimeout(Duration.ofSeconds(10))
                        .registerMbeans(true)
                        .validateAfterIdle(Duration.ofMillis(1)))) {
                    List<CompletableFuture<Connection>> users = new ArrayList<>();
                    for (int i = 0; i < 3; i++) {
                        users.add(LivePool.on("user " + i, pool::getConnection));
                    }
                    for (CompletableFuture<Connection> user : users) {
                        user.get(20, TimeUnit.SECONDS).close();
                    }
                }
            }
        } finally {
            stop.set(true);
            for (Thread burner : burners) {
                burner.join();
            }
        }
    }
}
