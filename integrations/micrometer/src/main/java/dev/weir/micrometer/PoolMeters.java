package dev.weir.micrometer;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.Timer;
import java.lang.ref.WeakReference;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.WeakHashMap;
import java.util.function.ToDoubleFunction;

/**
 * The meters of all pools that have the same tags in one registry, which knows one meter of a name and tags alone. A pool may
 * be made again under its name before or after the other is closed: gauges show the sum of those that are there, counters
 * also what those counted that have gone, and the meters go with the last. Thread-safe.
 *
 * @param <T> what is shown: a pool, or a member of a fleet
 */
final class PoolMeters<T> {
    /** Found by registry, kind and tags; kept alive by the listeners of the pools. Guarded by itself. */
    private static final Map<MeterRegistry, Map<List<Object>, WeakReference<PoolMeters<?>>>> ALL = new WeakHashMap<>();

    final MeterRegistry registry;
    private final Tags tags;
    private final List<Object> key;

    // guarded by this
    private final List<T> shown = new ArrayList<>();
    private final Map<Meter.Id, Count<T>> counts = new LinkedHashMap<>();
    private final Set<Meter.Id> registered = new LinkedHashSet<>();

    /** What one counter counts. */
    private static final class Count<T> {
        final ToDoubleFunction<T> count;
        double gone;

        Count(ToDoubleFunction<T> count) {
            this.count = count;
        }
    }

    private PoolMeters(MeterRegistry registry, Tags tags, List<Object> key) {
        this.registry = registry;
        this.tags = tags;
        this.key = key;
    }

    /** The meters of this kind and these tags, which show this one too from now on. */
    @SuppressWarnings("unchecked") // of one kind there is one type
    static <T> PoolMeters<T> of(MeterRegistry registry, Object kind, Tags tags, T source) {
        synchronized (ALL) {
            Map<List<Object>, WeakReference<PoolMeters<?>>> ofRegistry =
                    ALL.computeIfAbsent(registry, unused -> new HashMap<>());
            List<Object> key = List.of(kind, tags);
            WeakReference<PoolMeters<?>> known = ofRegistry.get(key);
            PoolMeters<T> meters = known == null ? null : (PoolMeters<T>) known.get();
            if (meters == null) {
                meters = new PoolMeters<>(registry, tags, key);
                ofRegistry.put(key, new WeakReference<>(meters));
            }
            meters.add(source);
            return meters;
        }
    }

    private synchronized void add(T source) {
        shown.add(source);
    }

    /** Shows this one no more. The registry is called under the lock, so that nobody adds meters that are about to go. */
    void remove(T source) {
        synchronized (ALL) {
            if (isLast(source)) {
                Map<List<Object>, WeakReference<PoolMeters<?>>> ofRegistry = ALL.get(registry);
                if (ofRegistry != null) {
                    ofRegistry.remove(key);
                }
                synchronized (this) {
                    registered.forEach(registry::remove);
                }
            }
        }
    }

    private synchronized boolean isLast(T source) {
        if (shown.remove(source) && !shown.contains(source)) { // it may have been bound twice
            counts.values().forEach(one -> one.gone += one.count.applyAsDouble(source));
        }
        return shown.isEmpty();
    }

    private synchronized double sum(ToDoubleFunction<T> value) {
        return shown.stream().distinct().mapToDouble(value).sum();
    }

    private synchronized double newest(ToDoubleFunction<T> value) {
        return shown.isEmpty() ? Double.NaN : value.applyAsDouble(shown.get(shown.size() - 1));
    }

    private synchronized double count(Meter.Id id) {
        Count<T> one = counts.get(id);
        return one == null ? 0 : one.gone + sum(one.count);
    }

    /** What adds up. */
    void gauge(String name, String description, ToDoubleFunction<T> value) {
        keep(Gauge.builder(name, this, all -> all.sum(value))
                .description(description)
                .tags(tags)
                .register(registry));
    }

    /** What all see of the same thing, where a sum would be wrong. */
    void common(String name, String description, ToDoubleFunction<T> value) {
        keep(Gauge.builder(name, this, all -> all.newest(value))
                .description(description)
                .tags(tags)
                .register(registry));
    }

    void counter(String name, String description, Tags more, ToDoubleFunction<T> count) {
        Meter.Id id = new Meter.Id(name, tags.and(more), null, null, Meter.Type.COUNTER);
        synchronized (this) {
            counts.putIfAbsent(id, new Count<>(count));
        }
        keep(FunctionCounter.builder(name, this, all -> all.count(id))
                .description(description)
                .tags(tags.and(more))
                .register(registry));
    }

    Counter counter(String name, String description, Tags more) {
        return keep(Counter.builder(name)
                .description(description)
                .tags(tags.and(more))
                .register(registry));
    }

    Timer timer(String name, String description) {
        return keep(Timer.builder(name).description(description).tags(tags).register(registry));
    }

    private <M extends Meter> M keep(M meter) {
        synchronized (this) {
            registered.add(meter.getId());
        }
        return meter;
    }
}
