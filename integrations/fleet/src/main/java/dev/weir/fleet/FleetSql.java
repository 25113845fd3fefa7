package dev.weir.fleet;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;

/** What databases say differently. */
enum FleetSql {
    POSTGRESQL("CAST(extract(epoch FROM clock_timestamp()) * 1000 AS bigint)") {
        /**
         * Of a pause inside a transaction, the server makes an end: it would hold up the whole fleet. Nobody waits until
         * the disk has it: if the server crashes before, all sessions end with it, and their members ask first. All is set
         * for the transaction alone, as a pooler gives the session to somebody else after it.
         */
        @Override
        void begin(Connection connection) throws SQLException {
            boolean boundsTransactions = connection.getMetaData().getDatabaseMajorVersion() >= 17;
            try (Statement statement = connection.createStatement()) {
                statement.execute(
                        "SET TRANSACTION ISOLATION LEVEL READ COMMITTED, READ WRITE; SET LOCAL lock_timeout = "
                                + WAIT_MILLIS
                                + "; SET LOCAL statement_timeout = " + WAIT_MILLIS
                                + "; SET LOCAL idle_in_transaction_session_timeout = " + WAIT_MILLIS
                                + (boundsTransactions
                                        ? "; SET LOCAL transaction_timeout = " + DatabaseBudget.TIMEOUT_MILLIS
                                        : "")
                                + "; SET LOCAL synchronous_commit = off");
            }
        }

        @Override
        boolean readsByDefault(Connection connection) throws SQLException {
            return number(connection, "SELECT (current_setting('default_transaction_read_only') = 'on')::int") == 1;
        }

        @Override
        void requireNoTables(Connection connection, String fleet) throws SQLException {
            try (Statement statement = connection.createStatement();
                    ResultSet row = statement.executeQuery("SELECT string_agg(schemaname, ', '),"
                            + " current_setting('search_path') FROM pg_tables WHERE tablename = 'weir_fleet'"
                            + " AND to_regclass('weir_fleet') IS NULL")) { // else another member made it just now
                if (row.next() && row.getString(1) != null) {
                    throw new FleetRefusedException("fleet " + fleet + ": weir_fleet is in schema " + row.getString(1)
                            + ", which this user does not look in (expected: one that is in its search_path, "
                            + row.getString(2)
                            + ", and that it may use; for another fleet, make its tables by the script)");
                }
            }
        }

        @Override
        String upsert(String insert, String[] columns) {
            StringBuilder sql = new StringBuilder(insert).append(" ON CONFLICT (fleet, instance) DO UPDATE SET ");
            String comma = "";
            for (String column : columns) {
                sql.append(comma).append(column).append(" = EXCLUDED.").append(column);
                comma = ", ";
            }
            return sql.toString();
        }

        /**
         * The time is read when the fleet's row is locked, as it is compared with that. What {@link #begin} sets is set in
         * the scan, so before the lock is waited for, and for this transaction alone.
         */
        @Override
        String extend() {
            return "UPDATE weir_fleet_member m SET sequence = ?, expires = f.clock + " + passed() + " + ?"
                    + " FROM (SELECT f.fleet, f.clock, f.server_clock, set_config('synchronous_commit', 'off', true),"
                    + " set_config('lock_timeout', '" + WAIT_MILLIS + "', true)"
                    + " FROM weir_fleet f WHERE " + SAME_FLEET
                    + " FOR SHARE) f WHERE m.fleet = f.fleet AND " + sameRow();
        }

        @Override
        String insertFleetOnce() {
            return INSERT_FLEET + " ON CONFLICT (fleet) DO NOTHING";
        }

        @Override
        Sessions sessions(Connection connection, String prefix) throws SQLException {
            Map<String, Integer> byInstance = new HashMap<>();
            int nameless = 0;
            try (PreparedStatement query = connection.prepareStatement("SELECT substring(application_name from ?),"
                    + " count(*) FROM pg_stat_activity WHERE " + CLIENTS + " AND pid <> pg_backend_pid()"
                    + " AND (application_name LIKE ? OR application_name !~ 'weir:[0-9a-f]{1,12}:[0-9a-f]{12}$'"
                    + " AND usesysid IN (SELECT usesysid FROM pg_stat_activity WHERE application_name LIKE ?))"
                    + " GROUP BY 1")) {
                query.setString(1, prefix + "([0-9a-f]{12})$");
                query.setString(2, "%" + prefix + "%");
                query.setString(3, "%" + prefix + "%");
                try (ResultSet rows = query.executeQuery()) {
                    while (rows.next()) {
                        if (rows.getString(1) == null) {
                            nameless = rows.getInt(2);
                        } else {
                            byInstance.put(rows.getString(1), rows.getInt(2));
                        }
                    }
                }
            }
            return new Sessions(byInstance, nameless);
        }

        /** A pooler tells its clients numbers of its own for the server's processes, with which they cancel. */
        @Override
        boolean shows(Connection connection, String prefix) throws SQLException {
            return numberOf(connection, "org.postgresql.PGConnection", "getBackendPID")
                    == number(connection, "SELECT pg_backend_pid()");
        }

        /** Where members connect as users of different limits, the least of these is that of all, whoever asks. */
        @Override
        int places(Connection connection, String prefix) throws SQLException {
            String others =
                    "(SELECT count(*) FROM pg_stat_activity WHERE " + CLIENTS + " AND application_name NOT LIKE ?";
            String sql = "SELECT least("
                    + "current_setting('max_connections')::int"
                    + " - current_setting('superuser_reserved_connections')::int"
                    + " - coalesce(current_setting('reserved_connections', true), '0')::int"
                    + " - coalesce(nullif(current_setting('rds.rds_superuser_reserved_connections', true), ''), '0')::int"
                    + " - " + others + "), "
                    + "(SELECT min(rolconnlimit - " + others + " AND usename = rolname)) FROM pg_roles"
                    + " WHERE rolconnlimit >= 0 AND (rolname = current_user OR rolname IN"
                    + " (SELECT usename FROM pg_stat_activity WHERE application_name LIKE ?))), "
                    + "(SELECT CASE WHEN datconnlimit >= 0 THEN datconnlimit - " + others
                    + " AND datname = current_database()) ELSE 2147483647 END"
                    + " FROM pg_database WHERE datname = current_database()))";
            String tagged = "%" + prefix + "%";
            return number(connection, sql, tagged, tagged, tagged, tagged);
        }
    },
    MARIADB("TIMESTAMPDIFF(MICROSECOND, '1970-01-01', UTC_TIMESTAMP(3)) DIV 1000") {
        /** Besides the times, what an account may find set for it and would make half of a renewal of a whole one. */
        @Override
        void begin(Connection connection) throws SQLException {
            try (Statement statement = connection.createStatement()) {
                int seconds = WAIT_MILLIS / 1000;
                String times = isMariaDb(connection)
                        ? "idle_transaction_timeout = " + seconds + ", SESSION max_statement_time = " + seconds
                        : "wait_timeout = 15"; // which would end a session that is idle between renewals too, see end()
                statement.execute("SET SESSION innodb_lock_wait_timeout = " + seconds + ", SESSION " + times
                        + ", SESSION sql_mode = 'STRICT_TRANS_TABLES', SESSION sql_safe_updates = 0"
                        + ", SESSION sql_select_limit = 18446744073709551615, SESSION completion_type = 0");
                statement.execute("SET TRANSACTION ISOLATION LEVEL READ COMMITTED");
                statement.execute(
                        "SET SESSION TRANSACTION READ WRITE"); // also for statements that commit by themselves
            }
        }

        @Override
        boolean readsByDefault(Connection connection) throws SQLException {
            try (Statement statement = connection.createStatement();
                    ResultSet row = statement.executeQuery("SHOW SESSION VARIABLES WHERE Value = 'ON'"
                            + " AND Variable_name IN ('tx_read_only', 'transaction_read_only')")) {
                return row.next();
            }
        }

        @Override
        void end(Connection connection) throws SQLException {
            if (!isMariaDb(connection)) {
                try (Statement statement = connection.createStatement()) {
                    statement.execute("SET SESSION wait_timeout = @@global.wait_timeout");
                }
            }
        }

        private boolean isMariaDb(Connection connection) throws SQLException {
            return connection.getMetaData().getDatabaseProductName().contains("MariaDB");
        }

        @Override
        String upsert(String insert, String[] columns) {
            StringBuilder sql = new StringBuilder(insert).append(" ON DUPLICATE KEY UPDATE ");
            String comma = "";
            for (String column : columns) {
                sql.append(comma)
                        .append(column)
                        .append(" = VALUES(")
                        .append(column)
                        .append(')');
                comma = ", ";
            }
            return sql.toString();
        }

        /** The time is that of its start. If others have taken places off a row whose lease had ended, it has fewer now. */
        @Override
        String extend() {
            return "UPDATE weir_fleet f JOIN weir_fleet_member m ON m.fleet = f.fleet"
                    + " SET m.sequence = ?, m.expires = f.clock + " + passed() + " + ? WHERE " + SAME_FLEET + " AND "
                    + sameRow();
        }

        @Override
        String insertFleetOnce() {
            return INSERT_FLEET.replaceFirst("INSERT", "INSERT IGNORE");
        }

        /**
         * Of threads that the performance schema had no room for nobody is shown, and any of them may be a member's; so may
         * all if it does not show the one that asks: the right was taken, or another server has taken over.
         */
        @Override
        Sessions sessions(Connection connection, String prefix) throws SQLException {
            Map<String, Integer> byInstance = new HashMap<>();
            boolean shown = false;
            try (PreparedStatement query = connection.prepareStatement("SELECT attr_value,"
                    + " sum(processlist_id <> connection_id()), sum(processlist_id = connection_id())" + ATTRIBUTES
                    + " AND attr_value LIKE ? GROUP BY attr_value")) {
                query.setString(1, prefix + "%");
                try (ResultSet rows = query.executeQuery()) {
                    while (rows.next()) {
                        byInstance.put(rows.getString(1).substring(prefix.length()), rows.getInt(2));
                        shown |= rows.getInt(3) > 0;
                    }
                }
            } catch (SQLException e) {
                requireNoRight(e);
            }
            return shown
                    ? new Sessions(byInstance, status(connection, "Performance_schema_thread_instances_lost"))
                    : Sessions.UNKNOWN;
        }

        /** The process list has no name that a client gives itself, the performance schema has, where it is on and may be read. */
        @Override
        boolean shows(Connection connection, String prefix) throws SQLException {
            long ofDriver = numberOf(connection, "org.mariadb.jdbc.Connection", "getThreadId");
            if (ofDriver < 0) {
                ofDriver = numberOf(connection, "com.mysql.cj.jdbc.JdbcConnection", "getId");
            }
            if (ofDriver != longNumber(connection, "SELECT connection_id()")) {
                return false;
            }
            try {
                String own =
                        "SELECT count(*)" + ATTRIBUTES + " AND processlist_id = connection_id() AND attr_value LIKE ?";
                return number(connection, own, prefix + "%") == 1;
            } catch (SQLException e) {
                requireNoRight(e);
                return false;
            }
        }

        /**
         * Sessions of this account count as the members' own, those of others as others'; the limit of an account is
         * the session's {@code max_user_connections}, its own or the server's. 0: none.
         */
        @Override
        int places(Connection connection, String prefix) throws SQLException {
            int most = number(connection, "SELECT @@global.max_connections");
            int ofAccount = number(connection, "SELECT @@session.max_user_connections");
            int all = status(connection, "Threads_connected");
            int own = number(
                    connection,
                    "SELECT count(*) FROM information_schema.processlist WHERE user = substring_index(user(), '@', 1)");
            int left = most - Math.max(0, all - own);
            return ofAccount > 0 ? Math.min(left, ofAccount) : left;
        }
    };

    /** Parallel workers and the like have no place of max_connections; of other users their kind is not shown. */
    private static final String CLIENTS = "datid IS NOT NULL AND usesysid IS NOT NULL"
            + " AND coalesce(backend_type, 'client backend') = 'client backend'";

    private static final String ATTRIBUTES =
            " FROM performance_schema.session_connect_attrs WHERE attr_name = '" + SessionTag.NAME + "'";

    /** More than a server has. */
    private static final int ANY_NUMBER = 1_000_000;

    /** What the server shows, see {@link Ledger.Sessions}. */
    record Sessions(Map<String, Integer> byInstance, int nameless) implements Ledger.Sessions {
        /** Nothing is shown: each member may have all that it was given. */
        static final Sessions UNKNOWN = new Sessions(Map.of(), ANY_NUMBER);

        boolean isUnknown() {
            return nameless == ANY_NUMBER;
        }
    }

    /** The server gives a statement, a lock and an idle transaction up after this, the client a little later. */
    static final int WAIT_MILLIS = 2_000;

    static final String INSERT_FLEET =
            "INSERT INTO weir_fleet (fleet, budget, reserve, lease, forget, places, measured, turn, tight, clock,"
                    + " server_clock) VALUES (?, ?, ?, ?, ?, 0, 0, 0, 1, 0, 0)";

    private static final String SAME_FLEET =
            "f.fleet = ? AND f.budget = ? AND f.reserve = ? AND f.lease = ? AND f.forget = ? AND f.tight = 0";

    private final String clock;

    FleetSql(String clock) {
        this.clock = clock;
    }

    static FleetSql of(Connection connection) throws SQLException {
        String product = connection.getMetaData().getDatabaseProductName();
        return switch (product) {
            case "PostgreSQL" -> POSTGRESQL;
            case "MariaDB", "MySQL" -> MARIADB;
            default ->
                throw new FleetRefusedException("fleet: " + product + " (expected: PostgreSQL, MariaDB or MySQL)");
        };
    }

    /** How far the fleet's clock has gone on since it was written. */
    String passed() {
        return "(" + clock + " - f.server_clock)";
    }

    String sameRow() {
        return "m.instance = ? AND m.sequence = ? AND m.has = ? AND " + passed() + " BETWEEN 0 AND "
                + Ledger.FRESH_MILLIS + " AND m.expires > f.clock + " + passed();
    }

    abstract void begin(Connection connection) throws SQLException;

    /** Whether a statement without a {@link #begin} before it may not write. */
    abstract boolean readsByDefault(Connection connection) throws SQLException;

    /** Refuses to make the tables a second time where the database has them, but this user does not find them. */
    void requireNoTables(Connection connection, String fleet) throws SQLException {}

    /** After the transaction. */
    void end(Connection connection) throws SQLException {}

    abstract String upsert(String insert, String[] columns);

    /** Has a row last longer if nothing has changed, see {@link Settled}. */
    abstract String extend();

    abstract String insertFleetOnce();

    /** Sessions of those whose tag begins so. */
    abstract Sessions sessions(Connection connection, String prefix) throws SQLException;

    /** Whether a session of the server is this connection's alone, and its tag shown; if it cannot be told, it is not. */
    abstract boolean shows(Connection connection, String prefix) throws SQLException;

    /** What the server has for members: its limits, less what others use now. */
    abstract int places(Connection connection, String prefix) throws SQLException;

    static String lockFleet() {
        return "SELECT budget, reserve, lease, forget, places, measured, turn, tight, clock, server_clock"
                + " FROM weir_fleet"
                + " WHERE fleet = ? FOR UPDATE";
    }

    /** The server's time, and each member if there are any; a statement of its own, so that it is run under the lock. */
    String members(String[] columns) {
        return "SELECT t.now, m.instance, m." + String.join(", m.", columns) + " FROM (SELECT " + clock + " AS now) t"
                + " LEFT JOIN weir_fleet_member m ON m.fleet = ? ORDER BY m.instance";
    }

    static int number(Connection connection, String sql, String... parameters) throws SQLException {
        return Math.toIntExact(longNumber(connection, sql, parameters));
    }

    private static long longNumber(Connection connection, String sql, String... parameters) throws SQLException {
        try (PreparedStatement query = connection.prepareStatement(sql)) {
            for (int i = 0; i < parameters.length; i++) {
                query.setString(i + 1, parameters[i]);
            }
            try (ResultSet row = query.executeQuery()) {
                row.next();
                return row.getLong(1);
            }
        }
    }

    /** What a driver's own method says of the session; below 0: it is another driver. */
    private static long numberOf(Connection connection, String type, String method) {
        try {
            Class<?> own = Class.forName(type);
            return ((Number) own.getMethod(method).invoke(connection.unwrap(own))).longValue();
        } catch (ReflectiveOperationException | SQLException | LinkageError e) {
            return -1;
        }
    }

    /** Throws on if it is anything but that the table may not be read, or is not there. */
    private static void requireNoRight(SQLException e) throws SQLException {
        if (e.getSQLState() == null || !e.getSQLState().startsWith("42")) {
            throw e;
        }
    }

    private static int status(Connection connection, String name) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery("SHOW GLOBAL STATUS LIKE '" + name + "'")) {
            row.next();
            return row.getInt(2);
        }
    }

    /** Makes the tables where they are missing, by the script that users run too; some databases commit after each statement of it. */
    void createTables(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            for (String sql : script().replaceAll("(?m)^--.*$", "").split(";", -1)) {
                if (!sql.isBlank()) {
                    begin(connection);
                    statement.execute(sql);
                    connection.commit();
                }
            }
        }
    }

    private String script() {
        String name = "schema/" + name().toLowerCase(Locale.ROOT) + ".sql";
        try (InputStream stream = FleetSql.class.getResourceAsStream(name)) {
            return new String(Objects.requireNonNull(stream, name).readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(name, e);
        }
    }
}
