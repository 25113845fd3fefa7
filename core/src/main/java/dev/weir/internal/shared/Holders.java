package dev.weir.internal.shared;

import dev.weir.HeldConnection;
import dev.weir.internal.settings.Settings;
import dev.weir.internal.slots.PoolClock;
import dev.weir.internal.slots.Slot;
import dev.weir.internal.slots.Slots;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.PriorityQueue;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** The threads that hold connections, for messages and operators. Called by any thread; takes no lock. */
public final class Holders {
    private static final int FRAMES_IN_DUMP = 8;

    /** Of so many of the longest loans the threads' stacks are taken. */
    private static final int LEAKED_LOOKED_AT = 20;

    private final Settings settings;
    private final Slots slots;
    private final PoolClock clock;

    public Holders(PoolState pool) {
        this.settings = pool.settings;
        this.slots = pool.slots;
        this.clock = pool.clock;
    }

    /** Those that are so, the longest first, so many at most; of equal ones, as the Keeper has seen at one tick, the oldest connection. */
    private List<Holding> holdings(int most, Predicate<Holding> wanted) {
        long now = clock.now();
        PriorityQueue<Holding> longest = new PriorityQueue<>(
                Comparator.<Holding>comparingLong(one -> one.heldNanos).thenComparingLong(one -> -one.slot.id));
        for (Slot slot : slots.all()) {
            long word = slot.wordVolatile();
            Holding one = Slot.isHeld(word) ? new Holding(slot, word, now) : null;
            if (one != null && wanted.test(one)) {
                longest.add(one);
                if (longest.size() > most) {
                    longest.remove();
                }
            }
        }
        List<Holding> sorted = new ArrayList<>(longest);
        sorted.sort(longest.comparator().reversed());
        return sorted;
    }

    private List<Holding> holdings(int most) {
        return holdings(most, holding -> true);
    }

    /** A line break and a line for each connection that is held, the longest first, and under it where it was acquired. */
    public String dump() {
        return holdings(Integer.MAX_VALUE).stream()
                .map(holding -> System.lineSeparator() + holding.inWords(settings) + acquiredAt(holding))
                .collect(Collectors.joining());
    }

    private static String acquiredAt(Holding holding) {
        StackTraceElement[] frames = holding.acquiredAt();
        String shown = Holding.stack(Arrays.copyOf(frames, Math.min(frames.length, FRAMES_IN_DUMP)));
        return shown.isEmpty() ? "" : ", acquired at" + shown;
    }

    /** The loans, the longest first, so many at most, with the stacks of the holders. */
    public List<HeldConnection> held(int most) {
        return holdings(most).stream().map(this::withStack).toList();
    }

    private HeldConnection withStack(Holding holding) {
        Thread thread = holding.thread;
        StackTraceElement[] stack = thread == null ? new StackTraceElement[0] : thread.getStackTrace();
        return new HeldConnection(
                holding.slot.id,
                holding.slot.sessionId,
                Duration.ofNanos(holding.heldNanos),
                thread == null ? null : Holding.nameOf(thread),
                settings.shownSql(holding.lastSql),
                List.of(stack),
                List.of(holding.acquiredAt()),
                holding.doing(stack, settings, 2 * clock.periodNanos()));
    }

    /** Those that have held a connection the longest, in words; at most so many. */
    List<String> longest(int most) {
        return holdings(most).stream()
                .map(holding -> holding.inWordsWithPlace(settings))
                .toList();
    }

    /**
     * In words, how many of the longest loans look leaked, since the code that acquired them has returned, and where one was
     * acquired; empty if none does.
     */
    String leakedInWords() {
        List<Holding> leaked = holdings(LEAKED_LOOKED_AT, one -> one.heldNanos >= Holding.LEAKED_NANOS).stream()
                .filter(holding -> holding.thread != null && holding.looksLeaked(holding.thread.getStackTrace()))
                .toList();
        if (leaked.isEmpty()) {
            return "";
        }
        String place = firstKnown(leaked.stream().map(Holding::atPlace));
        return leaked.size() + (leaked.size() == 1 ? " connection looks" : " connections look") + " leaked"
                + (place.isEmpty() ? "" : place + ", which has returned");
    }

    private static String firstKnown(Stream<String> places) {
        return places.filter(place -> !place.isEmpty()).findFirst().orElse("");
    }

    /** In words, how many of these waiting threads hold a connection, and where one acquired it; empty if none does. */
    String nestedInWords(List<Thread> waiters) {
        return new Nested(clock.now(), waiters.size(), nested(waiters)).inWords();
    }

    /**
     * Those of these waiting threads that hold a connection, in their order. Holders are read racily. A thread whose work of before
     * leaked a connection holds that too, but does not wait for a second one.
     */
    List<Nested.Holder> nested(List<Thread> waiters) {
        Set<Thread> wanted = new HashSet<>(waiters);
        Map<Thread, List<Holding>> byThread =
                holdings(Integer.MAX_VALUE, holding -> wanted.contains(holding.thread)).stream()
                        .collect(Collectors.groupingBy(holding -> Objects.requireNonNull(holding.thread)));
        List<Nested.Holder> nested = new ArrayList<>();
        for (Thread thread : waiters) {
            List<Holding> held = byThread.get(thread);
            StackTraceElement[] stack = held == null ? new StackTraceElement[0] : thread.getStackTrace();
            Objects.requireNonNullElse(held, List.<Holding>of()).stream()
                    .filter(holding -> !holding.isLeftBehind(stack) && !holding.isOldAndUnknown(stack, settings))
                    .findFirst()
                    .ifPresent(holding -> nested.add(new Nested.Holder(
                            thread.getId(),
                            Holding.nameOf(thread),
                            holding.slot.toString(),
                            holding.atPlace(),
                            holding.mayBeLeftBehind(stack),
                            List.of(stack))));
        }
        return nested;
    }

    /**
     * The threads that wait for a connection while they hold another of this pool: if all connections are held so, none of
     * them goes on before another gives up.
     *
     * @param waiters how many threads wait
     */
    record Nested(long atNanos, int waiters, List<Holder> holders) {
        /** One of them; without the thread itself, which the pool must not keep. */
        record Holder(
                long threadId,
                String thread,
                String connection,
                String atPlace,
                boolean mayBeLeftBehind,
                List<StackTraceElement> stack) {
            String inWords() {
                return "thread '" + thread + "' waits and holds " + connection;
            }
        }

        /** These and those who waited until now. */
        Nested with(List<Holder> more) {
            List<Holder> all = new ArrayList<>(holders);
            more.stream()
                    .filter(one -> holders.stream().noneMatch(known -> known.threadId == one.threadId))
                    .forEach(all::add);
            return new Nested(atNanos, waiters + 1, all);
        }

        /** With the place where one acquired what it holds; if none is certain, they may be leaked. Empty if there is none. */
        String inWords() {
            String place = firstKnown(holders.stream().map(Holder::atPlace));
            return holders.isEmpty()
                    ? ""
                    : holders.size() + " of " + waiters
                            + " waiting threads hold a connection already (nested getConnection()"
                            + (holders.stream().allMatch(Holder::mayBeLeftBehind) ? ", or leaked before)" : ")")
                            + place;
        }
    }
}
