package dev.weir;

import static org.jetbrains.lincheck.datastructures.ManagedStrategyGuaranteeKt.forClasses;

import dev.weir.internal.slots.Slots;
import java.util.concurrent.locks.LockSupport;
import org.jetbrains.lincheck.datastructures.ManagedStrategyGuarantee;
import org.jetbrains.lincheck.datastructures.ModelCheckingOptions;
import org.jetbrains.lincheck.datastructures.StressOptions;

/**
 * Runs one class of operations under Lincheck, in the two ways it knows: interleavings chosen by its scheduler (finds what
 * needs an exact order, blind to weak memory), and real threads (sees the memory of this machine, finds by luck).
 */
public final class Linearizability {
    /** 1 in a normal build; the profile stress-long asks for more. */
    private static final int EFFORT = Integer.getInteger("weir.lincheck.effort", 1);

    private Linearizability() {}

    /** {@code scenarios}: fewer for what takes locks, whose every step the scheduler follows. */
    public static void modelCheck(Class<?> operations, Class<?> specification, int scenarios) {
        new ModelCheckingOptions()
                .iterations(scenarios * EFFORT)
                .invocationsPerIteration(60 * EFFORT)
                .threads(2)
                .actorsPerThread(3)
                .actorsBefore(1)
                .actorsAfter(1)
                .addGuarantee(hints())
                .sequentialSpecification(specification)
                .check(operations);
    }

    /**
     * The removal of a slot from the hints loops over all of them. A hint decides about time alone, so this is one
     * step.
     */
    private static ManagedStrategyGuarantee hints() {
        return forClasses(Slots.class.getName()).methods("forget").ignore();
    }

    /**
     * One operation for each of so many threads, which park. A park that nobody ends is to be found; Lincheck would let it end
     * by itself, as parks may, so it is told to leave the park to the machine.
     */
    public static void modelCheckWaits(Class<?> operations, Class<?> specification, int threads, int scenarios) {
        new ModelCheckingOptions()
                .iterations(scenarios * EFFORT)
                .invocationsPerIteration(300 * EFFORT)
                .threads(threads)
                .actorsPerThread(1)
                .actorsBefore(0)
                .actorsAfter(0)
                .addGuarantee(forClasses(LockSupport.class.getName())
                        .methods("parkNanos")
                        .mute$lincheck())
                .addGuarantee(hints())
                .sequentialSpecification(specification)
                .check(operations);
    }

    public static void stress(Class<?> operations, Class<?> specification) {
        new StressOptions()
                .iterations(15 * EFFORT)
                .invocationsPerIteration(500 * EFFORT)
                .threads(3)
                .actorsPerThread(3)
                .actorsBefore(1)
                .actorsAfter(1)
                .sequentialSpecification(specification)
                .check(operations);
    }
}
