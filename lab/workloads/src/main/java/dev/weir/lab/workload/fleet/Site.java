package dev.weir.lab.workload.fleet;

import dev.weir.testkit.servers.PostgresServer;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;

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
     * A statement of the members that is no request of their users.
     *
     * @param calls how often it ran
     * @param millis planning and execution, all together; waits included
     * @param leastMillis its quickest execution
     */
    record Renewing(String text, long calls, double millis, double leastMillis) {
        boolean locks() {
            return text.contains("FOR UPDATE");
        }

        /** The lock is the same work each time; what it took longer than at best, it waited. */
        double workMillis() {
            return locks() ? calls * leastMillis : millis;
        }
    }

    static List<Renewing> renewing(Statement statement) throws SQLException {
        List<Renewing> all = new ArrayList<>();
        try (ResultSet rows = statement.executeQuery(
                "SELECT query, calls, total_exec_time + total_plan_time, min_exec_time FROM pg_stat_statements"
                        + " WHERE userid = '" + USER + "'::regrole AND query NOT LIKE '%pg_sleep%' ORDER BY 3 DESC")) {
            while (rows.next()) {
                all.add(new Renewing(rows.getString(1), rows.getLong(2), rows.getDouble(3), rows.getDouble(4)));
            }
        }
        return all;
    }

    @Override
    public void close() {
        server.close();
    }
}
