package dev.weir;

import java.sql.Connection;
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
 * <p>The value to go back to is the configured one, or what the driver says just before a property is first changed; it is
 * asked once in the life of the connection, and a property never changed is never asked for. Fields are guarded by the
 * ownership of the slot: the opener, then the holder, then whoever claimed it.
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

    private final Connection physical;
    private final Dialect dialect;
    private final @Nullable String resetSql;

    /** The properties that the settings name, which {@code resetSql} may have swept away with the rest. */
    private int configured;

    // The values to go back to.
    private int known;
    private int unsupported;
    private boolean autoCommit;
    private boolean readOnly;
    private int isolation;
    private @Nullable String catalog;
    private @Nullable String schema;
    private int holdability;
    private int networkTimeout;
    private @Nullable Map<String, Class<?>> typeMap;
    private @Nullable Properties clientInfo;

    private Session(Connection physical, Dialect dialect, @Nullable String resetSql) {
        this.physical = physical;
        this.dialect = dialect;
        this.resetSql = resetSql;
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
        Session session = new Session(physical, Dialect.of(physical), settings.resetSql());
        session.configure(settings);
        session.initialize(settings);
        if (settings.resetSql() != null) {
            session.remember(CLIENT_INFO); // the driver set some after it connected; a reset sweeps that away too
            session.configured |= session.known & CLIENT_INFO;
        }
        session.settle(true);
        session.checkTest(settings);
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

    /** Runs the initial SQL, and leaves the connection with the autoCommit that it is to have. */
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
        Boolean wanted = settings.autoCommit();
        if (wanted != null && wanted != autoCommit) {
            settle(true);
            physical.setAutoCommit(wanted);
            autoCommit = wanted;
        }
    }

    /** A test that a new connection does not pass would have every connection closed before it is lent again. */
    private void checkTest(Settings settings) throws SQLException {
        String query = settings.connectionTestQuery();
        if (query == null) {
            checkIsValidExists(settings);
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

    /**
     * Asks the driver for the values of these properties, those known already left out. What cannot be asked for stays
     * unknown. If asking opened a transaction where there was none, it is ended, because some properties can only be set
     * outside of one.
     */
    void remember(int bits) {
        boolean idle = dialect.transactionState(physical) == TransactionState.IDLE;
        for (int wanted = bits & ~known & ~unsupported; wanted != 0; wanted &= wanted - 1) {
            int bit = Integer.lowestOneBit(wanted);
            try {
                ask(bit);
                known |= bit;
            } catch (SQLFeatureNotSupportedException | AbstractMethodError e) {
                unsupported |= bit;
            } catch (SQLException e) {
                // Unknown, so not restorable: clean() will say so.
            }
        }
        if (idle && isOpen(dialect.transactionState(physical))) {
            try {
                physical.rollback();
            } catch (SQLException e) {
                known = AUTO_COMMIT | configured; // clean() will say so
            }
        }
    }

    private void ask(int bit) throws SQLException {
        switch (bit) {
            case READ_ONLY -> readOnly = physical.isReadOnly();
            case ISOLATION -> isolation = physical.getTransactionIsolation();
            case CATALOG -> catalog = physical.getCatalog();
            case SCHEMA -> schema = dialect.schema(physical);
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

    void rememberTypeMap(@Nullable Map<String, Class<?>> map) {
        typeMap = map;
        known |= TYPE_MAP;
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
        refuseUnrestorable(changed);
        physical.clearWarnings();
        int restore = changed & PROPERTIES & known;
        if (physical.getAutoCommit() != autoCommit) {
            restore |= AUTO_COMMIT; // changed by SQL text
        }
        if (resetSql != null) {
            reset(resetSql);
            restore |= configured;
        }
        if (restore != 0) {
            restore(restore, (changed & UNWRAPPED) != 0 && resetSql == null);
            settle(true);
        }
        refuseOpenTransaction();
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

    private static boolean isOpen(TransactionState state) {
        return state == TransactionState.OPEN || state == TransactionState.FAILED;
    }

    private void refuseUnrestorable(int changed) throws SQLException {
        if ((changed & UNRESTORABLE) != 0) {
            throw new SQLException("the holder changed what cannot be set back", "01000");
        }
        boolean unwrapped = (changed & UNWRAPPED) != 0;
        int unknown = changed & PROPERTIES & ~known & (unwrapped ? ~unsupported : -1);
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
     * @param compare leaves alone what still has its value: unwrapping puts every property under suspicion, and some cost a
     *     round trip or lose detail when set
     */
    private void restore(int bits, boolean compare) throws SQLException {
        if ((bits & AUTO_COMMIT) != 0 && physical.getAutoCommit() != autoCommit) {
            physical.setAutoCommit(autoCommit);
        }
        if ((bits & READ_ONLY) != 0 && !(compare && physical.isReadOnly() == readOnly)) {
            restoreReadOnly();
        }
        if ((bits & ISOLATION) != 0 && !(compare && physical.getTransactionIsolation() == isolation)) {
            settle(true);
            physical.setTransactionIsolation(isolation);
        }
        if ((bits & CATALOG) != 0 && !(compare && Objects.equals(physical.getCatalog(), catalog))) {
            physical.setCatalog(catalog);
            refuseLeft("catalog", catalog == null ? physical.getCatalog() : null);
        }
        if ((bits & SCHEMA) != 0) {
            restoreSchema(compare);
        }
        if ((bits & HOLDABILITY) != 0 && physical.getHoldability() != holdability) {
            physical.setHoldability(holdability);
        }
        if ((bits & NETWORK_TIMEOUT) != 0 && physical.getNetworkTimeout() != networkTimeout) {
            physical.setNetworkTimeout(Runnable::run, networkTimeout);
        }
        if ((bits & TYPE_MAP) != 0 && !Objects.equals(physical.getTypeMap(), typeMap)) {
            physical.setTypeMap(typeMap == null ? null : new HashMap<>(typeMap));
        }
        if ((bits & CLIENT_INFO) != 0 && clientInfo != null) {
            restoreClientInfo(clientInfo);
        }
    }

    private void restoreSchema(boolean compare) throws SQLException {
        if ((configured & SCHEMA) != 0) {
            physical.setSchema(schema);
        } else if (!(compare && Objects.equals(dialect.schema(physical), schema))) {
            dialect.restoreSchema(physical, schema);
            refuseLeft("schema", schema == null ? physical.getSchema() : null);
        }
    }

    /** Some drivers take null and do nothing: a session that had no database selected cannot go back to none. */
    private static void refuseLeft(String property, @Nullable String left) throws SQLException {
        if (left != null) {
            throw new SQLException("changed, and the driver does not set it back to none: " + property, "01000");
        }
    }

    /** Drivers that compare first would not send again what a reset swept away. */
    private void restoreReadOnly() throws SQLException {
        boolean sweptAway = resetSql != null && physical.isReadOnly() == readOnly;
        if (sweptAway) {
            physical.setReadOnly(!readOnly);
        }
        physical.setReadOnly(readOnly);
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
