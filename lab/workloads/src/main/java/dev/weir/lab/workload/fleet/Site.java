package dev.weir.lab.workload.fleet;

import dev.weir.testkit.servers.PostgresServer;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;

/** The PostgreSQL that the members share. Nobody but they and the laboratory's one look is there. */
final class Site implements AutoCloseable {
    static final String USER = "fleet";
    static final String PASSWORD = "fleet";

    /** Connections that PostgreSQL keeps for superusers. */
    private static final int RESERVED = 3;

    /** Of the laboratory's look at the server. */
    private static final int LOOK = 1;

    /** The SQLState of a connect that is refused for want of a place, as each line of the log names it. */
    private static final String TOO_MANY = " 53300 ";

    private final PostgresServer server;

    /** Starts the server, with so many places for the members. */
    Site(int places) {
        server = PostgresServer.builder()
                .maxConnections(places + RESERVED + LOOK)
                .setting("log_line_prefix", "%m [%p] %e ")
                .setting("shared_preload_libraries", "pg_stat_statements")
                .setting("pg_stat_statements.track_planning", "on")
                .role(USER, PASSWORD)
                .start();
        server.execute("CREATE EXTENSION pg_stat_statements");
    }

    /** The address for a member whose sessions the server shows by this name, unless it gives them one of its own. */
    String url(String name) {
        return server.jdbcUrl("postgres") + "?ApplicationName=" + name;
    }

    String url() {
        return server.jdbcUrl("postgres");
    }

    Connection look() throws SQLException {
        return server.connect();
    }

    /** How many connects were refused since the server was started. */
    int refused() {
        return server.logged(TOO_MANY).size();
    }

    static void forgetStatements(Statement statement) throws SQLException {
        statement.execute("SELECT pg_stat_statements_reset()");
    }

    /**
     * What the members' statements have cost but those of their users.
     *
     * @param renewals how often the fleet's row was locked
     * @param millis planning and execution of all statements, waits for the lock included
     */
    record Cost(long renewals, double millis) {}

    static Cost cost(Statement statement) throws SQLException {
        try (ResultSet row =
                statement.executeQuery("SELECT coalesce(sum(calls) FILTER (WHERE query LIKE '%FOR UPDATE%'), 0),"
                        + " coalesce(sum(total_exec_time + total_plan_time), 0) FROM pg_stat_statements"
                        + " WHERE userid = '" + USER + "'::regrole AND query NOT LIKE '%pg_sleep%'")) {
            row.next();
            return new Cost(row.getLong(1), row.getDouble(2));
        }
    }

    @Override
    public void close() {
        server.close();
    }
}
