package dev.weir.internal.waiting;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.internal.engine.LivePool;
import java.sql.Connection;
import java.sql.SQLException;
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
}
