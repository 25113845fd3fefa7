package dev.weir.lab.contender;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import javax.sql.DataSource;

/** An open pool. Thread-safe as the pool is. */
public interface PoolUnderTest extends AutoCloseable {

    /** Returns what users get their connections from. */
    DataSource dataSource();

    /** Returns what the pool says about itself; asking may cost what the pool makes of it. */
    Counts counts();

    /**
     * Closes the pool.
     *
     * @throws SQLException if it cannot
     */
    @Override
    void close() throws SQLException;

    /**
     * Holds so many connections at one time, so that all exist afterwards.
     *
     * @throws SQLException if one cannot be had
     */
    default void fill(int size) throws SQLException {
        List<Connection> held = new ArrayList<>(size);
        try {
            for (int i = 0; i < size; i++) {
                held.add(dataSource().getConnection());
            }
        } finally {
            for (Connection connection : held) {
                connection.close();
            }
        }
    }

    /** Returns a pool made of its parts; what closing throws beyond SQLException is wrapped in one. */
    static PoolUnderTest of(DataSource dataSource, Supplier<Counts> counts, Closer closer) {
        return new PoolUnderTest() {
            @Override
            public DataSource dataSource() {
                return dataSource;
            }

            @Override
            public Counts counts() {
                return counts.get();
            }

            @Override
            public void close() throws SQLException {
                try {
                    closer.close();
                } catch (SQLException | RuntimeException e) {
                    throw e;
                } catch (Exception e) {
                    throw new SQLException("the pool could not be closed: " + e.getMessage(), e);
                }
            }
        };
    }

    /** Closes a pool, whatever it may throw. */
    @FunctionalInterface
    interface Closer {
        void close() throws Exception;
    }
}
