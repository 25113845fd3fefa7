package dev.weir.lab.bench;

import dev.weir.lab.contender.Contenders;
import dev.weir.lab.contender.ExtraClassPath;
import dev.weir.lab.contender.PoolSpec;
import dev.weir.lab.contender.PoolUnderTest;
import dev.weir.lab.contender.Profile;
import dev.weir.lab.stub.StubDataSource;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.infra.Blackhole;

/** The cycles that JMH measures, on the pool of one measurement and the stub driver. */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class Cycle {
    private static final String SQL = "SELECT amount FROM account WHERE id = ?";

    /** The pool, as {@link Contenders#parse} reads it. */
    @Param("weir")
    public String pool = "weir";

    /** How safe the pool is set up. */
    @Param("EQUAL")
    public Profile profile = Profile.EQUAL;

    /** Connections of the pool; of more than threads each has one of its own. */
    @Param("32")
    public int size = 32;

    private @Nullable PoolUnderTest underTest;
    private DataSource source = new StubDataSource();

    @Setup(Level.Trial)
    public void open() throws Exception {
        PoolSpec spec = PoolSpec.of(source).size(size, size).connectionTimeout(Duration.ofSeconds(60));
        PoolUnderTest opened = Contenders.parse(pool, ExtraClassPath.loader()).open(spec, profile);
        underTest = opened;
        opened.fill(size);
        source = opened.dataSource();
    }

    @TearDown(Level.Trial)
    public void close() throws SQLException {
        if (underTest != null) {
            underTest.close();
        }
    }

    /** The connection of one thread. */
    @State(Scope.Thread)
    public static class Held {
        private @Nullable Connection connection;

        @Setup
        public void acquire(Cycle cycle) throws SQLException {
            connection = cycle.source.getConnection();
        }

        @TearDown
        public void release() throws SQLException {
            if (connection != null) {
                connection.close();
            }
        }
    }

    /** A connection is acquired and returned at once. */
    @Benchmark
    public Connection connection() throws SQLException {
        try (Connection connection = source.getConnection()) {
            return connection;
        }
    }

    /** A statement on a connection that the thread holds. */
    @Benchmark
    public int statement(Held held, Blackhole blackhole) throws SQLException {
        return held.connection == null ? 0 : statementCycle(held.connection, blackhole);
    }

    /** An application's cycle: a connection, a statement on it, and both returned. */
    @Benchmark
    public int full(Blackhole blackhole) throws SQLException {
        try (Connection connection = source.getConnection()) {
            blackhole.consume(connection);
            return statementCycle(connection, blackhole);
        }
    }

    /**
     * Prepare, set, execute, read ten rows, close. The handles are shown to the blackhole, as an application shows them to
     * its mapper: in a method as small as this the compiler would otherwise drop objects that it drops nowhere else.
     */
    private static int statementCycle(Connection connection, Blackhole blackhole) throws SQLException {
        int sum = 0;
        try (PreparedStatement statement = connection.prepareStatement(SQL)) {
            blackhole.consume(statement);
            statement.setInt(1, 42);
            try (ResultSet rows = statement.executeQuery()) {
                blackhole.consume(rows);
                while (rows.next()) {
                    sum += rows.getInt(1);
                }
            }
        }
        return sum;
    }
}
