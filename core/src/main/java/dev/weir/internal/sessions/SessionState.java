package dev.weir.internal.sessions;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * The settings that SQL text left on one session of PostgreSQL, and how to have them as the next user wants them. They stay
 * when the session is given back, and are compared when it is bound again: the same user mostly finds his own.
 *
 * <p>A name whose value is not known for certain is set again in any case. After a text that may have left anything, the
 * whole session is swept before another user has it: all of {@code DISCARD ALL} but the prepared statements, which are the driver's;
 * those that SQL text made are dropped by name. {@code RESET} goes back to what the connection was opened with; what the driver and {@code
 * connectionInitSql} set after that is asked for before anybody had the session, and set again.
 *
 * <p>Belongs to the holder of the session, and is published with it.
 */
public final class SessionState {
    private static final String SET = "SELECT pg_catalog.set_config(?, ?, false)";

    /** Where the server knows it: a text may have had a mistake in the name. */
    private static final String RESET = "SELECT pg_catalog.set_config(n, NULL, false) FROM (SELECT ?::text AS n) AS of"
            + " WHERE pg_catalog.current_setting(n, true) IS NOT NULL";

    /**
     * Whether a text that names no function of a user's may call one all the same: in a view, a policy, a check, an operator
     * or a cast, as one with a built-in's name, or as {@code row.name}.
     */
    private static final String HIDES = """
            SELECT EXISTS (
              SELECT FROM pg_catalog.pg_proc p
                JOIN pg_catalog.pg_namespace n ON n.oid = p.pronamespace
                JOIN pg_catalog.pg_language l ON l.oid = p.prolang
              WHERE n.nspname NOT IN ('pg_catalog', 'information_schema') AND (l.lanname NOT IN ('c', 'internal')
                  OR EXISTS (SELECT FROM pg_catalog.pg_aggregate a WHERE a.aggfnoid = p.oid))
                AND (EXISTS (
                    SELECT FROM pg_catalog.pg_depend d
                    WHERE d.refclassid = 'pg_catalog.pg_proc'::pg_catalog.regclass AND d.refobjid = p.oid
                      AND d.classid IN ('pg_catalog.pg_rewrite'::pg_catalog.regclass,
                        'pg_catalog.pg_policy'::pg_catalog.regclass, 'pg_catalog.pg_constraint'::pg_catalog.regclass,
                        'pg_catalog.pg_operator'::pg_catalog.regclass, 'pg_catalog.pg_cast'::pg_catalog.regclass,
                        'pg_catalog.pg_type'::pg_catalog.regclass))
                  OR EXISTS (SELECT FROM pg_catalog.pg_proc b
                    WHERE b.proname = p.proname AND b.pronamespace = 'pg_catalog'::pg_catalog.regnamespace)
                  OR (p.pronargs > 0 AND p.pronargs - p.pronargdefaults <= 1 AND EXISTS (SELECT FROM pg_catalog.pg_type t
                    WHERE t.oid = p.proargtypes[0] AND t.typtype IN ('c', 'p')))))""";

    /** Set after the connection was opened, which RESET does not know. The role is not in the view. */
    private static final String INITIAL =
            "SELECT pg_catalog.lower(name), setting FROM pg_catalog.pg_settings WHERE source = 'session'"
                    + " AND name NOT LIKE 'transaction%' UNION ALL SELECT 'role', pg_catalog.current_setting('role')"
                    + " UNION ALL SELECT '', (" + HIDES + ")::text";

    private static final Effect HIDDEN =
            new Effect(Effect.Kind.LEAVES, Set.of(), "a function that the text does not name");

    private static final String SWEEP = "RESET ALL; SET SESSION AUTHORIZATION DEFAULT; CLOSE ALL; UNLISTEN *;"
            + " SELECT pg_catalog.pg_advisory_unlock_all(); DISCARD TEMP; DISCARD SEQUENCES";

    private static final String PREPARED = "SELECT name FROM pg_catalog.pg_prepared_statements WHERE from_sql";

    private static final String LOCKS = "SELECT count(*) FROM pg_catalog.pg_locks"
            + " WHERE locktype = 'advisory' AND pid = pg_catalog.pg_backend_pid()";

    /** The role decides who may set the others: it goes back first, and is set last. */
    private static final String ROLE = "role";

    private static final String SEARCH_PATH = "search_path";

    /** Those that the pool sets back when a user changed properties of JDBC. */
    private static final Set<String> OF_PROPERTIES =
            Set.of(SEARCH_PATH, "default_transaction_isolation", "default_transaction_read_only");

    private final Connection physical;
    private final Dialect dialect;

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

    /** Whether a text may call what it does not name. */
    private boolean hides;

    /** The number of times that search_path was changed. */
    private int searchPaths;

    /** The user whose texts left what is there; 0 for nobody. */
    private long lastUser;

    SessionState(Connection physical, Dialect dialect, @Nullable String initSql) {
        this.physical = physical;
        this.dialect = dialect;
        this.initSql = initSql;
    }

    /** Whether it is known what a text may leave on this session; otherwise nothing here may be used. */
    public boolean isKnown() {
        return dialect.knowsEffects();
    }

    /** The transaction as the driver knows it; costs no round trip. */
    public TransactionState transaction() {
        return dialect.transactionState(physical);
    }

    /** What this text may leave on the session. */
    public Effect effectOf(String sql) {
        Effect effect = dialect.effectOf(sql);
        return hides && effect.kind() == Effect.Kind.CLEAR ? HIDDEN : effect;
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
    }

    /** The values of these settings now; those that the session does not know are left out. */
    public Map<String, String> read(Connection session, Collection<String> names) throws SQLException {
        Map<String, String> read = new LinkedHashMap<>();
        if (names.isEmpty()) {
            return read;
        }
        String one = "pg_catalog.current_setting(?, true)";
        try (PreparedStatement statement =
                session.prepareStatement("SELECT " + one + (", " + one).repeat(names.size() - 1))) {
            int i = 0;
            for (String name : names) {
                statement.setString(++i, name);
            }
            try (ResultSet row = statement.executeQuery()) {
                boolean ignored = row.next();
                i = 0;
                for (String name : names) {
                    String value = row.getString(++i);
                    if (value != null) {
                        read.put(name, value);
                    }
                }
            }
        }
        return read;
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
        if ((properties & Session.CLIENT_INFO) != 0) {
            values.remove("application_name");
            unknown.remove("application_name");
        }
    }

    /** Whether the session holds an advisory lock; outside of a transaction. */
    public boolean isLocked(Connection session) throws SQLException {
        try (PreparedStatement statement = session.prepareStatement(LOCKS);
                ResultSet row = statement.executeQuery()) {
            locked = row.next() && row.getInt(1) > 0;
            return locked;
        }
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
            for (String name : run(session, List.of(SWEEP, PREPARED), List.of())) {
                Dialect.execute(session, "DEALLOCATE " + quoted(name));
            }
            if (initSql != null && effectOf(initSql).kind().compareTo(Effect.Kind.SETS) > 0) {
                Dialect.execute(session, initSql); // which made what was swept away
            }
        }
        if (!changes.isEmpty()) {
            set(session, changes);
        }
        if (sweeps) {
            unswept = false;
            locked = false;
        }
        settle(session);
    }

    /** The driver forgets its prepared statements where it sees this text, each time another; PostgreSQL tells it from 18 on. */
    static String searchPathChanges(int time) {
        return "SET search_path TO DEFAULT /* " + time + " */";
    }

    private void set(Connection session, Map<String, @Nullable String> changes) throws SQLException {
        List<String> steps = new ArrayList<>();
        List<String> parameters = new ArrayList<>();
        if (changes.containsKey(ROLE)) {
            steps.add("RESET ROLE");
        }
        if (changes.containsKey(SEARCH_PATH)) {
            steps.add(searchPathChanges(++searchPaths));
        }
        for (Map.Entry<String, @Nullable String> change : changes.entrySet()) {
            String name = change.getKey();
            String value = change.getValue();
            if (name.equals(ROLE) || (name.equals(SEARCH_PATH) && value == null)) {
                continue;
            }
            steps.add(value == null ? RESET : SET);
            parameters.add(name);
            if (value != null) {
                parameters.add(value);
            }
        }
        String role = changes.get(ROLE);
        if (role != null) {
            steps.add(SET);
            parameters.addAll(List.of(ROLE, role));
        }
        List<String> ignored = run(session, steps, parameters);
    }

    /** Runs these in one round trip; returns the first column of the last result. */
    private static List<String> run(Connection session, List<String> steps, List<String> parameters)
            throws SQLException {
        List<String> last = new ArrayList<>();
        try (PreparedStatement statement = session.prepareStatement(String.join("; ", steps))) {
            for (int i = 0; i < parameters.size(); i++) {
                statement.setString(i + 1, parameters.get(i));
            }
            boolean rows = statement.execute();
            while (rows || statement.getUpdateCount() >= 0) {
                last.clear();
                ResultSet result = rows ? statement.getResultSet() : null;
                while (result != null && result.next()) {
                    last.add(result.getString(1));
                }
                rows = statement.getMoreResults();
            }
        }
        return last;
    }

    /** The settings of the session as it was opened, as far as RESET does not go back to them. */
    private Map<String, String> initial(Connection session) throws SQLException {
        Map<String, String> known = initial;
        if (known != null) {
            return known;
        }
        Map<String, String> first = new LinkedHashMap<>();
        try (PreparedStatement statement = session.prepareStatement(INITIAL);
                ResultSet rows = statement.executeQuery()) {
            while (rows.next()) {
                first.put(rows.getString(1), rows.getString(2));
            }
            hides = "true".equals(first.remove(""));
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

    private static String quoted(String name) {
        StringBuilder text = new StringBuilder();
        for (String part : name.split("\\.", -1)) {
            text.append(text.isEmpty() ? "\"" : ".\"")
                    .append(part.replace("\"", "\"\""))
                    .append('"');
        }
        return text.toString();
    }
}
