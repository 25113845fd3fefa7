package dev.weir.internal.sessions;

import dev.weir.internal.settings.Settings;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.lang.reflect.UndeclaredThrowableException;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The answers of one family of drivers beyond JDBC; found by the class of the physical connection. The
 * meaning of a failure is in {@link Failures}. Methods that are looked up by name belong into
 * {@code reachability-metadata.json} too.
 */
public abstract class Dialect {

    /** Knows nothing beyond JDBC. */
    static final Dialect GENERIC = new Dialect() {
        @Override
        String name() {
            return "any";
        }

        @Override
        public TransactionState transactionState(Connection physical) {
            return TransactionState.UNKNOWN;
        }
    };

    /**
     * The dialect of the driver of this connection, which is new, also through a wrapper.
     *
     * @throws SQLException if the settings ask for a mode that gives sessions back by itself, and it is not known when nobody
     *     needs one any more
     */
    public static Dialect of(Connection physical, Settings settings) throws SQLException {
        Dialect dialect = ofDriver(physical);
        if (dialect == null) {
            dialect = WrappedDialect.find(physical, settings);
        }
        Dialect found = dialect == null ? GENERIC : dialect;
        String mode = settings.poolMode().equals("transaction")
                ? "poolMode: transaction (expected: session or lazy"
                : settings.config().sessionState() != null ? "sessionState: set (expected: none" : null;
        String fault = mode == null ? null : found.faultOfSharing(physical);
        if (fault != null) {
            throw new SQLFeatureNotSupportedException(mode + "; " + fault + ")", "0A000");
        }
        return found;
    }

    /** The dialect, if this connection is the driver's own and the driver is known. */
    static @Nullable Dialect ofDriver(Connection physical) {
        Dialect dialect = PostgresDialect.find(physical);
        return dialect == null ? MySqlDialect.find(physical.getClass()) : dialect;
    }

    /** The databases that it is for. */
    abstract String name();

    /** Its description in messages: for which databases, on what connection, and how exactly transactions are known. */
    final String describe(Connection physical) {
        Object named = Proxy.isProxyClass(physical.getClass()) ? Proxy.getInvocationHandler(physical) : physical;
        String driver = named.getClass().getName();
        if (this == GENERIC) {
            return "plain JDBC of " + driver + ", BEGIN as text is not seen";
        }
        return name() + (this instanceof WrappedDialect ? " through " + driver : "") + ", BEGIN as text is seen";
    }

    /** The class or interface of this name that a class is, extends or implements, or null. */
    static @Nullable Class<?> typeNamed(String name, Class<?> connection) {
        for (Class<?> type = connection; type != null; type = type.getSuperclass()) {
            if (type.getName().equals(name)) {
                return type;
            }
            for (Class<?> implemented : type.getInterfaces()) {
                if (implemented.getName().equals(name)) {
                    return implemented;
                }
            }
        }
        return null;
    }

    /** The chain of these public methods without parameters, as one function of the connection. */
    static MethodHandle getter(Class<?> result, Class<?> connection, String... names)
            throws ReflectiveOperationException {
        MethodHandle chain = MethodHandles.identity(connection);
        Class<?> type = connection;
        for (String name : names) {
            Method method = type.getMethod(name);
            MethodType step = MethodType.methodType(method.getReturnType(), type);
            chain = MethodHandles.filterReturnValue(
                    chain, MethodHandles.publicLookup().unreflect(method).asType(step));
            type = method.getReturnType();
        }
        return chain.asType(MethodType.methodType(result, Connection.class));
    }

    /** The row that this query answers, as text. */
    static List<@Nullable String> row(Connection physical, String query) throws SQLException {
        List<@Nullable String> values = new ArrayList<>();
        try (Statement statement = physical.createStatement();
                ResultSet row = statement.executeQuery(query)) {
            int columns = row.next() ? row.getMetaData().getColumnCount() : 0;
            for (int i = 1; i <= columns; i++) {
                values.add(row.getString(i));
            }
        }
        return values;
    }

    static void execute(Connection physical, String sql) throws SQLException {
        try (Statement statement = physical.createStatement()) {
            statement.execute(sql);
        }
    }

    /** The exception of a getter of the driver that declares none. */
    static RuntimeException unchecked(Throwable thrown) {
        if (thrown instanceof Error error) {
            throw error;
        }
        return thrown instanceof RuntimeException unchecked ? unchecked : new UndeclaredThrowableException(thrown);
    }

    /** The server's transaction as the driver last heard of it; costs no round trip. */
    public abstract TransactionState transactionState(Connection physical);

    /**
     * Whether a transaction is open only in the driver's supposition, since a statement failed; costs no round trip.
     *
     * @param ended whether the user ended the transaction, and ran nothing since
     */
    boolean isSupposed(Connection physical, boolean ended) {
        return false;
    }

    /**
     * The server's number of the session, as the driver was told it: the process at PostgreSQL, the thread at MariaDB and MySQL; 0
     * where it does not tell. Costs no round trip.
     */
    long sessionId(Connection physical) {
        return 0;
    }

    /** What {@link SessionState} needs, for this session; null unless it is known what an SQL text may leave on it. */
    @Nullable
    SessionSql sessionSql(Connection physical) {
        return null;
    }

    /** The reason why sessions cannot be shared by many users of the pool; null if they can. */
    @Nullable
    String faultOfSharing(Connection physical) throws SQLException {
        return "it needs PostgreSQL's own driver or MariaDB's, and this is " + describe(physical);
    }

    /**
     * Ends the open transaction, whatever auto-commit is: {@code BEGIN} as text opens one that rollback() refuses to end
     * while it is on.
     */
    void rollbackOpen(Connection physical) throws SQLException {
        boolean byText = physical.getAutoCommit();
        if (byText) {
            physical.setAutoCommit(false);
        }
        physical.rollback();
        if (byText) {
            physical.setAutoCommit(true);
        }
    }

    /**
     * After work: ends the transaction that may be open where the state is {@link TransactionState#UNKNOWN}; returns whether
     * it was told to, since none may be where auto-commit is on.
     *
     * @param unwrapped whether the holder had the driver's own object
     * @param auto the driver's auto-commit
     */
    boolean rollbackUnknown(Connection physical, boolean unwrapped, boolean auto) throws SQLException {
        if (!auto) {
            physical.rollback();
        }
        return !auto;
    }

    /**
     * Asks the server, past what the driver keeps, for what stands behind some of JDBC's properties; in one round trip, and
     * outside of any transaction but what the question itself opens. Null where JDBC's own getters are all there is.
     */
    @Nullable
    SessionValues sessionValues(Connection physical) throws SQLException {
        return null;
    }

    /**
     * Sets back at the server what {@link #sessionValues} learnt, whatever the driver believes, and sees to it that the driver
     * believes it.
     *
     * @param own the driver's connection, which is {@code physical} unless that is a wrapper; null if it does not show it
     * @param bits those of the properties covered that are to be set back; others may be
     */
    void restore(Connection physical, @Nullable Connection own, SessionValues before, int bits) throws SQLException {}

    /**
     * The properties that the server has told the driver of by itself, and that are not as {@link #sessionValues} learnt them:
     * SQL text changed them. Costs no round trip.
     *
     * @param kept whether {@link SessionState} keeps account of what texts set
     */
    int changedByText(Connection physical, SessionValues before, boolean kept) {
        return 0;
    }

    /**
     * Whether the server of this session only reads now; asks it, in one round trip, where the driver does not hear of it.
     *
     * @param own as for {@link #restore}
     */
    boolean isReader(Connection physical, @Nullable Connection own) throws SQLException {
        return false;
    }

    /**
     * Asks the server how many connections it allows, to all its clients together or to this user or database, whichever is
     * less, without those that it reserves; 0 if it does not say.
     */
    int serverMaximum(Connection physical) throws SQLException {
        return 0;
    }

    /** The least of these numbers that is above 0; 0 if there is none. */
    static int leastOf(List<@Nullable String> numbers) {
        int least = 0;
        for (String number : numbers) {
            int read = number == null ? 0 : Integer.parseInt(number);
            if (read > 0 && (least == 0 || read < least)) {
                least = read;
            }
        }
        return least;
    }

    /** Whether the connection works on after a failure whose state says that it is gone, or of no use. */
    boolean outlives(Connection physical, SQLException failure) {
        return false;
    }

    /** Whether the driver knows that the connection is gone; false where the answer might wait for a lock or the network. */
    final boolean isKnownDead(Connection physical) {
        return this != GENERIC && !(this instanceof WrappedDialect) && isClosed(physical);
    }

    /** {@link Connection#isClosed()} of a driver that answers it from memory. */
    static boolean isClosed(Connection physical) {
        try {
            return physical.isClosed();
        } catch (SQLException e) {
            return true;
        }
    }

    /** Removes one entry of the client info. */
    void removeClientInfo(Connection physical, String name) throws SQLException {
        physical.setClientInfo(name, null);
    }
}
