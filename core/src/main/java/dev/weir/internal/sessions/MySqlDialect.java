package dev.weir.internal.sessions;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.WrongMethodTypeException;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Objects;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * MariaDB's own driver and MySQL Connector/J keep the status word of the server's last answer, which says whether a
 * transaction is open and whether auto-commit is on, however either came about.
 *
 * <p>The answer to a failed statement carries no status, though the statement may have opened a transaction (a procedure
 * that began one and then failed), nor do the answers to some commands. The drivers differ in what they make of it:
 *
 * <ul>
 *   <li>MariaDB's keeps the word, and after a failure adds that a transaction is open. So the word errs on the safe side,
 *       but for rows still unread of a statement that only the holder of the unwrapped connection knows. Any answer without a
 *       failure makes it exact again. Where auto-commit is off, the server tells of a transaction once an engine takes part
 *       in it: savepoints, and locks on tables without transactions, come before. So a word without one is not IDLE then, and
 *       whoever must know asks besides whether the user has ended what he began.
 *   <li>Connector/J empties the word when it sends anything, and keeps it empty after a failure (but for the transaction, if
 *       one was open before), a ping, the preparing or closing of a statement at the server, and while rows are unread. It
 *       keeps beside it what was last given to setAutoCommit(). So the word is believed where it says that auto-commit is
 *       on, which an empty one does not. Where auto-commit is off an empty word is usual, and the pool's own account of
 *       the loan decides.
 * </ul>
 */
final class MySqlDialect extends Dialect {
    static final String MARIADB = "org.mariadb.jdbc.Connection";
    static final String MYSQL = "com.mysql.cj.jdbc.JdbcConnection";

    /** The error of {@code SIGNAL} unless it is told another number; no failure of the server itself has it. */
    private static final int ER_SIGNAL_EXCEPTION = 1644;

    private static final int ER_UNKNOWN_SYSTEM_VARIABLE = 1193;

    private static final int IN_TRANSACTION = 1;
    private static final int AUTO_COMMIT = 1 << 1;

    /** {@code (Connection) -> int}: the status word. */
    private final MethodHandle word;

    /** {@code (Connection) -> boolean}: the auto-commit that Connector/J keeps; null where it is read from the word. */
    private final @Nullable MethodHandle keptAutoCommit;

    /** The properties that the driver may keep without asking; of the database MariaDB's is told by the server. */
    private final int covers;

    private static final String SERVER_READ_ONLY = "@@global.read_only";

    private static final String SERVER = SERVER_READ_ONLY + ", @@hostname, @@port";

    private static final String SESSION = "SELECT CONNECTION_ID(), DATABASE(), CONCAT(@@session.sql_mode), VERSION(),"
            + " @@session.session_track_schema";

    private static final Pattern RESETS = Pattern.compile("(1[1-9]|[2-9]\\d|10\\.([4-9]|\\d\\d))\\..*MariaDB.*");

    private final @Nullable Told told;

    /**
     * The properties that MariaDB's driver hears of unasked.
     *
     * @param database {@code (Connection) -> String}
     * @param isolation {@code (Connection) -> Integer}, as JDBC counts the levels; null if not heard of yet
     */
    private record Told(MethodHandle database, MethodHandle isolation) {}

    /** {@code (Connection) -> long}: the number of the server's thread; null if the driver does not tell. */
    private final @Nullable MethodHandle thread;

    private MySqlDialect(
            MethodHandle word,
            @Nullable MethodHandle keptAutoCommit,
            @Nullable Told told,
            @Nullable MethodHandle thread) {
        this.word = word;
        this.thread = thread;
        this.keptAutoCommit = keptAutoCommit;
        this.told = told;
        this.covers = keptAutoCommit == null ? Session.ISOLATION : Session.ISOLATION | Session.CATALOG;
    }

    @Override
    String name() {
        return keptAutoCommit == null ? "MariaDB" : "MySQL";
    }

    /** The dialect, if this is a connection of one of the two drivers, or null. */
    static @Nullable MySqlDialect find(Class<?> connection) {
        try {
            Class<?> mariadb = typeNamed(MARIADB, connection);
            if (mariadb != null) {
                return new MySqlDialect(
                        getter(int.class, mariadb, "getContext", "getServerStatus"),
                        null,
                        told(mariadb),
                        thread(mariadb, "getThreadId"));
            }
            Class<?> mysql = typeNamed(MYSQL, connection);
            if (mysql != null) {
                return new MySqlDialect(
                        getter(int.class, mysql, "getSession", "getServerSession", "getStatusFlags"),
                        getter(boolean.class, mysql, "getSession", "getServerSession", "isAutoCommit"),
                        null,
                        thread(mysql, "getSession", "getThreadId"));
            }
        } catch (ReflectiveOperationException | WrongMethodTypeException e) {
            // An older or altered driver: the methods of JDBC must do.
        }
        return null;
    }

    private static @Nullable MethodHandle thread(Class<?> connection, String... names) {
        try {
            return getter(long.class, connection, names);
        } catch (ReflectiveOperationException | WrongMethodTypeException e) {
            return null;
        }
    }

    @Override
    long sessionId(Connection physical) {
        try {
            return thread == null ? 0 : (long) thread.invokeExact(physical);
        } catch (Throwable e) {
            throw unchecked(e);
        }
    }

    private static @Nullable Told told(Class<?> mariadb) {
        try {
            return new Told(
                    getter(String.class, mariadb, "getContext", "getDatabase"),
                    getter(Integer.class, mariadb, "getContext", "getTransactionIsolationLevel"));
        } catch (ReflectiveOperationException | WrongMethodTypeException e) {
            return null;
        }
    }

    @Override
    public TransactionState transactionState(Connection physical) {
        int now = word(physical);
        if ((now & IN_TRANSACTION) != 0) {
            return TransactionState.OPEN;
        }
        boolean believed =
                (now & AUTO_COMMIT) != 0 && (keptAutoCommit == null || keptAutoCommit(keptAutoCommit, physical));
        return believed ? TransactionState.IDLE : TransactionState.UNKNOWN;
    }

    @Override
    boolean isSupposed(Connection physical, boolean ended) {
        int now = word(physical);
        return keptAutoCommit == null && (now & IN_TRANSACTION) != 0 && (ended || (now & AUTO_COMMIT) != 0);
    }

    @Override
    @Nullable
    SessionSql sessionSql(Connection physical) {
        Class<?> mariadb = typeNamed(MARIADB, physical.getClass());
        if (mariadb == null) {
            return null;
        }
        try {
            return new MariaDbSql(physical, getter(void.class, mariadb, "reset"));
        } catch (ReflectiveOperationException | WrongMethodTypeException e) {
            return null;
        }
    }

    /**
     * Where a session may move to another server, or a proxy gives the texts of one connection to many, nothing is known of it.
     * A proxy numbers its connections itself. Without the command that resets a session nothing takes away what a trigger left.
     */
    @Override
    @Nullable
    String faultOfSharing(Connection physical) throws SQLException {
        Class<?> mariadb = typeNamed(MARIADB, physical.getClass());
        if (mariadb == null) {
            return "MySQL's driver does not tell of a transaction after a failure, or while auto-commit is off";
        }
        String[] options = {"haMode", "transactionReplay", "useResetConnection"};
        String[] expected = {"NONE", "false", "true"};
        try {
            for (int i = 0; i < options.length; i++) {
                String now = said(mariadb, physical, "getContext", "getConf", options[i]);
                if (!now.equals(expected[i])) {
                    return "the driver's " + options[i] + " must be " + expected[i] + ", and is " + now;
                }
            }
            String maxScale = said(mariadb, physical, "getContext", "getMaxscaleVersion");
            String number = said(mariadb, physical, "getContext", "getThreadId");
            return sessionSql(physical) == null ? "the driver is too old" : faultOfSession(physical, maxScale, number);
        } catch (ReflectiveOperationException | WrongMethodTypeException e) {
            return "the driver is too old"; // or altered
        }
    }

    private static String said(Class<?> mariadb, Connection physical, String... getters)
            throws ReflectiveOperationException {
        try {
            return String.valueOf(
                    (Object) getter(Object.class, mariadb, getters).invokeExact(physical));
        } catch (ReflectiveOperationException e) {
            throw e;
        } catch (Throwable e) {
            throw unchecked(e);
        }
    }

    private static @Nullable String faultOfSession(Connection physical, String maxScale, String number)
            throws SQLException {
        List<@Nullable String> session = row(physical, SESSION);
        String version = String.valueOf(session.get(3));
        if (!maxScale.equals("null") || !number.equals(session.get(0))) {
            return "a proxy stands between the pool and the server";
        }
        if (!RESETS.matcher(version).matches()) {
            return "it needs MariaDB from 10.4 on, and the server is " + version;
        }
        if (String.valueOf(session.get(2)).contains("ORACLE")) {
            return "sql_mode has ORACLE";
        }
        boolean known =
                session.get(1) != null && session.get(1).equals(physical.getCatalog()) && "1".equals(session.get(4));
        return known ? null : "the driver does not know the current database: the URL must name one, of catalogs";
    }

    /** The variables are called so at MySQL; MariaDB, and MySQL before 5.7.20, have them as tx_isolation and tx_read_only. */
    @Override
    @Nullable
    SessionValues sessionValues(Connection physical) throws SQLException {
        boolean mariadb = keptAutoCommit == null;
        try {
            return sessionValues(physical, mariadb ? "tx" : "transaction");
        } catch (SQLException e) {
            if (e.getErrorCode() != ER_UNKNOWN_SYSTEM_VARIABLE) {
                throw e;
            }
            return sessionValues(physical, mariadb ? "transaction" : "tx");
        }
    }

    private @Nullable SessionValues sessionValues(Connection physical, String prefix) throws SQLException {
        String variables = "@@session." + prefix + "_isolation, @@session." + prefix + "_read_only";
        List<@Nullable String> said =
                row(physical, "SELECT " + variables + ", database(), '" + prefix + "', " + SERVER);
        boolean whole = said.size() == 7;
        boolean reader = whole && isReader(said.get(4));
        return SessionValues.of(
                covers, said, null, whole ? said.get(5) : null, whole ? said.get(6) : null, reader, reader);
    }

    @Override
    boolean isReader(Connection physical, @Nullable Connection own) throws SQLException {
        return isReader(row(physical, "SELECT " + SERVER_READ_ONLY).get(0));
    }

    /** A number at MySQL, a word at later versions of MariaDB, which has several for 'on'. */
    private static boolean isReader(@Nullable String readOnly) {
        return readOnly != null && !readOnly.equals("0") && !readOnly.equals("OFF");
    }

    @Override
    void restore(Connection physical, @Nullable Connection own, SessionValues before, int bits) throws SQLException {
        List<@Nullable String> values = before.values();
        if ((bits & Session.ISOLATION) != 0) {
            // Set for the session, this also ends what SET TRANSACTION prepared for the next transaction alone.
            String prefix = "SESSION " + values.get(3);
            String isolation = prefix + "_isolation = '" + values.get(0) + "'";
            execute(physical, "SET " + isolation + ", " + prefix + "_read_only = " + values.get(1));
            physical.setTransactionIsolation(before.isolation());
        }
        if ((bits & Session.CATALOG) != 0) {
            restoreDatabase(physical, values.get(2));
        }
    }

    private static void restoreDatabase(Connection physical, @Nullable String before) throws SQLException {
        if (before == null) {
            Baseline.refuseLeft("catalog", row(physical, "SELECT database()").get(0));
        } else {
            execute(physical, "USE `" + before.replace("`", "``") + "`");
            if (!before.equals(physical.getCatalog())) {
                physical.setCatalog(before);
            }
        }
    }

    @Override
    int changedByText(Connection physical, SessionValues before, boolean kept) {
        Told known = told;
        if (known == null) {
            return 0;
        }
        try {
            String database = (String) known.database.invokeExact(physical);
            Integer isolation = (Integer) known.isolation.invokeExact(physical);
            boolean sameDatabase =
                    kept || Objects.equals(database, before.values().get(2));
            boolean sameIsolation = isolation == null || isolation == before.isolation();
            return (sameDatabase ? 0 : Session.CATALOG) | (sameIsolation ? 0 : Session.ISOLATION);
        } catch (Throwable e) {
            throw unchecked(e);
        }
    }

    @Override
    boolean outlives(Connection physical, SQLException failure) {
        return !isClosed(physical) && Failures.anyOf(failure, e -> e.getErrorCode() == ER_SIGNAL_EXCEPTION);
    }

    /** Unlike rollback(), the text is sent whatever auto-commit is, and whatever the driver believes of the transaction. */
    @Override
    void rollbackOpen(Connection physical) throws SQLException {
        execute(physical, "ROLLBACK");
        if (keptAutoCommit != null) {
            undoAutoCommitByText(physical, keptAutoCommit(keptAutoCommit, physical));
        }
    }

    /** The word is fresh here, so that it tells of an auto-commit that SQL text changed behind the driver's back. */
    private void undoAutoCommitByText(Connection physical, boolean kept) throws SQLException {
        if (kept != ((word(physical) & AUTO_COMMIT) != 0)) {
            // Both, since a driver that trusts what it keeps does not send what it believes to be so.
            physical.setAutoCommit(!kept);
            physical.setAutoCommit(kept);
        }
    }

    @Override
    boolean rollbackUnknown(Connection physical, boolean unwrapped, boolean auto) throws SQLException {
        boolean maybe = unwrapped || keptAutoCommit != null;
        if (maybe) {
            rollbackOpen(physical);
        }
        return maybe;
    }

    /** MariaDB's driver hands out the very object it keeps, and fails when told to set an entry to null. */
    @Override
    void removeClientInfo(Connection physical, String name) throws SQLException {
        if (keptAutoCommit == null) {
            physical.getClientInfo().remove(name);
        } else {
            super.removeClientInfo(physical, name);
        }
    }

    private int word(Connection physical) {
        try {
            return (int) word.invokeExact(physical);
        } catch (Throwable e) {
            throw unchecked(e);
        }
    }

    private static boolean keptAutoCommit(MethodHandle kept, Connection physical) {
        try {
            return (boolean) kept.invokeExact(physical);
        } catch (Throwable e) {
            throw unchecked(e);
        }
    }

    /** The second is 0 where the user has no limit of his own. */
    @Override
    int serverMaximum(Connection physical) throws SQLException {
        return leastOf(row(physical, "SELECT @@max_connections, @@max_user_connections"));
    }
}
