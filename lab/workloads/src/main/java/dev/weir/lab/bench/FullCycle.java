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
import org.openjdk.jmh.infra.Blackhole;

/** What an application does: acquire, prepare, set, execute, read ten rows, close everything. */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class FullCycle extends PoolState {

    @Override
    int size() {
        return 32;
    }

    @Benchmark
    public int cycle(Blackhole blackhole) throws SQLException {
        try (Connection connection = connection()) {
            blackhole.consume(connection);
            return statementCycle(connection, blackhole);
        }
    }
}
