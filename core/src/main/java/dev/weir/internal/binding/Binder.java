package dev.weir.internal.binding;

import dev.weir.internal.handles.ConnectionHandle;
import dev.weir.internal.lending.Acquiring;
import dev.weir.internal.sessions.Effect;
import dev.weir.internal.settings.Settings;
import dev.weir.internal.shared.Pins;
import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.SQLException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The modes of a pool in which getConnection() takes no connection of the database: makes the connections that users have,
 * and knows what is the same for all of them.
 */
public final class Binder {
    /** The answer null. */
    static final Object NONE = new Object();

    /** The isolation levels that JDBC has. */
    private static final Set<@Nullable Object> LEVELS = Set.of(
            Connection.TRANSACTION_READ_UNCOMMITTED,
            Connection.TRANSACTION_READ_COMMITTED,
            Connection.TRANSACTION_REPEATABLE_READ,
            Connection.TRANSACTION_SERIALIZABLE);

    private final Acquiring acquiring;
    private final Settings settings;
    private final @Nullable Supplier<Map<String, String>> sessionState;

    /** Whether a connection is given back between transactions. */
    final boolean givesBack;

    private final boolean bindsAtOnce;

    /** The answers of metadata that are the same for all connections, by the method; and the properties that nobody set. */
    final Map<String, Object> constants = new ConcurrentHashMap<>();

    private volatile boolean learnt;

    /** The properties that the driver has been seen to take; a driver that has one not says so at the setter. */
    private final Set<Wanted.Property> taken = ConcurrentHashMap.newKeySet();

    final Pins pins;

    public Binder(Acquiring acquiring, Settings settings, Pins pins) {
        this.pins = pins;
        this.acquiring = acquiring;
        this.settings = settings;
        this.sessionState = settings.config().sessionState();
        this.givesBack = settings.poolMode().equals("transaction");
        this.bindsAtOnce = settings.poolMode().equals("session");
    }

    /** A connection for a user; it has one of the database once it needs it. */
    public Connection connection() throws SQLException {
        acquiring.checkOpen();
        BindingHandle made = new BindingHandle(this);
        if (bindsAtOnce) {
            made.acquireAhead();
        }
        return made;
    }

    /** Reads, on a first connection, what needs none later; where the start has waited for one. */
    public void start() throws SQLException {
        if (!learnt && settings.initializationFailTimeoutNanos() > 0) {
            acquire().close();
        }
    }

    ConnectionHandle acquire() throws SQLException {
        ConnectionHandle lent = acquiring.acquire(0);
        if (!learnt) {
            try {
                learn(lent);
            } catch (Throwable e) {
                lent.close();
                throw e;
            }
        }
        return lent;
    }

    /** The values that the session of a request must have, asked on its own thread. */
    Map<String, String> sessionState() {
        if (sessionState == null) {
            return Map.of();
        }
        Map<String, String> byName = new LinkedHashMap<>(); // as texts are read: the server does not tell case apart
        sessionState.get().forEach((name, value) -> byName.put(name.toLowerCase(Locale.ROOT), value));
        return byName;
    }

    /** Whether SQL texts are looked at for what they leave on the session. */
    boolean looksAtTexts() {
        return givesBack || sessionState != null;
    }

    /** Whether the sessions must be as they were opened while they are idle: SQL of the settings tests them. */
    boolean leavesNothing() {
        return looksAtTexts() && settings.connectionTestQuery() != null;
    }

    boolean hasSessionState() {
        return sessionState != null;
    }

    long timeoutNanos() {
        return settings.connectionTimeoutNanos();
    }

    String poolName() {
        return settings.poolName();
    }

    /** Whether it is known that the driver takes this, so that to set it needs no connection; it may have isolation levels of its own. */
    boolean takes(Wanted.Property property, @Nullable Object value) {
        return taken.contains(property) && (property != Wanted.Property.ISOLATION || LEVELS.contains(value));
    }

    void noteTaken(Wanted.Property property) {
        taken.add(property);
    }

    private void learn(ConnectionHandle first) throws SQLException {
        Bound.load(); // these, so that no user's thread initializes them at the end of its stack
        if (looksAtTexts()) {
            Effect ignored = first.slot.session.state.effectOf("SELECT set_config('a.b', lower('C') || 'd', false)");
        }
        for (Wanted.Property property : Wanted.Property.values()) {
            keep(property.name(), () -> property.of(first));
        }
        DatabaseMetaData asked = first.getMetaData();
        keep("getURL", asked::getURL);
        keep("getUserName", asked::getUserName);
        keep("getDatabaseProductName", asked::getDatabaseProductName);
        keep("getDatabaseProductVersion", asked::getDatabaseProductVersion);
        keep("getDatabaseMajorVersion", asked::getDatabaseMajorVersion);
        keep("getDatabaseMinorVersion", asked::getDatabaseMinorVersion);
        keep("getDriverName", asked::getDriverName);
        keep("getDriverVersion", asked::getDriverVersion);
        keep("getDriverMajorVersion", asked::getDriverMajorVersion);
        keep("getDriverMinorVersion", asked::getDriverMinorVersion);
        keep("getJDBCMajorVersion", asked::getJDBCMajorVersion);
        keep("getJDBCMinorVersion", asked::getJDBCMinorVersion);
        keep("getIdentifierQuoteString", asked::getIdentifierQuoteString);
        keep("storesUpperCaseIdentifiers", asked::storesUpperCaseIdentifiers);
        keep("storesLowerCaseIdentifiers", asked::storesLowerCaseIdentifiers);
        keep("storesMixedCaseIdentifiers", asked::storesMixedCaseIdentifiers);
        keep("storesUpperCaseQuotedIdentifiers", asked::storesUpperCaseQuotedIdentifiers);
        keep("storesLowerCaseQuotedIdentifiers", asked::storesLowerCaseQuotedIdentifiers);
        keep("storesMixedCaseQuotedIdentifiers", asked::storesMixedCaseQuotedIdentifiers);
        keep("supportsMixedCaseIdentifiers", asked::supportsMixedCaseIdentifiers);
        keep("supportsMixedCaseQuotedIdentifiers", asked::supportsMixedCaseQuotedIdentifiers);
        if (!first.getAutoCommit()) {
            first.rollback(); // some of the questions begin a transaction
        }
        if (first.slot.session.state.isKnown() && first.slot.session.state.rollsBack()) { // PostgreSQL's has them all
            taken.addAll(List.of(Wanted.Property.values()));
        }
        taken.addAll(List.of(Wanted.Property.AUTO_COMMIT, Wanted.Property.READ_ONLY, Wanted.Property.ISOLATION));
        learnt = true;
    }

    /** An answer that the driver has not got, or fails to give, is asked for when it is needed. */
    private void keep(String name, Callable<? extends @Nullable Object> question) {
        try {
            Object answer = question.call();
            constants.put(name, answer == null ? NONE : answer);
        } catch (Exception | AbstractMethodError e) {
            // as the user's call will
        }
    }
}
