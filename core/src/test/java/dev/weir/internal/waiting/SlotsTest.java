package dev.weir.internal.waiting;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.internal.engine.LivePool;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** What is counted as in use. */
class SlotsTest {

    @Test
    void inUseIsWhatAUserHoldsOrJustGaveBackAndNothingElse() throws SQLException {
        try (LivePool live = LivePool.started(b -> b.maximumPoolSize(2))) {
            try (Connection held = live.pool.acquire()) {
                assertThat(held.isClosed()).isFalse();
                Slots slots = live.pool.slots;
                Slot lent = slots.all()[0];
                assertThat(slots.inUse()).isEqualTo(1);

                Slot opened = new Slot(live.pool.returning, lent.physical, lent.session, 99, 0);
                slots.add(opened);
                assertThat(slots.inUse()).as("just opened").isEqualTo(1);
                opened.setIdleVolatile();
                assertThat(opened.tryAcquire()).isTrue();
                assertThat(slots.inUse()).as("lent").isEqualTo(2);
                assertThat(opened.claim(opened.wordOfLoan())).isTrue();
                assertThat(slots.inUse()).as("being cleaned").isEqualTo(2);
                opened.setIdleVolatile();
                assertThat(slots.inUse()).as("back").isEqualTo(1);
                slots.remove(opened);
            }
        }
    }

    /** Wherever a scan begins, it finds what is idle: places that were remembered may be gone, or be others'. */
    @Test
    void inAPoolOfManyEachIdleSlotIsFoundFromWhereverTheScanBegins() throws SQLException {
        try (LivePool live = LivePool.started(b -> b.maximumPoolSize(2));
                Connection held = live.pool.acquire()) {
            assertThat(held.isClosed()).isFalse();
            Slot lent = live.pool.slots.all()[0];
            Slots slots = new Slots();
            int many = 2 * Slots.FEW;
            for (int i = 0; i < many; i++) {
                Slot slot = new Slot(live.pool.returning, lent.physical, lent.session, i, 0);
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
            while (slots.live() > Slots.FEW / 2) { // the place that was found last is gone
                assertThat(slots.remove(slots.all()[slots.live() - 1])).isTrue();
                Slot first = slots.all()[0];
                first.setIdleVolatile();
                assertThat(slots.tryAcquire(Long.MIN_VALUE)).isSameAs(first);
            }
        }
    }
}
