package dev.weir.lab.bench;

import dev.weir.lab.contender.PoolSpec;
import dev.weir.testkit.Await;
import dev.weir.testkit.servers.PostgresServer;
import java.sql.SQLException;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** A pool of connections to a PostgreSQL of its own, which have lain idle for a while before they are measured. */
public abstract class PostgresState extends PoolState {
    private static final Duration IDLE = Duration.ofSeconds(3);

    private @Nullable PostgresServer server;

    @Override
    int size() {
        return 4;
    }

    @Override
    PoolSpec.Builder spec() {
        PostgresServer started = PostgresServer.launch();
        server = started;
        return PoolSpec.of(started.jdbcUrl(), null, null);
    }

    /** What a pool does to idle sockets it has done by then. */
    @Override
    public void open() throws Exception {
        super.open();
        boolean ignored = Await.becomesTrue(IDLE, () -> false);
    }

    @Override
    public void close() throws SQLException {
        super.close();
        if (server != null) {
            server.close();
        }
    }
}
