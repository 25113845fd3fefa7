package dev.weir.internal.sessions;

import dev.weir.internal.settings.Settings;
import dev.weir.internal.text.Log;
import java.lang.System.Logger.Level;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The session of one physical connection: brings it to the configured state once, tests it, and brings it back after every
 * loan.
 *
 * <p>The value to go back to is the one that the connection had when it was prepared, outside of any transaction, before
 * anybody had it. It is never asked for later: the answer of a driver within a loan may hold for one transaction, or
 * come from SQL text of the holder. A property whose value could not be learnt then is unknown for good: a loan that sets it
 * is the connection's last, and after one that may have changed anything it is left as it is.
 *
 * <p>Most getters cost nothing. The others are asked for all at once where the dialect can: an answer of the server
 * also shows that the connection answers, so that such a connection is not tested besides.
 */
public final class Session {
    public static final int AUTO_COMMIT = 1;
    public static final int READ_ONLY = 1 << 1;
    public static final int ISOLATION = 1 << 2;
    public static final int CATALOG = 1 << 3;
    public static final int SCHEMA = 1 << 4;
    public static final int HOLDABILITY = 1 << 5;
    public static final int NETWORK_TIMEOUT = 1 << 6;
    public static final int TYPE_MAP = 1 << 7;
    public static final int CLIENT_INFO = 1 << 8;

    /** Every property that can be asked for and set again. */
    static final int PROPERTIES = (1 << 9) - 1;

    /** The user held the driver's own object, so anything may have changed. */
    public static final int UNWRAPPED = 1 << 9;

    /** Something changed that cannot be set back; the connection is not lent again. */
    public static final int UNRESTORABLE = 1 << 10;

    /** Changed, and there is no way to ask what from. */
    public static final int SHARDING = 1 << 11;

    /** Added to the bit of what was changed twice, so that the refusal of one change does not take back the other. */
    public static final int AGAIN_SHIFT = 12;

    private final Connection physical;
    private final Dialect dialect;
    private final @Nullable String resetSql;
    private final boolean requestBoundaries;

    /** The password that a CredentialsProvider gave for this connection; it is to stay out of messages. */
    private final @Nullable String given;

    // Written before the connection is first lent, and never again.
    /** The properties that the settings name, which {@code resetSql} may have swept away with the rest. */
    private int configured;

    public final SessionState state;
    private final Baseline baseline;
    private boolean autoCommit;

    /** Whether the server could write when the session was opened, or did not say. */
    private boolean writer;

    /** Whether the driver can. */
    private boolean clearsWarnings;

    /** Whether there is anything to do in {@link #cleanMore}. */
    private boolean cleansMore;

    private Session(Connection physical, Dialect dialect, Settings settings, @Nullable String given) {
        this.physical = physical;
        this.dialect = dialect;
        this.resetSql = settings.resetSql();
        this.requestBoundaries = settings.requestBoundaries();
        this.given = given;
        this.state = new SessionState(physical, dialect, settings.connectionInitSql());
        this.baseline = new Baseline(physical, dialect, resetSql != null);
    }

    /**
     * Brings a new physical connection to the configured state and leaves no transaction open. Blocks as long as the driver
     * does.
     *
     * @param given the password that a CredentialsProvider gave for it
     * @throws SQLException if anything of it fails, or the driver lacks the test that the settings ask for; the caller
     *     closes the connection
     */
    public static Session prepare(Connection physical, Settings settings, @Nullable String given) throws SQLException {
        Session session = new Session(physical, Dialect.of(physical, settings), settings, given);
        session.configured = session.baseline.configure(settings);
        session.initialize(settings);
        session.baseline.learn();
        session.noteUnread(settings);
        session.writer = !session.baseline.opensAsReader();
        session.noteSweptAway(settings);
        session.setAutoCommit(settings.autoCommit());
        session.checkTest(settings);
        session.cleansMore = session.requestBoundaries || session.resetSql != null || session.baseline.isFromServer();
        session.clearsWarnings = isTaken(physical::clearWarnings);
        session.tellLeftOut(settings);
        return session;
    }

    private interface Call {
        void call() throws SQLException;
    }

    /** Makes a call that a driver may not have; returns whether this one has it. */
    private static boolean isTaken(Call call) throws SQLException {
        try {
            call.call();
            return true;
        } catch (SQLException | RuntimeException | AbstractMethodError e) {
            if (!Baseline.isNotSupported(e)) {
                throw e;
            }
            return false;
        }
    }

    private void tellLeftOut(Settings settings) {
        String leftOut = baseline.unsupported();
        if (!clearsWarnings) {
            leftOut += leftOut.isEmpty() ? "warnings" : ", warnings";
        }
        if (!leftOut.isEmpty() && settings.isFirst("unsupported")) {
            Log.log(
                    Level.INFO,
                    "pool ''{0}'': {1} does not support {2}; the pool does without",
                    settings.poolName(),
                    physical.getClass().getName(),
                    leftOut);
        }
    }

    /** Runs the initial SQL, and leaves no transaction open. */
    private void initialize(Settings settings) throws SQLException {
        String sql = settings.connectionInitSql();
        if (sql != null) {
            forSetting("connectionInitSql", () -> Dialect.execute(physical, sql));
        }
        autoCommit = physical.getAutoCommit();
        baseline.settle(true);
    }

    /** A property that this driver does not tell cannot be compared with what it was; said once for a pool. */
    private void noteUnread(Settings settings) {
        String unread = baseline.unread();
        if (!unread.isEmpty() && settings.isFirst("unread")) {
            Log.log(
                    Level.INFO,
                    "pool ''{0}'': {1} fails to tell {2}; after a loan that unwraps a connection this is not set back",
                    settings.poolName(),
                    physical.getClass().getName(),
                    unread);
        }
    }

    /** The properties that {@code resetSql} sweeps away though the next user is to find them, as far as the driver tells them. */
    private void noteSweptAway(Settings settings) {
        if (settings.resetSql() != null) {
            configured |= baseline.known(CLIENT_INFO); // the driver set some after it connected
            if (settings.connectionInitSql() != null) {
                configured |= baseline.known(ISOLATION | CATALOG | SCHEMA);
            }
        }
    }

    private void setAutoCommit(@Nullable Boolean wanted) throws SQLException {
        if (wanted != null && wanted != autoCommit) {
            physical.setAutoCommit(wanted);
            autoCommit = wanted;
        }
    }

    /** A test that a new connection does not pass would have every connection closed before it is lent again. */
    private void checkTest(Settings settings) throws SQLException {
        String query = settings.connectionTestQuery();
        if (query != null) {
            forSetting("connectionTestQuery", () -> runTestQuery(query, seconds(settings.validationTimeoutNanos())));
        } else if (!baseline.isFromServer()) {
            checkIsValidExists(settings);
        }
        baseline.settle(false);
    }

    /** Runs the SQL of a setting; a failure has the setting's name. */
    private static void forSetting(String setting, Call call) throws SQLException {
        try {
            call.call();
        } catch (SQLException e) {
            throw new SQLException(
                    setting + " failed on a new connection: " + e.getMessage(), e.getSQLState(), e.getErrorCode(), e);
        }
    }

    private void checkIsValidExists(Settings settings) throws SQLException {
        boolean valid;
        try {
            valid = physical.isValid(seconds(settings.validationTimeoutNanos()));
        } catch (SQLException | RuntimeException | LinkageError e) { // a driver without it may throw any of these
            String state = Failures.sqlState(e);
            throw new SQLException(
                    "isValid() of driver " + physical.getClass().getName()
                            + " threw right after the connection was opened; set connectionTestQuery",
                    state == null ? "0A000" : state,
                    e);
        }
        if (!valid) {
            throw new SQLException(
                    "connection did not pass isValid() right after it was opened; if that is always so with driver "
                            + physical.getClass().getName() + ", set connectionTestQuery",
                    "08006");
        }
    }

    /** The password that a CredentialsProvider gave for this connection, to be kept out of messages; null if none did. */
    public @Nullable String given() {
        return given;
    }

    /** The description of the driver in messages: which dialect holds, through which class, and how exactly transactions are known. */
    public String describe() {
        return dialect.describe(physical);
    }

    /** Whether the settings make every loan read-only, so that a write refused for it says nothing of the server. */
    public boolean isReadOnlyByDefault() {
        return (configured & READ_ONLY) != 0 && baseline.isReadOnly();
    }

    /** The auto-commit of each loan until its user sets another. */
    public boolean isAutoCommit() {
        return autoCommit;
    }

    /**
     * Whether this failure, which would mean that the connection is of no more use, is but what SQL text brought about on a
     * connection that works on: a function that raises it, or a foreign server's that was passed on.
     */
    boolean outlives(SQLException failure) {
        return dialect.outlives(physical, failure);
    }

    /** Whether the driver has noticed already that the connection is gone; false where to ask might block. */
    public boolean isKnownDead() {
        return dialect.isKnownDead(physical);
    }

    /**
     * Tests the connection as the settings say, and leaves no transaction open.
     *
     * @throws SQLException if it did not pass; the driver's own failure where there is one
     */
    public void validate(Settings settings, long timeoutNanos) throws SQLException {
        String query = settings.connectionTestQuery();
        if (query != null) {
            runTestQuery(query, seconds(timeoutNanos));
        } else if (!physical.isValid(seconds(timeoutNanos))) {
            throw new SQLException("isValid() said no within " + seconds(timeoutNanos) + " s", "08006");
        }
        baseline.settle(false);
    }

    /** The name of the server, by its own account when the session was opened; null if it does not say. */
    public @Nullable String serverName() {
        return baseline.serverName();
    }

    /** Whether the server could write when the session was opened. A replica by design could not. */
    public boolean isWriter() {
        return writer;
    }

    /**
     * Of a session that could write when it was opened: whether it still can.
     *
     * @throws SQLException with SQLState 25006 if the server only reads now, as after a failover
     */
    public void checkRole() throws SQLException {
        if (writer) {
            boolean reader = dialect.isReader(physical, physical);
            baseline.settle(false);
            if (reader) {
                throw new SQLException("the server has become read-only", "25006");
            }
        }
    }

    /** Whether {@link #serverMaximum} asks anybody. */
    public boolean tellsServerMaximum() {
        return dialect != Dialect.GENERIC;
    }

    /**
     * The number of connections that the server allows, as far as it says so to this user; 0 if it does not.
     *
     * @throws SQLException if the connection is not as before
     */
    public int serverMaximum() throws SQLException {
        int maximum = 0;
        try {
            maximum = dialect.serverMaximum(physical);
        } catch (SQLException | RuntimeException e) {
            Log.log(Level.DEBUG, "the server does not say how many connections it allows", e);
        }
        baseline.settle(false);
        return maximum;
    }

    private void runTestQuery(String query, int seconds) throws SQLException {
        try (Statement statement = physical.createStatement()) {
            boolean bounded = false;
            int before = 0;
            try {
                before = statement.getQueryTimeout();
                statement.setQueryTimeout(seconds);
                bounded = true;
            } catch (SQLException | RuntimeException | AbstractMethodError e) {
                // Some drivers refuse it with a plain SQLException. The caller's deadline bounds the test all the same.
            }
            statement.execute(query);
            if (bounded) {
                statement.setQueryTimeout(before); // H2 keeps it for all statements of the connection
            }
        }
    }

    /** JDBC counts in whole seconds, and takes 0 for 'no limit'. */
    private static int seconds(long nanos) {
        long up = nanos / TimeUnit.SECONDS.toNanos(1) + (nanos % TimeUnit.SECONDS.toNanos(1) > 0 ? 1 : 0);
        return (int) Math.max(1, Math.min(up, Integer.MAX_VALUE));
    }

    /**
     * Brings the connection back to what it was before the loan: rolls back, clears the warnings, resets, restores.
     *
     * <p>{@code resetSql} comes before the restoring, because what it sweeps away (DISCARD ALL: all of it) includes what the
     * settings ask for.
     *
     * @param changed the bits of what was changed
     * @param work whether a transaction may be open
     * @throws SQLException if any of it failed; the connection must not be lent again
     */
    public void clean(int changed, boolean work) throws SQLException {
        boolean auto = physical.getAutoCommit();
        boolean idle = !rollback(changed, work, auto);
        int restore = changed == 0 ? 0 : baseline.toRestore(changed);
        if (clearsWarnings) {
            physical.clearWarnings();
        }
        if (cleansMore) {
            restore |= cleanMore();
            if (resetSql != null || requestBoundaries) {
                idle = false;
                state.forget();
            }
        }
        if (!idle) {
            auto = physical.getAutoCommit(); // of which a driver may hear with an answer only
        }
        if (auto != autoCommit) {
            restore |= AUTO_COMMIT; // changed by SQL text
        }
        if (restore != 0) {
            if ((restore & AUTO_COMMIT) != 0 && physical.getAutoCommit() != autoCommit) {
                physical.setAutoCommit(autoCommit);
            }
            baseline.restore(restore, (changed & UNWRAPPED) != 0);
            state.setBack(restore);
            baseline.settle(true);
            idle = false;
        }
        // Idle: nothing was sent since. But with auto-commit off, a call of another thread that ends only now may have
        // begun one.
        if (!idle || !autoCommit) {
            refuseOpenTransaction();
        }
    }

    /** Steps that only some settings and some servers ask for; returns what has to be restored for it. */
    private int cleanMore() throws SQLException {
        int restore = 0;
        if (requestBoundaries) {
            // Outside of a transaction, as drivers want it, and before the restoring: some set properties back.
            boolean ignored = isTaken(physical::endRequest);
            restore |= configured;
        }
        if (resetSql != null) {
            reset(resetSql);
            restore |= baseline.toRestore(configured);
        }
        return restore | baseline.changedByText(state.isKept());
    }

    public void beginRequest() throws SQLException {
        boolean ignored = isTaken(physical::beginRequest);
    }

    /** Rolls back if a transaction is open, or may be where the driver cannot tell. */
    public void rollback(int changed, boolean work) throws SQLException {
        boolean known = dialect.transactionState(physical) != TransactionState.UNKNOWN;
        boolean ignored = rollback(changed, work, !known && physical.getAutoCommit());
    }

    /** Returns whether it did; {@code auto}: auto-commit, as the driver knows it now. */
    private boolean rollback(int changed, boolean work, boolean auto) throws SQLException {
        TransactionState state = dialect.transactionState(physical);
        if (state == TransactionState.IDLE) {
            return false;
        }
        boolean unwrapped = (changed & UNWRAPPED) != 0;
        if (state == TransactionState.UNKNOWN) {
            return (work || unwrapped) && dialect.rollbackUnknown(physical, unwrapped, auto);
        }
        dialect.rollbackOpen(physical);
        return true;
    }

    /** Whether what is open now would be rolled back at the end of a loan that did nothing more. */
    public boolean endsTransactions() throws SQLException {
        return dialect.transactionState(physical) != TransactionState.UNKNOWN || !physical.getAutoCommit();
    }

    private void refuseOpenTransaction() throws SQLException {
        TransactionState state = dialect.transactionState(physical);
        if (state.isOpen()) {
            throw new SQLException("a transaction is still open after cleaning: " + state, "25000");
        }
    }

    /** Commands such as DISCARD ALL are refused inside a transaction, so autoCommit is on while it runs. */
    private void reset(String sql) throws SQLException {
        boolean before = physical.getAutoCommit();
        if (!before) {
            physical.setAutoCommit(true);
        }
        Dialect.execute(physical, sql);
        if (!before) {
            physical.setAutoCommit(false);
        }
    }
}
