package dev.weir.fleet.tests;

import dev.weir.testkit.servers.PostgresServer;
import java.sql.Connection;
import java.sql.SQLException;

/** A PostgreSQL with 60 places: 3 are reserved, one is the watch's, and the fleet has the other 56. */
final class PostgresSite implements Site {
    private static final int PLACES = 60;
    private static final String TOO_MANY = " 53300 ";

    private final PostgresServer server = PostgresServer.builder()
            .maxConnections(PLACES)
            .setting("log_line_prefix", "%m [%p] %e ")
            .role(USER, PASSWORD)
            .start();

    @Override
    public String url(int port) {
        return server.jdbcUrl("postgres", port);
    }

    @Override
    public int port() {
        return server.port();
    }

    @Override
    public int budget() {
        return PLACES - 3 - 1;
    }

    @Override
    public String holding() {
        return "SELECT pg_sleep(0.1)";
    }

    @Override
    public Connection connectAsWatch() throws SQLException {
        return server.connect();
    }

    @Override
    public String sessions() {
        return "SELECT count(*) FROM pg_stat_activity"
                + " WHERE backend_type = 'client backend' AND pid <> pg_backend_pid()";
    }

    @Override
    public long refused() {
        return server.logged(TOO_MANY).size();
    }

    @Override
    public void restart() {
        server.restart();
    }

    @Override
    public void close() {
        server.close();
    }
}
