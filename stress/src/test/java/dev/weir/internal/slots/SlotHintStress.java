package dev.weir.internal.slots;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import java.lang.reflect.Array;
import java.lang.reflect.Field;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.ZZ_Result;

/**
 * A slot that is gone is in no hint, which would keep its connection in memory.
 *
 * <p>The thread that found a slot writes the hint and then reads the slot's word. The one that removes it has retired
 * it, and then looks at the hints. Both steps are full fences, so that one sees the other. Result: (it was removed, a
 * hint still names it).
 */
public class SlotHintStress {

    /** Somebody else retires the connection in the moment in which a user finds it. */
    @JCStressTest
    @Outcome(id = "true, false", expect = ACCEPTABLE, desc = "taken out, taken back, or never written")
    @Outcome(expect = FORBIDDEN, desc = "a hint keeps a connection that is gone")
    @State
    public static class FoundAgainstRemoved {
        private final Slot slot = Parts.idle();
        private final Slots slots = Parts.slots(slot);

        @Actor
        public void find() {
            slots.tryAcquire(Parts.ANY);
        }

        @Actor
        public void remove(ZZ_Result r) {
            r.r1 = (slot.tryRetire(Slot.IDLE) || slot.tryRetire(Slot.IN_USE)) && slots.closeBegins(slot);
        }

        @Arbiter
        public void hinted(ZZ_Result r) {
            r.r2 = Hints.name(slots, slot);
        }
    }

    /** The hints are nobody's business but those of the slots. */
    private static final class Hints {
        private static final Field HINTS = field(Slots.class, "hints");
        private static final Field SLOT = field(HINTS.getType().getComponentType(), "slot");

        static boolean name(Slots slots, Slot slot) {
            try {
                Object hints = HINTS.get(slots);
                for (int i = 0; i < Array.getLength(hints); i++) {
                    if (SLOT.get(Array.get(hints, i)) == slot) {
                        return true;
                    }
                }
                return false;
            } catch (IllegalAccessException e) {
                throw new AssertionError(e);
            }
        }

        private static Field field(Class<?> of, String name) {
            try {
                Field field = of.getDeclaredField(name);
                field.setAccessible(true);
                return field;
            } catch (NoSuchFieldException e) {
                throw new AssertionError(e);
            }
        }
    }
}
