package dev.weir.internal.keeping;

import dev.weir.internal.sessions.Session;
import dev.weir.internal.settings.Settings;
import dev.weir.internal.shared.PoolState;
import dev.weir.internal.slots.Slot;
import dev.weir.internal.text.Log;
import dev.weir.internal.working.Test;
import java.lang.System.Logger.Level;
import java.sql.SQLException;

/**
 * Compares, once, what the pool may open with what the server allows. The Keeper has the first connection that lies idle while
 * nobody waits ask for it, on a worker; a server that does not answer costs nothing but that.
 */
public final class ServerMaximum implements Test.Question {
    private final PoolState pool;
    private final Testing testing;

    /** The Keeper's. */
    private boolean asked;

    public ServerMaximum(PoolState pool, Testing testing) {
        this.pool = pool;
        this.testing = testing;
    }

    /** Asks, unless it did, by the Keeper; returns when to try again. */
    long askOnce(long now) {
        if (asked || pool.slots.live() == 0) {
            return Long.MAX_VALUE;
        }
        asked = true; // unless some session knows it, and none is idle so far
        for (Slot slot : pool.slots.all()) {
            boolean known = slot.session.tellsServerMaximum();
            asked &= !known;
            if (known && pool.queue.sizeVolatile() == 0 && slot.isIdle() && slot.tryTest()) {
                testing.start(slot, this, now);
                asked = true;
                return Long.MAX_VALUE;
            }
        }
        return Long.MAX_VALUE; // if all are held, at a later turn, whatever it is for
    }

    @Override
    public void ask(Session session) throws SQLException {
        int maximum = session.serverMaximum();
        pool.serverMaximum = maximum;
        Settings settings = pool.settings;
        if (maximum > 0 && maximum < settings.maximumPoolSize()) {
            Log.log(
                    Level.WARNING,
                    "pool '" + settings.poolName() + "': maximumPoolSize " + settings.maximumPoolSize()
                            + ", but the server allows " + maximum
                            + " connections to all its clients, this user or this database: connects above that fail,"
                            + " unless a pooler such as PgBouncer stands between");
        }
    }
}
