package dev.weir.console.window;

import dev.weir.console.window.PoolView.Counts;
import dev.weir.console.window.PoolView.Failure;
import dev.weir.console.window.PoolView.Holder;
import dev.weir.console.window.PoolView.Totals;
import dev.weir.console.window.PoolView.Trend;
import dev.weir.console.window.PoolView.Waiter;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Date;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.function.ToDoubleBiFunction;
import java.util.function.ToDoubleFunction;
import javax.management.openmbean.CompositeData;
import javax.management.openmbean.TabularData;
import org.jspecify.annotations.Nullable;

/** Looks at the pools of a JVM again and again: each look is counted against those before it. For one thread. */
public final class Watch {
    /** So many holders and waiters are read: nobody reads more, and each has a stack. */
    private static final int MOST = 200;

    private static final int REMEMBERED = 61;

    private final String jvm;
    private final Map<String, List<Sample>> samples = new HashMap<>();

    /** {@code jvm}: as it is called for people. */
    public Watch(String jvm) {
        this.jvm = jvm;
    }

    /**
     * Looks once.
     *
     * @param only the pool of this name alone; null for all
     * @throws IOException if the JVM has ended or cannot be reached
     */
    public JvmView look(PoolReader reader, @Nullable String only) throws IOException {
        List<PoolView> pools = new ArrayList<>();
        List<PoolReader.Look> looks = reader.look(MOST);
        for (PoolReader.Look look : looks) {
            if (only == null || only.equals(look.pool())) {
                pools.add(view(look));
            }
        }
        samples.keySet()
                .removeIf(name -> looks.stream().noneMatch(look -> look.pool().equals(name)));
        return new JvmView(jvm, pools.stream().allMatch(pool -> pool.troubles().isEmpty()), List.copyOf(pools));
    }

    /** Begins anew: the next look is counted against none. */
    public void forget() {
        samples.clear();
    }

    private PoolView view(PoolReader.Look look) {
        Map<String, Object> values = look.values();
        Counts counts = new Counts(
                number(values, "MaximumPoolSize"),
                number(values, "MinimumPoolSize"),
                number(values, "Total"),
                number(values, "InUse"),
                number(values, "Idle"),
                number(values, "Waiting"),
                number(values, "Opening"),
                number(values, "Closing"),
                count(values, "OldestConnect"));
        Totals totals = new Totals(
                count(values, "Acquired"),
                count(values, "TimedOut"),
                count(values, "Opened"),
                count(values, "OpenFailed"),
                longs(values, "Retired"));
        List<Sample> known = remember(look, counts, totals);
        Sample now = known.get(known.size() - 1);
        PoolView.Rates rates = known.size() < 2 ? null : now.since(known.get(known.size() - 2));
        List<Waiter> waiters = look.waiters().stream().map(Watch::waiter).toList();
        List<Holder> holders = look.holders().stream().map(Watch::holder).toList();
        List<Failure> failures = look.failures().stream()
                .map(one -> failure(one, look.atMillis()))
                .toList();
        return new PoolView(
                look.pool(),
                String.valueOf(values.get("PoolMode")),
                look.atMillis(),
                Boolean.TRUE.equals(values.get("Suspended")),
                counts,
                totals,
                rates,
                known.size() < 2 ? null : now.waitsSince(known.get(0)),
                known.size() < 2 ? null : now.usesSince(known.get(0)),
                look.told(),
                holders,
                waiters,
                failures,
                longs(values, "LoanTimes"),
                strings(values.get("IdlePlaces")),
                number(values, "MostInUse"),
                number(values, "NeededForTransactions"),
                longs(values, "Pinned"),
                longs(values, "Servers"),
                look.settings(),
                trend(known, look.atMillis() - look.upMillis()),
                strings(values.get("Advice")),
                Troubles.of(known, counts, holders, waiters, failures, count(values, "WaitWarningThreshold")));
    }

    private List<Sample> remember(PoolReader.Look look, Counts counts, Totals totals) {
        Sample sample = new Sample(
                look.upMillis(),
                counts.inUse(),
                counts.waiting(),
                totals.acquired(),
                totals.timedOut(),
                totals.opened(),
                totals.openFailed(),
                totals.retired().values().stream().mapToLong(Long::longValue).sum(),
                counts(look.values().get("Waits")),
                counts(look.values().get("Uses")));
        List<Sample> known = samples.computeIfAbsent(look.pool(), unseen -> new ArrayList<>());
        if (!known.isEmpty() && !sample.follows(known.get(known.size() - 1))) {
            known.clear();
        }
        known.add(sample);
        if (known.size() > REMEMBERED) {
            known.remove(0);
        }
        return known;
    }

    private static Trend trend(List<Sample> known, long startedMillis) {
        return new Trend(
                known.stream().map(one -> startedMillis + one.upMillis()).toList(),
                each(known, Sample::inUse),
                each(known, Sample::waiting),
                each(known, (now, before) -> (now.acquired() - before.acquired()) / now.seconds(before)),
                each(known, (now, before) -> now.timedOut() - before.timedOut()),
                each(known, (now, before) -> {
                    PoolView.Waits times = now.waitsSince(before);
                    return times == null ? 0 : times.p99();
                }),
                each(known, (now, before) -> {
                    PoolView.Uses times = now.usesSince(before);
                    return times == null ? 0 : times.p99();
                }));
    }

    private static List<Double> each(List<Sample> known, ToDoubleFunction<Sample> value) {
        return known.stream().map(value::applyAsDouble).toList();
    }

    private static List<Double> each(List<Sample> known, ToDoubleBiFunction<Sample, Sample> change) {
        List<Double> changes = new ArrayList<>();
        for (int i = 1; i < known.size(); i++) {
            changes.add(change.applyAsDouble(known.get(i), known.get(i - 1)));
        }
        return changes;
    }

    private static Holder holder(CompositeData one) {
        return new Holder(
                (long) one.get("connection"),
                (long) one.get("heldMillis"),
                text(one, "thread"),
                session(one),
                text(one, "lastSql"),
                text(one, "place"),
                text(one, "acquiredPlace"),
                strings(one.get("stack")),
                strings(one.get("acquiredAt")),
                Objects.requireNonNullElse(text(one, "doing"), "unknown").toLowerCase(Locale.ROOT));
    }

    private static @Nullable String session(CompositeData one) {
        String number = text(one, "sessionId");
        return "0".equals(number) ? null : number;
    }

    private static Waiter waiter(CompositeData one) {
        return new Waiter(
                String.valueOf(text(one, "thread")),
                (long) one.get("waitedMillis"),
                text(one, "place"),
                strings(one.get("stack")));
    }

    private static Failure failure(CompositeData one, long now) {
        return new Failure(
                Math.max(0, now - ((Date) one.get("at")).toInstant().toEpochMilli()),
                String.valueOf(text(one, "kind")),
                String.valueOf(text(one, "message")));
    }

    /** Null too where the pool is of a version that does not tell it. */
    private static @Nullable String text(CompositeData data, String key) {
        Object value = data.containsKey(key) ? data.get(key) : null;
        return value == null ? null : value.toString();
    }

    private static int number(Map<String, Object> values, String name) {
        return (int) count(values, name);
    }

    private static long count(Map<String, Object> values, String name) {
        return values.get(name) instanceof Number number ? number.longValue() : 0;
    }

    private static List<Long> counts(@Nullable Object value) {
        return value instanceof long[] counts ? Arrays.stream(counts).boxed().toList() : List.of();
    }

    private static List<String> strings(@Nullable Object value) {
        return value instanceof String[] array ? List.of(array) : List.of();
    }

    private static Map<String, Long> longs(Map<String, Object> values, String name) {
        Map<String, Long> map = new TreeMap<>();
        if (values.get(name) instanceof TabularData table) {
            for (Object row : table.values()) {
                CompositeData data = (CompositeData) row;
                map.put(String.valueOf(data.get("key")), ((Number) data.get("value")).longValue());
            }
        }
        return map;
    }
}
