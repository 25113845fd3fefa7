package dev.weir.soak;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The last events of a soak, and the first thing that went wrong. */
final class History {
    private static final int EVENTS = 250;
    private static final int BRIEF = 60;

    private final long begun = System.nanoTime();

    // Guarded by this.
    private final Deque<String> events = new ArrayDeque<>();
    private String last = "";
    private @Nullable AssertionError failure;

    /** Adds what happened. */
    synchronized void note(String event) {
        events.addLast(String.format(
                Locale.ROOT,
                "%9.3f s  %-10s %s",
                (System.nanoTime() - begun) / 1e9,
                Thread.currentThread().getName(),
                event));
        if (events.size() > EVENTS) {
            events.removeFirst();
        }
    }

    /** Adds what may happen again and again, in few words, unless it was the last that was added this way. */
    synchronized void noteOnce(String event) {
        String brief = event.length() > BRIEF ? event.substring(0, BRIEF) + "..." : event;
        if (!brief.equals(last)) {
            last = brief;
            note(brief);
        }
    }

    /** A promise was broken. Only the first one is kept, with the events that led to it. */
    synchronized void fail(String what, @Nullable Throwable cause) {
        note("FAILED: " + what);
        if (failure == null) {
            failure = new AssertionError(what + "\n\n" + String.join("\n", events) + "\n\n" + stacks(), cause);
        }
    }

    synchronized boolean hasFailed() {
        return failure != null;
    }

    /** Throws the first failure, if there is one. */
    synchronized void check() {
        if (failure != null) {
            throw failure;
        }
    }

    /** The stacks of the pool's and the soak's threads. */
    private static String stacks() {
        StringWriter text = new StringWriter();
        PrintWriter out = new PrintWriter(text);
        for (Map.Entry<Thread, StackTraceElement[]> entry :
                Thread.getAllStackTraces().entrySet()) {
            String name = entry.getKey().getName();
            if (name.startsWith("weir-soak-") || name.startsWith("soak-")) {
                out.println(name + " " + entry.getKey().getState());
                int frames = 0;
                for (StackTraceElement frame : entry.getValue()) {
                    if (frames++ < 30) {
                        out.println("    at " + frame);
                    }
                }
            }
        }
        return text.toString();
    }
}
