package dev.weir.internal.text;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.ConnectException;
import java.sql.SQLException;
import java.sql.SQLTransientConnectionException;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** P8: a failure is passed on as it is, or as a copy without secrets that says all else. */
class RedactedFailureTest {
    private static String redact(String text) {
        return text.replace("geheim", "***");
    }

    private static Throwable redacted(Throwable failure) {
        return RedactedFailure.of(failure, RedactedFailureTest::redact);
    }

    private static String textOf(Throwable failure) {
        return RedactedFailure.textOf(failure, RedactedFailureTest::redact);
    }

    private static final class DriverException extends SQLTransientConnectionException {
        private static final long serialVersionUID = 1;

        DriverException(String message) {
            super(message, "08006", 17);
        }
    }

    @Test
    void whatHasNoSecretIsTheVeryObject() {
        SQLException failure = new DriverException("no route");
        failure.initCause(new IOException("reset", new ConnectException("refused")));
        failure.addSuppressed(new SQLException("and that"));
        failure.setNextException(new SQLException("and next"));
        assertThat(redacted(failure)).isSameAs(failure);
    }

    @Test
    void aCopyKeepsStateCodeStackAndTheNameOfTheClass() {
        SQLException failure = new DriverException("no route for geheim");
        Throwable copy = redacted(failure);
        assertThat(copy)
                .isNotSameAs(failure)
                .isExactlyInstanceOf(SQLException.class)
                .hasMessage(DriverException.class.getName() + ": no route for ***");
        assertThat(((SQLException) copy).getSQLState()).isEqualTo("08006");
        assertThat(((SQLException) copy).getErrorCode()).isEqualTo(17);
        assertThat(copy.getStackTrace()).isEqualTo(failure.getStackTrace());
    }

    @Test
    void aSecretAnywhereInWhatHangsOnItIsTakenOut() {
        SQLException failure = new SQLException("top", "08001");
        SQLException next = new SQLException("next geheim", "08002", new IOException("cause of next geheim"));
        failure.setNextException(next);
        failure.initCause(new RuntimeException("cause", new ConnectException("geheim")));
        failure.addSuppressed(new IllegalStateException("suppressed geheim"));
        SQLException copy = (SQLException) redacted(failure);
        assertThat((Throwable) copy).hasMessage("top").hasStackTraceContaining("java.net.ConnectException: ***");
        assertThat(copy.getCause()).hasMessage("java.lang.RuntimeException: cause");
        assertThat(copy.getSuppressed()).hasSize(1);
        assertThat(copy.getSuppressed()[0]).hasMessage("java.lang.IllegalStateException: suppressed ***");
        assertThat((Throwable) copy.getNextException())
                .hasMessage("next ***")
                .hasRootCauseMessage("java.io.IOException: cause of next ***");
    }

    @Test
    void aChainThatBitesItsTailIsCopiedWithoutTheBite() {
        SQLException first = new SQLException("first");
        SQLException second = new SQLException("second");
        first.initCause(second);
        second.initCause(first);
        first.setNextException(second);
        second.addSuppressed(first);
        SQLException copy = (SQLException) redacted(first);
        int length = 0;
        for (Throwable cause = copy; cause != null && length < 100; cause = cause.getCause()) {
            length++;
        }
        assertThat(length).isEqualTo(2);
        length = 0;
        for (SQLException next = copy; next != null && length < 100; next = next.getNextException()) {
            length++;
        }
        assertThat(length).isLessThanOrEqualTo(2);
    }

    @Test
    void aChainWithoutEndIsCut() {
        SQLException failure = new SQLException("one");
        SQLException last = failure;
        for (int i = 0; i < 10_000; i++) {
            SQLException next = new SQLException("geheim " + i);
            last.initCause(next);
            last = next;
        }
        int length = 0;
        for (Throwable cause = redacted(failure); cause != null; cause = cause.getCause()) {
            assertThat(cause.getMessage()).doesNotContain("geheim");
            length++;
        }
        assertThat(length).isBetween(2, 100);
    }

    /** A driver whose exception fails when it is asked this. */
    private static final class Hostile extends SQLException {
        private static final long serialVersionUID = 1;

        private final String method;
        private final transient Throwable thrown;

        Hostile(String method, Throwable thrown) {
            super("geheim", "08006", 3);
            this.method = method;
            this.thrown = thrown;
        }

        private <T> T say(String asked, T otherwise) {
            if (method.equals(asked)) {
                Hostile.<RuntimeException>sneak(thrown);
            }
            return otherwise;
        }

        @SuppressWarnings({"unchecked", "TypeParameterUnusedInFormals"})
        private static <E extends Throwable> void sneak(Throwable thrown) throws E {
            throw (E) thrown;
        }

        @Override
        public @Nullable String getMessage() {
            return say("getMessage", super.getMessage());
        }

        @Override
        public @Nullable String getSQLState() {
            return say("getSQLState", super.getSQLState());
        }

        @Override
        public synchronized @Nullable Throwable getCause() {
            return say("getCause", super.getCause());
        }

        @Override
        public SQLException getNextException() {
            return say("getNextException", super.getNextException());
        }

        @Override
        public StackTraceElement[] getStackTrace() {
            return say("getStackTrace", super.getStackTrace());
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"getMessage", "getSQLState", "getCause", "getNextException", "getStackTrace"})
    void aFailureWhoseOwnMethodsThrowIsShownByItsNameAlone(String method) {
        for (Throwable thrown : new Throwable[] {
            new IllegalStateException("geheim"),
            new StackOverflowError(),
            new OutOfMemoryError(),
            new IOException("geheim")
        }) {
            Hostile hostile = new Hostile(method, thrown);
            String expected = Hostile.class.getName() + ", a failure that could not be shown";
            assertThat(redacted(hostile)).hasMessage(expected).hasNoCause();
            assertThat(redacted(new SQLException("no", hostile)).getCause()).hasMessage(expected);
            assertThat(textOf(hostile)).doesNotContain("geheim");
        }
    }

    @Test
    void nullsAreTaken() {
        SQLException failure = new SQLException((String) null) {
            private static final long serialVersionUID = 1;

            @Override
            @SuppressWarnings({"NullAway", "OverrideThrowableToString", "ToStringReturnsNull"})
            public String toString() {
                return null;
            }
        };
        assertThat(redacted(failure)).hasMessageStartingWith(failure.getClass().getName());
        assertThat(textOf(failure)).isEqualTo("a failure that could not be shown");
        SQLException plain = new SQLException((String) null);
        assertThat(redacted(plain)).isSameAs(plain);
    }

    @Test
    void whatCannotBeCopiedIsNotShown() {
        UnaryOperator<String> noMemory = text -> {
            throw new OutOfMemoryError();
        };
        Throwable shown = RedactedFailure.of(new SQLException("geheim"), noMemory);
        assertThat(shown)
                .hasMessageEndingWith("a failure that could not be shown")
                .hasNoSuppressedExceptions();
        assertThat(RedactedFailure.textOf(new SQLException("geheim"), noMemory)).doesNotContain("geheim");
    }
}
