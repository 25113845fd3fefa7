package dev.weir.lab.bench;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;

/** A connection of a pool of any size is acquired and given back; all of them are idle, or all but a few are held. */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class ManyCycle extends PoolState {
    /** How many connections the pool has. */
    @Param("1000")
    public int connections = 1_000;

    /** How many of them nobody holds for the whole time; 0: all. */
    @Param("0")
    public int free;

    private final List<Connection> held = new ArrayList<>();

    @Override
    int size() {
        return connections;
    }

    @Override
    public void open() throws Exception {
        super.open();
        for (int i = free == 0 ? connections : free; i < connections; i++) {
            held.add(connection());
        }
    }

    @Override
    public void close() throws SQLException {
        for (Connection connection : held) {
            connection.close();
        }
        super.close();
    }

    @Benchmark
    public Connection cycle() throws SQLException {
        try (Connection connection = connection()) {
            return connection;
        }
    }
}
