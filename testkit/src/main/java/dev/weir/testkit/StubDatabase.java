package dev.weir.testkit;

import java.sql.Connection;
import java.sql.Driver;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Supplier;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.postgresql.core.BaseConnection;
import org.postgresql.util.PSQLException;
import org.postgresql.util.PSQLState;
import org.postgresql.util.ServerErrorMessage;

/**
 * A database in memory, with a JDBC driver, that does what a test tells it to: it delays, hangs and fails calls, loses
 * connections, and counts. It keeps transactions exactly enough to show whose work was committed by whom. Thread-safe.
 *
 * <p>Calls are named as JDBC declares them, {@code Connection.rollback} or {@code Statement.executeBatch} (which a
 * PreparedStatement inherits), and {@link #CONNECT} for a physical connect. SQL is understood by its first word: INSERT,
 * UPDATE, DELETE and CALL write one row, namely their own text; SELECT has one row, 1, or, of {@code weir_objects}, a row for
 * each kind of object that leads back to the session; BEGIN, COMMIT and ROLLBACK mean what they say; SET, SHOW, RESET ALL and
 * set_config act on the settings of a session, in transactions as PostgreSQL does; {@code FAIL 57P01} fails with that SQLState, and
 * {@code RAISE 08001} does so on a session that is well; WARN leaves a warning; anything else does nothing.
 *
 * <pre>{@code
 * try (StubDatabase db = new StubDatabase()) {
 *     Fault hang = db.hang(StubDatabase.CONNECT);
 *     ... // what is tested opens db.dataSource() or db.url()
 *     hang.awaitWaiting(1, Duration.ofSeconds(5));
 *     hang.release();
 * }
 * }</pre>
 */
public final class StubDatabase implements AutoCloseable {

    /** The name of a physical connect, for faults and counters. */
    public static final String CONNECT = "Driver.connect";

    /** The real driver that the stub resembles. */
    public enum Likeness {
        /** None: a driver no pool has special knowledge of. */
        GENERIC,
        /**
         * The connections are instances of pgjdbc's BaseConnection, tell their transaction state, and are the process of the
         * server that the server says they are: a pool may share their sessions. Of SQL only settings and transactions are
         * as in PostgreSQL.
         */
        POSTGRESQL
    }

    private static final AtomicLong DATABASES = new AtomicLong();
    private static final Map<Long, StubDatabase> BY_ID = new ConcurrentHashMap<>();

    private final long id = DATABASES.incrementAndGet();
    private final Likeness likeness;
    private final StubFaults faults = new StubFaults();
    private final Map<String, LongAdder> calls = new ConcurrentHashMap<>();
    private final Map<String, String> passwords = new ConcurrentHashMap<>();
    private final List<StubSession> sessions = new CopyOnWriteArrayList<>();
    private final List<String> committed = new CopyOnWriteArrayList<>();

    private volatile boolean readOnly;

    // guarded by this
    private final List<StubSession> open = new ArrayList<>();
    private int maxOpenAtOnce;
    private int maxConnections = Integer.MAX_VALUE;
    private boolean stopped;

    /** A database with a driver unlike any other. */
    public StubDatabase() {
        this(Likeness.GENERIC);
    }

    /** A database whose driver resembles another. */
    public StubDatabase(Likeness likeness) {
        this.likeness = likeness;
        BY_ID.put(id, this);
    }

    /** Returns whether this is an object of the stub driver itself rather than of a pool in front of it. */
    public static boolean isPhysical(@Nullable Object object) {
        return object instanceof StubPhysical;
    }

    static @Nullable StubDatabase find(long id) {
        return BY_ID.get(id);
    }

    // ---- how it is reached

    /** Returns the URL, {@code jdbc:weir-stub:<number>}, good until {@link #close()}. */
    public String url() {
        return StubDriver.PREFIX + id;
    }

    /** Returns a new driver; the one for {@link #url()} is also registered with the DriverManager. */
    public Driver driver() {
        return new StubDriver();
    }

    /** Returns a new data source that connects without user. */
    public DataSource dataSource() {
        StubDataSource dataSource = new StubDataSource();
        dataSource.setUrl(url());
        return dataSource;
    }

    /** Admits, from now on, only users named here, each with this password; others fail with SQLState 28P01. */
    public void requirePassword(String user, String password) {
        passwords.put(user, password);
    }

    /** Refuses connects beyond this number of open sessions with SQLState 53300. */
    public synchronized void maxConnections(int connections) {
        maxConnections = connections;
    }

    /** Kills all sessions and refuses connects with SQLState 08001 until {@link #start()}. */
    public void stop() {
        synchronized (this) {
            stopped = true;
        }
        killAll();
    }

    /** Accepts connects again after {@link #stop()}. */
    public synchronized void start() {
        stopped = false;
    }

    /** Refuses writes with SQLState 25006 from now on, as a server that became a replica, or takes them again. */
    public void readOnly(boolean value) {
        readOnly = value;
    }

    // ---- faults

    /** Makes every call of this method hang until the fault is released or its session ends. */
    public Fault hang(String method) {
        return hangNext(method, Integer.MAX_VALUE);
    }

    /** Makes the next calls of this method hang until the fault is released or their session ends. */
    public Fault hangNext(String method, int times) {
        return faults.add(method, Fault.Kind.HANG, times, null, Duration.ZERO);
    }

    /** Makes every call of this method fail. A failure may be any throwable that a driver might throw; after null the call goes on. */
    public Fault fail(String method, Supplier<? extends @Nullable Throwable> failure) {
        return failNext(method, Integer.MAX_VALUE, failure);
    }

    /** Makes the next calls of this method fail, as {@link #fail(String, Supplier)} does. */
    public Fault failNext(String method, int times, Supplier<? extends @Nullable Throwable> failure) {
        return faults.add(method, Fault.Kind.FAIL, times, failure, Duration.ZERO);
    }

    /** Makes every call of this method fail with a SQLException of this state. */
    public Fault fail(String method, String sqlState) {
        return fail(method, () -> new SQLException(method + " fails as asked", sqlState));
    }

    /** Makes every call of this method take at least this long. */
    public Fault delay(String method, Duration time) {
        return delayNext(method, Integer.MAX_VALUE, time);
    }

    /** Makes the next calls of this method take at least this long. */
    public Fault delayNext(String method, int times, Duration time) {
        return faults.add(method, Fault.Kind.DELAY, times, null, time);
    }

    /** Releases every fault and every frozen session. */
    public void heal() {
        faults.releaseAll();
        sessions.forEach(StubSession::thaw);
    }

    /** Kills the session behind this physical connection, or behind this handle if it leads there. */
    public void kill(Connection connection) {
        sessionOf(connection).kill();
    }

    /** Kills every open session. */
    public void killAll() {
        openSessions().forEach(StubSession::kill);
    }

    // ---- what happened

    /** Returns every session there ever was, oldest first. */
    public List<StubSession> sessions() {
        return List.copyOf(sessions);
    }

    /** Returns the sessions that are open now, oldest first. */
    public synchronized List<StubSession> openSessions() {
        return List.copyOf(open);
    }

    /**
     * Returns the session behind a connection, be it physical or a handle. It asks {@code getClientInfo} for a name only
     * this driver knows, which changes nothing and is passed on by every pool.
     *
     * @throws IllegalArgumentException if the connection does not lead here or cannot be asked
     */
    public StubSession sessionOf(Connection connection) {
        if (connection instanceof StubPhysical physical) {
            return physical.session();
        }
        try {
            String number = connection.getClientInfo(StubConnection.SESSION_NAME);
            return sessions.stream()
                    .filter(session -> Long.toString(session.id()).equals(number))
                    .findFirst()
                    .orElseThrow(() -> new IllegalArgumentException(connection + " does not lead to " + this));
        } catch (SQLException e) {
            throw new IllegalArgumentException(connection + " cannot be asked for its session: " + e.getMessage(), e);
        }
    }

    /** Returns how many sessions were opened so far. */
    public int opened() {
        return sessions.size();
    }

    /** Returns how many sessions are open now. */
    public synchronized int openNow() {
        return open.size();
    }

    /** Returns the greatest number of sessions open at one time so far. */
    public synchronized int maxOpenAtOnce() {
        return maxOpenAtOnce;
    }

    /** Returns how many sessions were closed or aborted by their client so far. */
    public int closed() {
        return (int) sessions.stream().filter(StubSession::isClosed).count();
    }

    /** Returns how often a method was called so far, failed and hanging calls included. */
    public long calls(String method) {
        LongAdder adder = calls.get(method);
        return adder == null ? 0 : adder.sum();
    }

    /** Returns how often any method of any object was called so far. */
    public long calls() {
        return calls.values().stream().mapToLong(LongAdder::sum).sum();
    }

    /** Returns the rows committed so far, in order. */
    public List<String> committed() {
        return List.copyOf(committed);
    }

    /** Releases every fault, closes every session, and forgets the URL. */
    @Override
    public void close() {
        BY_ID.remove(id);
        heal();
        openSessions().forEach(StubSession::close);
    }

    @Override
    public String toString() {
        return url();
    }

    // ---- for the driver

    StubFaults faults() {
        return faults;
    }

    void count(String method) {
        calls.computeIfAbsent(method, name -> new LongAdder()).increment();
    }

    void commit(List<String> rows) {
        committed.addAll(rows);
    }

    synchronized void sessionEnded(StubSession session) {
        open.remove(session);
    }

    List<?> answer(String sql, StubSession session) {
        if (sql.contains("weir_objects")) {
            return StubValue.objects(session);
        }
        if (sql.contains("weir_session")) {
            return List.of(session.id());
        }
        return likeness == Likeness.POSTGRESQL ? answerAsPostgres(sql, session) : List.of(1);
    }

    /** What a pool asks that shares sessions: which process it speaks with, what texts have set and what is locked, which is nothing. */
    private static List<?> answerAsPostgres(String sql, StubSession session) {
        if (sql.equals("SELECT pg_catalog.pg_backend_pid()")) {
            return List.of(List.of(session.id()));
        }
        if (sql.contains("pg_advisory") || sql.contains("pg_locks")) {
            return List.of(0);
        }
        return sql.contains("source = 'session'") ? session.changedSettings() : List.of(1);
    }

    Likeness likeness() {
        return likeness;
    }

    boolean isReadOnly() {
        return readOnly;
    }

    /** A failure of the driver's own class; one that the server reported carries the server's message. */
    SQLException failure(String message, String state, boolean reported) {
        if (likeness != Likeness.POSTGRESQL) {
            return new SQLException(message, state);
        }
        return reported
                ? reported(message, state, state.startsWith("57P0") ? "FATAL" : "ERROR")
                : new PSQLException(message, PSQLState.CONNECTION_FAILURE);
    }

    /** A failure that SQL raises by itself; it is none of the session, whatever its state says. */
    SQLException raised(String message, String state) {
        return likeness == Likeness.POSTGRESQL ? reported(message, state, "ERROR") : new SQLException(message, state);
    }

    private static SQLException reported(String message, String state, String severity) {
        return new PSQLException(
                new ServerErrorMessage("S" + severity + "\0V" + severity + "\0C" + state + "\0M" + message + "\0"));
    }

    Class<?>[] vendorInterfaces() {
        return likeness == Likeness.POSTGRESQL ? new Class<?>[] {BaseConnection.class} : new Class<?>[0];
    }

    String productName() {
        return likeness == Likeness.POSTGRESQL ? "PostgreSQL" : "Weir stub";
    }

    String driverName() {
        return likeness == Likeness.POSTGRESQL ? "PostgreSQL JDBC Driver" : "Weir stub driver";
    }

    Connection connect(Properties properties) throws SQLException {
        count(CONNECT);
        try {
            faults.meet(CONNECT, () -> false);
        } catch (SQLException | RuntimeException | Error e) {
            throw e;
        } catch (Throwable e) {
            throw new IllegalStateException("a connect cannot fail with a checked " + e.getClass(), e);
        }
        String user = properties.getProperty("user", "");
        checkPassword(user, properties.getProperty("password", ""));
        return open(user).connection();
    }

    private void checkPassword(String user, String password) throws SQLException {
        if (!passwords.isEmpty() && !password.equals(passwords.get(user))) {
            throw new SQLException("password authentication failed for user \"" + user + "\"", "28P01");
        }
    }

    private synchronized StubSession open(String user) throws SQLException {
        if (stopped) {
            throw new SQLException("connection refused", "08001");
        }
        if (open.size() >= maxConnections) {
            throw new SQLException("sorry, too many clients already", "53300");
        }
        StubSession session = new StubSession(this, sessions.size() + 1L, user);
        sessions.add(session);
        open.add(session);
        maxOpenAtOnce = Math.max(maxOpenAtOnce, open.size());
        return session;
    }
}
