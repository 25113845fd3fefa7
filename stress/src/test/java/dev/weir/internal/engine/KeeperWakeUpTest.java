package dev.weir.internal.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.Configured;
import dev.weir.internal.handles.ConnectionHandle;
import dev.weir.internal.observing.Listeners;
import dev.weir.internal.settings.Setting;
import dev.weir.internal.settings.Settings;
import dev.weir.internal.slots.Inbox;
import dev.weir.internal.slots.Slot;
import dev.weir.internal.working.Workers;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * No nudge of the real Keeper, on its own thread, is lost, whatever a pass does with the permit of an unpark: here each look at
 * the clock uses it up, as a lock does that was contended.
 */
@Timeout(120)
class KeeperWakeUpTest {
    private static final int NUDGES = 5_000 * Integer.getInteger("weir.lincheck.effort", 1);
    private static final long LIMIT_NANOS = TimeUnit.SECONDS.toNanos(10);
    private static final Duration LIFE = Duration.ofHours(1);

    private static long nanosThatCostThePermit() {
        if (Thread.currentThread().getName().contains("keeper")) {
            LockSupport.parkNanos(1);
        }
        return System.nanoTime();
    }

    @Test
    void noNudgeIsLost() throws SQLException {
        Settings settings = Configured.settings(
                RealPool.config(1).toBuilder()
                        .initializationFailTimeout(Duration.ofMillis(-1))
                        .keepaliveTime(Duration.ZERO)
                        .idleTimeout(Duration.ZERO)
                        .build(),
                "stress");
        ConnectionPool pool = new ConnectionPool(
                settings,
                RealPool::connect,
                KeeperWakeUpTest::nanosThatCostThePermit,
                new Listeners(List.of()),
                new Workers(settings.poolName(), null),
                null,
                null,
                new Inbox(),
                new SplittableRandom(1));
        pool.start();
        try {
            ConnectionHandle handle = pool.acquire();
            Slot slot = handle.slot;
            handle.close();
            await(() -> !pool.clock.isTicking()); // from here on only a nudge brings a pass
            for (int i = 1; i <= NUDGES; i++) {
                Duration life = LIFE.multipliedBy(1 + i % 2);
                settings.change(Setting.MAX_LIFETIME, life);
                pool.settingsChanged();
                assertThat(await(() -> isPlannedFor(slot, life)))
                        .as("nudge %d brings a pass", i)
                        .isTrue();
            }
        } finally {
            pool.close();
        }
    }

    private static boolean isPlannedFor(Slot slot, Duration life) {
        long planned = slot.lifetime.expiresAt() - slot.openedNanos;
        return planned <= life.toNanos() && planned > life.toNanos() / 2;
    }

    private interface Condition {
        boolean holds();
    }

    /** Looks all the time, so that the next nudge comes as soon as it can: while the Keeper is about to park. */
    private static boolean await(Condition condition) {
        long end = System.nanoTime() + LIMIT_NANOS;
        while (!condition.holds()) {
            if (System.nanoTime() - end >= 0) {
                return false;
            }
            Thread.onSpinWait();
        }
        return true;
    }
}
