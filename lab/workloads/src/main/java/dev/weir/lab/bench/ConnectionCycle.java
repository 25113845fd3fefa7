package dev.weir.lab.bench;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;

/** A connection is acquired and given back, with a connection for every thread. */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class ConnectionCycle extends PoolState {

    @Override
    int size() {
        return 32;
    }

    @Benchmark
    public Connection cycle() throws SQLException {
        try (Connection connection = connection()) {
            return connection;
        }
    }
}
