package dev.weir.internal.handles;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.RecordingDriver;
import dev.weir.internal.engine.Loan;
import dev.weir.internal.slots.Slot;
import java.lang.management.ManagementFactory;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CyclicBarrier;
import javax.management.ObjectName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class LoanHandleStatementsTest {
    private static final int STATEMENTS = 100_000;

    private final RecordingDriver driver = new RecordingDriver();
    private final Loan loan = new Loan();

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 7, 50})
    void theStackStaysBoundedWhileStatementsOverlapInTheOrderOfTheirOpening(int window) throws SQLException {
        ConnectionHandle connection = loan.lend(driver.connection());
        Statement shared = driver.physical(Statement.class);
        Deque<Statement> open = new ArrayDeque<>();
        int most = 0;
        for (int i = 0; i < STATEMENTS; i++) {
            open.addLast(connection.tracked(new StatementHandle(connection, shared)));
            if (open.size() > window) {
                open.removeFirst().close();
                driver.calls.clear();
            }
            most = i % 97 == 0 ? Math.max(most, LoanInsides.trackedNodes(connection)) : most;
        }
        assertThat(most).isLessThanOrEqualTo(2 * (window + 1) + 9);
    }

    @Test
    void theStackStaysBoundedWhateverTheOrderOfClosing() throws SQLException {
        ConnectionHandle connection = loan.lend(driver.connection());
        Statement shared = driver.physical(Statement.class);
        Random random = new Random(42);
        List<Statement> open = new ArrayList<>();
        int most = 0;
        for (int i = 0; i < STATEMENTS; i++) {
            open.add(connection.tracked(new StatementHandle(connection, shared)));
            if (open.size() > 20) {
                open.remove(random.nextInt(open.size())).close();
                driver.calls.clear();
            }
            most = i % 97 == 0 ? Math.max(most, LoanInsides.trackedNodes(connection)) : most;
        }
        assertThat(most).isLessThanOrEqualTo(2 * 21 + 9);
    }

    @Test
    void closingTheConnectionClosesWhateverIsStillOpenOnce() throws Exception {
        ConnectionHandle connection = loan.lend(driver.connection());
        Statement open = connection.createStatement();
        Statement closed = connection.prepareStatement("select 1");
        ResultSet tables = connection.getMetaData().getTables(null, null, null, null);
        ResultSet rows = open.executeQuery("select 1");
        closed.close();
        connection.close();
        connection.close();
        assertThat(driver.calls().stream()
                        .filter(call -> call.method().getName().equals("close"))
                        .map(call -> call.target())
                        .toList())
                .hasSize(3)
                .doesNotHaveDuplicates();
        assertThat(tables.isClosed()).isTrue();
        assertThat(rows.isClosed()).isTrue();
        assertThat(open.isClosed()).isTrue();
    }

    @Test
    void aResultSetDiesWithTheNextExecutionOfItsStatement() throws SQLException {
        ConnectionHandle connection = loan.lend(driver.connection());
        Statement statement = connection.createStatement();
        ResultSet first = statement.executeQuery("select 1");
        ResultSet second = statement.executeQuery("select 2");
        assertThat(first.isClosed()).isTrue();
        assertThatThrownBy(first::next).isInstanceOf(SQLException.class).hasMessageContaining("result set is closed");
        second.next();
        assertThat(second.getStatement()).isSameAs(statement);
        statement.close();
        assertThatThrownBy(second::next).isInstanceOf(SQLException.class);
    }

    @Test
    void aResultSetOfMetadataNamesAStatementOfOurs() throws SQLException {
        ConnectionHandle connection = loan.lend(driver.connection());
        ResultSet tables = connection.getMetaData().getTables(null, null, null, null);
        Statement statement = tables.getStatement();
        assertThat(statement).isInstanceOf(StatementHandle.class).isSameAs(tables.getStatement());
        assertThat(statement.getConnection()).isSameAs(connection);
    }

    @Test
    void aStatementOpenedWhileItsConnectionIsClosedIsClosedToo() throws Exception {
        for (int round = 0; round < 3_000; round++) {
            RecordingDriver recorded = new RecordingDriver();
            ConnectionHandle connection = loan.lend(recorded.connection());
            if (round % 2 == 0) {
                connection.markWork(); // otherwise the fast way home
            }
            CyclicBarrier start = new CyclicBarrier(2);
            Thread opener = new Thread(() -> openOne(connection, start));
            opener.start();
            start.await();
            connection.close();
            opener.join();
            assertThat(closedStatements(recorded))
                    .as("opened and closed, by whichever of the two or both, round %s", round)
                    .isEqualTo(recorded.names().stream()
                            .filter("prepareStatement"::equals)
                            .count());
        }
    }

    private static long closedStatements(RecordingDriver driver) {
        return driver.calls().stream()
                .filter(call -> call.method().getName().equals("close") && call.target() instanceof PreparedStatement)
                .map(RecordingDriver.Call::target)
                .distinct()
                .count();
    }

    private static void openOne(Connection connection, CyclicBarrier start) {
        try {
            start.await();
            connection.prepareStatement("select 1");
        } catch (SQLException expected) {
            assertThat((Throwable) expected).hasMessageContaining("connection is closed");
        } catch (Exception e) {
            throw new AssertionError(e);
        }
    }

    @Test
    void aLoanAllocatesAtMost48Bytes() throws Exception {
        Slot slot = loan.slot(driver.connection());
        Object[] keep = new Object[20_000];
        fill(keep, slot);
        long before = allocatedBytes();
        fill(keep, slot);
        long bytes = allocatedBytes() - before;
        assertThat(bytes / keep.length).isLessThanOrEqualTo(48);
    }

    private static long allocatedBytes() throws Exception {
        return (long) ManagementFactory.getPlatformMBeanServer()
                .invoke(
                        new ObjectName(ManagementFactory.THREAD_MXBEAN_NAME),
                        "getThreadAllocatedBytes",
                        new Object[] {Thread.currentThread().getId()},
                        new String[] {"long"});
    }

    private static void fill(Object[] keep, Slot slot) {
        for (int i = 0; i < keep.length; i++) {
            keep[i] = new ConnectionHandle(slot);
        }
    }
}
