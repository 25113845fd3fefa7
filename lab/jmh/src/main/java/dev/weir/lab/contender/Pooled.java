package dev.weir.lab.contender;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import javax.sql.DataSource;

/** An open pool, and how to close it. */
public record Pooled(DataSource source, Closer closer) implements AutoCloseable {

    /** Closes a pool. */
    @FunctionalInterface
    public interface Closer {
        void close() throws SQLException;
    }

    /** Holds all connections at one time, so that all exist. */
    void fill(int size) throws SQLException {
        List<Connection> held = new ArrayList<>(size);
        try {
            for (int i = 0; i < size; i++) {
                held.add(source.getConnection());
            }
        } finally {
            for (Connection connection : held) {
                connection.close();
            }
        }
    }

    @Override
    public void close() throws SQLException {
        closer.close();
    }
}
