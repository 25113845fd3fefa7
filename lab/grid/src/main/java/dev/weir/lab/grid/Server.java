package dev.weir.lab.grid;

import dev.weir.lab.runs.GridCase;
import java.io.IOException;
import java.net.URI;
import java.time.Duration;

/** A running questions service. */
interface Server extends AutoCloseable {
    /** Why a cell failed. */
    String ENDED = "the server ended while it was measured";

    /** Starts servers. */
    interface Starter {
        /**
         * Starts a server of this pool, and returns when it listens.
         *
         * @throws IOException if it does not start, with the reason
         */
        Server start(String pool, GridCase load) throws IOException, InterruptedException;
    }

    /** Returns where it answers, {@code http://HOST:PORT/}. */
    URI uri();

    /** Returns the processor time that it has used so far. */
    Duration cpu() throws IOException, InterruptedException;

    /**
     * Returns if it still runs.
     *
     * @throws IOException if it has ended, with the end of its log
     */
    void requireRunning() throws IOException;

    /** Ends it; returns when it is gone. */
    @Override
    void close();
}
