package dev.weir.internal.slots;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.internal.engine.LivePool;
import dev.weir.testkit.Await;
import java.lang.ref.WeakReference;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The slots that are counted as in use, and the slot that is found. */
class SlotsTest {
    private LivePool live;
    private Connection held;
    private Slot lent;

    @BeforeEach
    void lendOne() throws SQLException {
        live = LivePool.started(b -> b.idleTimeout(Duration.ZERO).maximumPoolSize(2));
        held = live.pool.acquire();
        lent = live.pool.slots.all()[0];
    }

    @AfterEach
    void close() throws SQLException {
        held.close();
        live.close();
    }

    /** One more slot, of the connection that is lent. */
    private Slot another(Slots slots) {
        Slot slot = new Slot(live.pool.returning, lent.physical, lent.session, 99, 0, null);
        slots.add(slot);
        return slot;
    }

    /** In two passes the slot that comes back between them is in use in the one and idle in the other. */
    @Test
    void slotThatMovesWhileItIsCountedIsCountedOnce() throws InterruptedException {
        Slots slots = live.pool.slots;
        Slot moving = another(slots);
        moving.setIdleVolatile();
        AtomicBoolean over = new AtomicBoolean();
        Thread user = new Thread(() -> {
            while (!over.get()) {
                if (moving.tryAcquire() && moving.claim(moving.wordOfLoan())) {
                    moving.setIdleVolatile();
                }
            }
        });
        user.start();
        try {
            for (int i = 0; i < 100_000; i++) {
                Slots.Counts counts = slots.counts();
                assertThat(counts.inUse() + counts.idle()).isEqualTo(2);
            }
        } finally {
            over.set(true);
            user.join();
            slots.closeBegins(moving);
            slots.closed();
        }
    }

    @Test
    void inUseIsWhatAUserHoldsOrJustGaveBackAndNothingElse() {
        Slots slots = live.pool.slots;
        assertThat(slots.held()).isEqualTo(1);

        Slot opened = another(slots);
        assertThat(slots.held()).as("just opened").isEqualTo(1);
        opened.setIdleVolatile();
        assertThat(opened.tryAcquire()).isTrue();
        assertThat(slots.held()).as("lent").isEqualTo(2);
        assertThat(opened.claim(opened.wordOfLoan())).isTrue();
        assertThat(slots.held()).as("being cleaned").isEqualTo(2);
        opened.setIdleVolatile();
        assertThat(slots.held()).as("back").isEqualTo(1);
        slots.closeBegins(opened);
        slots.closed();
    }

    /** Wherever a scan begins, it finds what is idle: places that were remembered may be gone, or be others'. */
    @Test
    void eachIdleSlotIsFoundFromWhereverTheScanBegins() {
        Slots slots = new Slots();
        int many = 128;
        for (int i = 0; i < many; i++) {
            Slot slot = new Slot(live.pool.returning, lent.physical, lent.session, i, 0, null);
            slots.add(slot);
            slot.setIdleVolatile();
        }
        Set<Slot> taken = new HashSet<>();
        for (int i = 0; i < many; i++) {
            taken.add(slots.tryAcquire(Long.MIN_VALUE));
        }
        assertThat(taken).hasSize(many).doesNotContainNull();
        assertThat(slots.tryAcquire(Long.MIN_VALUE)).isNull();
        for (Slot slot : slots.all()) {
            slot.setIdleVolatile();
            assertThat(slots.tryAcquire(Long.MIN_VALUE)).isSameAs(slot);
        }
        Slot last = slots.all()[many - 1];
        last.setIdleVolatile();
        assertThat(slots.tryAcquire(Long.MIN_VALUE)).isSameAs(last);
        while (slots.live() > 32) { // the place that was found last is gone
            Slot gone = slots.all()[slots.live() - 1];
            assertThat(gone.tryRetire(Slot.IN_USE)).isTrue();
            assertThat(slots.closeBegins(gone)).isTrue();
            Slot first = slots.all()[0];
            first.setIdleVolatile();
            assertThat(slots.tryAcquire(Long.MIN_VALUE)).isSameAs(first);
        }
    }

    /** Also where another is nearer to the place that the thread's id points to. */
    @Test
    void aThreadIsGivenTheSlotThatItHadLast() {
        for (int many : new int[] {3, 128}) {
            Slots slots = new Slots();
            for (int i = 0; i < many; i++) {
                another(slots).setIdleVolatile();
            }
            List<Slot> all = new ArrayList<>();
            for (int i = 0; i < many; i++) {
                all.add(slots.tryAcquire(Long.MIN_VALUE));
            }
            all.forEach(Slot::setIdleVolatile);
            Slot last = all.get(many - 1);
            assertThat(slots.tryAcquire(Long.MIN_VALUE)).isSameAs(last);
            last.setIdleVolatile();

            assertThat(last.tryTest()).isTrue();
            assertThat(slots.tryAcquire(Long.MIN_VALUE)).isNotSameAs(last).isNotNull();
        }
    }

    @Test
    void aSlotThatIsGoneIsNotKeptInMemory() {
        Slots slots = new Slots();
        WeakReference<Slot> gone = new WeakReference<>(usedAndRemoved(slots));
        Await.await("it is collected", LivePool.LIMIT, () -> {
            System.gc();
            return gone.get() == null;
        });
        assertThat(slots.live()).isZero();
    }

    private Slot usedAndRemoved(Slots slots) {
        Slot slot = another(slots);
        slot.setIdleVolatile();
        assertThat(slots.tryAcquire(Long.MIN_VALUE)).isSameAs(slot);
        assertThat(slot.tryRetire(Slot.IN_USE)).isTrue();
        assertThat(slots.closeBegins(slot)).isTrue();
        return slot;
    }
}
