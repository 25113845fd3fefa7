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
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.infra.Blackhole;

/** The pool of one measurement. */
@State(Scope.Benchmark)
public abstract class PoolState {
    private static final Duration TIMEOUT = Duration.ofSeconds(60);
    private static final String SQL = "SELECT amount FROM account WHERE id = ?";

    /** The pool, as {@link Contenders#parse} reads it. */
    @Param("weir")
    public String pool = "weir";

    /** How safe the pool is set up. */
    @Param("EQUAL")
    public Profile profile = Profile.EQUAL;

    private @Nullable PoolUnderTest underTest;
    private DataSource source = new StubDataSource();

    abstract int size();

    @Setup(Level.Trial)
    public void open() throws Exception {
        PoolSpec spec = spec().size(size(), size()).connectionTimeout(TIMEOUT);
        PoolUnderTest opened = Contenders.parse(pool, ExtraClassPath.loader()).open(spec, profile);
        underTest = opened;
        opened.fill(size());
        source = opened.dataSource();
    }

    /** Where the connections come from; the stub driver, unless a benchmark says otherwise. */
    PoolSpec spec() throws SQLException {
        return PoolSpec.of(source);
    }

    @TearDown(Level.Trial)
    public void close() throws SQLException {
        if (underTest != null) {
            underTest.close();
        }
    }

    final Connection connection() throws SQLException {
        return source.getConnection();
    }

    /**
     * Prepare, set, execute, read ten rows, close. The handles are shown to the blackhole, as an application shows them to
     * its mapper: in a method as small as this the compiler would otherwise drop objects that it drops nowhere else.
     */
    static int statementCycle(Connection connection, Blackhole blackhole) throws SQLException {
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
