package dev.weir.internal.keeping;

import static dev.weir.PostgresShared.SOON;
import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.Configured;
import dev.weir.LogCapture;
import dev.weir.MariaDbShared;
import dev.weir.PoolConfig;
import dev.weir.PostgresShared;
import dev.weir.WeirDataSource;
import dev.weir.internal.engine.ConnectionPool;
import dev.weir.internal.engine.LivePool;
import dev.weir.internal.engine.SteppedHelpers;
import dev.weir.internal.shared.PoolState;
import dev.weir.internal.sources.Sources;
import dev.weir.testkit.Await;
import dev.weir.testkit.ManualTicker;
import dev.weir.testkit.StubDatabase;
import dev.weir.testkit.servers.ThreadsLeft;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A pool that is greater than its server says so, once. */
class ServerMaximumTest {
    private final ThreadsLeft threads = ThreadsLeft.sinceNow();

    private static List<String> said(LogCapture log) {
        return log.warnings().stream()
                .filter(text -> text.contains("maximumPoolSize"))
                .toList();
    }

    private static WeirDataSource started(PoolConfig.Builder config) throws SQLException {
        WeirDataSource pool = new WeirDataSource(config.minimumPoolSize(2).build());
        pool.start();
        return pool;
    }

    private static void awaitSaid(LogCapture log) {
        Await.await("it is said, after it is known", SOON, () -> !said(log).isEmpty());
    }

    private static void awaitKnown(WeirDataSource pool) {
        Await.await("the server's maximum is known", SOON, () -> pool.stats().serverMaximum() > 0);
    }

    @Test
    void whoCannotHaveAllConnectionsIsToldOnce() throws SQLException {
        try (LogCapture log = new LogCapture();
                WeirDataSource pool =
                        started(PostgresShared.pool().poolName("great").maximumPoolSize(60))) {
            awaitKnown(pool);
            assertThat(pool.stats().serverMaximum()).isEqualTo(PostgresShared.PLACES);
            assertThat(pool.dump()).contains(", the server allows " + PostgresShared.PLACES);
            awaitSaid(log);
            pool.evictAll();
            pool.getConnection().close();
            assertThat(said(log))
                    .singleElement()
                    .asString()
                    .startsWith("pool 'great': maximumPoolSize 60, but the server allows 27 connections");
        }
        PostgresShared.assertNothingLeft(threads);
    }

    @Test
    void aPoolThatFitsHearsNothing() throws SQLException {
        try (LogCapture log = new LogCapture();
                WeirDataSource pool = started(PostgresShared.pool().maximumPoolSize(PostgresShared.PLACES))) {
            awaitKnown(pool);
            assertThat(said(log)).isEmpty();
        }
        PostgresShared.assertNothingLeft(threads);
    }

    @Test
    void aLimitOfTheUserCounts() throws SQLException {
        PostgresShared.server().execute("CREATE ROLE few LOGIN PASSWORD 'few' CONNECTION LIMIT 5");
        try (LogCapture log = new LogCapture();
                WeirDataSource pool = started(
                        PostgresShared.pool().username("few").password("few").maximumPoolSize(6))) {
            awaitKnown(pool);
            assertThat(pool.stats().serverMaximum()).isEqualTo(5);
            awaitSaid(log);
            assertThat(said(log)).hasSize(1);
        } finally {
            PostgresShared.assertNothingLeft(threads);
            PostgresShared.server().execute("DROP ROLE few");
        }
    }

    /** A pool whose connections are all held sleeps; it asks when one comes home. */
    @Test
    void aPoolWithoutAnIdleConnectionIsNotWokenToAsk() throws SQLException {
        ManualTicker ticker = new ManualTicker();
        SteppedHelpers helpers = new SteppedHelpers();
        PoolConfig config = PostgresShared.pool()
                .minimumPoolSize(1)
                .initializationFailTimeout(Duration.ofMillis(-1))
                .maxLifetime(Duration.ZERO)
                .idleTimeout(Duration.ZERO)
                .keepaliveTime(Duration.ZERO)
                .build();
        ConnectionPool pool = LivePool.pool(
                Configured.settings(config, "held"),
                Sources.of(Configured.configuration(config), null),
                ticker::getAsLong,
                helpers,
                null);
        pool.start();
        pool.keeper.turn(pool.clock.now());
        helpers.runAll();
        try (Connection held = pool.acquire()) {
            for (int i = 0; i < 3; i++) {
                ticker.advance(Duration.ofSeconds(10));
                pool.keeper.turn(pool.clock.now());
            }
            assertThat(pool.clock.isTicking()).isFalse();
            long now = pool.clock.now();
            assertThat(pool.keeper.turn(now) - now)
                    .isGreaterThanOrEqualTo(Duration.ofSeconds(10).toNanos());
            assertThat(held.isClosed()).isFalse();
        }
        pool.keeper.turn(pool.clock.now());
        helpers.runAll();
        assertThat(pool.stats().serverMaximum()).isEqualTo(PostgresShared.PLACES);
        PoolState.Phase ignored = pool.ending.beginEnd();
        pool.keeper.turn(pool.clock.now());
        pool.keeper.turn(pool.clock.now());
        helpers.runAll();
        PostgresShared.assertNothingLeft(threads);
    }

    @ParameterizedTest
    @EnumSource(
            value = MariaDbShared.Driver.class,
            names = {"MARIADB", "MYSQL"})
    void alsoAtMariaDb(MariaDbShared.Driver driver) throws SQLException {
        MariaDbShared.server();
        ThreadsLeft since = ThreadsLeft.sinceNow();
        try (LogCapture log = new LogCapture();
                WeirDataSource pool = started(driver.pool().maximumPoolSize(60))) {
            awaitKnown(pool);
            assertThat(pool.stats().serverMaximum()).isEqualTo(MariaDbShared.PLACES);
            awaitSaid(log);
            assertThat(said(log)).hasSize(1);
        }
        MariaDbShared.assertNothingLeft(since);
    }

    @Test
    void aDriverWithoutADialectIsNotAsked() throws SQLException {
        try (StubDatabase db = new StubDatabase();
                WeirDataSource pool = new WeirDataSource(PoolConfig.builder()
                        .dataSource(db.dataSource())
                        .minimumPoolSize(1)
                        .validateAfterIdle(Duration.ofHours(1))
                        .build())) {
            pool.start();
            pool.getConnection().close();
            assertThat(pool.stats().serverMaximum()).isZero();
        }
    }
}
