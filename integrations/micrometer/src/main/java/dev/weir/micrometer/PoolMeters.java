package dev.weir.micrometer;

import dev.weir.WeirDataSource;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.Timer;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.function.ToDoubleFunction;

/** Registers the meters of one pool in one registry, all with the same tags, and takes them out again. */
final class PoolMeters {
    final MeterRegistry registry;
    final WeirDataSource pool;
    final Tags tags;

    private final List<Meter> registered = new CopyOnWriteArrayList<>();

    PoolMeters(MeterRegistry registry, WeirDataSource pool, Tags tags) {
        this.registry = registry;
        this.pool = pool;
        this.tags = tags;
    }

    void gauge(String name, String description, ToDoubleFunction<WeirDataSource> value) {
        keep(Gauge.builder(name, pool, value)
                .description(description)
                .tags(tags)
                .register(registry));
    }

    void counter(String name, String description, Tags more, ToDoubleFunction<WeirDataSource> count) {
        keep(FunctionCounter.builder(name, pool, count)
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

    /** Records one time for each of so many; Micrometer has no other way. */
    static void record(Timer timer, long nanos, long times) {
        for (long i = 0; i < times; i++) {
            timer.record(nanos, TimeUnit.NANOSECONDS);
        }
    }

    <M extends Meter> M keep(M meter) {
        registered.add(meter);
        return meter;
    }

    void remove() {
        registered.forEach(registry::remove);
        registered.clear();
    }
}
