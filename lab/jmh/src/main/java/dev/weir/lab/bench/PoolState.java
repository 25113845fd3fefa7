package dev.weir.lab.bench;

import dev.weir.lab.contender.Contender;
import dev.weir.lab.contender.Pooled;
import dev.weir.lab.stub.StubDataSource;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
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

    @Param({"weir", "hikari", "beecp", "raw"})
    public String pool = "weir";

    private Pooled pooled = new Pooled(new StubDataSource(), () -> {});

    abstract int size();

    @Setup(Level.Trial)
    public void open() throws SQLException {
        pooled = Contender.named(pool).openFilled(new StubDataSource(), size(), TIMEOUT);
    }

    @TearDown(Level.Trial)
    public void close() throws SQLException {
        pooled.close();
    }

    final Connection connection() throws SQLException {
        return pooled.source().getConnection();
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
