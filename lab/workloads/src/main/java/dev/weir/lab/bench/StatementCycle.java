package dev.weir.lab.bench;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.infra.Blackhole;

/** A statement is prepared, set, executed, its ten rows read, and closed, on a connection that the thread holds. */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class StatementCycle extends PoolState {

    /** The connection of one thread. */
    @State(Scope.Thread)
    public static class Held {
        private @Nullable Connection connection;

        @Setup
        public void acquire(StatementCycle pool) throws SQLException {
            connection = pool.connection();
        }

        @TearDown
        public void release() throws SQLException {
            if (connection != null) {
                connection.close();
            }
        }
    }

    @Override
    int size() {
        return 32;
    }

    @Benchmark
    public int cycle(Held held, Blackhole blackhole) throws SQLException {
        return statementCycle(Objects.requireNonNull(held.connection), blackhole);
    }
}
