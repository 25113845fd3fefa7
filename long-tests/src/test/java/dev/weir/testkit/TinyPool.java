package dev.weir.testkit;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.Blob;
import java.sql.Clob;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;
import java.sql.SQLTransientConnectionException;
import java.sql.SQLXML;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.EnumSet;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import javax.sql.DataSource;
import org.postgresql.util.PSQLException;

/** A small pool that is right in what the tests ask of it, and wrong in exactly the ways it is told to be. */
final class TinyPool implements Contract.Pool {

    enum Wrong {
        CLOSES_TWICE,
        LEAVES_TRANSACTION,
        COMMITS_AT_CLOSE,
        MISSES_LARGE_UPDATES,
        KEEPS_AFTER_FAILED_ROLLBACK,
        LENDS_RAW_STATEMENTS,
        LEAVES_STATEMENTS,
        FORGETS_SCHEMA,
        LOSES_PLACE_ON_ERROR,
        DOES_NOT_VALIDATE,
        ABORTS_LATE,
        LENDS_ABORTED,
        IGNORES_USER,
        HAS_NO_STATE,
        LETS_WAITERS_NAP,
        CONNECTS_ON_AND_ON,
        CLOSES_LATE,
        SETS_LOGIN_TIMEOUT,
        SHARES_ITS_TIMEOUT,
        LEAKS_AT_CLOSE,
        IS_LATE,
        TAKES_BASELINE_LATE,
        LEAVES_LARGE_OBJECTS,
        MISSES_SAVEPOINTS,
        TRUSTS_COMMIT,
        LOSES_PLACE_AT_CLOSE,
        LOSES_PLACE_ON_INTERRUPT,
        DROPS_AFTER_REFUSAL,
        CLOSES_BY_THE_WAY,
        CLEANS_UNBOUNDED,
        KEEPS_AFTER_ERROR,
        BELIEVES_SQL,
        SHOWS_SQL,
        SHOWS_CAUSE,
        STAYS_SMALL,
        DROPS_READ_ONLY,
        STARTS_THREADS,
        CONNECTS_TWICE,
        HIDES_THE_DRIVERS
    }

    private final StubDatabase db;
    private final Contract.Spec spec;
    private final Set<Wrong> wrongs;
    private final Semaphore places;
    private final Deque<Connection> idle = new ArrayDeque<>(); // guarded by itself
    private final CountDownLatch closed = new CountDownLatch(1);
    private volatile String lastSql = "";
    private final Queue<Connection> closedLate = new ConcurrentLinkedQueue<>();

    /** For a pool that is told to keep its timeout here. */
    private static final AtomicReference<Duration> TIMEOUT_OF_ALL = new AtomicReference<>(Duration.ZERO);

    TinyPool(StubDatabase db, Contract.Spec spec, Set<Wrong> wrongs) {
        this.db = db;
        this.spec = spec;
        this.wrongs = wrongs.isEmpty() ? EnumSet.noneOf(Wrong.class) : EnumSet.copyOf(wrongs);
        this.places = new Semaphore(is(Wrong.STAYS_SMALL) ? 5 : spec.maximumPoolSize(), true);
        TIMEOUT_OF_ALL.set(spec.connectionTimeout());
        if (is(Wrong.SETS_LOGIN_TIMEOUT)) {
            DriverManager.setLoginTimeout((int) spec.connectionTimeout().toSeconds());
        }
    }

    private boolean is(Wrong wrong) {
        return wrongs.contains(wrong);
    }

    @Override
    public DataSource dataSource() {
        return (DataSource) Proxy.newProxyInstance(
                TinyPool.class.getClassLoader(), new Class<?>[] {DataSource.class}, (self, method, arguments) -> {
                    if (arguments != null && !is(Wrong.IGNORES_USER)) {
                        throw new SQLException("one user only", "0A000");
                    }
                    try {
                        return acquire();
                    } finally {
                        beLate();
                    }
                });
    }

    private void beLate() {
        if (is(Wrong.IS_LATE)) {
            Scene.letPass(Duration.ofMillis(300));
        }
    }

    @Override
    public void close() throws SQLException {
        closed.countDown();
        if (!is(Wrong.LEAKS_AT_CLOSE)) {
            for (Connection connection = poll(); connection != null; connection = poll()) {
                connection.close();
            }
            closedLate.forEach(Scene::closeQuietly);
        }
    }

    private Connection poll() {
        synchronized (idle) {
            return idle.poll();
        }
    }

    private Connection acquire() throws SQLException {
        takePlace();
        boolean got = false;
        try {
            Connection physical = poll();
            while (physical != null && !is(Wrong.DOES_NOT_VALIDATE) && !isSound(physical)) {
                discard(physical);
                physical = poll();
            }
            if (physical == null) {
                physical = open();
            }
            while (is(Wrong.CONNECTS_ON_AND_ON) && !isSound(physical)) {
                discard(physical);
                physical = open();
            }
            got = true;
            return new Handle(physical).proxy;
        } catch (Error e) {
            got = is(Wrong.LOSES_PLACE_ON_ERROR);
            throw new SQLException("the driver failed", "08001", e);
        } finally {
            if (!got) {
                places.release();
            }
        }
    }

    private Connection open() throws SQLException {
        if (is(Wrong.STARTS_THREADS)) {
            new Thread(() -> Scene.quietly(closed::await)).start();
        }
        Connection physical;
        try {
            physical = db.dataSource().getConnection();
        } catch (SQLException e) {
            throw is(Wrong.SHOWS_CAUSE) ? e : new SQLTransientConnectionException("cannot connect", e.getSQLState());
        }
        if (is(Wrong.CONNECTS_TWICE)) {
            physical.close();
            physical = db.dataSource().getConnection();
        }
        physical.setAutoCommit(spec.autoCommit());
        return physical;
    }

    private static boolean isSound(Connection physical) {
        try {
            return physical.isValid(1);
        } catch (SQLException e) {
            return false;
        }
    }

    private void discard(Connection physical) {
        if (is(Wrong.CLOSES_LATE)) {
            closedLate.add(physical);
        } else if (!bounded(() -> Scene.closeQuietly(physical), spec.discardTimeout())) {
            Scene.quietly(() -> physical.abort(Runnable::run));
        }
    }

    /** Runs the work in a thread of its own, and returns whether it ended in time. */
    private boolean bounded(Runnable work, Duration limit) {
        Thread thread = new Thread(work, "tiny-pool");
        thread.setDaemon(true);
        thread.start();
        if (is(Wrong.CLOSES_BY_THE_WAY)) {
            return true;
        }
        try {
            thread.join(limit.toMillis());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        return !thread.isAlive();
    }

    private void takePlace() throws SQLException {
        Duration timeout = is(Wrong.SHARES_ITS_TIMEOUT) ? TIMEOUT_OF_ALL.get() : spec.connectionTimeout();
        try {
            if (is(Wrong.LETS_WAITERS_NAP)) {
                while (!places.tryAcquire()) {
                    LockSupport.parkNanos(TimeUnit.SECONDS.toNanos(3));
                }
                return;
            }
            if (!places.tryAcquire(timeout.toNanos(), TimeUnit.NANOSECONDS)) {
                throw is(Wrong.HAS_NO_STATE)
                        ? new SQLException("timeout")
                        : new SQLTransientConnectionException(
                                "timeout, " + spec.maximumPoolSize() + " in use" + lastSql, "08001");
            }
        } catch (InterruptedException e) {
            boolean ignored = is(Wrong.LOSES_PLACE_ON_INTERRUPT) && places.tryAcquire();
            Thread.currentThread().interrupt();
            throw new SQLException("interrupted", "57014", e);
        }
    }

    private void release(Connection physical, boolean clean) {
        if (clean) {
            synchronized (idle) {
                idle.push(physical);
            }
        } else {
            discard(physical);
        }
        places.release();
    }

    private final class Handle {

        private final Connection physical;
        private final AtomicBoolean closed = new AtomicBoolean();
        private final List<Statement> statements = new ArrayList<>();
        private final Connection proxy;
        private volatile boolean aborted;
        private volatile boolean dirty;
        private volatile boolean broken;
        private volatile String schema = "";
        private final List<AutoCloseable> largeObjects = new ArrayList<>();

        Handle(Connection physical) {
            this.physical = physical;
            this.proxy = (Connection) Proxy.newProxyInstance(
                    TinyPool.class.getClassLoader(), new Class<?>[] {Connection.class}, this::invoke);
        }

        private Object invoke(Object self, Method method, Object[] arguments) throws Throwable {
            return switch (method.getName()) {
                case "equals" -> self == arguments[0];
                case "hashCode" -> System.identityHashCode(self);
                case "toString" -> "handle";
                case "isClosed" -> closed.get() || aborted;
                case "close" -> {
                    close();
                    yield null;
                }
                case "abort" -> {
                    abort();
                    yield null;
                }
                default -> live(method, arguments);
            };
        }

        private Object live(Method method, Object[] arguments) throws Throwable {
            if (closed.get()) {
                throw new SQLException("closed", "08003");
            }
            String name = method.getName();
            if (name.equals("setSchema") && schema.isEmpty()) {
                schema = is(Wrong.TAKES_BASELINE_LATE) ? physical.getSchema() : "schema0";
            }
            dirty |= name.equals("setSavepoint") && !is(Wrong.MISSES_SAVEPOINTS);
            dirty &= !(name.equals("commit") && is(Wrong.TRUSTS_COMMIT));
            Object result = judged(physical, method, arguments);
            remember(result);
            if (result instanceof Statement statement) {
                statements.add(statement);
                return is(Wrong.LENDS_RAW_STATEMENTS) ? statement : statement(statement, method.getReturnType());
            }
            return result;
        }

        private void remember(Object result) {
            if (result instanceof Blob blob) {
                largeObjects.add(blob::free);
            } else if (result instanceof Clob clob) {
                largeObjects.add(clob::free);
            } else if (result instanceof SQLXML xml) {
                largeObjects.add(xml::free);
            }
        }

        /** Calls the driver, and remembers what its failure says of the connection. */
        private Object judged(Object target, Method method, Object[] arguments) throws Throwable {
            try {
                return call(target, method, arguments);
            } catch (SQLException e) {
                broken |= isTheEnd(e);
                throw e;
            } catch (Error e) {
                broken |= !is(Wrong.KEEPS_AFTER_ERROR);
                throw e;
            }
        }

        private boolean isTheEnd(SQLException failure) {
            String state = String.valueOf(failure.getSQLState());
            boolean raised = failure instanceof PSQLException reported
                    && reported.getServerErrorMessage() != null
                    && "ERROR".equals(reported.getServerErrorMessage().getSeverity());
            return ((state.startsWith("57P") || state.startsWith("08")) && (!raised || is(Wrong.BELIEVES_SQL)))
                    || (failure instanceof SQLFeatureNotSupportedException && is(Wrong.DROPS_AFTER_REFUSAL))
                    || (state.equals("25006") && is(Wrong.DROPS_READ_ONLY));
        }

        private Object statement(Statement raw, Class<?> type) {
            return Proxy.newProxyInstance(
                    TinyPool.class.getClassLoader(), new Class<?>[] {type}, (self, method, arguments) -> {
                        dirty |= method.getName().startsWith("execute")
                                && !(is(Wrong.MISSES_LARGE_UPDATES)
                                        && method.getName().equals("executeLargeUpdate"));
                        if (is(Wrong.SHOWS_SQL) && arguments != null && arguments[0] instanceof String sql) {
                            lastSql = ", the last runs " + sql;
                        }
                        if (is(Wrong.HIDES_THE_DRIVERS) && method.getReturnType() == String.class) {
                            return "a statement of the pool";
                        }
                        return method.getName().equals("getConnection") ? proxy : judged(raw, method, arguments);
                    });
        }

        private void abort() throws SQLException {
            if (is(Wrong.ABORTS_LATE) || !closed.get()) {
                aborted = true;
                if (!is(Wrong.LENDS_ABORTED)) {
                    physical.abort(Runnable::run);
                }
            }
        }

        private void close() {
            if (closed.compareAndSet(false, true) || is(Wrong.CLOSES_TWICE)) {
                boolean[] clean = new boolean[1];
                if (is(Wrong.CLEANS_UNBOUNDED) || is(Wrong.LOSES_PLACE_AT_CLOSE) || !(dirty || !statements.isEmpty())) {
                    clean[0] = clean();
                } else if (!bounded(() -> clean[0] = clean(), spec.cleanTimeout())) {
                    Scene.quietly(() -> physical.abort(Runnable::run));
                }
                release(physical, clean[0] && !broken);
            }
        }

        private boolean clean() {
            boolean clean = !aborted || is(Wrong.LENDS_ABORTED);
            try {
                for (AutoCloseable lob : is(Wrong.LEAVES_LARGE_OBJECTS) ? List.<AutoCloseable>of() : largeObjects) {
                    lob.close();
                }
                for (Statement statement : is(Wrong.LEAVES_STATEMENTS) ? List.<Statement>of() : statements) {
                    statement.close();
                }
                cleanTransaction();
                physical.setAutoCommit(spec.autoCommit());
                physical.clearWarnings();
                if (!schema.isEmpty() && !is(Wrong.FORGETS_SCHEMA)) {
                    physical.setSchema(schema);
                }
            } catch (Error e) {
                if (is(Wrong.LOSES_PLACE_AT_CLOSE)) {
                    throw e;
                }
                clean = false;
            } catch (Exception e) {
                clean = is(Wrong.KEEPS_AFTER_FAILED_ROLLBACK);
            }
            return clean;
        }

        private void cleanTransaction() throws SQLException {
            if (physical.getAutoCommit() || !dirty || is(Wrong.LEAVES_TRANSACTION)) {
                return;
            }
            if (is(Wrong.COMMITS_AT_CLOSE)) {
                physical.commit();
            } else {
                physical.rollback();
            }
        }
    }

    private static Object call(Object target, Method method, Object[] arguments) throws Throwable {
        try {
            return method.invoke(target, arguments);
        } catch (InvocationTargetException e) {
            throw e.getCause();
        }
    }
}
