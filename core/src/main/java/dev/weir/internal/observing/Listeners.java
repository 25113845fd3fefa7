package dev.weir.internal.observing;

import dev.weir.internal.settings.Settings;
import dev.weir.internal.text.Log;
import dev.weir.spi.PoolListener;
import java.lang.System.Logger.Level;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The listeners of a pool. Listeners may come and go at any time; each event goes to those who are there when it
 * happens. Nothing that a listener throws gets out of here. Never called with a lock of the pool held.
 */
public final class Listeners {
    private final List<Told> all = new CopyOnWriteArrayList<>();

    /** Takes the secrets of the pool out of what a listener throws. */
    private volatile @Nullable Settings redaction;

    /** One listener, what the Keeper has to tell it, and whether its first failure was logged. */
    private record Told(PoolListener listener, SerialExecutor news, AtomicBoolean failed) {
        @SuppressWarnings("ReferenceEquality") // listeners that are equal may be two all the same
        boolean is(PoolListener other) {
            return listener == other;
        }
    }

    public Listeners(Collection<PoolListener> initial) {
        for (PoolListener listener : initial) {
            add(listener);
        }
    }

    public void redactBy(Settings settings) {
        redaction = settings;
    }

    /** Does nothing if it is there already. */
    public void add(PoolListener listener) {
        synchronized (all) { // for writers alone: two of them might add the same one
            if (all.stream().noneMatch(told -> told.is(listener))) {
                all.add(new Told(listener, new SerialExecutor(), new AtomicBoolean()));
            }
        }
    }

    /** From now on these and no others. */
    public void set(List<PoolListener> wanted) {
        all.removeIf(told -> wanted.stream().noneMatch(told::is));
        wanted.forEach(this::add);
    }

    public void remove(PoolListener listener) {
        all.removeIf(told -> told.is(listener));
    }

    public List<PoolListener> list() {
        return all.stream().map(Told::listener).toList();
    }

    public boolean isEmpty() {
        return all.isEmpty();
    }

    /** Tells this on a worker: each listener in the order in which it happened, so that one that hangs delays no other. */
    public void later(Executor workers, String pool, Consumer<PoolListener> event) {
        for (Told told : all) {
            try {
                told.news.execute(() -> tell(told, pool, event), workers);
            } catch (Throwable noThread) {
                // It is told with the next event.
            }
        }
    }

    public void acquired(String pool, long waitedNanos) {
        if (!all.isEmpty()) {
            tell(pool, listener -> listener.acquired(waitedNanos));
        }
    }

    public void acquireTimedOut(String pool, long waitedNanos) {
        if (!all.isEmpty()) {
            tell(pool, listener -> listener.acquireTimedOut(waitedNanos));
        }
    }

    public void used(String pool, long usedNanos) {
        if (!all.isEmpty()) {
            tell(pool, listener -> listener.used(usedNanos));
        }
    }

    public void connectionOpened(String pool, long tookNanos) {
        if (!all.isEmpty()) {
            tell(pool, listener -> listener.opened(tookNanos));
        }
    }

    /** The last that they are told; also where one of them closes the pool while it is told the news. */
    public void closed(String pool) {
        for (Told told : all) {
            if (told.news.isOfThisThread()) {
                told.news.run();
            }
            tell(told, pool, PoolListener::closed);
        }
    }

    /** Not called while nobody listens: a lambda costs its first user milliseconds in a JVM that just started. */
    private void tell(String pool, Consumer<PoolListener> event) {
        for (Told told : all) {
            tell(told, pool, event);
        }
    }

    private void tell(Told told, String pool, Consumer<PoolListener> event) {
        try {
            event.accept(told.listener);
        } catch (Throwable e) { // an Error of a listener's must not cost a place or a connection either
            if (told.failed.compareAndSet(false, true)) {
                String message = "pool '" + pool + "': a listener ("
                        + told.listener.getClass().getName() + ") threw; further failures of it are not logged";
                Settings known = redaction;
                Log.log(Level.WARNING, message, known == null ? e : known.redacted(e));
            }
        }
    }
}
