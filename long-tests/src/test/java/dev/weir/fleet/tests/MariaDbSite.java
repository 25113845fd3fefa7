package dev.weir.fleet.tests;

import dev.weir.testkit.servers.MariaDbServer;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;

/**
 * A MariaDB with 57 places, one of them the watch's and the other 56 the fleet's. It has one more for who may do anything,
 * so that the refused can be counted at any time.
 */
final class MariaDbSite implements Site {
    private static final int PLACES = 57;

    private final MariaDbServer server = MariaDbServer.builder()
            .maxConnections(PLACES)
            .user(USER, PASSWORD)
            .option("performance-schema", "ON")
            .start();
    private long refusedBefore;

    MariaDbSite() throws SQLException {
        try (Connection connection = connectAsWatch();
                Statement statement = connection.createStatement()) {
            statement.execute("GRANT SELECT ON performance_schema.session_connect_attrs TO '" + USER + "'@127.0.0.1");
        }
    }

    @Override
    public String url(int port) {
        return "jdbc:mariadb://127.0.0.1:" + port + "/weir";
    }

    @Override
    public int port() {
        return server.port();
    }

    @Override
    public int budget() {
        return PLACES - 1;
    }

    @Override
    public String holding() {
        return "SELECT SLEEP(0.1)";
    }

    @Override
    public Connection connectAsWatch() throws SQLException {
        return DriverManager.getConnection(url(server.port()), "root", "");
    }

    @Override
    public String sessions() {
        return "SELECT count(*) FROM information_schema.processlist WHERE user = '" + USER + "'";
    }

    @Override
    public long refused() throws SQLException {
        try (Connection connection = connectAsWatch();
                Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery("SHOW GLOBAL STATUS LIKE 'Connection_errors_max_connections'")) {
            row.next();
            return refusedBefore + row.getLong(2);
        }
    }

    /** The count of the refused does not survive. */
    @Override
    public void restart() {
        try {
            refusedBefore = refused();
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
        server.stop();
        server.start();
    }

    @Override
    public void close() {
        server.close();
    }
}
