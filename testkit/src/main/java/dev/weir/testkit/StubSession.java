package dev.weir.testkit;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.SQLWarning;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Collections;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * One physical connection of a {@link StubDatabase}, as the server sees it: its state, its transaction, what was called.
 * Thread-safe.
 */
public final class StubSession {

    /** Whether the session is in a transaction. */
    public enum Transaction {
        /** Nothing is open. */
        NONE,
        /** Something was executed and neither committed nor rolled back. */
        OPEN,
        /** A statement failed; only a rollback helps. */
        FAILED
    }

    /** The thread by its number: its class loader may go. */
    private record Entry(long thread, String call) {}

    private static final int JOURNAL_LIMIT = 10_000;
    private static final Set<String> WITH_RESULT = Set.of("SELECT", "VALUES", "WITH", "SHOW");
    private static final Set<String> ALLOWED_WHEN_DEAD =
            Set.of("Connection.close", "Connection.isClosed", "Connection.abort", "Connection.isValid");

    /** Answered by what the driver was told before. */
    private static final Set<String> FROM_MEMORY = Set.of(
            "BaseConnection.getTransactionState", "PGConnection.getParameterStatus", "PGConnection.getBackendPID");

    private final StubDatabase database;
    private final long id;
    private final String user;
    private final Set<StubHandler> openStatements = ConcurrentHashMap.newKeySet();
    private final Set<StubHandler> openLobs = ConcurrentHashMap.newKeySet();
    private final Connection connection;
    private volatile boolean killed;
    private volatile boolean closed;
    private volatile boolean frozen;
    private volatile boolean seenDead;

    // guarded by this
    private final Deque<Entry> journal = new ArrayDeque<>();
    private final List<String> uncommitted = new ArrayList<>();
    private Transaction transaction = Transaction.NONE;
    private boolean autoCommit = true;
    private final StubSettings settings = new StubSettings();
    private int savepoints;
    private int holdability = ResultSet.CLOSE_CURSORS_AT_COMMIT;
    private int networkTimeoutMillis;
    private @Nullable String catalog = "catalog0";
    private Map<String, Class<?>> typeMap = new HashMap<>();
    private final Properties clientInfo = new Properties();
    private @Nullable SQLWarning warning;

    StubSession(StubDatabase database, long id, String user) {
        this.database = database;
        this.id = id;
        this.user = user;
        this.connection = new StubConnection(this).connection();
    }

    /** Returns the number of this session; the first of a database is 1. */
    public long id() {
        return id;
    }

    /** Returns the user who connected, or an empty text. */
    public String user() {
        return user;
    }

    /** Returns the physical connection. */
    public Connection connection() {
        return connection;
    }

    /** Returns whether the session is neither closed nor killed. */
    public boolean isOpen() {
        return !closed && !killed;
    }

    /** Returns whether the client closed or aborted it. */
    public boolean isClosed() {
        return closed;
    }

    /** Ends the session on the server: every later call fails with SQLState 08006. Its transaction is rolled back. */
    public void kill() {
        killed = true;
        ended();
    }

    /**
     * Stops answering: calls block until {@link #thaw()}, the end of the session, the network timeout, or, for
     * {@code isValid}, the time given to it. Close and abort do not block.
     */
    public void freeze() {
        frozen = true;
    }

    /** Answers again. */
    public void thaw() {
        frozen = false;
        database.faults().signal();
    }

    /** Returns the calls made so far, oldest first, each as {@code Interface.method[arguments]}; at most 10,000. */
    public synchronized List<String> journal() {
        return journal.stream().map(Entry::call).toList();
    }

    /** Returns those calls that the current thread made: the pool asks some sessions on threads of its own. */
    synchronized List<String> journalOfThisThread() {
        long mine = threadId();
        return journal.stream()
                .filter(entry -> entry.thread() == mine)
                .map(Entry::call)
                .toList();
    }

    @SuppressWarnings("deprecation") // its successor came with JDK 19
    private static long threadId() {
        return Thread.currentThread().getId();
    }

    /** Returns how many statements are open. */
    public int openStatements() {
        return openStatements.size();
    }

    /** Returns how many large objects that were made on this connection are not freed. */
    public int openLobs() {
        return openLobs.size();
    }

    /** Returns how many savepoints the transaction has. */
    public synchronized int savepoints() {
        return savepoints;
    }

    /** Returns the state of the transaction. */
    public synchronized Transaction transaction() {
        return transaction;
    }

    /** Returns the rows written in the open transaction. */
    public synchronized List<String> uncommitted() {
        return List.copyOf(uncommitted);
    }

    /** Adds a warning, as a server that notices something does. */
    public synchronized void warn(String message) {
        SQLWarning added = new SQLWarning(message, "01000");
        if (warning == null) {
            warning = added;
        } else {
            warning.setNextWarning(added);
        }
    }

    @Override
    public String toString() {
        return "session " + id;
    }

    StubDatabase database() {
        return database;
    }

    /** Every call passes this before it is answered: it is noted, meets the faults, and needs a live session. */
    void enter(String method, Object[] arguments) throws Throwable {
        database.count(method);
        synchronized (this) {
            if (journal.size() == JOURNAL_LIMIT) {
                journal.removeFirst();
            }
            journal.addLast(new Entry(threadId(), method + Arrays.toString(arguments)));
        }
        boolean wasOpen = isOpen();
        database.faults().meet(method, () -> !isOpen());
        if (FROM_MEMORY.contains(method)) {
            return;
        }
        if (frozen && isOpen() && !method.equals("Connection.close") && !method.equals("Connection.abort")) {
            blockWhileFrozen(method, arguments);
        }
        if (killed
                && !ALLOWED_WHEN_DEAD.contains(method)
                && !method.endsWith(".isClosed")
                && !method.endsWith(".close")) {
            seenDead = true;
            throw database.failure("the connection is lost", "08006", false);
        }
        if (wasOpen && closed && !ALLOWED_WHEN_DEAD.contains(method)) {
            throw new SQLException("the connection was closed during the call", "08006");
        }
    }

    private void blockWhileFrozen(String method, Object[] arguments) throws SQLException {
        long limitNanos = Long.MAX_VALUE / 2;
        if (method.equals("Connection.isValid") && (Integer) arguments[0] > 0) {
            limitNanos = (Integer) arguments[0] * 1_000_000_000L;
        } else if (networkTimeout() > 0) {
            limitNanos = networkTimeout() * 1_000_000L;
        }
        if (!database.faults().block(() -> !frozen || !isOpen(), limitNanos)) {
            kill();
        }
    }

    void close() {
        if (!closed) {
            closed = true;
            ended();
        }
    }

    private void ended() {
        synchronized (this) {
            uncommitted.clear();
            transaction = Transaction.NONE;
        }
        openStatements.clear();
        openLobs.clear();
        database.sessionEnded(this);
        database.faults().signal();
    }

    void opened(StubHandler statement) {
        openStatements.add(statement);
    }

    void closed(StubHandler statement) {
        openStatements.remove(statement);
    }

    StubValue made(StubValue lob) {
        openLobs.add(lob);
        return lob;
    }

    void freed(StubValue lob) {
        openLobs.remove(lob);
    }

    synchronized void setSavepoint() {
        touch();
        savepoints++;
    }

    synchronized void releaseSavepoint() {
        touch();
        savepoints = Math.max(0, savepoints - 1);
    }

    /** Whether the driver knows that the connection is of no use: closed, or, as pgjdbc, found lost. */
    boolean isKnownDead() {
        return closed || (seenDead && database.likeness() == StubDatabase.Likeness.POSTGRESQL);
    }

    /** Executes one statement and returns the number of rows it wrote, or -1 if it has a result set. */
    synchronized long execute(String sql, String row, Collection<?> parameters) throws SQLException {
        String text = sql.strip();
        String word = text.split("[\\s;(]", 2)[0].toUpperCase(Locale.ROOT);
        switch (word) {
            case "BEGIN", "START" -> transaction = Transaction.OPEN;
            case "COMMIT", "END" -> endTransaction(transaction != Transaction.FAILED);
            case "ROLLBACK", "ABORT" -> endTransaction(false);
            default -> {
                return executeInTransaction(word, text, row, parameters);
            }
        }
        return 0;
    }

    private long executeInTransaction(String word, String text, String row, Collection<?> parameters)
            throws SQLException {
        if (transaction == Transaction.FAILED) {
            throw database.failure("the transaction is aborted", "25P02", true);
        }
        if (!autoCommit) {
            transaction = Transaction.OPEN;
        }
        switch (word) {
            case "FAIL" -> {
                if (transaction == Transaction.OPEN) {
                    transaction = Transaction.FAILED;
                }
                throw database.failure(
                        "as asked: " + text, text.substring(word.length()).strip(), true);
            }
            case "RAISE" -> {
                transaction = transaction == Transaction.OPEN ? Transaction.FAILED : transaction;
                throw database.raised(
                        "as asked: " + text, text.substring(word.length()).strip());
            }
            case "WARN" -> warn(text);
            case "INSERT", "UPDATE", "DELETE", "CALL" -> {
                write(row);
                return 1;
            }
            default -> {
                settings.change(text, parameters, transaction == Transaction.OPEN);
                return WITH_RESULT.contains(word) ? -1 : 0;
            }
        }
        return 0;
    }

    /** Writes a row: for good outside a transaction, else until it ends. */
    synchronized void write(String row) throws SQLException {
        if (settings.readOnly.get() || database.isReadOnly()) {
            throw database.failure("cannot write in a read-only transaction", "25006", true);
        }
        if (!autoCommit) {
            transaction = Transaction.OPEN;
        }
        if (transaction == Transaction.OPEN) {
            uncommitted.add(row);
        } else {
            database.commit(List.of(row));
        }
    }

    synchronized void touch() {
        if (!autoCommit && transaction == Transaction.NONE) {
            transaction = Transaction.OPEN;
        }
    }

    synchronized void commit() throws SQLException {
        requireManualCommit("commit");
        endTransaction(transaction != Transaction.FAILED);
    }

    synchronized void rollback() throws SQLException {
        requireManualCommit("rollback");
        endTransaction(false);
    }

    private void requireManualCommit(String what) throws SQLException {
        if (autoCommit) {
            throw new SQLException("cannot " + what + " when autoCommit is enabled", "25P01");
        }
    }

    private synchronized void endTransaction(boolean keep) {
        if (keep) {
            database.commit(uncommitted);
        }
        uncommitted.clear();
        transaction = Transaction.NONE;
        savepoints = 0;
        settings.endTransaction(keep);
    }

    /** As JDBC asks: a change during a transaction commits it. */
    synchronized void setAutoCommit(boolean value) {
        if (value != autoCommit) {
            if (!autoCommit) {
                endTransaction(transaction != Transaction.FAILED);
            }
            autoCommit = value;
        }
    }

    /** Returns whether each statement is a transaction of its own. */
    public synchronized boolean autoCommit() {
        return autoCommit;
    }

    /** Returns whether writes are refused. */
    public synchronized boolean readOnly() {
        return settings.readOnly.get();
    }

    synchronized void setReadOnly(boolean value) throws SQLException {
        requireNoTransaction("read-only");
        settings.readOnly.set(value, false);
    }

    /** Returns the isolation level, as in {@link Connection#getTransactionIsolation()}. */
    public synchronized int isolation() {
        return settings.isolation.get();
    }

    synchronized void setIsolation(int value) throws SQLException {
        requireNoTransaction("isolation");
        settings.isolation.set(value, false);
    }

    private void requireNoTransaction(String what) throws SQLException {
        if (transaction != Transaction.NONE) {
            throw new SQLException("cannot change " + what + " in the middle of a transaction", "25001");
        }
    }

    /** Returns the network timeout in milliseconds; 0 is none. */
    public synchronized int networkTimeout() {
        return networkTimeoutMillis;
    }

    synchronized void setNetworkTimeout(int millis) {
        networkTimeoutMillis = millis;
    }

    /** Returns the holdability, as in {@link Connection#getHoldability()}. */
    public synchronized int holdability() {
        return holdability;
    }

    synchronized void setHoldability(int value) {
        holdability = value;
    }

    /** Returns the catalog; {@code catalog0} at first. */
    public synchronized @Nullable String catalog() {
        return catalog;
    }

    synchronized void setCatalog(@Nullable String value) {
        catalog = value;
    }

    /** Returns the schema; {@code schema0} at first. */
    public synchronized @Nullable String schema() {
        return settings.schema.get();
    }

    /** Where the server knows schemas as a setting, a rollback undoes this as any other. */
    synchronized void setSchema(@Nullable String value) {
        boolean transactional = database.likeness() == StubDatabase.Likeness.POSTGRESQL;
        settings.schema.set(value == null ? "" : value, transactional && transaction == Transaction.OPEN);
    }

    /** Returns the settings that a text asks for, one a column; empty if it asks for none. */
    synchronized List<String> settings(String sql, Collection<?> parameters) {
        return settings.row(sql, parameters);
    }

    /** Returns the settings that are not as a new session has them. */
    synchronized List<List<String>> changedSettings() {
        return settings.changed();
    }

    /** Returns a setting as the server tells it. */
    synchronized String setting(String name) {
        return name.equals("in_hot_standby") ? (database.isReadOnly() ? "on" : "off") : settings.show(name);
    }

    /** Returns the type map; empty at first. */
    public synchronized Map<String, Class<?>> typeMap() {
        return Collections.unmodifiableMap(new HashMap<>(typeMap));
    }

    synchronized void setTypeMap(@Nullable Map<String, Class<?>> value) {
        typeMap = value == null ? new HashMap<>() : new HashMap<>(value);
    }

    /** Returns the client info; empty at first. */
    public synchronized Properties clientInfo() {
        Properties copy = new Properties();
        copy.putAll(clientInfo);
        return copy;
    }

    synchronized void setClientInfo(String name, @Nullable String value) {
        if (value == null) {
            clientInfo.remove(name);
        } else {
            clientInfo.setProperty(name, value);
        }
    }

    synchronized void setClientInfo(Properties values) {
        clientInfo.clear();
        clientInfo.putAll(values);
    }

    synchronized @Nullable SQLWarning warning() {
        return warning;
    }

    synchronized void clearWarnings() {
        warning = null;
    }
}
