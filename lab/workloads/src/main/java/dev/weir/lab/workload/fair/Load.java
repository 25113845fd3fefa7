package dev.weir.lab.workload.fair;

import dev.weir.lab.workload.Crowd;
import dev.weir.lab.workload.Settings;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * One load: so many threads of a kind on so many connections, each held in one of two ways.
 *
 * @param between what a thread does from one request to its next
 * @param thinkMicros how long that takes, for {@link Between#THINK}
 */
record Load(int threads, boolean virtual, int connections, Hold hold, Between between, int thinkMicros) {

    /** How a connection is held. */
    enum Hold {
        /** The thread parks, as it would for a database's answer. */
        PARKED,
        /** The thread computes, and can lose its core while it holds the connection. */
        BUSY;

        String label() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    /** What a thread does between two requests. */
    enum Between {
        /** Nothing at all, as no application does: a thread that just gave back a connection has its core and asks again. */
        NONE,
        /** It lets others run. */
        YIELD,
        /** It parks, as a thread does that waits for its next user. */
        THINK
    }

    /** Starts a thread of this kind. */
    Thread start(String name, Runnable task) {
        Thread thread = Crowd.thread(virtual, name, task);
        thread.start();
        return thread;
    }

    String label() {
        return String.format(
                Locale.ROOT,
                "%,d %s threads, %d connections, %s%s",
                threads,
                virtual ? "virtual" : "platform",
                connections,
                hold.label(),
                rest());
    }

    private String rest() {
        return switch (between) {
            case NONE -> "";
            case YIELD -> ", yields between";
            case THINK -> String.format(Locale.ROOT, ", thinks %,d us between", thinkMicros);
        };
    }

    /** All loads that the settings ask for; those of virtual threads only where the JDK has them. */
    static List<Load> all(Settings settings) {
        List<Load> all = new ArrayList<>();
        for (String hold : settings.words("holds")) {
            for (String between : settings.words("between")) {
                all.addAll(all(settings, word(Hold.class, hold), word(Between.class, between)));
            }
        }
        return all;
    }

    private static List<Load> all(Settings settings, Hold hold, Between between) {
        List<Load> all = new ArrayList<>();
        for (int connections : settings.numbers("connections")) {
            for (String kind : settings.words("kinds")) {
                boolean virtual = kind.equals("virtual");
                if (!virtual || Crowd.HAS_VIRTUAL) {
                    for (int threads : settings.numbers("threads")) {
                        all.add(new Load(threads, virtual, connections, hold, between, settings.number("think")));
                    }
                }
            }
        }
        return all;
    }

    private static <T extends Enum<T>> T word(Class<T> type, String word) {
        return Enum.valueOf(type, word.toUpperCase(Locale.ROOT));
    }

    static Load labelled(String label, Settings settings) {
        return all(settings).stream()
                .filter(load -> load.label().equals(label))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("there is no case " + label));
    }
}
