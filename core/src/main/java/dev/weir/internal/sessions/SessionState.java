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
 * whole session is swept: all of {@code DISCARD ALL} but the prepared statements, which are the driver's; those that SQL
 * text made are dropped by name. {@code RESET} goes back to what the connection was opened with; what the driver and {@code
 * connectionInitSql} set after that is asked for before anybody had the session, and set again.
 *
 * <p>Belongs to the holder of the session, and is published with it.
 */
public final class SessionState {
    private static final String SET = "SELECT pg_catalog.set_config(?, ?, false)";

    /** Set after the connection was opened, which RESET does not know. The role is not in the view. */
    private static final String INITIAL = "SELECT name, setting FROM pg_catalog.pg_settings WHERE source = 'session'"
            + " AND name NOT LIKE 'transaction%' UNION ALL SELECT 'role', pg_catalog.current_setting('role')";

    private static final String SWEEP = "RESET ALL; SET SESSION AUTHORIZATION DEFAULT; CLOSE ALL; UNLISTEN *;"
            + " SELECT pg_catalog.pg_advisory_unlock_all(); DISCARD TEMP; DISCARD SEQUENCES";

    private static final String PREPARED = "SELECT name FROM pg_catalog.pg_prepared_statements WHERE from_sql";

    private static final String LOCKS = "SELECT count(*) FROM pg_catalog.pg_locks"
            + " WHERE locktype = 'advisory' AND pid = pg_catalog.pg_backend_pid()";

    /** The role decides who may set the others: it goes back first, and is set last. */
    private static final String ROLE = "role";

    /** Those that the pool sets back when a user changed properties of JDBC. */
    private static final Set<String> OF_PROPERTIES =
            Set.of("search_path", "default_transaction_isolation", "default_transaction_read_only");

    private final Connection physical;
    private final Dialect dialect;

    /** Null until the session was asked. */
    private @Nullable Map<String, String> initial;

    /** The names whose value differs from what the session had at first, as far as it is known. */
    private final Map<String, String> values = new LinkedHashMap<>();

    // Written by any thread that the user lets run a text.
    private final Set<String> unknown = ConcurrentHashMap.newKeySet();
    private volatile boolean unswept;

    SessionState(Connection physical, Dialect dialect) {
        this.physical = physical;
        this.dialect = dialect;
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
        return dialect.effectOf(sql);
    }

    /** Before a text runs that has this effect; whatever comes of it, the state is no better known than this. */
    public void mayLeave(Effect effect) {
        unknown.addAll(effect.names());
        if (effect.kind() == Effect.Kind.LEAVES || effect.kind() == Effect.Kind.PINS) {
            unswept = true;
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
            return row.next() && row.getInt(1) > 0;
        }
    }

    /**
     * Has these values, and no others, on the session; in one round trip, or none where it has them.
     *
     * @throws SQLException if that failed; the state is unknown then, and the session must not be lent again
     */
    public void have(Connection session, Map<String, String> wanted) throws SQLException {
        Map<String, String> first = initial;
        if (first == null) {
            first = learn(session);
            initial = first;
        }
        boolean sweep = unswept;
        Map<String, String> changes = new LinkedHashMap<>(); // null: to what the connection was opened with
        if (sweep) {
            changes.putAll(first);
        } else {
            Set<String> names = new LinkedHashSet<>(unknown);
            names.addAll(values.keySet());
            for (String name : names) {
                if (!wanted.containsKey(name)) {
                    changes.put(name, first.get(name));
                }
            }
        }
        for (Map.Entry<String, String> want : wanted.entrySet()) {
            String name = want.getKey();
            String has = values.containsKey(name) ? values.get(name) : first.get(name);
            if (sweep || unknown.contains(name) || !Objects.equals(has, want.getValue())) {
                changes.put(name, want.getValue());
            }
        }
        if (sweep || !changes.isEmpty()) {
            change(session, sweep, changes);
        }
        values.clear();
        values.putAll(wanted);
        unknown.clear();
        unswept = false;
    }

    private void change(Connection session, boolean sweep, Map<String, String> changes) throws SQLException {
        List<String> steps = new ArrayList<>();
        List<String> parameters = new ArrayList<>();
        if (sweep) {
            steps.add(SWEEP);
        }
        if (changes.containsKey(ROLE) && !sweep) {
            steps.add("RESET ROLE");
        }
        changes.forEach((name, value) -> {
            if (value == null && !name.equals(ROLE)) {
                steps.add("RESET " + quoted(name));
            } else if (value != null && !name.equals(ROLE)) {
                steps.add(SET);
                parameters.addAll(List.of(name, value));
            }
        });
        String role = changes.get(ROLE);
        if (role != null) {
            steps.add(SET);
            parameters.addAll(List.of(ROLE, role));
        }
        List<String> prepared = new ArrayList<>();
        if (sweep) {
            steps.add(PREPARED);
        }
        try (PreparedStatement statement = session.prepareStatement(String.join("; ", steps))) {
            for (int i = 0; i < parameters.size(); i++) {
                statement.setString(i + 1, parameters.get(i));
            }
            boolean rows = statement.execute();
            while (sweep && (rows || statement.getUpdateCount() >= 0)) {
                prepared.clear(); // the last result has them
                ResultSet result = rows ? statement.getResultSet() : null;
                while (result != null && result.next()) {
                    prepared.add(result.getString(1));
                }
                rows = statement.getMoreResults();
            }
        }
        for (String name : prepared) {
            Dialect.execute(session, "DEALLOCATE " + quoted(name));
        }
        settle(session);
    }

    private static Map<String, String> learn(Connection session) throws SQLException {
        Map<String, String> first = new LinkedHashMap<>();
        try (PreparedStatement statement = session.prepareStatement(INITIAL);
                ResultSet rows = statement.executeQuery()) {
            while (rows.next()) {
                first.put(rows.getString(1), rows.getString(2));
            }
        }
        settle(session);
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
