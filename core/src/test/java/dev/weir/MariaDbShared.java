package dev.weir;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.weir.testkit.Await;
import dev.weir.testkit.servers.MariaDbServer;
import dev.weir.testkit.servers.ThreadsLeft;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;

/**
 * The one MariaDB of all test classes in this JVM: started when first asked for, ended by the testkit when the JVM exits.
 * Where MariaDB is not installed, the tests that ask for it are skipped.
 *
 * <p>It stands in for MySQL too: Connector/J works with MariaDB as it is. The server calls itself 5.5.5 in its greeting, for
 * the sake of old clients, so Connector/J keeps to what such a server understands.
 */
public final class MariaDbShared {
    static final String USER = "weir";
    static final String PASSWORD = "the-secret-of-weir";

    /** The number of sessions that there may be, one more for root not counted. */
    public static final int PLACES = 20;

    private MariaDbShared() {}

    private static final class Holder {
        static final MariaDbServer SERVER = MariaDbServer.builder()
                .maxConnections(PLACES)
                .user(USER, PASSWORD)
                .user("others", "others")
                .start();
    }

    /** The drivers that speak with it, each with its defaults and in the settings that change what it keeps of the session. */
    public enum Driver {
        MARIADB("mariadb", ""),
        MARIADB_PREPARING_AT_THE_SERVER("mariadb", "&useServerPrepStmts=true"),
        MYSQL("mysql", ""),
        MYSQL_PREPARING_AT_THE_SERVER("mysql", "&useServerPrepStmts=true"),
        MYSQL_TRUSTING_ITSELF("mysql", "&useLocalSessionState=true&useLocalTransactionState=true");

        private final String protocol;
        private final String options;

        Driver(String protocol, String options) {
            this.protocol = protocol;
            this.options = options;
        }

        public boolean isMariaDb() {
            return protocol.equals("mariadb");
        }

        public String url() {
            return url("weir", server().port());
        }

        public String url(String database, int viaPort) {
            return "jdbc:" + protocol + "://127.0.0.1:" + viaPort + "/" + database + "?allowMultiQueries=true"
                    + options;
        }

        /** As the user who may do anything. */
        public Connection connect() throws SQLException {
            return connect("weir");
        }

        public Connection connect(String database) throws SQLException {
            return DriverManager.getConnection(url(database, server().port()), "root", "");
        }

        public PoolConfig.Builder pool() {
            return pool(server().port());
        }

        public PoolConfig.Builder pool(int viaPort) {
            return PoolConfig.builder()
                    .url(url("weir", viaPort))
                    .username(USER)
                    .password(PASSWORD)
                    .validationTimeout(PostgresShared.TEST_AT_MOST)
                    .registerMbeans(false);
        }
    }

    public static MariaDbServer server() {
        assumeTrue(
                MariaDbServer.isInstalled(),
                "MariaDB is not installed here (mariadbd and mariadb-install-db on the PATH)");
        return Holder.SERVER;
    }

    /** Runs these statements as root, bypassing every pool. */
    public static void execute(String... statements) throws SQLException {
        try (Connection connection = Driver.MARIADB.connect()) {
            for (String sql : statements) {
                PostgresShared.execute(connection, sql);
            }
        }
    }

    public static long number(String sql) throws SQLException {
        try (Connection connection = Driver.MARIADB.connect()) {
            return PostgresShared.number(connection, sql);
        }
    }

    /** Waits until the pools' user has so many sessions. */
    public static void awaitSessions(int count) {
        Await.await(() -> count + " sessions at the server", PostgresShared.SOON, () -> sessions() == count);
    }

    public static long sessions() throws SQLException {
        return number("SELECT count(*) FROM information_schema.processlist WHERE user = '" + USER + "'");
    }

    /** Ends the sessions of the pools' user that meet a condition on the processlist, and returns how many. */
    public static int kill(String condition) throws SQLException {
        List<Long> ids = new ArrayList<>();
        try (Connection connection = Driver.MARIADB.connect();
                Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery(
                        "SELECT id FROM information_schema.processlist WHERE user = '" + USER + "' AND " + condition)) {
            while (rows.next()) {
                ids.add(rows.getLong(1));
            }
        }
        execute(ids.stream().map(id -> "KILL " + id).toArray(String[]::new));
        return ids.size();
    }

    /** Nothing of the tests is left: no session at the server, no thread. */
    public static void assertNothingLeft(ThreadsLeft threads) {
        awaitSessions(0);
        threads.none("weir-", PostgresShared.SOON);
    }
}
