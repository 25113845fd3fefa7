package dev.weir.internal.drivers;

import static dev.weir.internal.drivers.Session.AUTO_COMMIT;
import static dev.weir.internal.drivers.Session.CATALOG;
import static dev.weir.internal.drivers.Session.CLIENT_INFO;
import static dev.weir.internal.drivers.Session.HOLDABILITY;
import static dev.weir.internal.drivers.Session.ISOLATION;
import static dev.weir.internal.drivers.Session.NETWORK_TIMEOUT;
import static dev.weir.internal.drivers.Session.PROPERTIES;
import static dev.weir.internal.drivers.Session.READ_ONLY;
import static dev.weir.internal.drivers.Session.SCHEMA;
import static dev.weir.internal.drivers.Session.SHARDING;
import static dev.weir.internal.drivers.Session.TYPE_MAP;
import static dev.weir.internal.drivers.Session.UNRESTORABLE;
import static dev.weir.internal.drivers.Session.UNWRAPPED;

import dev.weir.internal.settings.Settings;
import java.sql.Connection;
import java.sql.SQLClientInfoException;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Properties;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A connection as it was opened, before anybody had it: the value of each property, and how to set it back. Which
 * properties there are {@link Session} says.
 */
public final class Baseline {
    /**
     * Classes of SQLState of an answer about the question itself: syntax or access rule, not supported, data, internal, and
     * what MySQL has no state for.
     */
    private static final Set<String> NOT_UNDERSTOOD = Set.of("42", "0A", "22", "XX", "HY");

    private final Connection physical;
    private final Dialect dialect;

    /** Whether the settings' {@code resetSql} sweeps away, before the properties are set back, what it can. */
    private final boolean isSweptAway;

    // Written before the connection is first lent, and never again.
    private int known;
    private int unread;
    private @Nullable SessionValues server;

    private boolean readOnly;
    private int isolation;
    private @Nullable String catalog;
    private @Nullable String schema;
    private int holdability;
    private int networkTimeout;
    private @Nullable Map<String, Class<?>> typeMap;
    private @Nullable Properties clientInfo;

    Baseline(Connection physical, Dialect dialect, boolean isSweptAway) {
        this.physical = physical;
        this.dialect = dialect;
        this.isSweptAway = isSweptAway;
    }

    /** Sets what the settings name; returns which properties these are. */
    int configure(Settings settings) throws SQLException {
        int configured = 0;
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
        return configured;
    }

    /**
     * Asks for the value of each property but those that the settings name. A value that cannot be asked for stays unknown.
     *
     * @throws SQLException if the dialect's question failed, unless the server said that it does not understand it. A
     *     connection whose question failed by chance would never notice what SQL text changes
     */
    void learn() throws SQLException {
        try {
            SessionValues said = dialect.sessionValues(physical);
            if (said != null) {
                server = said;
                isolation = said.isolation();
                known |= said.covers();
                learnCatalog(said.catalog());
            }
        } catch (SQLException | RuntimeException e) {
            if (!isNotSupported(e) && !isNotUnderstood(e)) {
                throw e;
            }
            settle(false); // a server unlike those that the driver is made for: JDBC's getters must do
        }
        askFor(PROPERTIES & ~known);
        askFor(unread); // once more, as it may have failed by chance
    }

    private void askFor(int bits) throws SQLException {
        for (int wanted = bits; wanted != 0; wanted &= wanted - 1) {
            int bit = Integer.lowestOneBit(wanted);
            try {
                ask(bit);
                known |= bit;
                unread &= ~bit;
            } catch (SQLException | RuntimeException | AbstractMethodError e) {
                if (!isNotSupported(e)) {
                    unread |= bit;
                    settle(false); // a transaction that failed would fail the next question too
                }
            }
        }
    }

    private void learnCatalog(@Nullable String said) {
        if (said != null && (known & CATALOG) == 0) {
            catalog = said;
            known |= CATALOG;
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

    public static Properties copy(@Nullable Properties original) {
        Properties copy = new Properties();
        if (original != null) {
            for (String name : original.stringPropertyNames()) {
                copy.setProperty(name, original.getProperty(name));
            }
        }
        return copy;
    }

    /** Whether the dialect asked the server for the values, which also shows that the connection answers. */
    boolean isFromServer() {
        return server != null;
    }

    boolean opensAsReader() {
        return dialect.opensAsReader(physical, server);
    }

    /** Which server this is, by its own account; null if it does not say. */
    @Nullable
    String serverName() {
        SessionValues said = server;
        return said == null ? null : said.server();
    }

    boolean isReadOnly() {
        return readOnly;
    }

    /** Of these properties those whose value the driver told. */
    int known(int bits) {
        return bits & known;
    }

    /** The properties that the driver has and whose value it failed to tell; empty if there are none. */
    String unread() {
        return names(unread);
    }

    /** The properties that the driver does not support; empty if there are none. */
    String unsupported() {
        return names(PROPERTIES & ~known & ~unread);
    }

    /**
     * Which properties to set back after a loan that changed these.
     *
     * @throws SQLException if it changed what cannot be set back
     */
    int toRestore(int changed) throws SQLException {
        refuseUnrestorable(changed);
        return known & ((changed & UNWRAPPED) != 0 ? PROPERTIES : changed);
    }

    private void refuseUnrestorable(int changed) throws SQLException {
        if ((changed & (UNRESTORABLE | SHARDING)) != 0) {
            throw new SQLException("the holder changed what cannot be set back", "01000");
        }
        int unknown =
                changed & PROPERTIES & ~known; // what an unwrapped loan may have changed cannot be compared: left out
        if (unknown != 0) {
            throw new SQLException("changed, but the driver did not say what from: " + names(unknown), "01000");
        }
    }

    /** Which properties SQL text has changed, as far as the dialect can tell. */
    int changedByText() throws SQLException {
        return server == null ? 0 : dialect.changedByText(physical, server);
    }

    /**
     * Sets these properties back, all but auto-commit, in an order in which each may be set.
     *
     * @param unwrapped whether the holder had the driver's own object: then every property is under suspicion, and what
     *     still has its value is left alone where the driver is not known to keep what SQL text may have changed, because
     *     some cost a round trip or lose detail when set
     */
    void restore(int bits, boolean unwrapped) throws SQLException {
        boolean compare = unwrapped && !isSweptAway;
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
        SessionValues before = server;
        int settled = before == null ? 0 : bits & before.covers();
        if (before != null && settled != 0) {
            dialect.restore(physical, physical, before, settled);
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
    public static boolean isNotSupported(Throwable failure) {
        return failure instanceof SQLFeatureNotSupportedException
                || failure instanceof UnsupportedOperationException
                || failure instanceof AbstractMethodError
                || (failure instanceof SQLClientInfoException info
                        && ("0A000".equals(info.getSQLState())
                                || info.getCause() instanceof SQLFeatureNotSupportedException));
    }

    /** Whether the server answered, and what it said is about the question: no such function, setting, syntax. */
    private static boolean isNotUnderstood(Throwable failure) {
        String state = failure instanceof SQLException refused ? refused.getSQLState() : null;
        return state != null && state.length() == 5 && NOT_UNDERSTOOD.contains(state.substring(0, 2));
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
        boolean sweptAway = isSweptAway && isAsBefore(READ_ONLY);
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
            if (isSweptAway || !value.equals(current.getProperty(name))) {
                physical.setClientInfo(name, value);
            }
        }
    }

    /** Ends a transaction that our own statements opened: with a commit where they changed something to be kept. */
    void settle(boolean keep) throws SQLException {
        TransactionState state = dialect.transactionState(physical);
        boolean maybe = state == TransactionState.UNKNOWN && !physical.getAutoCommit();
        if (state.isOpen() && physical.getAutoCommit()) {
            dialect.rollbackOpen(physical); // begun by SQL text of the settings
        } else if (state.isOpen() || maybe) {
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
