package dev.weir.internal.working;

import dev.weir.internal.settings.Settings;
import dev.weir.internal.shared.PoolState;
import dev.weir.internal.text.Log;
import java.lang.System.Logger.Level;
import java.sql.Connection;
import org.jspecify.annotations.Nullable;

/**
 * Closes one connection, which keeps a place until then. One that hangs is aborted by a second job, and its place is free when
 * the abort has returned: the socket is gone then, and with it the session.
 */
public final class Close extends Job {
    public final Connection physical;
    private final @Nullable String given;
    private final boolean aborts;

    /** The job that aborts it; null as long as its time is not up. The Keeper's. */
    @Nullable
    public Abort abort;

    /**
     * @param given the password that a CredentialsProvider gave for it
     * @param aborts whether to abort it first, so that closing it waits for no network
     */
    public Close(PoolState pool, Connection physical, @Nullable String given, boolean aborts, long startedNanos) {
        super(pool, startedNanos);
        this.physical = physical;
        this.given = given;
        this.aborts = aborts;
    }

    @Override
    public void call() {
        closeQuietly(physical, given, aborts, pool.settings);
    }

    static void closeQuietly(Connection physical, @Nullable String given, boolean aborts, Settings settings) {
        if (aborts) {
            abortQuietly(physical, given, settings);
        }
        try {
            physical.close();
        } catch (Throwable e) {
            Log.log(Level.DEBUG, "close failed; the connection is aborted", settings.redacted(e, given));
            if (!aborts) {
                abortQuietly(physical, given, settings);
            }
        }
    }

    private static void abortQuietly(Connection physical, @Nullable String given, Settings settings) {
        try {
            physical.abort(Runnable::run);
        } catch (Throwable e) {
            Log.log(Level.DEBUG, "abort failed", settings.redacted(e, given));
        }
    }

    /** Ends a close that hangs. */
    public static final class Abort extends Job {
        private final Close hung;

        public Abort(Close hung, long startedNanos) {
            super(hung.pool, startedNanos);
            this.hung = hung;
        }

        @Override
        public void call() {
            abortQuietly(hung.physical, hung.given, pool.settings);
        }
    }
}
