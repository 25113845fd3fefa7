package dev.weir.lab.stub;

import java.sql.Connection;
import java.time.Duration;
import java.util.EnumMap;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * Connects to nothing, after a delay if it is told so, and counts its connections and what was called on them. Thread-safe.
 */
public final class StubDataSource extends BareDataSource {
    private static final int DEFAULT_ROWS = 10;

    private final long connectNanos;
    private final long queryNanos;
    private final int rows;
    private final StubConnection @Nullable [] everlasting;
    private final @Nullable Queue<Trace> traces;
    private final AtomicInteger opened = new AtomicInteger();
    private final AtomicInteger open = new AtomicInteger();

    /** Every connection is a new one, there at once; a query has its answer at once, of ten rows. */
    public StubDataSource() {
        this(0, 0, DEFAULT_ROWS, false, 0);
    }

    /**
     * Every connection is a new one.
     *
     * @param connect how long a connect takes
     * @param query how long an execution takes, of a query, an update or a batch
     */
    public StubDataSource(Duration connect, Duration query) {
        this(connect.toNanos(), query.toNanos(), DEFAULT_ROWS, false, 0);
    }

    private StubDataSource(long connectNanos, long queryNanos, int rows, boolean counting, int lasting) {
        this.connectNanos = connectNanos;
        this.queryNanos = queryNanos;
        this.rows = rows;
        this.traces = counting ? new ConcurrentLinkedQueue<>() : null;
        this.everlasting = lasting == 0 ? null : everlasting(lasting);
    }

    private StubConnection[] everlasting(int number) {
        StubConnection[] connections = new StubConnection[number];
        for (int i = 0; i < number; i++) {
            connections[i] = traced(new EverlastingConnection(this));
        }
        return connections;
    }

    /**
     * Returns one that keeps what is called on its connections, also when they are closed, and so grows with their number.
     *
     * @param rows how many rows the answer to a query has
     */
    public static StubDataSource counting(int rows) {
        return new StubDataSource(0, 0, rows, true, 0);
    }

    /**
     * Returns one without pool and connect: the connections are there, close() does nothing, and a thread's id says which
     * one it gets.
     *
     * @param size how many; a power of two
     */
    public StubDataSource withoutPool(int size) {
        if (Integer.bitCount(size) != 1) {
            throw new IllegalArgumentException("size: " + size + " (expected: a power of two)");
        }
        return new StubDataSource(connectNanos, queryNanos, rows, traces != null, size);
    }

    @Override
    public Connection getConnection() {
        StubConnection[] shared = everlasting;
        return shared == null ? connect() : shared[(int) Thread.currentThread().getId() & (shared.length - 1)];
    }

    private Connection connect() {
        pause(connectNanos);
        open.incrementAndGet();
        opened.incrementAndGet();
        return traced(new StubConnection(this));
    }

    private StubConnection traced(StubConnection connection) {
        if (traces != null) {
            traces.add(connection.trace);
        }
        return connection;
    }

    /** Returns how many connections were opened. */
    public int opened() {
        return opened.get();
    }

    /** Returns how many connections are open. */
    public int open() {
        return open.get();
    }

    /**
     * Returns what was called on all connections; exact once the threads that called have ended.
     *
     * @throws IllegalStateException unless made by {@link #counting}
     */
    public Map<Call, Long> calls() {
        if (traces == null) {
            throw new IllegalStateException("calls are not counted");
        }
        Map<Call, Long> calls = new EnumMap<>(Call.class);
        for (Call call : Call.values()) {
            calls.put(call, traces.stream().mapToLong(trace -> trace.of(call)).sum());
        }
        return calls;
    }

    int rows() {
        return rows;
    }

    void closed() {
        open.decrementAndGet();
    }

    /** Takes the time of an execution. */
    void execute() {
        pause(queryNanos);
    }

    private static void pause(long nanos) {
        if (nanos <= 0) {
            return;
        }
        long end = System.nanoTime() + nanos;
        long left = nanos;
        while (left > 0 && !Thread.currentThread().isInterrupted()) {
            LockSupport.parkNanos(left);
            left = end - System.nanoTime();
        }
    }

    @Override
    public Connection getConnection(String username, String password) {
        return getConnection();
    }

    private static final class EverlastingConnection extends StubConnection {
        EverlastingConnection(StubDataSource source) {
            super(source);
        }

        @Override
        public void close() {
            trace.add(Call.OTHER);
        }
    }
}
