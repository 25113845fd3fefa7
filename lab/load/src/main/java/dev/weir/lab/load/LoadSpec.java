package dev.weir.lab.load;

import java.net.URI;
import java.util.List;
import java.util.Set;

/**
 * What load to make.
 *
 * @param uris what is asked for with GET, over HTTP, each from a service of its own: one service, or several in turns
 * @param clients connections to each service, 1 or more
 * @param rate requests a second at a fixed rate (open loop), or 0 for the next request of a client as soon as its last one
 *     was answered (closed loop)
 * @param warmUpMillis how long each service is loaded before it counts, at first by two clients alone, then in turns, 1 or
 *     more
 * @param turnMillis how long a service counts in one of its turns, 1 or more
 * @param turns how often that is, after the warm-up of all: each in its turn, never two at a time, 1 or more
 * @param graceMillis how much longer answers are waited for; what is not answered then is an error
 * @param threads of the generator
 */
public record LoadSpec(
        List<URI> uris,
        int clients,
        int rate,
        long warmUpMillis,
        long turnMillis,
        int turns,
        long graceMillis,
        int threads) {

    public LoadSpec {
        uris = List.copyOf(uris);
        if (Set.copyOf(uris).size() < uris.size()) {
            throw new IllegalArgumentException("uris: " + uris + " (expected: each only once)");
        }
    }

    /** Returns how long each service counts. */
    long countedMillis() {
        return turns * turnMillis;
    }

    /** Returns the longest that all of it can take; the warm-up has no more turns than count. */
    long limitMillis() {
        return uris.size() * (warmUpMillis + 2 * graceMillis + turns * (turnMillis + 2 * graceMillis));
    }
}
