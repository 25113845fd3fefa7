package dev.weir.fleet.tests;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;

/** The server that a fleet shares, and how it is asked who is there. */
interface Site extends AutoCloseable {
    String USER = "weir";
    String PASSWORD = "secret";

    /** The address of its database through a port of 127.0.0.1, its own or a proxy's. */
    String url(int port);

    int port();

    /** Places of the fleet: so many that one session more is refused, where the server can be set so. */
    int budget();

    /** As short as may be, for a dead member's places. */
    default Duration lease() {
        return Duration.ofSeconds(5);
    }

    /** A statement that takes a while, and no processor. */
    String holding();

    /** Connects as who has a place of his own beside the fleet's. */
    Connection connectAsWatch() throws SQLException;

    /** A query for the number of the members' sessions, connects under way included where they are seen. */
    String sessions();

    /** How many connects the server has refused for want of a place since it was first started. */
    long refused() throws SQLException;

    /** Ends all sessions, stops, and starts again. */
    void restart();

    @Override
    void close();
}
