package dev.weir.internal.shared;

import dev.weir.internal.observing.Events;
import dev.weir.internal.settings.Settings;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.LongAdder;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The reasons for which connections stayed with their users in the {@code poolMode} transaction, though no transaction was open:
 * how often, and the SQL and the place of the first time. Called by users' threads; bounded.
 */
public final class Pins {
    /** Functions of users are reasons by their names. */
    private static final int MOST_REASONS = 50;

    private static final String OTHERS = "others";

    private record Pin(
            LongAdder times, @Nullable String sql, @Nullable String place) {
        String inWords(String reason) {
            return reason + " " + times + " times (" + (place == null ? "" : "first at " + place)
                    + (place == null || sql == null ? "" : ", ") + (sql == null ? "" : sql) + ")";
        }
    }

    private final Settings settings;
    private final Map<String, Pin> byReason = new ConcurrentHashMap<>();

    Pins(Settings settings) {
        this.settings = settings;
    }

    /** A connection is pinned, by this text if it was one. */
    public void add(String reason, @Nullable String sql) {
        Pin pin = byReason.get(reason);
        if (pin == null) {
            boolean room = byReason.size() < MOST_REASONS;
            Pin made = new Pin(new LongAdder(), settings.shownSql(sql), place());
            Pin before = byReason.putIfAbsent(room ? reason : OTHERS, made); // as in Places
            pin = before == null ? made : before;
        }
        pin.times.increment();
        Events.pinned(settings.poolName(), reason, pin.sql, pin.place);
    }

    /** The user's frame on top; null if there is none. */
    private static @Nullable String place() {
        List<StackTraceElement> frames = UserFrames.here(1);
        return frames.isEmpty() ? null : UserFrames.nameOf(frames);
    }

    /** The user's frame on top of a stack, as {@code OrderView.render}; null if there is none. */
    public static @Nullable String placeIn(List<StackTraceElement> stack) {
        return stack.stream()
                .filter(UserFrames::isUsers)
                .findFirst()
                .map(UserFrames::nameOf)
                .orElse(null);
    }

    /** How often, by reason. */
    public Map<String, Long> counts() {
        Map<String, Long> counts = new TreeMap<>();
        byReason.forEach((reason, pin) -> counts.put(reason, pin.times.sum()));
        return Collections.unmodifiableMap(counts);
    }

    /** A part of a sentence for the dump; empty if nothing was pinned. */
    public String inWords() {
        return byReason.isEmpty()
                ? ""
                : ", pinned by "
                        + byReason.entrySet().stream()
                                .map(entry -> entry.getValue().inWords(entry.getKey()))
                                .sorted()
                                .collect(Collectors.joining("; "));
    }
}
