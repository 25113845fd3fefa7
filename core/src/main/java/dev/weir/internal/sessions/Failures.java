package dev.weir.internal.sessions;

import dev.weir.internal.settings.Settings;
import dev.weir.internal.text.Log;
import dev.weir.spi.FailureClass;
import dev.weir.spi.FailureClassifier;
import java.lang.System.Logger.Level;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;
import java.sql.SQLNonTransientConnectionException;
import java.sql.SQLRecoverableException;
import java.sql.SQLTimeoutException;
import java.util.Set;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** The meaning of a failure of the driver. The one place where SQLStates, vendor codes and exception classes are judged. */
public final class Failures {
    private Failures() {}

    /** Failures looked at in one chain: enough for every driver known, and an end for chains that bite their tail. */
    private static final int LOOK_AT_MOST = 16;

    private static final Set<String> DISCONNECT_STATES = Set.of(
            "01002", // disconnect error
            "57P01", // PostgreSQL: admin_shutdown
            "57P02", // crash_shutdown
            "57P03", // cannot_connect_now
            "57P04", // database_dropped
            "57P05", // idle_session_timeout
            "25P03", // idle_in_transaction_session_timeout
            "25P04", // transaction_timeout, of PostgreSQL 17
            "JZ0C0", // jConnect: connection is already closed
            "JZ0C1", // jConnect: an I/O error closed the connection
            "JZ006", // jConnect: an I/O error (Agroal)
            "90067", // H2: connection is broken
            "90098", // H2: database has been closed
            "90121"); // H2: database is already closed

    private static final Set<String> REFUSALS = Set.of(
            "0A000", // feature not supported
            "3D000", // PostgreSQL: invalid_catalog_name
            "90013", // H2 before 2.0: database not found
            "90146", // H2: database not found
            "90149", // H2: database not found, and may not be created from elsewhere
            "XJ004"); // Derby: database not found

    private static final String ORACLE = "ORA-";
    private static final String SQL_SERVER = "S0";

    /**
     * Vendor codes that say that the session is gone where neither state nor class does, each with its sign of the vendor:
     * since one vendor's code is another's harmless error, the state has to begin so, or the message to name it. In brackets
     * stands the source: pools (HikariCP, Agroal, Druid, Open Liberty's helpers of data stores, which have IBM's list) or the
     * vendor's own code. Left out is a code that a session survives: MySQL 1105 and 0A000 of HikariCP, Oracle 600 and 3111
     * and Db2 -5xx of Druid, Db2 -918 (a ROLLBACK mends it, says IBM), Oracle 31 (the answer to who kills a session).
     */
    private static final Set<String> GONE_BY_CODE = Set.of(
            "28 " + ORACLE, // the session has been killed (Agroal, Druid, Liberty, ODPI-C)
            "45 " + ORACLE, // the session has been terminated with no replay (ODPI-C)
            "603 " + ORACLE, // the session was terminated by a fatal error (ODPI-C)
            "1012 " + ORACLE, // not logged on (Agroal, Druid, Liberty, ODPI-C)
            "1014 " + ORACLE, // shutdown in progress (Agroal, Druid, Liberty)
            "1033 " + ORACLE, // initialization or shutdown in progress (Agroal, Druid, Liberty)
            "1034 " + ORACLE, // Oracle is not available (Agroal, Druid, Liberty)
            "1035 " + ORACLE, // available to users with RESTRICTED SESSION alone (Agroal, Druid, Liberty)
            "1041 " + ORACLE, // hostdef extension does not exist, after a lost session (ODPI-C)
            "1089 " + ORACLE, // immediate shutdown in progress (Agroal, Druid, Liberty, ODPI-C)
            "1090 " + ORACLE, // shutdown in progress, no connection is permitted (Agroal, Druid, Liberty)
            "1092 " + ORACLE, // the instance terminated, disconnection forced (Agroal, Druid, Liberty, ODPI-C)
            "2396 " + ORACLE, // exceeded maximum idle time (Agroal, Druid, ODPI-C)
            "2399 " + ORACLE, // exceeded maximum connect time, logged off (HikariCP)
            "3106 " + ORACLE, // fatal two-task communication protocol error (Agroal, Druid)
            "3113 " + ORACLE, // end-of-file on communication channel (Agroal, Druid, Liberty, ODPI-C)
            "3114 " + ORACLE, // not connected (Agroal, Druid, Liberty, ODPI-C)
            "3135 " + ORACLE, // connection lost contact (Druid, ODPI-C)
            "12571 " + ORACLE, // TNS: packet writer failure (Liberty)
            "596 " + SQL_SERVER, // the session is in the kill state (SQL Server's list of errors: severity 21, fatal)
            "6002 " + SQL_SERVER, // shutdown is in progress, log off (Liberty)
            "6005 " + SQL_SERVER, // shutdown is in progress (Liberty)
            "6006 " + SQL_SERVER, // the server was shut down by request (Liberty)
            "40197 " + SQL_SERVER, // Azure: the service is down or failed over (mssql-jdbc, SQLServerError)
            "40613 " + SQL_SERVER, // Azure: the database is not available now (mssql-jdbc, SQLServerError)
            "-924 58006", // Db2: connection internal error (Druid, Liberty)
            "-1224 55032", // Db2: the database manager terminated the requests (Liberty)
            "500150 HY000", // Redshift: the connection was closed (HikariCP)
            "1927 70100", // MariaDB: the connection was killed (MaxScale, Zabbix)
            "3169 HY000", // MySQL: the session was killed (Connector/J)
            "4031 HY000"); // MySQL: disconnected for inactivity (sent before the server closes, net_serv.cc)

    /** A login that was refused, where the state does not say so, each with its sign of the vendor as above (Liberty, Oracle). */
    private static final Set<String> REFUSED_LOGINS = Set.of(
            "1005 " + ORACLE, // null password given
            "1017 " + ORACLE, // invalid username or password
            "28000 " + ORACLE, // the account is locked
            "28001 " + ORACLE, // the password has expired
            "18452 " + SQL_SERVER, // the login is from an untrusted domain
            "18456 " + SQL_SERVER, // login failed for this user
            "18470 " + SQL_SERVER, // the account is disabled
            "18486 " + SQL_SERVER, // the account is locked out
            "18487 " + SQL_SERVER, // the password has expired
            "18488 " + SQL_SERVER); // the password must be changed

    /** The SQLState of a failure; null if it has none, or fails to say. */
    public static @Nullable String sqlState(@Nullable Throwable failure) {
        try {
            return failure instanceof SQLException sql ? sql.getSQLState() : null;
        } catch (Throwable e) {
            return null;
        }
    }

    /**
     * The class of a failure: as the pool's own classifier says of it, or of the first of its causes that it knows, if it
     * says anything, else the rules below.
     */
    public static FailureClass classify(SQLException failure, @Nullable FailureClassifier override) {
        return classify(failure, override, null);
    }

    /** As below, of a failure in use, by the classifier in these settings; never throws. */
    public static FailureClass classify(SQLException failure, Settings settings, Session inUse) {
        return classify(failure, settings, inUse, inUse.given());
    }

    /**
     * As below, by the classifier in these settings; never throws, whatever that, or the failure itself, does.
     *
     * @param given the password that a CredentialsProvider gave for the connect or the connection
     */
    public static FailureClass classify(
            SQLException failure, Settings settings, @Nullable Session inUse, @Nullable String given) {
        try {
            return classify(failure, settings.failureClassifier(), inUse);
        } catch (Throwable e) { // the user's classifier must not cost a place, nor hide the failure
            Log.log(
                    Level.ERROR,
                    "pool '" + settings.poolName() + "': the failure classifier threw",
                    settings.redacted(e, given));
        }
        try {
            return classify(failure, (FailureClassifier) null, inUse);
        } catch (Throwable e) { // a failure that fails itself
            return FailureClass.OTHER;
        }
    }

    /** As above, of a failure in use: its SQL may have brought about a failure that the rules take for the end of the session. */
    public static FailureClass classify(
            SQLException failure, @Nullable FailureClassifier override, @Nullable Session session) {
        Throwable cause = failure;
        for (int i = 0; override != null && cause != null && i < LOOK_AT_MOST; i++, cause = cause.getCause()) {
            FailureClass said = cause instanceof SQLException sql ? override.classify(sql) : null;
            if (said != null) {
                return said;
            }
        }
        FailureClass kind = classify(failure, new int[] {LOOK_AT_MOST});
        boolean ended = kind == FailureClass.DISCONNECT || kind == FailureClass.READ_ONLY;
        return ended && session != null && session.outlives(failure) ? FailureClass.OTHER : kind;
    }

    /** Whether a failure, one of its causes, or one of those after it is such. */
    static boolean anyOf(SQLException failure, Predicate<SQLException> such) {
        return anyOf(failure, such, new int[] {LOOK_AT_MOST});
    }

    private static boolean anyOf(@Nullable Throwable failure, Predicate<SQLException> such, int[] left) {
        if (failure == null || left[0]-- <= 0) {
            return false;
        }
        if (failure instanceof SQLException sql && (such.test(sql) || anyOf(sql.getNextException(), such, left))) {
            return true;
        }
        return anyOf(failure.getCause(), such, left);
    }

    /** Of a failure, its causes and the failures after it, the first that is more than {@code OTHER}. */
    private static FailureClass classify(@Nullable Throwable failure, int[] left) {
        if (failure == null || left[0]-- <= 0) {
            return FailureClass.OTHER;
        }
        if (failure instanceof SQLException sql) {
            FailureClass own = classifyAlone(sql);
            if (own == FailureClass.OTHER) {
                own = classify(sql.getNextException(), left);
            }
            if (own != FailureClass.OTHER) {
                return own;
            }
        }
        return classify(failure.getCause(), left);
    }

    private static FailureClass classifyAlone(SQLException failure) {
        if (failure instanceof SQLFeatureNotSupportedException) {
            return FailureClass.OTHER;
        }
        String state = failure.getSQLState() == null ? "" : failure.getSQLState();
        int code = failure.getErrorCode();
        if (state.startsWith("28") || isKnown(REFUSED_LOGINS, failure, state, code)) {
            return FailureClass.AUTHENTICATION;
        }
        // 53400 is not among these: PostgreSQL uses it for a statement that passes temp_file_limit.
        if (state.equals("53300") || isTooManyOnMySql(failure, state, code)) {
            return FailureClass.TOO_MANY_CONNECTIONS;
        }
        if (state.equals("25006") || isReadOnlyMySql(failure, state, code) || isReadOnlySqlServer(state, code)) {
            return FailureClass.READ_ONLY;
        }
        boolean gone = state.startsWith("08")
                || DISCONNECT_STATES.contains(state)
                || isGoneByClass(failure)
                || isKnown(GONE_BY_CODE, failure, state, code);
        return gone ? FailureClass.DISCONNECT : FailureClass.OTHER;
    }

    /**
     * Whether a connect that failed so will fail until somebody changes the configuration or the database: there is no such
     * database, or it refuses what the pool asks of it. Only of failures that the rules above know no class for.
     */
    public static boolean isRefusal(SQLException failure) {
        return anyOf(failure, one -> {
            String state = one.getSQLState() == null ? "" : one.getSQLState();
            return state.startsWith("42") // syntax error or access rule violation; MySQL 1049: unknown database
                    || REFUSALS.contains(state)
                    || (one.getErrorCode() == 4060 && state.startsWith("S0")); // SQL Server: cannot open database
        });
    }

    /**
     * Whether it is a limit of the server, of all sessions of a user, or of this account. Other limits of the account
     * (queries an hour) share the code.
     */
    private static boolean isTooManyOnMySql(SQLException failure, String state, int code) {
        return (code == 1040 && state.startsWith("08"))
                || (code == 1203 && state.equals("42000"))
                || (code == 1226 && state.equals("42000") && mentions(failure, "'max_user_connections'"));
    }

    /** Other options of the server that forbid a statement share the code; the message names the option. */
    private static boolean isReadOnlyMySql(SQLException failure, String state, int code) {
        return state.equals("HY000")
                && (code == 1836
                        || (code == 1290 && (mentions(failure, "read-only") || mentions(failure, "read_only"))));
    }

    /** Error 3906: the database is read-only; its driver makes the state of the server's own one. */
    private static boolean isReadOnlySqlServer(String state, int code) {
        return code == 3906 && state.startsWith("S0");
    }

    private static boolean isKnown(Set<String> codes, SQLException failure, String state, int code) {
        String whose = mentions(failure, ORACLE) ? ORACLE : state.startsWith(SQL_SERVER) ? SQL_SERVER : state;
        return codes.contains(code + " " + whose);
    }

    private static boolean mentions(SQLException failure, String word) {
        String message = failure.getMessage();
        return message != null && message.contains(word);
    }

    /** A statement that timed out says nothing of its connection. */
    private static boolean isGoneByClass(SQLException failure) {
        return !(failure instanceof SQLTimeoutException)
                && (failure instanceof SQLRecoverableException
                        || failure instanceof SQLNonTransientConnectionException);
    }
}
