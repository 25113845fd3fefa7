package dev.weir.lab.workload.fair;

import dev.weir.lab.workload.Settings;
import dev.weir.lab.workload.Threads;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** One load: so many threads of a kind on so many connections, each held in one of two ways. */
record Load(int threads, boolean virtual, int connections, Hold hold) {

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

    String label() {
        return String.format(
                Locale.ROOT,
                "%,d %s threads, %d connections, %s",
                threads,
                virtual ? "virtual" : "platform",
                connections,
                hold.label());
    }

    /** All loads that the settings ask for; those of virtual threads only where the JDK has them. */
    static List<Load> all(Settings settings) {
        List<Load> all = new ArrayList<>();
        for (String hold : settings.words("holds")) {
            for (int connections : settings.numbers("connections")) {
                for (String kind : settings.words("kinds")) {
                    boolean virtual = kind.equals("virtual");
                    for (int threads : settings.numbers("threads")) {
                        if (!virtual || Threads.haveVirtual()) {
                            all.add(new Load(
                                    threads, virtual, connections, Hold.valueOf(hold.toUpperCase(Locale.ROOT))));
                        }
                    }
                }
            }
        }
        return all;
    }

    static Load labelled(String label, Settings settings) {
        return all(settings).stream()
                .filter(load -> load.label().equals(label))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("there is no case " + label));
    }
}
