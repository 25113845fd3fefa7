package dev.weir.lab.workload.fleet;

import dev.weir.testkit.servers.PostgresServer;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.HashMap;
import java.util.Map;

/** The PostgreSQL that the members share. Nobody but they and the laboratory's one look is there. */
final class Site implements AutoCloseable {
    static final String USER = "fleet";
    static final String PASSWORD = "fleet";

    /** Connections that PostgreSQL keeps for superusers, and the one of the laboratory's look. */
    private static final int BESIDES = 4;

    /** The SQLState of a connect that is refused for want of a place, as each line of the log names it. */
    private static final String TOO_MANY = " 53300 ";

    /** A session that is being opened has a place and no name yet. */
    private static final String SESSIONS = "SELECT coalesce(application_name, ''), count(*) FROM pg_stat_activity"
            + " WHERE backend_type = 'client backend' AND pid <> pg_backend_pid() GROUP BY 1";

    private final PostgresServer server;
    private final Connection look;

    /** Starts the server, with so many places for the members. */
    Site(int places) throws SQLException {
        server = PostgresServer.builder()
                .maxConnections(places + BESIDES)
                .setting("log_line_prefix", "%m [%p] %e ")
                .role(USER, PASSWORD)
                .start();
        look = server.connect();
    }

    /** The address for a member whose sessions the server shows by this name, unless it gives them one of its own. */
    String url(String name) {
        return server.jdbcUrl("postgres") + "?ApplicationName=" + name;
    }

    String url() {
        return server.jdbcUrl("postgres");
    }

    /** Returns how many sessions there are, by the name that the server shows. */
    Map<String, Integer> sessions() throws SQLException {
        Map<String, Integer> byName = new HashMap<>();
        try (PreparedStatement query = look.prepareStatement(SESSIONS);
                ResultSet rows = query.executeQuery()) {
            while (rows.next()) {
                byName.put(rows.getString(1), rows.getInt(2));
            }
        }
        return byName;
    }

    /** How many connects were refused since the server was started. */
    int refused() {
        return server.logged(TOO_MANY).size();
    }

    @Override
    public void close() throws SQLException {
        try {
            look.close();
        } finally {
            server.close();
        }
    }
}
