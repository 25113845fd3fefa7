package dev.weir.internal.sessions;

import static dev.weir.internal.sessions.Session.AUTO_COMMIT;
import static dev.weir.internal.sessions.Session.CATALOG;
import static dev.weir.internal.sessions.Session.CLIENT_INFO;
import static dev.weir.internal.sessions.Session.HOLDABILITY;
import static dev.weir.internal.sessions.Session.ISOLATION;
import static dev.weir.internal.sessions.Session.NETWORK_TIMEOUT;
import static dev.weir.internal.sessions.Session.PROPERTIES;
import static dev.weir.internal.sessions.Session.READ_ONLY;
import static dev.weir.internal.sessions.Session.SCHEMA;
import static dev.weir.internal.sessions.Session.SHARDING;
import static dev.weir.internal.sessions.Session.TYPE_MAP;
import static dev.weir.internal.sessions.Session.UNRESTORABLE;
import static dev.weir.internal.sessions.Session.UNWRAPPED;

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
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * A connection as it was opened, before anybody had it: the value of each property, and how to set it back. The
 * list of properties is in {@link Session}.
 */
public final class Baseline {
    /**
     * Classes of SQLState of an answer about the question itself: syntax or access rule, not supported, data, internal, and
     * what MySQL has no state for.
     */
    private static final Set<String> NOT_UNDERSTOOD = Set.of("42", "0A", "22", "XX", "HY");

    /** The properties that are text, and may have been null. */
    private static final int[] NAMED = {CATALOG, SCHEMA};

    /** Those that the driver tells from memory, so that each is compared before it is set. */
    private static final int[] COMPARED = {HOLDABILITY, NETWORK_TIMEOUT, TYPE_MAP};

    /** The names of the properties, by the numbers of their bits. */
    private static final String[] NAMES = {
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

    private final Connection physical;
    private final Dialect dialect;

    /** Whether the settings' {@code resetSql} sweeps away, before the properties are set back, what it can. */
    private final boolean isSweptAway;

    // Written before the connection is first lent, and never again.
    private int known;
    private int unread;
    private @Nullable SessionValues server;

    /** The values, by the numbers of their bits; one that is not {@link #known} has none. */
    private final @Nullable Object[] before = new Object[NAMES.length];

    Baseline(Connection physical, Dialect dialect, boolean isSweptAway) {
        this.physical = physical;
        this.dialect = dialect;
        this.isSweptAway = isSweptAway;
    }

    /** Sets what the settings name; returns which properties these are. */
    int configure(Settings settings) throws SQLException {
        int configured = configure(READ_ONLY, settings.readOnly())
                | configure(ISOLATION, settings.transactionIsolation())
                | configure(CATALOG, settings.catalog())
                | configure(SCHEMA, settings.schema());
        known = configured | AUTO_COMMIT;
        return configured;
    }

    private int configure(int bit, @Nullable Object wanted) throws SQLException {
        if (wanted == null) {
            return 0;
        }
        keep(bit, wanted);
        tell(bit);
        return bit;
    }

    private void keep(int bit, @Nullable Object value) {
        before[Integer.numberOfTrailingZeros(bit)] = value;
        known |= bit;
    }

    private @Nullable Object before(int bit) {
        return before[Integer.numberOfTrailingZeros(bit)];
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
                keep(ISOLATION, said.isolation());
                known |= said.covers();
                if (said.catalog() != null && (known & CATALOG) == 0) {
                    keep(CATALOG, said.catalog());
                }
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
                keep(bit, ask(bit));
                unread &= ~bit;
            } catch (SQLException | RuntimeException | AbstractMethodError e) {
                if (!isNotSupported(e)) {
                    unread |= bit;
                    settle(false); // a transaction that failed would fail the next question too
                }
            }
        }
    }

    /** The value that the driver has now. */
    private @Nullable Object ask(int bit) throws SQLException {
        return switch (bit) {
            case READ_ONLY -> physical.isReadOnly();
            case ISOLATION -> physical.getTransactionIsolation();
            case CATALOG -> physical.getCatalog();
            case SCHEMA -> physical.getSchema();
            case HOLDABILITY -> physical.getHoldability();
            case NETWORK_TIMEOUT -> physical.getNetworkTimeout();
            case TYPE_MAP -> copy(physical.getTypeMap());
            case CLIENT_INFO -> copy(physical.getClientInfo());
            default -> throw new IllegalArgumentException("not one property: " + bit);
        };
    }

    /** Tells the driver the value to go back to. */
    @SuppressWarnings("unchecked") // it is what ask() returned
    private void tell(int bit) throws SQLException {
        Object value = before(bit);
        switch (bit) {
            case READ_ONLY -> physical.setReadOnly(Boolean.TRUE.equals(value));
            case ISOLATION -> physical.setTransactionIsolation(number(value));
            case CATALOG -> physical.setCatalog((@Nullable String) value);
            case SCHEMA -> physical.setSchema((@Nullable String) value);
            case HOLDABILITY -> physical.setHoldability(number(value));
            case NETWORK_TIMEOUT -> physical.setNetworkTimeout(Runnable::run, number(value));
            case TYPE_MAP -> physical.setTypeMap(copy((@Nullable Map<String, Class<?>>) value));
            default -> throw new IllegalArgumentException("not one property: " + bit);
        }
    }

    private static int number(@Nullable Object value) {
        return value instanceof Integer number ? number : 0;
    }

    private static @Nullable Map<String, Class<?>> copy(@Nullable Map<String, Class<?>> original) {
        return original == null ? null : new HashMap<>(original);
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
        return server != null && server.reader();
    }

    /** The name of the server, by its own account; null if it does not say. */
    @Nullable
    String serverName() {
        SessionValues said = server;
        return said == null ? null : said.server();
    }

    boolean isReadOnly() {
        return Boolean.TRUE.equals(before(READ_ONLY));
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
     * The properties to set back after a loan that changed these.
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
        int unknown = changed & PROPERTIES & ~known; // the changes of an unwrapped loan cannot be compared: left out
        if (unknown != 0) {
            throw new SQLException("changed, but the driver did not say what from: " + names(unknown), "01000");
        }
    }

    /** The properties that SQL text has changed, as far as the dialect can tell. */
    int changedByText(boolean kept) throws SQLException {
        return server == null ? 0 : dialect.changedByText(physical, server, kept);
    }

    /**
     * Sets these properties back, all but auto-commit, in an order in which each may be set.
     *
     * @param unwrapped whether the holder had the driver's own object: then every property is under suspicion. Some
     *     cost a round trip or lose detail when set. So one that still has its value is left alone, unless the driver
     *     is known to keep a value that SQL text may have changed
     */
    void restore(int bits, boolean unwrapped) throws SQLException {
        boolean compare = unwrapped && !isSweptAway;
        if ((bits & READ_ONLY) != 0 && !(compare && isAsBefore(READ_ONLY))) {
            set(READ_ONLY);
        }
        int left = bits & ~restoreAtServer(bits);
        if ((left & ISOLATION) != 0) {
            restoreIsolation();
        }
        for (int bit : NAMED) {
            if ((left & bit) != 0 && !((compare || before(bit) == null) && isAsBefore(bit))) {
                set(bit);
                refuseLeft(names(bit), before(bit) == null ? ask(bit) : null);
            }
        }
        for (int bit : COMPARED) {
            if ((bits & bit) != 0 && !isAsBefore(bit)) {
                set(bit);
            }
        }
        if ((bits & CLIENT_INFO) != 0 && before(CLIENT_INFO) instanceof Properties original) {
            restoreClientInfo(original);
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
        if (number(before(ISOLATION)) != Connection.TRANSACTION_NONE || !isAsBefore(ISOLATION)) {
            set(ISOLATION);
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

    /** Sets one back. A driver that cannot has not changed it either, if it says so. */
    private void set(int bit) throws SQLException {
        try {
            if (bit == READ_ONLY && isSweptAway && isAsBefore(bit)) {
                physical.setReadOnly(!isReadOnly()); // a driver that compares first would not send it again
            }
            tell(bit);
        } catch (SQLException | RuntimeException | AbstractMethodError e) {
            if (!isNotSupported(e) || !isAsBefore(bit)) {
                throw e;
            }
        }
    }

    /** Whether the driver says that the property has the value to go back to. */
    private boolean isAsBefore(int bit) throws SQLException {
        return Objects.equals(ask(bit), before(bit));
    }

    /** Some drivers take null and do nothing: a session that had no database selected cannot go back to none. */
    static void refuseLeft(String property, @Nullable Object left) throws SQLException {
        if (left != null) {
            throw new SQLException("changed, and the driver does not set it back to none: " + property, "01000");
        }
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
        return IntStream.range(0, NAMES.length)
                .filter(i -> (bits & (1 << i)) != 0)
                .mapToObj(i -> NAMES[i])
                .collect(Collectors.joining(", "));
    }
}
