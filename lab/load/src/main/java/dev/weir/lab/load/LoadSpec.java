package dev.weir.lab.load;

import java.net.URI;

/**
 * What load to make.
 *
 * @param uri what is asked for with GET, over HTTP
 * @param clients connections to the service, 1 or more
 * @param rate requests a second at a fixed rate (open loop), or 0 for the next request of a client as soon as its last one
 *     was answered (closed loop)
 * @param warmUpMillis how long the service is loaded before it counts, at first by two clients alone, 1 or more
 * @param millis how long it counts, 1 or more
 * @param graceMillis how much longer answers are waited for; what is not answered then is an error
 * @param threads of the generator
 */
public record LoadSpec(URI uri, int clients, int rate, long warmUpMillis, long millis, long graceMillis, int threads) {

    public LoadSpec {
        if (!"http".equals(uri.getScheme()) || uri.getHost() == null) {
            throw new IllegalArgumentException("uri: " + uri + " (expected: http://HOST:PORT/...)");
        }
        check("clients", clients, 1);
        check("rate", rate, 0);
        check("warmUpMillis", warmUpMillis, 1);
        check("millis", millis, 1);
        check("graceMillis", graceMillis, 1);
        check("threads", threads, 1);
    }

    private static void check(String name, long value, long least) {
        if (value < least) {
            throw new IllegalArgumentException(name + ": " + value + " (expected: " + least + " or more)");
        }
    }
}
