package dev.weir.internal.shared;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.HeldConnection.Doing;
import dev.weir.internal.engine.SteppedPool;
import dev.weir.internal.settings.Setting;
import java.sql.Connection;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import shop.Checkout;

/** What the holder of a connection does, by the stack of its thread. */
class HoldingTest {
    private static final String ACQUIRING = "dev.weir.internal.lending.Acquiring.acquire";

    private static final long MOMENT = 200_000_000;

    private static Holding holding(SteppedPool stepped) {
        return new Holding(
                stepped.pool.slots.all()[0], stepped.pool.slots.all()[0].wordVolatile(), stepped.pool.clock.now());
    }

    private static Doing doing(SteppedPool stepped, String... stack) {
        return holding(stepped).doing(PlacesTest.stack(stack), stepped.pool.settings, MOMENT);
    }

    @Test
    void whatAThreadDoesIsReadFromItsStackUnlessItHasLeftTheCodeThatAcquired() throws Exception {
        try (SteppedPool stepped = SteppedPool.of(b -> b.leakDetectionThreshold(Duration.ofHours(1)));
                Connection held = Checkout.pay(stepped::acquireHelped)) {
            assertThat(doing(stepped, ACQUIRING, "shop.Checkout.pay"))
                    .as("on its way out of the acquire")
                    .isEqualTo(Doing.UNKNOWN);
            String[] nextRequest = {ACQUIRING, "shop.Owners.list"};
            stepped.run(Duration.ofSeconds(9));
            assertThat(doing(stepped, nextRequest)).isEqualTo(Doing.UNKNOWN);
            assertThat(doing(stepped)).isEqualTo(Doing.UNKNOWN);
            stepped.run(Duration.ofSeconds(2));
            assertThat(doing(stepped, nextRequest)).isEqualTo(Doing.LEAKED);
            assertThat(doing(stepped)).as("it has ended").isEqualTo(Doing.LEAKED);
            assertThat(doing(stepped, "shop.Mail.send", "shop.Checkout.pay")).isEqualTo(Doing.APPLICATION);
            assertThat(doing(stepped, "dev.weir.internal.handles.StatementHandle.execute", "shop.Checkout.pay"))
                    .isEqualTo(Doing.DATABASE);
            assertThat(doing(stepped, ACQUIRING, "shop.Checkout$Database.open", "shop.Checkout.pay"))
                    .isEqualTo(Doing.WAITS);
            Holding before = holding(stepped);
            held.close();
            assertThat(before.doing(PlacesTest.stack(nextRequest), stepped.pool.settings, MOMENT))
                    .isEqualTo(Doing.UNKNOWN);
        }
    }

    /** Its caller is there at another line: it may have got the connection, and may have called what leaked it. */
    @Test
    void anOldLoanWhoseThreadMayHaveLeftItIsNotTakenForNested() throws Exception {
        try (SteppedPool stepped = SteppedPool.of(b -> b.leakDetectionThreshold(Duration.ofHours(1)));
                Connection held = Checkout.payDeep(1, stepped::acquireHelped)) {
            assertThat(held.isClosed()).isFalse();
            String[] other = {ACQUIRING, "shop.Owners.list", "shop.Checkout.pay"};
            String[] within = {ACQUIRING, "shop.Audit.record", "shop.Checkout$Database.open", "shop.Checkout.pay"};
            stepped.run(Duration.ofSeconds(9));
            assertThat(doing(stepped, other)).isEqualTo(Doing.WAITS);
            stepped.run(Duration.ofSeconds(2));
            assertThat(doing(stepped, other)).isEqualTo(Doing.UNKNOWN);
            assertThat(doing(stepped, within)).isEqualTo(Doing.WAITS);
        }
    }

    @Test
    void anOldLoanOfAnUnknownPlaceMayBeALeakOfBefore() throws Exception {
        try (SteppedPool stepped = SteppedPool.of(b -> b)) {
            stepped.acquireHelped().close();
            stepped.pool.state.places.open = false;
            try (Connection held = stepped.acquireHelped()) {
                assertThat(held.isClosed()).isFalse();
                String[] acquiring = {ACQUIRING, "shop.Checkout.pay"};
                stepped.run(Duration.ofSeconds(9));
                assertThat(doing(stepped, acquiring)).isEqualTo(Doing.WAITS);
                stepped.run(Duration.ofSeconds(2));
                assertThat(doing(stepped, acquiring)).isEqualTo(Doing.UNKNOWN);
                assertThat(doing(stepped, "shop.Checkout.pay")).isEqualTo(Doing.APPLICATION);
                stepped.change(Setting.CONNECTION_TIMEOUT, Duration.ofMinutes(1));
                assertThat(doing(stepped, acquiring)).as("it may still wait").isEqualTo(Doing.WAITS);
            }
        }
    }
}
