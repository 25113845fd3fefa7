package dev.weir.internal.sessions;

import dev.weir.internal.settings.Settings;
import dev.weir.internal.text.Log;
import java.lang.System.Logger.Level;
import java.sql.Connection;
import java.sql.SQLException;
import org.jspecify.annotations.Nullable;

/**
 * The dialect of a driver behind a wrapper: P6Spy, datasource-proxy, OpenTelemetry's JDBC, the AWS wrapper, whatever
 * implements {@link Connection#unwrap}. SQL and every change go through the wrapper, which may log, count or keep a state of
 * its own. The driver's connection is only asked for what the driver keeps in memory.
 *
 * <p>A wrapper may put another connection under itself at any time, so the driver's is asked for anew each time. And it
 * may err. So it is believed only after a trial on each new connection: the driver's connection must tell of a
 * transaction that was begun and ended as SQL text through the wrapper. A PgBouncer that lends sessions for a statement
 * closes the connection at that, so a pool that was told so once makes no further trial. After a trial that was passed,
 * the driver's word may add a rollback. It never spares one that would be made without it.
 */
final class WrappedDialect extends Dialect {
    /** The note, logged once, of a pool whose server refused the trial. */
    private static final String NO_TRANSACTIONS = "transactions";

    private final Dialect known;

    /** The type by which the dialect knows the driver's connection. */
    private final Class<?> type;

    private WrappedDialect(Dialect known, Class<?> type) {
        this.known = known;
        this.type = type;
    }

    /**
     * The dialect, if the wrapper shows the connection of a driver that is known; else null.
     *
     * @throws SQLException if the trial began a transaction that cannot be ended
     */
    static @Nullable Dialect find(Connection wrapper, Settings settings) throws SQLException {
        if (settings.isSaid(NO_TRANSACTIONS)) {
            return null;
        }
        for (String name : new String[] {PostgresDialect.CONNECTION, MySqlDialect.MARIADB, MySqlDialect.MYSQL}) {
            Class<?> type = visibleTo(wrapper.getClass(), name);
            if (type != null && isWrapper(wrapper, type)) {
                Connection own = unwrapped(wrapper, type);
                Dialect known = own == null ? null : Dialect.ofDriver(own);
                WrappedDialect found = known == null ? null : new WrappedDialect(known, type);
                if (found == null || found.standsTheTrial(wrapper, settings)) {
                    return found;
                }
                found.endTrial(wrapper);
                return null;
            }
        }
        return null;
    }

    private static @Nullable Class<?> visibleTo(Class<?> wrapper, String name) {
        for (ClassLoader loader : new ClassLoader[] {wrapper.getClassLoader(), Dialect.class.getClassLoader()}) {
            try {
                return Class.forName(name, false, loader);
            } catch (ClassNotFoundException | LinkageError e) {
                // the driver is not there, or the other one sees it
            }
        }
        return null;
    }

    private static boolean isWrapper(Connection wrapper, Class<?> type) {
        try {
            return wrapper.isWrapperFor(type);
        } catch (SQLException | RuntimeException | LinkageError e) {
            return false;
        }
    }

    /** The driver's connection of now; null if the wrapper does not show it. */
    private static @Nullable Connection unwrapped(Connection wrapper, Class<?> type) {
        try {
            Object own = wrapper.unwrap(type);
            return type.isInstance(own) ? (Connection) own : null;
        } catch (SQLException | RuntimeException | LinkageError e) {
            return null;
        }
    }

    private @Nullable Connection unwrapped(Connection wrapper) {
        return unwrapped(wrapper, type);
    }

    private boolean standsTheTrial(Connection wrapper, Settings settings) {
        try {
            boolean before = transactionState(wrapper).isOpen();
            execute(wrapper, "BEGIN");
            boolean begun = transactionState(wrapper).isOpen();
            execute(wrapper, "ROLLBACK");
            return !before && begun && !transactionState(wrapper).isOpen();
        } catch (SQLException e) {
            if ("08P01".equals(e.getSQLState()) && settings.isFirst(NO_TRANSACTIONS)) {
                Log.log(
                        Level.INFO,
                        "pool ''{0}'': no transaction can be begun as text; BEGIN as text is not seen: {1}",
                        settings.poolName(),
                        settings.textOf(e, null));
            }
            return false; // not the database that the driver is for; if it is the network, the next call says so
        } catch (RuntimeException | LinkageError e) {
            return false;
        }
    }

    /** The trial may have ended in the midst of it, where the wrapper refuses to run ROLLBACK as text, or to close a statement. */
    private void endTrial(Connection wrapper) throws SQLException {
        boolean open;
        try {
            open = transactionState(wrapper).isOpen();
        } catch (RuntimeException | LinkageError e) {
            return; // most likely it said so before anything began
        }
        if (open) {
            rollbackOpen(wrapper);
        }
    }

    @Override
    String name() {
        return known.name();
    }

    @Override
    public TransactionState transactionState(Connection physical) {
        Connection own = unwrapped(physical);
        TransactionState state = own == null ? TransactionState.UNKNOWN : known.transactionState(own);
        return state.isOpen() ? state : TransactionState.UNKNOWN;
    }

    @Override
    long sessionId(Connection physical) {
        Connection own = unwrapped(physical);
        return own == null ? 0 : known.sessionId(own);
    }

    @Override
    @Nullable
    SessionValues sessionValues(Connection physical) throws SQLException {
        return known.sessionValues(physical);
    }

    @Override
    void restore(Connection physical, @Nullable Connection own, SessionValues before, int bits) throws SQLException {
        known.restore(physical, unwrapped(physical), before, bits);
    }

    @Override
    int changedByText(Connection physical, SessionValues before, boolean kept) {
        Connection own = unwrapped(physical);
        return own == null ? 0 : known.changedByText(own, before, kept);
    }

    @Override
    boolean isReader(Connection physical, @Nullable Connection own) throws SQLException {
        return known.isReader(physical, unwrapped(physical));
    }

    @Override
    int serverMaximum(Connection physical) throws SQLException {
        return known.serverMaximum(physical);
    }

    @Override
    boolean outlives(Connection physical, SQLException failure) {
        Connection own = unwrapped(physical);
        return own != null && known.outlives(own, failure);
    }

    @Override
    void removeClientInfo(Connection physical, String name) throws SQLException {
        known.removeClientInfo(physical, name);
    }
}
