package dev.weir.cli.tune;

import java.sql.Connection;
import java.sql.ParameterMetaData;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Types;
import java.util.List;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * The statement that is run again and again, each time in a transaction of its own with one row of parameters: committed
 * if it may write, else read-only and rolled back. Immutable.
 */
final class Query {
    private final String sql;
    private final List<List<String>> rows;
    private final boolean write;
    /** Of each parameter, from {@link Types}; null where the driver does not tell. */
    private final @Nullable List<Integer> types;

    private Query(String sql, List<List<String>> rows, boolean write, @Nullable List<Integer> types) {
        this.sql = sql;
        this.rows = rows;
        this.write = write;
        this.types = types;
    }

    /**
     * Asks the database for the parameters of the statement, sets them from each row, and runs it with the first.
     *
     * @param rows one value for each parameter; none for a statement without parameters
     * @throws TuneFailure if the rows do not fit the statement
     * @throws SQLException if the database refuses the statement
     */
    static Query check(Connection connection, String sql, List<List<String>> rows, boolean write)
            throws SQLException, TuneFailure {
        List<Integer> types = null;
        int count = rows.isEmpty() ? 0 : rows.get(0).size();
        prepare(connection, write);
        try (PreparedStatement statement = connection.prepareStatement(sql)) {
            ParameterMetaData parameters = statement.getParameterMetaData();
            count = parameters.getParameterCount();
            types = typesOf(parameters, count);
        } catch (SQLException e) {
            // Some drivers cannot tell; then the statement itself shows whether the rows fit.
            types = null;
        }
        connection.rollback();
        if (rows.isEmpty() && count > 0) {
            throw new TuneFailure("--sql has " + count + " parameters: --params FILE must give their values");
        }
        for (int i = 0; i < rows.size(); i++) {
            if (rows.get(i).size() != count) {
                throw new TuneFailure("--params: row " + (i + 1) + " has "
                        + rows.get(i).size() + " values (expected: " + count + ", the parameters of --sql)");
            }
        }
        Query query = new Query(sql, rows, write, types);
        query.bindEach(connection);
        query.run(connection, 0, statement -> {});
        return query;
    }

    /** Here many drivers see already that a value is none of its type. */
    private void bindEach(Connection connection) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(sql)) {
            for (int row = 0; row < rows.size(); row++) {
                try {
                    bind(statement, row);
                } catch (SQLException e) {
                    throw new SQLException(rowOf(row), e.getSQLState(), e);
                }
            }
        }
    }

    /** Names the parameters of {@link #run}; empty if there are none. */
    String rowOf(int number) {
        return rows.isEmpty() ? "" : "row " + (Math.floorMod(number, rows.size()) + 1) + " of --params";
    }

    private static @Nullable List<Integer> typesOf(ParameterMetaData parameters, int count) throws SQLException {
        Integer[] types = new Integer[count];
        for (int i = 0; i < count; i++) {
            types[i] = parameters.getParameterType(i + 1);
        }
        return List.of(types);
    }

    /** Makes a connection ready for {@link #run}. */
    void prepare(Connection connection) throws SQLException {
        prepare(connection, write);
    }

    private static void prepare(Connection connection, boolean write) throws SQLException {
        connection.setReadOnly(!write);
        connection.setAutoCommit(false);
    }

    boolean isWrite() {
        return write;
    }

    /**
     * Runs the statement once and reads all its rows.
     *
     * @param number which row of parameters, counted round and round
     * @param current is told the statement before it runs, so that it can be cancelled
     */
    void run(Connection connection, int number, Consumer<PreparedStatement> current) throws SQLException {
        boolean done = false;
        try (PreparedStatement statement = connection.prepareStatement(sql)) {
            bind(statement, number);
            current.accept(statement);
            if (statement.execute()) {
                try (ResultSet result = statement.getResultSet()) {
                    while (result.next()) {
                        // Every row is fetched, as a user would.
                    }
                }
            }
            done = true;
        } finally {
            if (done && write) {
                connection.commit();
            } else {
                connection.rollback();
            }
        }
    }

    private void bind(PreparedStatement statement, int number) throws SQLException {
        if (rows.isEmpty()) {
            return;
        }
        List<String> row = rows.get(Math.floorMod(number, rows.size()));
        for (int i = 0; i < row.size(); i++) {
            String value = row.get(i);
            int type = types == null ? Types.VARCHAR : types.get(i);
            if (value.isEmpty() && type != Types.VARCHAR && type != Types.CHAR) {
                statement.setNull(i + 1, type);
            } else {
                statement.setObject(i + 1, value, type);
            }
        }
    }
}
