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
    POSTGRESQL("FOR UPDATE", "SELECT CAST(extract(epoch FROM clock_timestamp()) * 1000 AS bigint)") {
        /** Of a pause inside a transaction, the server makes an end: it would hold up the whole fleet. */
        @Override
        void begin(Connection connection) throws SQLException {
            try (Statement statement = connection.createStatement()) {
                statement.execute("SET LOCAL lock_timeout = " + WAIT_MILLIS
                        + "; SET LOCAL statement_timeout = " + WAIT_MILLIS
                        + "; SET LOCAL idle_in_transaction_session_timeout = " + WAIT_MILLIS);
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

        @Override
        String insertFleetOnce() {
            return INSERT_FLEET + " ON CONFLICT (fleet) DO NOTHING";
        }

        @Override
        Map<String, Integer> sessions(Connection connection, String prefix) throws SQLException {
            Map<String, Integer> sessions = new HashMap<>();
            try (PreparedStatement query = connection.prepareStatement("SELECT application_name, count(*)"
                    + " FROM pg_stat_activity WHERE application_name LIKE ? GROUP BY application_name")) {
                query.setString(1, prefix + "%");
                try (ResultSet rows = query.executeQuery()) {
                    while (rows.next()) {
                        sessions.put(rows.getString(1), rows.getInt(2));
                    }
                }
            }
            return sessions;
        }

        /** Parallel workers and the like have no place of max_connections; of other users their kind is not shown. */
        @Override
        int places(Connection connection, String prefix) throws SQLException {
            String others = "(SELECT count(*) FROM pg_stat_activity WHERE datid IS NOT NULL AND usesysid IS NOT NULL"
                    + " AND coalesce(backend_type, 'client backend') = 'client backend'"
                    + " AND application_name NOT LIKE ?";
            String sql = "SELECT least("
                    + "current_setting('max_connections')::int"
                    + " - current_setting('superuser_reserved_connections')::int"
                    + " - coalesce(current_setting('reserved_connections', true), '0')::int - " + others + "), "
                    + "(SELECT CASE WHEN rolconnlimit >= 0 THEN rolconnlimit - " + others
                    + " AND usename = current_user) ELSE 2147483647 END FROM pg_roles WHERE rolname = current_user), "
                    + "(SELECT CASE WHEN datconnlimit >= 0 THEN datconnlimit - " + others
                    + " AND datname = current_database()) ELSE 2147483647 END"
                    + " FROM pg_database WHERE datname = current_database()))";
            return number(connection, sql, prefix + "%", prefix + "%", prefix + "%");
        }
    },
    MARIADB("FOR UPDATE", "SELECT CAST(UNIX_TIMESTAMP(NOW(3)) * 1000 AS SIGNED)") {
        @Override
        void begin(Connection connection) throws SQLException {
            try (Statement statement = connection.createStatement()) {
                statement.execute("SET SESSION innodb_lock_wait_timeout = " + WAIT_MILLIS / 1000);
                statement.execute(
                        connection.getMetaData().getDatabaseProductName().contains("MariaDB")
                                ? "SET SESSION idle_transaction_timeout = " + WAIT_MILLIS / 1000
                                : "SET SESSION wait_timeout = 15"); // ends a session that is idle between renewals too
            }
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

        @Override
        String insertFleetOnce() {
            return INSERT_FLEET.replaceFirst("INSERT", "INSERT IGNORE");
        }

        /** The process list has no name that a client gives itself. */
        @Override
        Map<String, Integer> sessions(Connection connection, String prefix) {
            return Map.of();
        }

        @Override
        int places(Connection connection, String prefix) throws SQLException {
            return number(
                    connection,
                    "SELECT CASE WHEN @@max_user_connections > 0"
                            + " THEN LEAST(@@max_connections, @@max_user_connections) ELSE @@max_connections END");
        }
    };

    /** The server gives a statement, a lock and an idle transaction up after this, the client a little later. */
    static final int WAIT_MILLIS = 2_000;

    static final String INSERT_FLEET =
            "INSERT INTO weir_fleet (fleet, budget, reserve, lease, forget, places, measured, turn, clock, server_clock)"
                    + " VALUES (?, ?, ?, ?, ?, 0, 0, 0, 0, 0)";

    private final String lock;
    private final String clock;

    FleetSql(String lock, String clock) {
        this.lock = lock;
        this.clock = clock;
    }

    static FleetSql of(Connection connection) throws SQLException {
        String product = connection.getMetaData().getDatabaseProductName();
        return switch (product) {
            case "PostgreSQL" -> POSTGRESQL;
            case "MariaDB", "MySQL" -> MARIADB;
            default ->
                throw new SQLException("fleet: " + product + " (expected: PostgreSQL, MariaDB or MySQL)", "0A000");
        };
    }

    abstract void begin(Connection connection) throws SQLException;

    abstract String upsert(String insert, String[] columns);

    abstract String insertFleetOnce();

    /** Sessions by their tag, of those whose tag begins so. */
    abstract Map<String, Integer> sessions(Connection connection, String prefix) throws SQLException;

    /** What the server has for members: its limits, less what others use now. */
    abstract int places(Connection connection, String prefix) throws SQLException;

    String lockFleet() {
        return "SELECT budget, reserve, lease, forget, places, measured, turn FROM weir_fleet WHERE fleet = ? " + lock;
    }

    /** Read by a statement of its own, when the lock is held. */
    long now(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(clock)) {
            row.next();
            return row.getLong(1);
        }
    }

    static int number(Connection connection, String sql, String... parameters) throws SQLException {
        try (PreparedStatement query = connection.prepareStatement(sql)) {
            for (int i = 0; i < parameters.length; i++) {
                query.setString(i + 1, parameters[i]);
            }
            try (ResultSet row = query.executeQuery()) {
                row.next();
                return row.getInt(1);
            }
        }
    }

    /** Makes the tables where they are missing, by the script that users run too. */
    void createTables(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            for (String sql : script().replaceAll("(?m)^--.*$", "").split(";", -1)) {
                if (!sql.isBlank()) {
                    statement.execute(sql);
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
