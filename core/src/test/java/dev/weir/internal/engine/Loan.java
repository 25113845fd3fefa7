package dev.weir.internal.engine;

import dev.weir.Configured;
import dev.weir.PoolConfig;
import dev.weir.internal.handles.ConnectionHandle;
import dev.weir.internal.sessions.Session;
import dev.weir.internal.settings.Settings;
import dev.weir.internal.slots.Slot;
import dev.weir.spi.FailureClass;
import dev.weir.spi.Ticker;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.UnaryOperator;

/** Lends one physical connection at a time, from a pool that is never started, and lists the failures the pool is told of. */
public final class Loan {
    public final List<SQLException> failures = new CopyOnWriteArrayList<>();
    public final ConnectionPool pool;

    public Loan() {
        this(config -> config);
    }

    public Loan(UnaryOperator<PoolConfig.Builder> changes) {
        PoolConfig.Builder config = PoolConfig.builder().url("jdbc:none").failureClassifier(failure -> {
            failures.add(failure);
            return FailureClass.OTHER;
        });
        Settings settings = Configured.settings(changes.apply(config).build(), "lender");
        pool = LivePool.pool(
                settings,
                () -> {
                    throw new SQLException("opens nothing");
                },
                Ticker.system());
    }

    public Slot slot(Connection physical) throws SQLException {
        Slot slot = new Slot(pool.returning, physical, Session.prepare(physical, pool.settings, null), 1, 0, null);
        slot.setIdleVolatile();
        return slot;
    }

    public static ConnectionHandle lend(Slot slot) {
        if (!slot.tryAcquire()) {
            throw new IllegalStateException("not idle, but " + slot.state());
        }
        return ConnectionHandle.lent(slot);
    }

    public ConnectionHandle lend(Connection physical) throws SQLException {
        return lend(slot(physical));
    }
}
