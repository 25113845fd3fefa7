package dev.weir.internal.drivers;

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
