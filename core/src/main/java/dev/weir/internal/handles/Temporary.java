package dev.weir.internal.handles;

import dev.weir.internal.sessions.Baseline;
import java.sql.SQLException;
import java.sql.Statement;
import org.jspecify.annotations.Nullable;

/** An object that a loan made and has to free at its end unless its user does: a large object, an array, a savepoint. */
final class Temporary extends Tracked {

    /** The call that frees it. */
    @FunctionalInterface
    interface End {
        void free() throws SQLException;
    }

    // Plain, as in every Tracked: a thread that misses the end frees it again, which JDBC defines as a no-op.
    private @Nullable Object value;
    private @Nullable End end;

    Temporary(ConnectionHandle connection, Object value, End end) {
        super(connection);
        this.value = value;
        this.end = end;
    }

    boolean isOf(Object other) {
        return value == other;
    }

    @Override
    Object physical() throws SQLException {
        Object kept = value;
        if (kept == null) {
            throw connection.closedException();
        }
        return kept;
    }

    /** A driver that cannot free it has nothing to free. */
    @Override
    void closePhysical() throws SQLException {
        End known = end;
        markClosed();
        if (known != null) {
            connection.markWork(); // to free a large object may write what a stream of it held back
            try {
                known.free();
            } catch (SQLException | RuntimeException | AbstractMethodError e) {
                if (!Baseline.isNotSupported(e)) {
                    throw e;
                }
            }
        }
    }

    /** Not even for the rest of the loan: it may be large. */
    @Override
    void forgetPhysical() {
        value = null;
        end = null;
    }

    @Override
    void resultClosed() {}

    @Override
    @Nullable
    Statement statement() {
        return null;
    }
}
