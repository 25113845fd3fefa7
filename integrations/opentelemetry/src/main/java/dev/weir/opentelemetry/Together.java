package dev.weir.opentelemetry;

import io.opentelemetry.api.OpenTelemetry;
import io.opentelemetry.api.common.Attributes;
import io.opentelemetry.api.metrics.BatchCallback;
import java.lang.ref.WeakReference;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.WeakHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Function;
import java.util.function.ToLongFunction;

/**
 * All pools, or members of fleets, that have the same attributes in one OpenTelemetry: they are observed by one callback, since
 * of two values for the same attributes some SDKs drop one and some add them up. Thread-safe.
 *
 * @param <T> what is observed
 */
final class Together<T> {
    /** Kept alive by those that belong to them, who are in the listeners of their pools. Guarded by itself. */
    private static final Map<OpenTelemetry, Map<Attributes, WeakReference<Together<?>>>> ALL = new WeakHashMap<>();

    private final List<T> all = new CopyOnWriteArrayList<>();
    /** What those counted that have gone; guarded by this. */
    private final Map<ToLongFunction<T>, Long> gone = new HashMap<>();

    private final BatchCallback callback;

    private Together(Function<Together<T>, BatchCallback> observe) {
        callback = observe.apply(this);
    }

    /** Those that are observed with these attributes, this one too from now on. */
    @SuppressWarnings("unchecked") // of the same keys there is one type
    static <T> Together<T> of(
            OpenTelemetry openTelemetry, Attributes attributes, T one, Function<Together<T>, BatchCallback> observe) {
        synchronized (ALL) {
            Map<Attributes, WeakReference<Together<?>>> known =
                    ALL.computeIfAbsent(openTelemetry, unused -> new HashMap<>());
            WeakReference<Together<?>> before = known.get(attributes);
            Together<T> together = before == null ? null : (Together<T>) before.get();
            if (together == null || together.all.isEmpty()) {
                together = new Together<>(observe);
                known.put(attributes, new WeakReference<>(together));
            }
            together.all.add(one);
            return together;
        }
    }

    /** The callback goes with the last. */
    void remove(T one) {
        synchronized (ALL) {
            if (isLast(one)) {
                callback.close();
            }
        }
    }

    private synchronized boolean isLast(T one) {
        if (!all.remove(one)) {
            return false;
        }
        if (!all.contains(one)) {
            gone.replaceAll((count, before) -> before + count.applyAsLong(one));
        }
        return all.isEmpty();
    }

    /** The sum of what only grows, with what those counted that have gone; of the same function each time. */
    synchronized long total(ToLongFunction<T> count) {
        return gone.computeIfAbsent(count, unused -> 0L) + sum(count);
    }

    long sum(ToLongFunction<T> value) {
        return all.stream().distinct().mapToLong(value).sum();
    }

    /** What all see of the same thing, where a sum would be wrong. */
    long newest(ToLongFunction<T> value) {
        return all.stream()
                .reduce((older, newer) -> newer)
                .map(value::applyAsLong)
                .orElse(0L);
    }
}
