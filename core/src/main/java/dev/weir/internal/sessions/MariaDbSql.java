package dev.weir.internal.sessions;

import java.lang.invoke.MethodHandle;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A sweep of MariaDB is the driver's reset(): the server ends transactions, locks, temporary tables, prepared statements and
 * variables, the driver forgets its own prepared statements, and every setting is the server's, also those that the driver set
 * when it connected. The current role and database stay, and are set like settings.
 */
final class MariaDbSql implements SessionSql {
    private static final String ROLE = "role";

    /** The driver hears of the isolation level from here on only. */
    private static final String TRACKED = "session_track_system_variables";

    /** Where no text may be seen that calls a function: a user sees each view that he may read. */
    private static final String VIEWS = "SELECT 1 FROM information_schema.TABLES WHERE TABLE_TYPE = 'VIEW'"
            + " AND TABLE_SCHEMA NOT IN ('mysql', 'sys')";

    /** The settings of a database follow it; the others are no settings of the session alone. */
    private static final String FIRST =
            "SELECT LOWER(VARIABLE_NAME), SESSION_VALUE FROM information_schema.SYSTEM_VARIABLES"
                    + " WHERE SESSION_VALUE <> GLOBAL_VALUE AND READ_ONLY = 'NO' AND VARIABLE_NAME NOT IN ('AUTOCOMMIT',"
                    + " 'MAX_USER_CONNECTIONS', 'CHARACTER_SET_DATABASE', 'COLLATION_DATABASE')"
                    + " UNION ALL SELECT 'tx_isolation', @@session.tx_isolation"
                    + " UNION ALL SELECT '" + MariaDbText.DATABASE + "', DATABASE()"
                    + " UNION ALL SELECT '" + ROLE + "', COALESCE(CURRENT_ROLE(), '')"
                    + " UNION ALL SELECT '" + HIDES + "', IF(EXISTS(" + VIEWS + "), 'true', 'false')";

    private final Connection physical;

    /** {@code (Connection) -> void}. */
    private final MethodHandle reset;

    MariaDbSql(Connection physical, MethodHandle reset) {
        this.physical = physical;
        this.reset = reset;
    }

    @Override
    public Effect effectOf(String text) {
        return MariaDbText.effectOf(text);
    }

    @Override
    public boolean rollsBack() {
        return false;
    }

    @Override
    public Map<String, String> first(Connection session) throws SQLException {
        Map<String, String> first = new LinkedHashMap<>();
        try (Statement statement = session.createStatement();
                ResultSet rows = statement.executeQuery(FIRST)) {
            while (rows.next()) {
                first.put(rows.getString(1), rows.getString(2));
            }
        }
        return first;
    }

    @Override
    public Map<String, String> read(Connection session, Collection<String> names) throws SQLException {
        List<String> columns = new ArrayList<>();
        for (String name : names) {
            columns.add(name.equals(MariaDbText.DATABASE) ? "DATABASE()" : "@@session." + checked(name));
        }
        List<@Nullable String> row = Dialect.row(session, "SELECT " + String.join(", ", columns));
        Map<String, String> read = new LinkedHashMap<>();
        int i = 0;
        for (String name : names) {
            String value = row.get(i++);
            if (value != null) {
                read.put(name, value);
            }
        }
        return read;
    }

    /** No text that locks is understood. */
    @Override
    public boolean isLocked(Connection session) {
        return false;
    }

    /**
     * What JDBC set on the driver's connection stays. Two steps more where the driver goes back to other values of auto-commit and
     * database than the pool has.
     */
    @Override
    public void sweep(Connection session) throws SQLException {
        boolean autoCommit = physical.getAutoCommit();
        boolean readOnly = physical.isReadOnly();
        int timeout = physical.getNetworkTimeout();
        try {
            reset.invokeExact(physical);
        } catch (SQLException e) {
            Dialect.execute(session, "DO 0"); // on a dead connection fails too, and is heard
            throw e;
        } catch (Throwable e) {
            throw Dialect.unchecked(e);
        }
        physical.setNetworkTimeout(Runnable::run, timeout);
        physical.setReadOnly(readOnly);
        physical.setAutoCommit(autoCommit);
    }

    /** All in one batch, which the driver sends at once. */
    @Override
    public void set(Connection session, Map<String, @Nullable String> changes) throws SQLException {
        List<String> settings = new ArrayList<>();
        for (Map.Entry<String, @Nullable String> change : changes.entrySet()) {
            String name = change.getKey();
            if (!name.equals(ROLE) && !name.equals(MariaDbText.DATABASE)) {
                settings.add(name.equals(TRACKED) ? 0 : settings.size(), setting(name, change.getValue()));
            }
        }
        String role = changes.get(ROLE);
        String database = changes.get(MariaDbText.DATABASE);
        try (Statement statement = session.createStatement()) {
            if (role != null) {
                statement.addBatch("SET ROLE " + (role.isEmpty() ? "NONE" : quoted(role)));
            }
            if (!settings.isEmpty()) {
                statement.addBatch("SET " + String.join(", ", settings));
            }
            if (database != null && !database.equals(physical.getCatalog())) {
                statement.addBatch("USE " + quoted(database));
            }
            int[] ignored = statement.executeBatch();
        }
    }

    private static String setting(String name, @Nullable String value) throws SQLException {
        String set = "SESSION " + checked(name) + " = ";
        if (value == null) {
            return set + "DEFAULT";
        }
        // Whatever sql_mode is, this is a string; numbers must be numbers.
        String literal = "_utf8mb4 x'" + HexFormat.of().formatHex(value.getBytes(StandardCharsets.UTF_8)) + "'";
        return set + (isNumber(value) ? value : literal);
    }

    private static boolean isNumber(String value) {
        int digits = 0;
        for (int i = 0; i < value.length(); i++) {
            char c = value.charAt(i);
            if (c >= '0' && c <= '9') {
                digits++;
            } else if (c != '.' && (c != '-' || i > 0)) {
                return false;
            }
        }
        return digits > 0 && value.indexOf('.') == value.lastIndexOf('.');
    }

    private static String checked(String name) throws SQLException {
        if (!Findings.isPlain(name) || name.indexOf('.') >= 0 || name.indexOf('$') >= 0) {
            throw new SQLException(
                    "a setting: " + name + " (expected: the name of a variable of the session)", "42000");
        }
        return name;
    }

    private static String quoted(String name) {
        return "`" + name.replace("`", "``") + "`";
    }
}
