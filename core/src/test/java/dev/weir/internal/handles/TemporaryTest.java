package dev.weir.internal.handles;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.RecordingDriver;
import dev.weir.internal.engine.Loan;
import dev.weir.internal.slots.Slot;
import java.sql.Array;
import java.sql.Blob;
import java.sql.SQLException;
import java.sql.Savepoint;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;

/** P2: a value that a loan made of its connection, and forgot, is freed when the loan ends. */
class TemporaryTest {
    private final RecordingDriver driver = new RecordingDriver();
    private final Loan loan = new Loan();

    private interface Maker {
        Object make(ConnectionHandle connection) throws SQLException;
    }

    private static List<Maker> makers() {
        return List.of(
                c -> c.createBlob(),
                c -> c.createClob(),
                c -> c.createNClob(),
                c -> c.createSQLXML(),
                c -> c.createArrayOf("int", new Object[0]));
    }

    private long calls(String name) {
        return driver.names().stream().filter(name::equals).count();
    }

    @Test
    void whatTheLoanMadeIsFreedOnceAndWithTheDriversOwnObject() throws SQLException {
        for (Maker maker : makers()) {
            Slot slot = loan.slot(driver.connection());
            ConnectionHandle c = Loan.lend(slot);
            Object made = maker.make(c);
            Object physical = ((AbstractHandle) made).physical();
            driver.calls.clear();
            c.close();
            assertThat(driver.calls())
                    .filteredOn(call -> call.target() == physical)
                    .extracting(call -> call.method().getName())
                    .as("%s", made)
                    .containsExactly("free");
            assertThat(slot.state()).isEqualTo(Slot.IDLE);
        }
    }

    @Test
    void whatItsUserFreedIsNotFreedAgainAndNotKept() throws SQLException {
        ConnectionHandle c = loan.lend(driver.connection());
        for (int i = 0; i < 1_000; i++) {
            Objects.requireNonNull(c.createBlob()).free();
            Objects.requireNonNull(c.createArrayOf("int", new Object[0])).free();
        }
        assertThat(LoanInsides.trackedNodes(c)).isLessThan(20);
        c.close();
        assertThat(calls("free")).isEqualTo(2_000);
    }

    @Test
    void whatWasReadAndNotMadeIsTheStatementsToFree() throws SQLException {
        ConnectionHandle c = loan.lend(driver.connection());
        Blob read = c.createStatement().executeQuery("x").getBlob(1);
        Array array = c.prepareStatement("x").executeQuery().getArray(1);
        assertThat(List.of(read, array)).doesNotContainNull();
        c.close();
        assertThat(calls("free")).isZero();
    }

    @Test
    void aDriverThatCannotFreeHasNothingToFreeAndOneThatFailsIsNotLentAgain() throws SQLException {
        Slot slot = loan.slot(driver.connection());
        ConnectionHandle c = Loan.lend(slot);
        c.createBlob();
        driver.without = "free";
        c.close();
        assertThat(slot.state()).isEqualTo(Slot.IDLE);
        driver.without = null;

        ConnectionHandle failing = Loan.lend(slot);
        Blob blob = Objects.requireNonNull(failing.createBlob());
        driver.failure = new SQLException("as asked", "HY000");
        assertThatThrownBy(blob::free).hasMessage("as asked");
        failing.close();
        assertThat(slot.state()).isEqualTo(Slot.RETIRED);
    }

    @Test
    void aSavepointThatNoRollbackEndsIsReleased() throws SQLException {
        Slot slot = loan.slot(driver.connection());
        ConnectionHandle c = Loan.lend(slot);
        c.setSavepoint();
        c.setSavepoint("named");
        driver.calls.clear();
        c.close();
        assertThat(calls("releaseSavepoint")).isEqualTo(2);
        assertThat(slot.state()).isEqualTo(Slot.IDLE);
    }

    @Test
    void whatItsUserReleasedIsNotReleasedAgainAndNotKept() throws SQLException {
        ConnectionHandle c = loan.lend(driver.connection());
        for (int i = 0; i < 1_000; i++) {
            Savepoint first = c.setSavepoint();
            c.releaseSavepoint(first);
        }
        assertThat(LoanInsides.trackedNodes(c)).isLessThan(20);
        driver.calls.clear();
        c.close();
        assertThat(calls("releaseSavepoint")).isZero();
    }

    @Test
    void aSavepointThatTheDriverHasForgottenIsNoFault() throws SQLException {
        Slot slot = loan.slot(driver.connection());
        ConnectionHandle c = Loan.lend(slot);
        c.setSavepoint();
        driver.without = "releaseSavepoint";
        c.close();
        assertThat(slot.state()).isEqualTo(Slot.IDLE);
    }

    @Test
    void whereTheLoanEndsWithARollbackNoSavepointCostsACall() throws SQLException {
        driver.autoCommit = false;
        ConnectionHandle c = loan.lend(driver.connection());
        c.setSavepoint();
        assertThat(LoanInsides.trackedNodes(c)).isZero();
        driver.calls.clear();
        c.close();
        assertThat(driver.names()).contains("rollback").doesNotContain("releaseSavepoint");
    }
}
