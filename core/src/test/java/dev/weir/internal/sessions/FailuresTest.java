package dev.weir.internal.sessions;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.spi.FailureClass;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;
import java.sql.SQLNonTransientConnectionException;
import java.sql.SQLRecoverableException;
import java.sql.SQLTimeoutException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class FailuresTest {

    @ParameterizedTest
    @CsvSource({
        "08006, 0, DISCONNECT",
        "08S01, 0, DISCONNECT",
        "57P01, 0, DISCONNECT",
        "57P02, 0, DISCONNECT",
        "57P03, 0, DISCONNECT",
        "57P05, 0, DISCONNECT",
        "25P03, 0, DISCONNECT",
        "25P04, 0, DISCONNECT",
        "01002, 0, DISCONNECT",
        "JZ0C0, 0, DISCONNECT",
        "JZ0C1, 0, DISCONNECT",
        "90067, 90067, DISCONNECT",
        "90098, 90098, DISCONNECT",
        "90121, 90121, DISCONNECT",
        "28000, 1045, AUTHENTICATION",
        "28P01, 0, AUTHENTICATION",
        "53300, 0, TOO_MANY_CONNECTIONS",
        "08004, 1040, TOO_MANY_CONNECTIONS",
        "25006, 0, READ_ONLY",
        "HY000, 1290, OTHER",
        "HY000, 1836, READ_ONLY",
        "S0002, 3906, READ_ONLY",
        "42000, 1203, TOO_MANY_CONNECTIONS",
        "42000, 1226, OTHER",
        "HYT00, 0, OTHER",
        "57014, 0, OTHER",
        "53400, 0, OTHER",
        "25P02, 0, OTHER",
        "42601, 1040, OTHER",
        ", 0, OTHER"
    })
    void theStateAndTheVendorsCodeSayWhatAFailureMeans(String state, int code, FailureClass expected) {
        assertThat(Failures.classify(new SQLException("x", state, code), null)).isEqualTo(expected);
    }

    /** Vendors' codes count with a sign of their vendor alone. */
    @ParameterizedTest
    @CsvSource({
        "61000, 28, ORA-00028: your session has been killed, DISCONNECT",
        "61000, 2396, 'ORA-02396: exceeded maximum idle time, please connect again', DISCONNECT",
        "61000, 2399, 'ORA-02399: exceeded maximum connect time, you are being logged off', DISCONNECT",
        "72000, 1012, ORA-01012: not logged on, DISCONNECT",
        "60000, 603, ORA-00603: ORACLE server session terminated by fatal error, DISCONNECT",
        "64000, 1033, ORA-01033: ORACLE initialization or shutdown in progress, DISCONNECT",
        "66000, 12571, ORA-12571: TNS:packet writer failure, DISCONNECT",
        "60000, 600, 'ORA-00600: internal error code, arguments: [x]', OTHER",
        "99999, 3111, ORA-03111: break received on communication channel, OTHER",
        "99999, 31, ORA-00031: session marked for kill, OTHER",
        "61000, 54, ORA-00054: resource busy and acquire with NOWAIT specified, OTHER",
        "72000, 1012, not of Oracle, OTHER",
        "S0001, 596, Cannot continue the execution because the session is in the kill state., DISCONNECT",
        "S0001, 6005, SHUTDOWN is in progress., DISCONNECT",
        "S0001, 6006, Server shut down by request., DISCONNECT",
        "S0001, 40197, The service has encountered an error processing your request., DISCONNECT",
        "HY000, 596, not of SQL Server, OTHER",
        "S0001, 2627, Violation of PRIMARY KEY constraint, OTHER",
        "58006, -924, DB2 SQL Error: SQLCODE=-924, DISCONNECT",
        "55032, -1224, DB2 SQL Error: SQLCODE=-1224, DISCONNECT",
        "51021, -918, DB2 SQL Error: SQLCODE=-918, OTHER",
        "23505, -803, DB2 SQL Error: SQLCODE=-803, OTHER",
        "JZ006, 0, JZ006: Caught IOException, DISCONNECT",
        "HY000, 500150, [Amazon](500150) Error setting/closing connection, DISCONNECT",
        "HY000, 4031, The client was disconnected by the server because of inactivity., DISCONNECT",
        "HY000, 3169, Session was killed., DISCONNECT",
        "HY000, 1105, Unknown error, OTHER",
        "70100, 1927, Connection was killed, DISCONNECT",
        "70100, 1317, Query execution was interrupted, OTHER",
        // Each further try of a refused login brings the account nearer to its lock.
        "72000, 1017, ORA-01017: invalid username/password; logon denied, AUTHENTICATION",
        "72000, 1005, ORA-01005: null password given; logon denied, AUTHENTICATION",
        "99999, 28000, ORA-28000: The account is locked., AUTHENTICATION",
        "S0001, 18456, Login failed for user 'app'., AUTHENTICATION",
        "S0001, 18488, Login failed. The password of the account must be changed., AUTHENTICATION",
        "72000, 1017, not of Oracle, OTHER",
        "HY000, 18456, not of SQL Server, OTHER"
    })
    void aVendorsCodeSaysThatTheSessionIsGoneOrTheLoginIsRefused(
            String state, int code, String message, FailureClass expected) {
        assertThat(Failures.classify(new SQLException(message, state, code), null))
                .isEqualTo(expected);
    }

    @Test
    void theClassOfTheExceptionCountsWhereTheStateSaysNothing() {
        assertThat(Failures.classify(new SQLRecoverableException("x"), null)).isEqualTo(FailureClass.DISCONNECT);
        assertThat(Failures.classify(new SQLNonTransientConnectionException("x"), null))
                .isEqualTo(FailureClass.DISCONNECT);
        assertThat(Failures.classify(new SQLTimeoutException("x"), null)).isEqualTo(FailureClass.OTHER);
        assertThat(Failures.classify(new SQLFeatureNotSupportedException("x", "08000"), null))
                .isEqualTo(FailureClass.OTHER);
    }

    @Test
    void causesAndFollowersAreLookedAtToo() {
        SQLException batch = new SQLException("batch", "21000");
        batch.setNextException(new SQLException("gone", "08006"));
        assertThat(Failures.classify(batch, null)).isEqualTo(FailureClass.DISCONNECT);
        RuntimeException between = new IllegalStateException(new SQLException("denied", "28000"));
        assertThat(Failures.classify(new SQLException("wrapped", between), null))
                .isEqualTo(FailureClass.AUTHENTICATION);
    }

    @Test
    void aChainThatBitesItsTailEnds() {
        SQLException first = new SQLException("first");
        SQLException second = new SQLException("second", first);
        first.initCause(second);
        first.setNextException(second);
        assertThat(Failures.classify(first, null)).isEqualTo(FailureClass.OTHER);
    }

    @Test
    void thePoolsOwnClassifierGoesFirst() {
        SQLException timeout = new SQLTimeoutException("slow", "HYT00");
        assertThat(Failures.classify(timeout, failure -> FailureClass.DISCONNECT))
                .isEqualTo(FailureClass.DISCONNECT);
        assertThat(Failures.classify(new SQLException("x", "08006"), failure -> null))
                .isEqualTo(FailureClass.DISCONNECT);
        // The pool's exception around the driver's, which the classifier may know by its class.
        assertThat(Failures.classify(
                        new SQLException("connectionInitSql failed", timeout),
                        failure -> failure instanceof SQLTimeoutException ? FailureClass.DISCONNECT : null))
                .isEqualTo(FailureClass.DISCONNECT);
    }
}
