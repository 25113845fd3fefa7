package dev.weir.cli.demo;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.concurrent.ThreadLocalRandom;

/**
 * The demo's table, in SQL that every database knows. Money only moves from one account to another, so that its sum shows
 * whether each transaction was done whole or not at all.
 */
final class Accounts {
    static final int COUNT = 1_000;
    static final int EACH = 1_000;

    private final String table =
            "weir_demo_" + Integer.toUnsignedString(ThreadLocalRandom.current().nextInt(), 36);

    String table() {
        return table;
    }

    void create(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.executeUpdate("CREATE TABLE " + table + " (id INT NOT NULL PRIMARY KEY, amount INT NOT NULL)");
        }
    }

    void fill(Connection connection) throws SQLException {
        connection.setAutoCommit(false);
        try (PreparedStatement insert =
                connection.prepareStatement("INSERT INTO " + table + " (id, amount) VALUES (?, ?)")) {
            for (int id = 0; id < COUNT; id++) {
                insert.setInt(1, id);
                insert.setInt(2, EACH);
                insert.addBatch();
            }
            insert.executeBatch();
        }
        connection.commit();
    }

    void drop(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.executeUpdate("DROP TABLE " + table);
        }
    }

    int read(Connection connection, int id) throws SQLException {
        try (PreparedStatement query = connection.prepareStatement("SELECT amount FROM " + table + " WHERE id = ?")) {
            query.setInt(1, id);
            try (ResultSet rows = query.executeQuery()) {
                if (!rows.next()) {
                    throw new SQLException("account " + id + " is gone");
                }
                return rows.getInt(1);
            }
        }
    }

    /** Takes from one account, within a transaction that this opens and does not end. */
    void take(Connection connection, int id, int amount) throws SQLException {
        connection.setAutoCommit(false);
        add(connection, id, -amount);
    }

    void add(Connection connection, int id, int amount) throws SQLException {
        try (PreparedStatement update =
                connection.prepareStatement("UPDATE " + table + " SET amount = amount + ? WHERE id = ?")) {
            update.setInt(1, amount);
            update.setInt(2, id);
            update.executeUpdate();
        }
    }

    long total(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery("SELECT SUM(amount) FROM " + table)) {
            rows.next();
            return rows.getLong(1);
        }
    }
}
