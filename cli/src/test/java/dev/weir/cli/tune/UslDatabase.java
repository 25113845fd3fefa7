package dev.weir.cli.tune;

import dev.weir.testkit.StubDatabase;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Collectors;

/** A database of known capacity: an execution takes as long as the curve says for the number of them under way. */
final class UslDatabase implements AutoCloseable {
    private final StubDatabase sessions = new StubDatabase();
    private final UslCurve curve;
    private final AtomicInteger underWay = new AtomicInteger();
    private volatile int mostUnderWay = Integer.MAX_VALUE;

    UslDatabase(UslCurve curve) {
        this.curve = curve;
        sessions.fail("PreparedStatement.execute", this::takeTime);
        sessions.fail(
                "PreparedStatement.getParameterMetaData",
                () -> new SQLFeatureNotSupportedException("as with some real drivers"));
    }

    StubDatabase sessions() {
        return sessions;
    }

    /** From now on an execution fails while more than this many are under way. */
    void failAbove(int executions) {
        mostUnderWay = executions;
    }

    /** The parameters that were set lately. */
    Set<String> parameters() {
        return sessions.sessions().stream()
                .flatMap(session -> session.journal().stream())
                .filter(call -> call.startsWith("PreparedStatement.setObject"))
                .collect(Collectors.toSet());
    }

    private SQLException takeTime() {
        int users = underWay.incrementAndGet();
        try {
            if (users > mostUnderWay) {
                return new SQLException("too much to do", "53000");
            }
            long end = System.nanoTime() + (long) (1e9 * users / curve.throughput(users));
            for (long left = end - System.nanoTime(); left > 0; left = end - System.nanoTime()) {
                LockSupport.parkNanos(left);
            }
            return null;
        } finally {
            underWay.decrementAndGet();
        }
    }

    @Override
    public void close() {
        sessions.close();
    }
}
