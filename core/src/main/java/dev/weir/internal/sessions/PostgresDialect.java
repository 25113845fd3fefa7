package dev.weir.internal.sessions;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * PostgreSQL's own driver keeps the status of the server's last ReadyForQuery message, so whether a transaction is open is
 * known exactly, however it was begun.
 *
 * <p>A failure that the server reported tells a living session from one that ends: before it ends one the server says FATAL,
 * and the driver, who finds the end of the stream after that, closes the connection. The word for FATAL is translated, so
 * both are looked at. A failure that SQL text raised, or passed on from another server, is an ERROR, whatever its state says.
 */
final class PostgresDialect extends Dialect {
    static final String CONNECTION = "org.postgresql.core.BaseConnection";
    private static final String FAILURE = "org.postgresql.util.PSQLException";
    private static final String READ_ONLY = "default_transaction_read_only";
    private static final String SEARCH_PATH = "search_path";

    /** Whether the server itself is read-only, not the session: to what a RESET would go back. */
    private static final String SERVER_READ_ONLY =
            "SELECT reset_val FROM pg_catalog.pg_settings WHERE name = 'default_transaction_read_only'";

    /** Those reserved for superusers and others are not this user's; -1 is no limit. */
    private static final String LIMITS =
            "SELECT (SELECT sum(CASE name WHEN 'max_connections' THEN setting::int ELSE -setting::int END)"
                    + " FROM pg_catalog.pg_settings"
                    + " WHERE name IN ('max_connections', 'superuser_reserved_connections', 'reserved_connections')),"
                    + " (SELECT rolconnlimit FROM pg_catalog.pg_roles WHERE rolname = session_user),"
                    + " (SELECT datconnlimit FROM pg_catalog.pg_database WHERE datname = current_database())";

    /** Qualified, since a search path may put other functions before these. */
    private static final String ASK = "SELECT pg_catalog.current_setting('default_transaction_isolation'),"
            + " pg_catalog.current_setting('default_transaction_read_only'), pg_catalog.current_setting('search_path'),"
            + " pg_catalog.host(pg_catalog.inet_server_addr()), pg_catalog.inet_server_port(), pg_catalog.pg_is_in_recovery(),"
            + " pg_catalog.current_database()";

    /** So many of the columns are values to go back to. */
    private static final int VALUES = 3;

    private static final String RESTORE = "SELECT pg_catalog.set_config('default_transaction_isolation', ?, false),"
            + " pg_catalog.set_config('default_transaction_read_only', ?, false),"
            + " pg_catalog.set_config('search_path', ?, false)";

    private final PostgresStatus status;

    /** The number of times that search_path was restored; by the holder. */
    private int searchPaths;

    private PostgresDialect(PostgresStatus status) {
        this.status = status;
    }

    @Override
    String name() {
        return "PostgreSQL";
    }

    /** The dialect, if this is the driver's connection, or null. */
    static @Nullable PostgresDialect find(Connection physical) {
        Class<?> implemented = typeNamed(CONNECTION, physical.getClass());
        PostgresStatus status = implemented == null ? null : PostgresStatus.of(implemented);
        return status == null ? null : new PostgresDialect(status);
    }

    /**
     * The defaults of the session, which no transaction changes for itself, and the whole search_path, of which getSchema()
     * tells the first schema only. Also the catalog, which getCatalog() would ask for in a round trip of its own.
     */
    @Override
    @Nullable
    SessionValues sessionValues(Connection physical) throws SQLException {
        List<@Nullable String> said = row(physical, ASK);
        boolean whole = said.size() == VALUES + 4;
        boolean standby = whole && "t".equals(said.get(VALUES + 2));
        return SessionValues.of(
                Session.ISOLATION | Session.SCHEMA,
                whole ? said.subList(0, VALUES) : said,
                whole ? said.get(VALUES + 3) : null,
                whole ? said.get(VALUES) : null,
                whole ? said.get(VALUES + 1) : null,
                standby,
                standby || (whole && "on".equals(said.get(1))));
    }

    /** All at once: to compare first would cost the same round trip. */
    @Override
    void restore(Connection physical, @Nullable Connection own, SessionValues before, int bits) throws SQLException {
        if (own != null
                && isNewlyOn(own, before)
                && "on".equals(row(physical, SERVER_READ_ONLY).get(0))) {
            throw new SQLException("the server has become read-only", "25006"); // and is not to be overruled
        }
        String forget = (bits & Session.SCHEMA) == 0 ? "" : PostgresSql.searchPathChanges(++searchPaths) + "; ";
        try (PreparedStatement statement = physical.prepareStatement(forget + RESTORE)) {
            for (int i = 0; i < before.values().size(); i++) {
                statement.setString(i + 1, before.values().get(i));
            }
            statement.execute();
        }
    }

    /** PostgreSQL reports the one from 14 on, the other from 18 on. A session that only reads would be taken for a standby. */
    @Override
    int changedByText(Connection physical, SessionValues before, boolean kept) {
        boolean changed = status.isOther(physical, READ_ONLY, before.values().get(1))
                || (!kept
                        && status.isOther(physical, SEARCH_PATH, before.values().get(2)));
        return changed ? before.covers() : 0;
    }

    private boolean isNewlyOn(Connection physical, SessionValues before) {
        return "off".equals(before.values().get(1)) && "on".equals(status.reported(physical, READ_ONLY));
    }

    /** Servers before 14 do not report it, and are asked. */
    @Override
    boolean isReader(Connection physical, @Nullable Connection own) throws SQLException {
        String standby = own == null ? null : status.reported(own, "in_hot_standby");
        if (own == null || standby == null) {
            return "t"
                    .equals(row(physical, "SELECT pg_catalog.pg_is_in_recovery()")
                            .get(0));
        }
        return "on".equals(standby) || "on".equals(status.reported(own, READ_ONLY));
    }

    @Override
    boolean outlives(Connection physical, SQLException failure) {
        if (isClosed(physical)) {
            return false;
        }
        boolean reported = Failures.anyOf(failure, e -> severityOf(e) != null);
        if (!reported || Failures.anyOf(failure, e -> isFatal(severityOf(e)))) {
            return false;
        }
        return !Failures.anyOf(failure, e -> "25006".equals(e.getSQLState())) || isWritable(physical);
    }

    /** The class of this failure by the server; null where it said nothing, or the driver does not tell. */
    private static @Nullable String severityOf(SQLException seen) {
        Class<?> failure = typeNamed(FAILURE, seen.getClass());
        if (failure == null) {
            return null;
        }
        try {
            Object said = failure.getMethod("getServerErrorMessage").invoke(seen);
            return said == null
                    ? null
                    : (String) said.getClass().getMethod("getSeverity").invoke(said);
        } catch (ReflectiveOperationException | ClassCastException e) {
            return null; // an older or altered driver: the state must do
        }
    }

    private static boolean isFatal(@Nullable String severity) {
        return "FATAL".equals(severity) || "PANIC".equals(severity);
    }

    /**
     * Whether the server can write: then a user made the transaction read-only that refused to write. Older servers do
     * not report it.
     */
    private boolean isWritable(Connection physical) {
        return status.isOff(physical, "in_hot_standby") && status.isOff(physical, READ_ONLY);
    }

    @Override
    public TransactionState transactionState(Connection physical) {
        return status.transaction(physical);
    }

    @Override
    long sessionId(Connection physical) {
        String backend = status.backend(physical);
        return backend == null ? 0 : Long.parseLong(backend);
    }

    @Override
    SessionSql sessionSql(Connection physical) {
        return new PostgresSql();
    }

    /** A pooler gives the driver a number of its own, and the texts of one connection to many sessions. */
    @Override
    @Nullable
    String faultOfSharing(Connection physical) throws SQLException {
        String told = status.backend(physical);
        if (told == null) {
            return "the driver does not tell which process of the server it has";
        }
        return told.equals(row(physical, "SELECT pg_catalog.pg_backend_pid()").get(0))
                ? null
                : "a pooler stands between the pool and the server";
    }

    @Override
    int serverMaximum(Connection physical) throws SQLException {
        return leastOf(row(physical, LIMITS));
    }
}
