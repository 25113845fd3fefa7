package dev.weir;

import java.sql.Connection;
import java.sql.SQLClientInfoException;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;
import java.sql.Statement;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Properties;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The session of one physical connection: brings it to the configured state once, tests it, and brings it back after every
 * loan.
 *
 * <p>The value to go back to is the one that the connection had when it was prepared, outside of any transaction, before
 * anybody had it. It is never asked for later: what a driver answers within a loan may be what holds for one transaction, or
 * what the holder set as SQL text. A property whose value could not be learnt then is unknown for good, and a loan that
 * changes it is the connection's last.
 *
 * <p>Most getters cost nothing. The others are asked for all at once where the dialect can: what it has learnt from the server
 * also shows that the connection answers, so that such a connection is not tested besides.
 */
final class Session {
    static final int AUTO_COMMIT = 1;
    static final int READ_ONLY = 1 << 1;
    static final int ISOLATION = 1 << 2;
    static final int CATALOG = 1 << 3;
    static final int SCHEMA = 1 << 4;
    static final int HOLDABILITY = 1 << 5;
    static final int NETWORK_TIMEOUT = 1 << 6;
    static final int TYPE_MAP = 1 << 7;
    static final int CLIENT_INFO = 1 << 8;

    /** Every property that can be asked for and set again. */
    static final int PROPERTIES = (1 << 9) - 1;

    /** The user held the driver's own object, so anything may have changed. */
    static final int UNWRAPPED = 1 << 9;

    /** Something changed that cannot be set back; the connection is not lent again. */
    static final int UNRESTORABLE = 1 << 10;

    /** Changed, and there is no way to ask what from. */
    static final int SHARDING = 1 << 11;

    /** Added to the bit of what was changed twice, so that the refusal of one change does not take back the other. */
    static final int AGAIN_SHIFT = 12;

    private final Connection physical;
    private final Dialect dialect;
    private final @Nullable String resetSql;
    private final boolean requestBoundaries;

    // Written before the connection is first lent, and never again.
    /** The properties that the settings name, which {@code resetSql} may have swept away with the rest. */
    private int configured;

    // The values to go back to.
    private int known;
    private int unsupported;
    private @Nullable ServerSettings server;

    /** Whether there is anything to do in {@link #cleanMore}. */
    private boolean cleansMore;

    private boolean autoCommit;
    private boolean readOnly;
    private int isolation;
    private @Nullable String catalog;
    private @Nullable String schema;
    private int holdability;
    private int networkTimeout;
    private @Nullable Map<String, Class<?>> typeMap;
    private @Nullable Properties clientInfo;

    private Session(Connection physical, Dialect dialect, Settings settings) {
        this.physical = physical;
        this.dialect = dialect;
        this.resetSql = settings.resetSql();
        this.requestBoundaries = settings.requestBoundaries();
    }

    // Beginning.

    /**
     * Brings a new physical connection to the configured state and leaves no transaction open. Blocks as long as the driver
     * does.
     *
     * @throws SQLException if anything of it fails, or the driver lacks the test that the settings ask for; the caller
     *     closes the connection
     */
    static Session prepare(Connection physical, Settings settings) throws SQLException {
        Session session = new Session(physical, Dialect.of(physical), settings);
        session.configure(settings);
        session.initialize(settings);
        session.learn();
        session.noteSweptAway(settings);
        session.setAutoCommit(settings.autoCommit());
        session.checkTest(settings);
        session.cleansMore = session.requestBoundaries || session.resetSql != null || session.server != null;
        physical.clearWarnings();
        return session;
    }

    private void configure(Settings settings) throws SQLException {
        Boolean wantedReadOnly = settings.readOnly();
        if (wantedReadOnly != null) {
            readOnly = wantedReadOnly;
            physical.setReadOnly(readOnly);
            configured |= READ_ONLY;
        }
        Integer wantedIsolation = settings.transactionIsolation();
        if (wantedIsolation != null) {
            isolation = wantedIsolation;
            physical.setTransactionIsolation(isolation);
            configured |= ISOLATION;
        }
        if (settings.catalog() != null) {
            catalog = settings.catalog();
            physical.setCatalog(catalog);
            configured |= CATALOG;
        }
        if (settings.schema() != null) {
            schema = settings.schema();
            physical.setSchema(schema);
            configured |= SCHEMA;
        }
        known = configured | AUTO_COMMIT;
    }

    /** Runs the initial SQL, and leaves no transaction open. */
    private void initialize(Settings settings) throws SQLException {
        String sql = settings.connectionInitSql();
        if (sql != null) {
            try {
                execute(sql);
            } catch (SQLException e) {
                throw ofSetting("connectionInitSql", e);
            }
        }
        autoCommit = physical.getAutoCommit();
        settle(true);
    }

    /** What {@code resetSql} sweeps away though it is part of what the next user is to find. */
    private void noteSweptAway(Settings settings) {
        if (settings.resetSql() != null) {
            configured |= known & CLIENT_INFO; // the driver set some after it connected
            if (settings.connectionInitSql() != null) {
                configured |= known & (ISOLATION | CATALOG | SCHEMA);
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
        if (query == null) {
            if (server == null) {
                checkIsValidExists(settings);
            }
        } else {
            try {
                runTestQuery(query, seconds(settings.validationTimeoutNanos()));
            } catch (SQLException e) {
                throw ofSetting("connectionTestQuery", e);
            }
        }
        settle(false);
    }

    /** The driver's failure, with the name of the setting whose SQL it is about. */
    private static SQLException ofSetting(String setting, SQLException failure) {
        return new SQLException(
                setting + " failed on a new connection: " + failure.getMessage(),
                failure.getSQLState(),
                failure.getErrorCode(),
                failure);
    }

    private void checkIsValidExists(Settings settings) throws SQLException {
        try {
            if (!physical.isValid(seconds(settings.validationTimeoutNanos()))) {
                throw new SQLException("connection did not pass isValid() right after it was opened", "08006");
            }
        } catch (AbstractMethodError | SQLFeatureNotSupportedException e) {
            throw new SQLException(
                    "driver " + physical.getClass().getName() + " has no isValid(); set connectionTestQuery",
                    "0A000",
                    e);
        }
    }

    /** Whether the settings make every loan read-only, so that a write refused for it says nothing of the server. */
    boolean isReadOnlyByDefault() {
        return (configured & READ_ONLY) != 0 && readOnly;
    }

    /**
     * Whether this failure, which would mean that the connection is of no more use, is but what SQL text brought about on a
     * connection that works on: a function that raises it, or a foreign server's that was passed on.
     */
    boolean outlives(SQLException failure) {
        return dialect.outlives(physical, failure);
    }

    /** Whether the driver has noticed already that the connection is gone; false where to ask might block. */
    boolean isKnownDead() {
        return dialect.isKnownDead(physical);
    }

    // Test.

    /**
     * Tests the connection as the settings say, and leaves no transaction open.
     *
     * @throws SQLException if it did not pass; the driver's own failure where there is one
     */
    void validate(Settings settings, long timeoutNanos) throws SQLException {
        String query = settings.connectionTestQuery();
        if (query != null) {
            runTestQuery(query, seconds(timeoutNanos));
        } else if (!physical.isValid(seconds(timeoutNanos))) {
            throw new SQLException("isValid() said no within " + seconds(timeoutNanos) + " s", "08006");
        }
        settle(false);
    }

    private void runTestQuery(String query, int seconds) throws SQLException {
        try (Statement statement = physical.createStatement()) {
            boolean bounded = false;
            int before = 0;
            try {
                before = statement.getQueryTimeout();
                statement.setQueryTimeout(seconds);
                bounded = true;
            } catch (SQLFeatureNotSupportedException e) {
                // The caller's deadline bounds it all the same.
            }
            statement.execute(query);
            if (bounded) {
                statement.setQueryTimeout(before); // which H2 keeps for all statements of the connection
            }
        }
    }

    /** JDBC counts in whole seconds, and takes 0 for 'no limit'. */
    private static int seconds(long nanos) {
        long up = nanos / TimeUnit.SECONDS.toNanos(1) + (nanos % TimeUnit.SECONDS.toNanos(1) > 0 ? 1 : 0);
        return (int) Math.max(1, Math.min(up, Integer.MAX_VALUE));
    }

    // What to go back to.

    boolean knows(int bit) {
        return (known & bit) != 0;
    }

    /** Asks for the value of each property but those that the settings name. What cannot be asked for stays unknown. */
    private void learn() throws SQLException {
        try {
            ServerSettings said = dialect.serverSettings(physical);
            if (said != null) {
                server = said;
                isolation = said.isolation();
                known |= said.covers();
            }
        } catch (SQLException | RuntimeException e) {
            settle(false); // a server unlike those that the driver is made for: JDBC's getters must do
        }
        for (int wanted = PROPERTIES & ~known; wanted != 0; wanted &= wanted - 1) {
            int bit = Integer.lowestOneBit(wanted);
            try {
                ask(bit);
                known |= bit;
            } catch (SQLException | RuntimeException | AbstractMethodError e) {
                if (isNotSupported(e)) {
                    unsupported |= bit;
                } else {
                    settle(false); // a transaction that failed would fail the next question too
                }
            }
        }
    }

    private void ask(int bit) throws SQLException {
        switch (bit) {
            case READ_ONLY -> readOnly = physical.isReadOnly();
            case ISOLATION -> isolation = physical.getTransactionIsolation();
            case CATALOG -> catalog = physical.getCatalog();
            case SCHEMA -> schema = physical.getSchema();
            case HOLDABILITY -> holdability = physical.getHoldability();
            case NETWORK_TIMEOUT -> networkTimeout = physical.getNetworkTimeout();
            case TYPE_MAP -> {
                Map<String, Class<?>> map = physical.getTypeMap();
                typeMap = map == null ? null : new HashMap<>(map);
            }
            case CLIENT_INFO -> clientInfo = copy(physical.getClientInfo());
            default -> throw new IllegalArgumentException("not one property: " + bit);
        }
    }

    static Properties copy(@Nullable Properties original) {
        Properties copy = new Properties();
        if (original != null) {
            original.stringPropertyNames().forEach(name -> copy.setProperty(name, original.getProperty(name)));
        }
        return copy;
    }

    // Cleaning.

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
    void clean(int changed, boolean work) throws SQLException {
        rollback(changed, work);
        int restore = changed == 0 ? 0 : toRestore(changed);
        physical.clearWarnings();
        if (cleansMore) {
            restore |= cleanMore();
        }
        if (physical.getAutoCommit() != autoCommit) {
            restore |= AUTO_COMMIT; // changed by SQL text
        }
        if (restore != 0) {
            restore(restore, (changed & UNWRAPPED) != 0);
            settle(true);
        }
        refuseOpenTransaction();
    }

    private int toRestore(int changed) throws SQLException {
        refuseUnrestorable(changed);
        return known & ((changed & UNWRAPPED) != 0 ? PROPERTIES : changed);
    }

    /** What only some settings and some servers ask for; returns what has to be restored for it. */
    private int cleanMore() throws SQLException {
        int restore = 0;
        if (requestBoundaries) {
            endRequest(); // outside of a transaction, as drivers want it, and before the restoring: some set properties
            // back
            restore |= configured;
        }
        if (resetSql != null) {
            reset(resetSql);
            restore |= configured;
        }
        if (server != null) {
            restore |= dialect.changedByText(physical, server);
        }
        return restore;
    }

    // Requests.

    void beginRequest() throws SQLException {
        try {
            physical.beginRequest();
        } catch (SQLFeatureNotSupportedException e) {
            // A hint that this driver does not take.
        }
    }

    private void endRequest() throws SQLException {
        try {
            physical.endRequest();
        } catch (SQLFeatureNotSupportedException e) {
            // As above.
        }
    }

    /** Rolls back if a transaction is open, or may be where the driver cannot tell. */
    void rollback(int changed, boolean work) throws SQLException {
        TransactionState state = dialect.transactionState(physical);
        boolean unwrapped = (changed & UNWRAPPED) != 0;
        if (isOpen(state)) {
            dialect.rollbackOpen(physical);
        } else if (state == TransactionState.UNKNOWN && (work || unwrapped)) {
            dialect.rollbackUnknown(physical, unwrapped);
        }
    }

    /** Whether what is open now would be rolled back at the end of a loan that did nothing more. */
    boolean endsTransactions() throws SQLException {
        return dialect.transactionState(physical) != TransactionState.UNKNOWN || !physical.getAutoCommit();
    }

    private static boolean isOpen(TransactionState state) {
        return state == TransactionState.OPEN || state == TransactionState.FAILED;
    }

    private void refuseUnrestorable(int changed) throws SQLException {
        if ((changed & (UNRESTORABLE | SHARDING)) != 0) {
            throw new SQLException("the holder changed what cannot be set back", "01000");
        }
        int suspected = (changed & UNWRAPPED) != 0 ? PROPERTIES & ~unsupported : 0;
        int unknown = ((changed & PROPERTIES) | suspected) & ~known;
        if (unknown != 0) {
            throw new SQLException("changed, but the driver did not say what from: " + names(unknown), "01000");
        }
    }

    private void refuseOpenTransaction() throws SQLException {
        TransactionState state = dialect.transactionState(physical);
        if (isOpen(state)) {
            throw new SQLException("a transaction is still open after cleaning: " + state, "25000");
        }
    }

    /** Commands such as DISCARD ALL are refused inside a transaction, so autoCommit is on while it runs. */
    private void reset(String sql) throws SQLException {
        boolean before = physical.getAutoCommit();
        if (!before) {
            physical.setAutoCommit(true);
        }
        execute(sql);
        if (!before) {
            physical.setAutoCommit(false);
        }
    }

    private void execute(String sql) throws SQLException {
        try (Statement statement = physical.createStatement()) {
            statement.execute(sql);
        }
    }

    /**
     * Sets these properties back, in an order in which each may be set.
     *
     * @param unwrapped whether the holder had the driver's own object: then every property is under suspicion, and what
     *     still has its value is left alone where the driver is not known to keep what SQL text may have changed, because
     *     some cost a round trip or lose detail when set
     */
    private void restore(int bits, boolean unwrapped) throws SQLException {
        if ((bits & AUTO_COMMIT) != 0 && physical.getAutoCommit() != autoCommit) {
            physical.setAutoCommit(autoCommit);
        }
        boolean compare = unwrapped && resetSql == null;
        if ((bits & READ_ONLY) != 0 && !(compare && isAsBefore(READ_ONLY))) {
            restoreReadOnly();
        }
        int left = bits & ~restoreAtServer(bits);
        if ((left & ISOLATION) != 0) {
            restoreIsolation();
        }
        if ((left & CATALOG) != 0 && !((compare || catalog == null) && isAsBefore(CATALOG))) {
            set(CATALOG, () -> physical.setCatalog(catalog));
            refuseLeft("catalog", catalog == null ? physical.getCatalog() : null);
        }
        if ((left & SCHEMA) != 0 && !((compare || schema == null) && isAsBefore(SCHEMA))) {
            set(SCHEMA, () -> physical.setSchema(schema));
            refuseLeft("schema", schema == null ? physical.getSchema() : null);
        }
        if ((bits & HOLDABILITY) != 0 && !isAsBefore(HOLDABILITY)) {
            physical.setHoldability(holdability);
        }
        if ((bits & NETWORK_TIMEOUT) != 0 && !isAsBefore(NETWORK_TIMEOUT)) {
            physical.setNetworkTimeout(Runnable::run, networkTimeout);
        }
        if ((bits & TYPE_MAP) != 0 && !isAsBefore(TYPE_MAP)) {
            physical.setTypeMap(typeMap == null ? null : new HashMap<>(typeMap));
        }
        if ((bits & CLIENT_INFO) != 0 && clientInfo != null) {
            restoreClientInfo(clientInfo);
        }
    }

    /** The dialect's way past what the driver keeps; returns the properties that it settles. */
    private int restoreAtServer(int bits) throws SQLException {
        ServerSettings before = server;
        int settled = before == null ? 0 : bits & before.covers();
        if (before != null && settled != 0) {
            dialect.restore(physical, before, settled);
        }
        return settled;
    }

    /** Always set: drivers keep what they last sent, and SQL text may have changed it since. */
    private void restoreIsolation() throws SQLException {
        settle(true);
        if (isolation != Connection.TRANSACTION_NONE || !isAsBefore(ISOLATION)) {
            set(ISOLATION, () -> physical.setTransactionIsolation(isolation));
        }
    }

    /** Whether this says that the driver has not got the method that was called, or the property. */
    static boolean isNotSupported(Throwable failure) {
        return failure instanceof SQLFeatureNotSupportedException
                || failure instanceof UnsupportedOperationException
                || failure instanceof AbstractMethodError
                || (failure instanceof SQLClientInfoException info
                        && ("0A000".equals(info.getSQLState())
                                || info.getCause() instanceof SQLFeatureNotSupportedException));
    }

    private interface Setter {
        void set() throws SQLException;
    }

    /** Sets one back. A driver that cannot has not changed it either, if it says so. */
    private void set(int bit, Setter setter) throws SQLException {
        try {
            setter.set();
        } catch (SQLException | RuntimeException | AbstractMethodError e) {
            if (!isNotSupported(e) || !isAsBefore(bit)) {
                throw e;
            }
        }
    }

    /** Whether the driver says that the property has the value to go back to. */
    private boolean isAsBefore(int bit) throws SQLException {
        return switch (bit) {
            case READ_ONLY -> physical.isReadOnly() == readOnly;
            case ISOLATION -> physical.getTransactionIsolation() == isolation;
            case CATALOG -> Objects.equals(physical.getCatalog(), catalog);
            case SCHEMA -> Objects.equals(physical.getSchema(), schema);
            case HOLDABILITY -> physical.getHoldability() == holdability;
            case NETWORK_TIMEOUT -> physical.getNetworkTimeout() == networkTimeout;
            case TYPE_MAP -> Objects.equals(physical.getTypeMap(), typeMap);
            default -> throw new IllegalArgumentException("not one property: " + bit);
        };
    }

    /** Some drivers take null and do nothing: a session that had no database selected cannot go back to none. */
    static void refuseLeft(String property, @Nullable String left) throws SQLException {
        if (left != null) {
            throw new SQLException("changed, and the driver does not set it back to none: " + property, "01000");
        }
    }

    /** Drivers that compare first would not send again what a reset swept away. */
    private void restoreReadOnly() throws SQLException {
        boolean sweptAway = resetSql != null && isAsBefore(READ_ONLY);
        set(READ_ONLY, () -> {
            if (sweptAway) {
                physical.setReadOnly(!readOnly);
            }
            physical.setReadOnly(readOnly);
        });
    }

    private void restoreClientInfo(Properties original) throws SQLException {
        Properties current = copy(physical.getClientInfo());
        for (String name : current.stringPropertyNames()) {
            if (original.getProperty(name) == null) {
                dialect.removeClientInfo(physical, name);
            }
        }
        for (String name : original.stringPropertyNames()) {
            String value = original.getProperty(name);
            if (resetSql != null || !value.equals(current.getProperty(name))) {
                physical.setClientInfo(name, value);
            }
        }
    }

    /** Ends a transaction that our own statements opened: with a commit where they changed something to be kept. */
    private void settle(boolean keep) throws SQLException {
        TransactionState state = dialect.transactionState(physical);
        boolean maybe = state == TransactionState.UNKNOWN && !physical.getAutoCommit();
        if (isOpen(state) && physical.getAutoCommit()) {
            dialect.rollbackOpen(physical); // begun by SQL text of the settings
        } else if (isOpen(state) || maybe) {
            if (keep) {
                physical.commit();
            } else {
                physical.rollback();
            }
        }
    }

    private static String names(int bits) {
        String[] all = {
            "autoCommit",
            "readOnly",
            "transactionIsolation",
            "catalog",
            "schema",
            "holdability",
            "networkTimeout",
            "typeMap",
            "clientInfo"
        };
        StringBuilder names = new StringBuilder();
        for (int i = 0; i < all.length; i++) {
            if ((bits & (1 << i)) != 0) {
                names.append(names.length() == 0 ? "" : ", ").append(all[i]);
            }
        }
        return names.toString();
    }
}
