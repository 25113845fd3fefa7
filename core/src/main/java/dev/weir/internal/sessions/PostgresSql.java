package dev.weir.internal.sessions;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A sweep of PostgreSQL is all of {@code DISCARD ALL} but the prepared statements, which are the driver's; those that SQL text
 * made are dropped by name. {@code RESET} goes back to what the connection was opened with.
 */
final class PostgresSql implements SessionSql {
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

    private static final String SWEEP = "RESET ALL; SET SESSION AUTHORIZATION DEFAULT; CLOSE ALL; UNLISTEN *;"
            + " SELECT pg_catalog.pg_advisory_unlock_all(); DISCARD TEMP; DISCARD SEQUENCES";

    private static final String PREPARED = "SELECT name FROM pg_catalog.pg_prepared_statements WHERE from_sql";

    private static final String LOCKS = "SELECT count(*) FROM pg_catalog.pg_locks"
            + " WHERE locktype = 'advisory' AND pid = pg_catalog.pg_backend_pid()";

    /** The role decides who may set the others: it goes back first, and is set last. */
    private static final String ROLE = "role";

    static final String SEARCH_PATH = "search_path";

    /** The number of times that search_path was changed. */
    private int searchPaths;

    @Override
    public Effect effectOf(String text) {
        return PostgresText.effectOf(text);
    }

    @Override
    public boolean rollsBack() {
        return true;
    }

    @Override
    public Map<String, String> first(Connection session) throws SQLException {
        Map<String, String> first = new LinkedHashMap<>();
        try (PreparedStatement statement = session.prepareStatement(INITIAL);
                ResultSet rows = statement.executeQuery()) {
            while (rows.next()) {
                first.put(rows.getString(1), rows.getString(2));
            }
        }
        return first;
    }

    @Override
    public Map<String, String> read(Connection session, Collection<String> names) throws SQLException {
        Map<String, String> read = new LinkedHashMap<>();
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

    @Override
    public boolean isLocked(Connection session) throws SQLException {
        try (PreparedStatement statement = session.prepareStatement(LOCKS);
                ResultSet row = statement.executeQuery()) {
            return row.next() && row.getInt(1) > 0;
        }
    }

    @Override
    public void sweep(Connection session) throws SQLException {
        for (String name : run(session, List.of(SWEEP, PREPARED), List.of())) {
            Dialect.execute(session, "DEALLOCATE " + quoted(name));
        }
    }

    /** The driver forgets its prepared statements where it sees this text, each time another; PostgreSQL tells it from 18 on. */
    static String searchPathChanges(int time) {
        return "SET search_path TO DEFAULT /* " + time + " */";
    }

    @Override
    public void set(Connection session, Map<String, @Nullable String> changes) throws SQLException {
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
