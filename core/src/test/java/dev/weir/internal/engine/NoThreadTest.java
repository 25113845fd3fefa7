package dev.weir.internal.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.weir.RetireReason;
import dev.weir.internal.working.Workers;
import dev.weir.testkit.Await;
import java.sql.Connection;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A machine that gives no thread for a while costs time, and no place. */
@Timeout(60)
class NoThreadTest {
    private static final Duration BOUND = Duration.ofMillis(250);

    private static SteppedPool pool() {
        return SteppedPool.of(b -> b.maximumPoolSize(2).validationTimeout(BOUND).closeTimeout(Duration.ZERO));
    }

    @Test
    void whatAFailedConnectLeftTakesNoPlaceForEver() {
        try (SteppedPool stepped = SteppedPool.of(b ->
                b.minimumPoolSize(1).maximumPoolSize(1).validationTimeout(BOUND).connectionInitSql("SET X"))) {
            stepped.db.fail("Statement.execute", "42000");
            stepped.pool.keeper.turn(stepped.pool.clock.now());
            stepped.helpers.run(0); // has opened, and failed then
            stepped.helpers.refuse(true);
            stepped.pool.keeper.turn(stepped.pool.clock.now());
            assertThat(stepped.pool.stats().opening()).isZero();
            stepped.helpers.refuse(false);
            stepped.db.heal();
            stepped.run(Duration.ofSeconds(60));
            assertThat(stepped.total()).isEqualTo(1);
            assertThat(stepped.pool.stats().closing()).isZero();
            assertThat(stepped.db.openNow()).isEqualTo(1);
        }
    }

    @Test
    void aCloseAndAnAbortThatFoundNoThreadAreMadeUpFor() throws Exception {
        try (SteppedPool stepped = pool()) {
            Connection one = stepped.acquireHelped();
            Connection two = stepped.acquireHelped();
            one.close();
            two.close();
            stepped.helpers.refuse(true);
            stepped.pool.evictAll();
            stepped.run(Duration.ofSeconds(5));
            stepped.helpers.refuse(false);
            stepped.run(Duration.ofSeconds(5));
            assertThat(stepped.pool.stats().closing()).isZero();
            assertThat(stepped.db.openNow()).isZero();
            assertThat(stepped.retired(RetireReason.EVICTED)).isEqualTo(2);
        }
    }

    @Test
    void aCloseThatHasEndedGivesItsPlaceBackThoughAnAbortFindsNoThread() throws Exception {
        try (SteppedPool stepped = pool()) {
            Connection one = stepped.acquireHelped();
            Connection two = stepped.acquireHelped();
            one.close();
            two.close();
            stepped.pool.evictAll();
            stepped.pool.keeper.turn(stepped.pool.clock.now());
            stepped.helpers.run(0);
            stepped.helpers.refuse(true);
            stepped.ticker.advance(BOUND);
            stepped.pool.keeper.turn(stepped.pool.clock.now());
            assertThat(stepped.pool.stats().closing()).isEqualTo(1);
            stepped.helpers.refuse(false);
            stepped.run(Duration.ofSeconds(5));
            assertThat(stepped.pool.stats().closing()).isZero();
        }
    }

    @Test
    void theEndOfATestOfASuspectIsPlannedThoughTheClockRests() throws Exception {
        try (SteppedPool stepped = SteppedPool.of(b -> b.maximumPoolSize(2)
                .validationTimeout(BOUND)
                .closeTimeout(Duration.ZERO)
                .maxLifetime(Duration.ZERO)
                .idleTimeout(Duration.ZERO))) {
            Connection held = stepped.acquireHelped();
            stepped.acquireHelped().close();
            stepped.run(Duration.ofSeconds(30));
            assertThat(stepped.pool.clock.isTicking()).isFalse();
            stepped.db.fail("Statement.execute", "08006");
            try {
                held.createStatement().execute("SELECT 1");
            } catch (java.sql.SQLException gone) {
                // as wished
            }
            long now = stepped.pool.clock.now();
            long next = stepped.pool.keeper.turn(now);
            assertThat(stepped.helpers.pending()).isEqualTo(1);
            assertThat(next - now).isLessThanOrEqualTo(TimeUnit.MILLISECONDS.toNanos(BOUND.toMillis() + 50));
            stepped.db.heal();
        }
    }

    @Test
    void aThreadThatCouldNotBeStartedIsNotLookedAtForEver() {
        Workers workers = new Workers("none", job -> new Thread(job) {
            @Override
            @SuppressWarnings("UnsynchronizedOverridesSynchronized")
            public void start() {
                throw new OutOfMemoryError("unable to create native thread");
            }
        });
        // From JDK 21 on the executor starts threads in a way that cannot be overridden.
        Throwable thrown = catchThrowable(() -> workers.execute(() -> {}));
        assertThat(thrown == null || thrown instanceof OutOfMemoryError).isTrue();
        Await.await("nothing is looked at", LivePool.LIMIT, () -> workers.startPending(0) == Long.MAX_VALUE);
        workers.shutDown();
    }
}
