package dev.weir.testkit;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The faults of one database, and the one place where calls of its driver block. Blocked calls do not react to
 * interrupts, as a read from a socket does not; they end when the fault is released or their session ends. One lock and
 * one condition serve all of them: there are never many.
 */
final class StubFaults {

    private final List<Fault> faults = new CopyOnWriteArrayList<>();
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    private final AtomicInteger blocked = new AtomicInteger();

    Fault add(
            String method,
            Fault.Kind kind,
            int times,
            @Nullable Supplier<? extends @Nullable Throwable> failure,
            Duration delay) {
        Fault fault = new Fault(this, method, kind, times, failure, delay.toNanos());
        faults.add(fault);
        return fault;
    }

    void remove(Fault fault) {
        faults.remove(fault);
        signal();
    }

    void releaseAll() {
        faults.forEach(Fault::release);
    }

    /** Tells those who block, if any, that something they may wait for has changed. */
    void signal() {
        if (blocked.get() == 0) {
            return; // most often, and then a stack that overflows just here leaves no lock behind
        }
        lock.lock();
        try {
            changed.signalAll();
        } finally {
            lock.unlock();
        }
    }

    /**
     * Lets a call meet the faults set for it, in the order in which they were set.
     *
     * @param ended whether that which the call belongs to is gone, which ends a hang
     */
    void meet(String method, BooleanSupplier ended) throws Throwable {
        for (Fault fault : faults) {
            if (fault.method().equals(method) && fault.take()) {
                switch (fault.kind()) {
                    case HANG -> hang(fault, ended);
                    case DELAY -> delay(fault.delayNanos());
                    case FAIL -> fail(fault.failure());
                }
            }
        }
    }

    /** Blocks until the condition holds or the time is over; returns whether it holds. */
    boolean block(BooleanSupplier until, long limitNanos) {
        boolean interrupted = false;
        long deadline = System.nanoTime() + limitNanos;
        blocked.incrementAndGet();
        lock.lock();
        try {
            while (!until.getAsBoolean()) {
                long left = deadline - System.nanoTime();
                if (left <= 0) {
                    return false;
                }
                try {
                    long ignored = changed.awaitNanos(left);
                } catch (InterruptedException e) {
                    interrupted = true;
                }
            }
            return true;
        } finally {
            lock.unlock();
            blocked.decrementAndGet();
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    private void hang(Fault fault, BooleanSupplier ended) {
        fault.entered();
        try {
            boolean ignored = block(() -> fault.isReleased() || ended.getAsBoolean(), Long.MAX_VALUE / 2);
        } finally {
            fault.left();
        }
    }

    private static void fail(@Nullable Throwable failure) throws Throwable {
        if (failure != null) {
            throw failure;
        }
    }

    private static void delay(long nanos) {
        long deadline = System.nanoTime() + nanos;
        boolean interrupted = false;
        for (long left = nanos; left > 0; left = deadline - System.nanoTime()) {
            LockSupport.parkNanos(left);
            interrupted |= Thread.interrupted();
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
