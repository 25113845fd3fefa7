package dev.weir.lab.workload.down;

import java.util.Arrays;
import java.util.List;
import java.util.function.Consumer;

/** How the database goes away, and how it comes back. */
enum Fault {
    /**
     * All sessions are terminated while nobody uses the pool, and users come right after. Every connection was idle for
     * longer than any pool trusts one untested.
     */
    KILLED_WHILE_IDLE("idle", "killed while idle", false, site -> site.server().endBackends()),

    /** All sessions are terminated under load; the server goes on. */
    KILLED("killed", "killed backends", false, site -> site.server().killBackends()),

    /** The server is stopped: sessions end, connects are turned away. Later it is started again. */
    STOPPED("stopped", "stopped server", true, site -> {
        site.server().stop();
        site.proxy().turnAway();
    }),

    /** Every connection is reset, and connects are turned away, though the server is well. Later they are accepted again. */
    RESET("reset", "reset", true, site -> {
        site.proxy().turnAway();
        site.proxy().resetAll();
    }),

    /** The network swallows everything, and accepts everything. Later it passes; connections that lost bytes are reset. */
    BLACK_HOLE("hole", "black hole", true, site -> site.proxy().blackHole());

    private final String word;
    private final String label;
    private final boolean away;

    @SuppressWarnings("ImmutableEnumChecker") // stateless
    private final Consumer<Site> strike;

    Fault(String word, String label, boolean away, Consumer<Site> strike) {
        this.word = word;
        this.label = label;
        this.away = away;
        this.strike = strike;
    }

    /** Its name in tables and files. */
    String label() {
        return label;
    }

    /** Whether users are at work when it strikes. */
    boolean underLoad() {
        return this != KILLED_WHILE_IDLE;
    }

    /** Whether the database is away for a time; else it is back at once. */
    boolean away() {
        return away;
    }

    /** The database goes away; this returns when it has. */
    void strike(Site site) {
        strike.accept(site);
    }

    /** Does what takes time and nobody notices yet, so that {@link #comeBack} is a moment. */
    void prepareReturn(Site site) {
        if (this == STOPPED) {
            site.server().start();
        }
    }

    /** The database is back. */
    void comeBack(Site site) {
        if (this == BLACK_HOLE) {
            site.proxy().pass();
        } else if (away) {
            site.proxy().accept();
        }
    }

    /** Returns the words for all of them. */
    static List<String> words() {
        return Arrays.stream(values()).map(fault -> fault.word).toList();
    }

    /** Returns the fault of one of these words. */
    static Fault of(String word) {
        return Arrays.stream(values())
                .filter(fault -> fault.word.equals(word))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("fault: " + word + " (expected: " + words() + ")"));
    }
}
