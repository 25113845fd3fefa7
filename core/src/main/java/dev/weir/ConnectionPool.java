package dev.weir;

import dev.weir.spi.Ticker;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/** The engine: stub with the signatures the other parts build on. */
final class ConnectionPool {
    final Settings settings;

    ConnectionPool(Settings settings, ConnectionSource source, Ticker ticker) {
        this.settings = settings;
    }

    void start() throws SQLException {}

    Connection acquire() throws SQLException {
        return java.sql.DriverManager.getConnection("stub");
    }

    /** A handle that touched nothing comes home. Does nothing unless {@code held} still owns the slot. */
    void releaseUntouched(Slot slot, long held) {}

    /** A claimed slot, cleaned, comes home; {@code used}: it spoke with the server since it was lent. */
    void release(Slot slot, boolean used) {}

    /** A claimed slot is given up; its physical connection is closed by a helper thread. Never throws. */
    void retire(Slot slot, RetireReason reason, @Nullable Throwable cause) {}

    /** The holder aborts: a claimed slot is given up, its physical connection is aborted on this executor. */
    void abort(Slot slot, Executor executor) throws SQLException {}

    /** A driver call on this slot threw: classify, and condemn the slot if it is gone. */
    void failed(Slot slot, SQLException failure) {}

    void suspend() {}

    void resume() {}

    void evictIdle() {}

    void evictAll() {}

    /** The limits or periods in {@link #settings} changed. */
    void settingsChanged() {}

    /** Who holds what, since when, running what; one line a connection. */
    String dump() {
        return "";
    }

    PoolStats stats() {
        return new PoolStats(0, 0, 0, 0, 0, 0, 0, 0, 0, java.util.Map.of(), null, null);
    }

    void close() {}
}
