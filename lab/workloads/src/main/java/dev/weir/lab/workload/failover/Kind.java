package dev.weir.lab.workload.failover;

import dev.weir.testkit.servers.PostgresServer;
import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** How a standby takes over. In all kinds new connections lead to it once it is the primary. */
enum Kind {
    /** The primary is killed; after a time the standby is promoted, and the name leads to it. */
    STOP("stop", "stopped primary") {
        @Override
        Moments takeOver(Site site, long downMillis) throws InterruptedException {
            long struck = System.nanoTime();
            site.pair().primary().stop(PostgresServer.StopMode.IMMEDIATE);
            TimeUnit.NANOSECONDS.sleep(TimeUnit.MILLISECONDS.toNanos(downMillis) - (System.nanoTime() - struck));
            site.pair().promote();
            site.proxy().retarget("127.0.0.1", site.pair().standby().port());
            return new Moments(struck, System.nanoTime());
        }
    },
    /** The primary becomes read-only, and its sockets stay open. */
    DEMOTE("demote", "demoted primary") {
        @Override
        Moments takeOver(Site site, long downMillis) {
            site.pair().awaitCaughtUp();
            site.pair().promote();
            site.proxy().retarget("127.0.0.1", site.pair().standby().port());
            return atOnce(() -> site.pair().demote());
        }
    },
    /** The name leads to the promoted standby, and the old primary goes on, and writes for those who are connected to it. */
    SWITCH("switch", "switched name") {
        @Override
        Moments takeOver(Site site, long downMillis) throws IOException {
            site.pair().awaitCaughtUp();
            site.pair().promote();
            return atOnce(site::switchName);
        }
    };

    private final String word;
    private final String label;

    Kind(String word, String label) {
        this.word = word;
        this.label = label;
    }

    /**
     * When it happened.
     *
     * @param struckNanos when the old primary was no more what it had been
     * @param readyNanos when the new one took writes, and new connections led to it
     */
    record Moments(long struckNanos, long readyNanos) {}

    /** A step that may fail. */
    @FunctionalInterface
    private interface Step<E extends Exception> {
        void take() throws E;
    }

    /** The new primary is there already when the old one is struck. */
    private static <E extends Exception> Moments atOnce(Step<E> step) throws E {
        long struck = System.nanoTime();
        step.take();
        return new Moments(struck, struck);
    }

    /** Its name as an option. */
    String word() {
        return word;
    }

    /** Its name in tables and files. */
    String label() {
        return label;
    }

    /** Whether the old primary lives on, so that connections to it may stay. */
    boolean leavesOldAlive() {
        return this != STOP;
    }

    /**
     * The standby takes over; returns when it has.
     *
     * @param downMillis how long there is no primary, where that can be chosen
     */
    abstract Moments takeOver(Site site, long downMillis) throws IOException, InterruptedException;

    static List<String> words() {
        return Arrays.stream(values()).map(Kind::word).toList();
    }

    /** Returns the kind of this word. */
    static Kind of(String word) {
        return Arrays.stream(values())
                .filter(kind -> kind.word.equals(word))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("kind: " + word + " (expected: " + words() + ")"));
    }
}
