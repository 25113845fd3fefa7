package dev.weir.internal.waiting;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.internal.engine.LivePool;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;

/** What is counted as in use, and how a scan of many finds the one that is idle. */
class SlotsTest {
    private static final long ANY = Long.MIN_VALUE;
    private static final int MANY = 1_000;

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

    @Test
    void ofAThousandTheIdleOneIsFoundWhereverItIs() {
        Slots slots = new Slots();
        List<Slot> all = inUse(slots, MANY);

        assertThat(slots.tryAcquire(ANY)).as("none is idle").isNull();
        assertThat(slots.anyAvailable(ANY)).isFalse();
        for (Slot slot : all) {
            long held = slot.wordOfLoan();
            assertThat(slot.releaseUntouched(held)).isTrue();
            assertThat(slots.anyAvailable(ANY)).isTrue();
            assertThat(slots.tryAcquire(Long.MAX_VALUE)).as("not fresh enough").isNull();
            assertThat(slots.tryAcquire(ANY)).isSameAs(slot);
            assertThat(slots.tryAcquire(ANY)).isNull();
        }
    }

    @Test
    void whatIsToBeTestedIsFoundAmongAThousand() {
        Slots slots = new Slots();
        Slot last = inUse(slots, MANY).get(MANY - 1);
        assertThat(slots.tryCheckStale(Long.MAX_VALUE)).isNull();

        last.releaseUntouched(last.wordOfLoan());

        assertThat(slots.tryCheckStale(ANY)).as("all are fresh").isNull();
        assertThat(slots.tryCheckStale(Long.MAX_VALUE)).isSameAs(last);
        assertThat(last.state()).isEqualTo(Slot.CHECKING);
    }

    /** Else each thread that has to wait would look at all of them, several times. */
    @Test
    void whoFindsNothingLeavesWordOfIt() {
        Slots slots = new Slots();
        Slot one = inUse(slots, MANY).get(0);
        Hints hints = Objects.requireNonNull(one.hints);

        assertThat(slots.tryAcquire(ANY)).isNull();
        assertThat(hints.word).as("not one group is looked at again").isZero();

        one.releaseUntouched(one.wordOfLoan());
        assertThat(hints.word).isEqualTo(one.hint);
    }

    @Test
    void slotsThatComeAndGoKeepTheirHints() {
        Slots slots = new Slots();
        List<Slot> all = inUse(slots, MANY);
        assertThat(slots.tryAcquire(ANY)).isNull();

        for (int i = 0; i < MANY / 2; i++) {
            Slot gone = all.get(i);
            assertThat(gone.tryRetire(Slot.IN_USE)).isTrue();
            assertThat(slots.remove(gone)).isTrue();
        }
        Slot young = slot();
        slots.add(young);
        young.setIdleVolatile();

        assertThat(slots.tryAcquire(ANY)).isSameAs(young);
        for (Slot slot : all.subList(MANY / 2, MANY)) {
            slot.releaseUntouched(slot.wordOfLoan());
        }
        for (int i = MANY / 2; i < MANY; i++) {
            assertThat(slots.tryAcquire(ANY)).isNotNull();
        }
        assertThat(slots.tryAcquire(ANY)).isNull();
    }

    /** An Error may strike between the clearing of a hint and the second look. */
    @Test
    void aHintThatAnErrorLeftClearIsSetByTheKeepersLook() {
        Slots slots = new Slots();
        Slot one = inUse(slots, MANY).get(MANY / 2);
        one.releaseUntouched(one.wordOfLoan());
        Objects.requireNonNull(one.hints).clearVolatile(-1L);
        assertThat(slots.tryAcquire(ANY)).as("hidden").isNull();

        assertThat(slots.anyAvailableOfAll(ANY)).isTrue();

        assertThat(slots.tryAcquire(ANY)).isSameAs(one);
    }

    private static List<Slot> inUse(Slots slots, int number) {
        List<Slot> all = new ArrayList<>();
        for (int i = 0; i < number; i++) {
            Slot slot = slot();
            slots.add(slot);
            slot.setIdleVolatile();
            assertThat(slot.tryAcquire()).isTrue();
            all.add(slot);
        }
        return all;
    }

    @SuppressWarnings({"NullAway", "DataFlowIssue"}) // nothing under test touches the pool, the driver or the session
    private static Slot slot() {
        return new Slot(null, null, null, 1, 0);
    }
}
