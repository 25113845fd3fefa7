package dev.weir.internal.engine;

import dev.weir.RetireReason;
import dev.weir.internal.settings.Settings;
import dev.weir.internal.text.Log;
import dev.weir.spi.FailureClass;
import dev.weir.spi.PoolListener;
import java.lang.System.Logger.Level;
import java.util.ArrayDeque;
import java.util.Collection;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The listeners of a pool. Listeners may come and go at any time; each event goes to those who are there when it
 * happens. Nothing that a listener throws gets out of here. Never called with a lock of the pool held.
 */
public final class Listeners {
    private static final int MOST_NEWS = 1_000;

    private final List<Told> all = new CopyOnWriteArrayList<>();

    /** The news for listeners, which the Keeper does not tell itself: a listener may take its time. Guarded by itself. */
    private final Deque<Runnable> news = new ArrayDeque<>();

    /** A worker tells them; guarded by {@link #news}. */
    private boolean telling;

    /** The thread that tells the news, or told them last. */
    private volatile @Nullable Thread teller;

    /** Takes the secrets of the pool out of what a listener throws. */
    private volatile @Nullable Settings redaction;

    /** One listener, and whether its first failure was logged. */
    private record Told(PoolListener listener, AtomicBoolean failed) {
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

    void redactBy(Settings settings) {
        redaction = settings;
    }

    /** Does nothing if it is there already. */
    public void add(PoolListener listener) {
        synchronized (all) { // for writers alone: two of them might add the same one
            if (all.stream().noneMatch(told -> told.is(listener))) {
                all.add(new Told(listener, new AtomicBoolean()));
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

    boolean isEmpty() {
        return all.isEmpty();
    }

    /** Tells this on a worker, in the order in which it happened; news that listeners are too slow for is left out. */
    void later(Workers workers, Runnable event) {
        if (all.isEmpty()) {
            return;
        }
        synchronized (news) {
            if (news.size() < MOST_NEWS) {
                news.add(event);
            }
            if (telling) {
                return;
            }
            telling = true;
        }
        try {
            workers.execute(this::tellNews);
        } catch (Throwable noThread) {
            synchronized (news) {
                telling = false;
            }
        }
    }

    private void tellNews() {
        teller = Thread.currentThread();
        for (; ; ) {
            Runnable event;
            synchronized (news) {
                event = news.poll();
                if (event == null) {
                    telling = false;
                    return;
                }
            }
            try {
                event.run();
            } catch (Throwable e) { // an Error in telling: the next one is told
            }
        }
    }

    void acquired(String pool, long waitedNanos) {
        if (!all.isEmpty()) {
            tell(pool, listener -> listener.acquired(waitedNanos));
        }
    }

    void acquireTimedOut(String pool, long waitedNanos) {
        if (!all.isEmpty()) {
            tell(pool, listener -> listener.acquireTimedOut(waitedNanos));
        }
    }

    void used(String pool, long usedNanos) {
        if (!all.isEmpty()) {
            tell(pool, listener -> listener.used(usedNanos));
        }
    }

    void leaked(String pool, long heldNanos) {
        if (!all.isEmpty()) {
            tell(pool, listener -> listener.leaked(heldNanos));
        }
    }

    void connectionOpened(String pool, long tookNanos) {
        if (!all.isEmpty()) {
            tell(pool, listener -> listener.opened(tookNanos));
        }
    }

    void openFailed(String pool, long tookNanos, FailureClass kind) {
        if (!all.isEmpty()) {
            tell(pool, listener -> listener.openFailed(tookNanos, kind));
        }
    }

    void retired(String pool, RetireReason reason, long ageNanos) {
        if (!all.isEmpty()) {
            tell(pool, listener -> listener.retired(reason, ageNanos));
        }
    }

    /** The last that they are told; also where one of them closes the pool while it is told the news. */
    public void closed(String pool) {
        if (teller == Thread.currentThread()) {
            tellNews();
        }
        if (!all.isEmpty()) {
            tell(pool, PoolListener::closed);
        }
    }

    /** Not called while nobody listens: a lambda costs its first user milliseconds in a JVM that just started. */
    private void tell(String pool, Consumer<PoolListener> event) {
        for (Told told : all) {
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
}
