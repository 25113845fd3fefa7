package dev.weir.internal.observing;

import dev.weir.RetireReason;
import dev.weir.spi.FailureClass;
import dev.weir.spi.PoolListener;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/** Notes what it is told, as text. */
public final class Notes implements PoolListener {
    public final List<String> events = new CopyOnWriteArrayList<>();
    public final List<String> threads = new CopyOnWriteArrayList<>();
    public final List<Long> times = new CopyOnWriteArrayList<>();

    private void note(String event, long nanos) {
        events.add(event);
        times.add(nanos);
        threads.add(Thread.currentThread().getName());
    }

    @Override
    public void acquired(long waitedNanos) {
        note("acquired", waitedNanos);
    }

    @Override
    public void leaked(long heldNanos) {
        note("leaked", heldNanos);
    }

    @Override
    public void acquireTimedOut(long waitedNanos) {
        note("timed out", waitedNanos);
    }

    @Override
    public void used(long usedNanos) {
        note("used", usedNanos);
    }

    @Override
    public void opened(long tookNanos) {
        note("opened", tookNanos);
    }

    @Override
    public void openFailed(long tookNanos, FailureClass kind) {
        note("failed " + kind, tookNanos);
    }

    @Override
    public void retired(RetireReason reason, long ageNanos) {
        note("retired " + reason, ageNanos);
    }

    @Override
    public void closed() {
        note("closed", 0);
    }

    public List<String> take() {
        List<String> taken = List.copyOf(events);
        events.clear();
        times.clear();
        threads.clear();
        return taken;
    }
}
