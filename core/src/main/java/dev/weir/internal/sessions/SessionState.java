package dev.weir.internal.sessions;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * The settings that SQL text left on one session, and how to have them as the next user wants them. They stay
 * when the session is given back, and are compared when it is bound again: the same user mostly finds his own.
 *
 * <p>A name whose value is not known for certain is set again in any case. After a text that may have left anything, the
 * whole session is swept before another user has it. A sweep may go back further than to what the session had at first: what
 * the driver and {@code connectionInitSql} set is asked for before anybody had the session, and set again.
 *
 * <p>Belongs to the holder of the session, and is published with it.
 */
public final class SessionState {
    /** Those that the pool sets back when a user changed properties of JDBC. */
    private static final Set<String> OF_PROPERTIES = Set.of(
            PostgresSql.SEARCH_PATH, "default_transaction_isolation", "default_transaction_read_only", "tx_isolation");

    /** The reasons of texts that define what others may call. */
    private static final Set<String> DEFINES = Set.of("CREATE", "ALTER");

    private final Connection physical;
    private final Dialect dialect;

    /** Null where it is not known what a text may leave. */
    private final @Nullable SessionSql sql;

    /** What the pool runs on a new connection; null for nothing. */
    private final @Nullable String initSql;

    /** Null until the session was asked. */
    private @Nullable Map<String, String> initial;

    /** The names whose value differs from what the session had at first, as far as it is known. */
    private final Map<String, String> values = new LinkedHashMap<>();

    // Written by any thread that the user lets run a text.
    private final Set<String> unknown = ConcurrentHashMap.newKeySet();
    private volatile boolean unswept;
    private volatile boolean locked;

    /** Whether {@link #hides} was asked before a text of this session may have defined something. */
    private volatile boolean outdated;

    /** Whether a text may call what it does not name. */
    private boolean hides;

    /** The user whose texts left what is there; 0 for nobody. */
    private long lastUser;

    SessionState(Connection physical, Dialect dialect, @Nullable String initSql) {
        this.physical = physical;
        this.dialect = dialect;
        this.sql = dialect.sessionSql(physical);
        this.initSql = initSql;
    }

    /** The server's number of the session, as in {@link Dialect#sessionId}. */
    public long sessionId() {
        return dialect.sessionId(physical);
    }

    /** Whether it is known what a text may leave on this session; otherwise nothing here may be used. */
    public boolean isKnown() {
        return sql != null;
    }

    private SessionSql sql() {
        return Objects.requireNonNull(sql);
    }

    /** The transaction as the driver knows it; costs no round trip. */
    public TransactionState transaction() {
        return dialect.transactionState(physical);
    }

    /**
     * Whether the driver may take a transaction for open only since a statement failed; {@link #ask} has it hear.
     *
     * @param ended whether the user ended the transaction, and ran nothing since
     */
    public boolean isSupposed(boolean ended) {
        return dialect.isSupposed(physical, ended);
    }

    /** Has the driver hear of the transaction, in a round trip. */
    public void ask(Connection session) throws SQLException {
        Dialect.execute(session, "DO 0");
    }

    /** Whether a rollback takes back what set a setting. */
    public boolean rollsBack() {
        return sql().rollsBack();
    }

    /** What this text may leave on the session. */
    public Effect effectOf(String text) {
        Effect effect = sql().effectOf(text);
        return hides && effect.kind() == Effect.Kind.CLEAR
                ? new Effect(Effect.Kind.LEAVES, Set.of(), "a function that the text does not name", effect.trace())
                : effect;
    }

    /** Before a text runs that has this effect; whatever comes of it, the state is no better known than this. */
    public void mayLeave(Effect effect) {
        unknown.addAll(effect.names());
        if (hides || effect.kind() == Effect.Kind.LEAVES || effect.kind() == Effect.Kind.PINS) {
            unswept = true;
        }
        if (effect.kind() == Effect.Kind.LOCKS) {
            locked = true;
        }
        if (effect.kind() == Effect.Kind.PINS || DEFINES.contains(effect.reason())) {
            outdated = true;
        }
    }

    /** The values of these settings now; those that the session does not know are left out. */
    public Map<String, String> read(Connection session, Collection<String> names) throws SQLException {
        return names.isEmpty() ? new LinkedHashMap<>() : sql().read(session, names);
    }

    /** The values of these names are known again. */
    public void learnt(Map<String, String> now, Collection<String> names) {
        for (String name : names) {
            unknown.remove(name);
            String value = now.get(name);
            if (value == null) {
                values.remove(name);
            } else {
                values.put(name, value);
            }
        }
    }

    /** Whether what texts set on this session is kept account of. */
    boolean isKept() {
        return initial != null;
    }

    /** The pool set back these properties, to what they were when the session was opened. */
    void setBack(int properties) {
        if ((properties & (Session.ISOLATION | Session.SCHEMA)) != 0) {
            values.keySet().removeAll(OF_PROPERTIES);
            unknown.removeAll(OF_PROPERTIES);
        }
        if ((properties & Session.CATALOG) != 0) {
            values.remove(MariaDbText.DATABASE);
            unknown.remove(MariaDbText.DATABASE);
        }
        if ((properties & Session.CLIENT_INFO) != 0) {
            values.remove("application_name");
            unknown.remove("application_name");
        }
    }

    /** Whether the session holds an advisory lock; outside of a transaction. */
    public boolean isLocked(Connection session) throws SQLException {
        locked = sql().isLocked(session);
        return locked;
    }

    /** Nothing is known any more of the settings that were changed: something may have set them all back. */
    void forget() {
        unknown.addAll(values.keySet());
        if (initial != null) {
            unknown.addAll(initial.keySet());
        }
    }

    /**
     * Has these values, and no others, on the session; in one round trip, or none where it has them. What a text of the
     * same user may have left is his.
     *
     * @param user a number that no other user has
     * @throws SQLException if that failed; what it was to change is unknown then
     */
    public void have(Connection session, Map<String, String> wanted, long user) throws SQLException {
        Map<String, String> first = initial(session);
        boolean sweeps = (unswept || locked) && user != lastUser;
        if (sweeps) {
            unknown.addAll(first.keySet());
        }
        Map<String, @Nullable String> changes = new LinkedHashMap<>(); // null: to what the connection was opened with
        Set<String> names = new LinkedHashSet<>(unknown);
        names.addAll(values.keySet());
        for (String name : names) {
            if (!wanted.containsKey(name)) {
                changes.put(name, first.get(name));
            }
        }
        for (Map.Entry<String, String> want : wanted.entrySet()) {
            String name = want.getKey();
            String has = values.containsKey(name) ? values.get(name) : first.get(name);
            if (unswept || unknown.contains(name) || !Objects.equals(has, want.getValue())) {
                changes.put(name, want.getValue());
            }
        }
        if (sweeps || !changes.isEmpty()) {
            unknown.addAll(changes.keySet());
            change(session, sweeps, changes);
        }
        values.clear();
        values.putAll(wanted);
        unknown.clear();
        lastUser = user;
    }

    /** Has what the connection had when it was opened. */
    public void sweep(Connection session) throws SQLException {
        unswept = true;
        lastUser = -1; // nobody
        have(session, Map.of(), 0);
    }

    private void change(Connection session, boolean sweeps, Map<String, @Nullable String> changes) throws SQLException {
        if (sweeps) {
            sql().sweep(session);
            if (initSql != null && effectOf(initSql).kind().compareTo(Effect.Kind.SETS) > 0) {
                Dialect.execute(session, initSql); // which made what was swept away
            }
        }
        if (!changes.isEmpty()) {
            sql().set(session, changes);
        }
        if (sweeps) {
            unswept = false;
            locked = false;
        }
        settle(session);
    }

    /** The settings of the session as it was opened, as far as RESET does not go back to them. */
    private Map<String, String> initial(Connection session) throws SQLException {
        Map<String, String> known = initial;
        if (known != null && !outdated) {
            return known;
        }
        Map<String, String> first = sql().first(session);
        hides = "true".equals(first.remove(SessionSql.HIDES));
        outdated = false;
        if (known != null) {
            settle(session);
            return known;
        }
        if (initSql != null) {
            first.putAll(read(session, effectOf(initSql).names()));
        }
        settle(session);
        initial = first;
        return first;
    }

    /** Where auto-commit is off, each of these began a transaction. */
    private static void settle(Connection session) throws SQLException {
        if (!session.getAutoCommit()) {
            session.commit();
        }
    }
}
