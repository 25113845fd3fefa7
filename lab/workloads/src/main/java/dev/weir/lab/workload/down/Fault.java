package dev.weir.lab.workload.down;

import java.util.Arrays;
import java.util.List;

/** How the database goes away, and how it comes back. */
enum Fault {
    /**
     * All sessions are terminated while nobody uses the pool, and users come right after. Every connection was idle for
     * longer than any pool trusts one untested.
     */
    KILLED_WHILE_IDLE("idle", "killed while idle", false, false) {
        @Override
        void strike(Site site) {
            site.server().endBackends();
        }
    },
    /** All sessions are terminated under load; the server goes on. */
    KILLED("killed", "killed backends", true, false) {
        @Override
        void strike(Site site) {
            site.server().killBackends();
        }
    },
    /** The server is stopped: sessions end, connects are turned away. Later it is started again. */
    STOPPED("stopped", "stopped server", true, true) {
        @Override
        void strike(Site site) {
            site.server().stop();
            site.proxy().turnAway();
        }

        @Override
        void prepareReturn(Site site) {
            site.server().start();
        }

        @Override
        void comeBack(Site site) {
            site.proxy().accept();
        }
    },
    /** Every connection is reset, and connects are turned away, though the server is well. Later they are accepted again. */
    RESET("reset", "reset", true, true) {
        @Override
        void strike(Site site) {
            site.proxy().turnAway();
            site.proxy().resetAll();
        }

        @Override
        void comeBack(Site site) {
            site.proxy().accept();
        }
    },
    /** The network swallows everything, and accepts everything. Later it passes; connections that lost bytes are reset. */
    BLACK_HOLE("hole", "black hole", true, true) {
        @Override
        void strike(Site site) {
            site.proxy().blackHole();
        }

        @Override
        void comeBack(Site site) {
            site.proxy().pass();
        }
    };

    private final String word;
    private final String label;
    private final boolean underLoad;
    private final boolean away;

    Fault(String word, String label, boolean underLoad, boolean away) {
        this.word = word;
        this.label = label;
        this.underLoad = underLoad;
        this.away = away;
    }

    /** Its name as an option. */
    String word() {
        return word;
    }

    /** Its name in tables and files. */
    String label() {
        return label;
    }

    /** Whether users are at work when it strikes. */
    boolean underLoad() {
        return underLoad;
    }

    /** Whether the database is away for a time; else it is back at once. */
    boolean away() {
        return away;
    }

    /** The database goes away; this returns when it has. */
    abstract void strike(Site site);

    /** Does what takes time and nobody notices yet, so that {@link #comeBack} is a moment. */
    void prepareReturn(Site site) {}

    /** The database is back. */
    void comeBack(Site site) {}

    /** Returns the words for all of them. */
    static List<String> words() {
        return Arrays.stream(values()).map(Fault::word).toList();
    }

    /**
     * Returns the fault of this word.
     *
     * @throws IllegalArgumentException naming all, if there is none
     */
    static Fault of(String word) {
        return Arrays.stream(values())
                .filter(fault -> fault.word.equals(word))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("fault: " + word + " (expected: " + words() + ")"));
    }
}
