package dev.weir.internal.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.weir.LogCapture;
import dev.weir.PoolConfig;
import dev.weir.WeirDataSource;
import dev.weir.spi.Credentials;
import dev.weir.spi.CredentialsProvider;
import dev.weir.testkit.Await;
import dev.weir.testkit.StubDatabase;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;

/** P6 and P8 where a CredentialsProvider is away, gives what the database refuses, or gives a new token each time. */
class RefusedCredentialsTest {
    private static final Duration STEP = Duration.ofMillis(100);

    private static final Duration MINUTE = Duration.ofMinutes(1);

    /** Logins in any minute that the documentation allows. */
    private static final int MOST_LOGINS = 20;

    private static SteppedPool pool(CredentialsProvider provider) {
        return SteppedPool.of(b -> b.credentialsProvider(provider));
    }

    /** A pool whose secrets service is away for so long from now on. */
    private static SteppedPool withoutSecretsFor(Duration time) {
        SteppedPool[] made = new SteppedPool[1];
        long[] back = new long[1];
        made[0] =
                SteppedPool.of(b -> b.connectionTimeout(Duration.ofSeconds(30)).credentialsProvider(() -> {
                    if (made[0].now() - back[0] < 0) {
                        throw new IllegalStateException("the secrets service does not answer");
                    }
                    return new Credentials("app", "x");
                }));
        back[0] = made[0].now() + time.toNanos();
        return made[0];
    }

    // ------------------------------------------------------- cannot be asked

    @Test
    void usersWaitWhileTheSecretsServiceIsAway() throws SQLException {
        try (SteppedPool stepped = withoutSecretsFor(Duration.ofSeconds(12))) {
            long back = stepped.now() + TimeUnit.SECONDS.toNanos(12);
            stepped.acquireHelped().close();
            assertThat(stepped.now() - back).isBetween(0L, TimeUnit.MILLISECONDS.toNanos(200));
            assertThat(stepped.pool.stats().timedOut()).isZero();
        }
    }

    @Test
    void aSecretsServiceThatIsAwayForLongCostsUsersTheirTimeoutAndNoMore() throws SQLException {
        try (SteppedPool stepped = withoutSecretsFor(Duration.ofSeconds(45))) {
            long begun = stepped.now();
            long back = begun + TimeUnit.SECONDS.toNanos(45);
            assertThat(catchThrowable(stepped::acquireHelped))
                    .hasMessageContaining("no connection within 30000 ms")
                    .hasMessageContaining("the secrets service does not answer");
            assertThat(stepped.now() - begun).isGreaterThanOrEqualTo(TimeUnit.SECONDS.toNanos(30));
            stepped.acquireHelped().close();
            assertThat(stepped.now() - back).isBetween(0L, TimeUnit.MILLISECONDS.toNanos(200));
        }
    }

    // --------------------------------------------------------------- refused

    /** Users come each tenth of a second, and are told at once, until one is served or this time is over; returns how many. */
    private static int refusedUsers(SteppedPool stepped, Duration time) {
        int refused = 0;
        long end = stepped.now() + time.toNanos();
        while (stepped.now() - end < 0) {
            long begun = stepped.now();
            SQLException e = catchThrowableOfType(
                    SQLException.class, () -> stepped.acquireHelped().close());
            if (e == null) {
                return refused;
            }
            assertThat(stepped.now() - begun).as("told at once: %s", e).isLessThan(TimeUnit.MILLISECONDS.toNanos(50));
            refused++;
            stepped.run(STEP);
        }
        return refused;
    }

    @Test
    void anotherAnswerThanTheRefusedOneIsTriedAtOnce() {
        String[] password = {"old"};
        try (SteppedPool stepped = pool(() -> new Credentials("app", password[0]))) {
            stepped.db.requirePassword("app", "new");
            assertThat(refusedUsers(stepped, Duration.ofSeconds(20))).isPositive();
            password[0] = "new";
            long rotated = stepped.now();
            refusedUsers(stepped, MINUTE);
            assertThat(stepped.now() - rotated)
                    .as("a pause of acquireRetryDelay")
                    .isLessThan(TimeUnit.MILLISECONDS.toNanos(750 + 200));
        }
    }

    @Test
    void theSameAnswerIsTriedAgainWithinFiveSecondsAndAtMostTwentyTimesAMinute() {
        AtomicInteger asked = new AtomicInteger();
        try (SteppedPool stepped = pool(() -> {
            asked.incrementAndGet();
            return new Credentials("app", "late");
        })) {
            stepped.db.requirePassword("app", "early");
            long before = stepped.db.calls(StubDatabase.CONNECT);
            refusedUsers(stepped, MINUTE);
            assertThat(stepped.db.calls(StubDatabase.CONNECT) - before).isBetween(12L, (long) MOST_LOGINS);
            assertThat(asked.get()).as("asked more often than tried").isGreaterThan(2 * MOST_LOGINS);
            refusedUsers(stepped, Duration.ofSeconds(15));
            stepped.db.requirePassword("app", "late");
            long accepted = stepped.now();
            refusedUsers(stepped, MINUTE);
            assertThat(stepped.now() - accepted).isLessThan(TimeUnit.SECONDS.toNanos(5));
        }
    }

    /** A signed token is another each time; without the right to log in none of them is accepted. */
    @Test
    void answersThatAllDifferAreTriedNoMoreOftenThanTheSame() {
        AtomicInteger tokens = new AtomicInteger();
        try (SteppedPool stepped = pool(() -> new Credentials("app", "token " + tokens.incrementAndGet()))) {
            stepped.db.requirePassword("app", "none of them");
            long before = stepped.db.calls(StubDatabase.CONNECT);
            refusedUsers(stepped, MINUTE);
            assertThat(stepped.db.calls(StubDatabase.CONNECT) - before).isBetween(12L, (long) MOST_LOGINS);
        }
    }

    @Test
    void aPasswordOfTheSettingsThatIsAcceptedAfterAllServesWithinFiveSeconds() {
        try (SteppedPool stepped = SteppedPool.of(b -> b)) {
            stepped.db.fail(StubDatabase.CONNECT, "28P01");
            refusedUsers(stepped, Duration.ofSeconds(75));
            stepped.db.heal();
            long accepted = stepped.now();
            refusedUsers(stepped, MINUTE);
            assertThat(stepped.now() - accepted).isLessThan(TimeUnit.SECONDS.toNanos(5));
        }
    }

    // ---------------------------------------------------------------- secrets

    @Test
    void noneOfFortyTokensUnderWayIsShown() throws Exception {
        int connects = 40;
        AtomicInteger tokens = new AtomicInteger();
        CountDownLatch allUnderWay = new CountDownLatch(connects);
        DataSource source = refusing(token -> {
            allUnderWay.countDown();
            boolean ignored = allUnderWay.await(LivePool.LIMIT.toSeconds(), TimeUnit.SECONDS);
            return new SQLException("no login with " + token, "08001", new IllegalStateException("of " + token));
        });
        try (LogCapture log = new LogCapture();
                WeirDataSource pool = new WeirDataSource(PoolConfig.builder()
                        .dataSource(source)
                        .credentialsProvider(
                                () -> new Credentials("app", "token-" + (1_000 + tokens.incrementAndGet()) + "-secret"))
                        .minimumPoolSize(connects)
                        .maximumPoolSize(connects)
                        .acquireIncrement(connects)
                        .initializationFailTimeout(Duration.ofMillis(-1))
                        .connectionTimeout(Duration.ofMillis(500))
                        .registerMbeans(false)
                        .build())) {
            pool.start();
            Await.await("all have failed", LivePool.LIMIT, () -> pool.stats().openFailed() >= connects);
            assertThat(allUnderWay.getCount())
                    .as("all were under way at a time")
                    .isZero();
            StringWriter all = new StringWriter();
            catchThrowable(pool::getConnection).printStackTrace(new PrintWriter(all));
            all.append(log.text())
                    .append(pool.stats().toString())
                    .append(pool.openFailures().toString());
            assertThat(all.toString()).contains("no login with ***").doesNotContain("-secret");
        }
    }

    private interface Failing {
        SQLException with(String token) throws Exception;
    }

    private static DataSource refusing(Failing failing) {
        return (DataSource) Proxy.newProxyInstance(
                RefusedCredentialsTest.class.getClassLoader(),
                new Class<?>[] {DataSource.class},
                (proxy, method, args) -> {
                    if (method.getReturnType() == Connection.class && args != null) {
                        throw failing.with((String) args[1]);
                    }
                    return method.getName().equals("toString") ? "refusing" : null;
                });
    }
}
