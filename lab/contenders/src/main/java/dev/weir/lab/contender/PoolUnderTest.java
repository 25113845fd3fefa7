package dev.weir.lab.contender;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import javax.sql.DataSource;

/** An open pool. Thread-safe as the pool is. */
public final class PoolUnderTest implements AutoCloseable {
    private final DataSource dataSource;
    private final Supplier<Counts> counts;
    private final AutoCloseable closer;

    PoolUnderTest(DataSource dataSource, Supplier<Counts> counts, AutoCloseable closer) {
        this.dataSource = dataSource;
        this.counts = counts;
        this.closer = closer;
    }

    /** Returns where users get their connections. */
    public DataSource dataSource() {
        return dataSource;
    }

    /** Returns what the pool says about itself; asking may cost what the pool makes of it. */
    public Counts counts() {
        return counts.get();
    }

    /**
     * Holds so many connections at one time, so that all exist afterwards.
     *
     * @throws SQLException if one cannot be had
     */
    public void fill(int size) throws SQLException {
        List<Connection> held = new ArrayList<>(size);
        try {
            for (int i = 0; i < size; i++) {
                held.add(dataSource.getConnection());
            }
        } finally {
            for (Connection connection : held) {
                connection.close();
            }
        }
    }

    /**
     * Closes the pool.
     *
     * @throws SQLException if it cannot
     */
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
}
