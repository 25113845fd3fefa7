package dev.weir.lab.bench;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.openjdk.jmh.annotations.AuxCounters;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;

/**
 * A connection of a pool of any size is acquired and given back; all of them are idle, or all but a few are held.
 *
 * <p>Its threads are not JMH's. JMH measures each thread from its first operation to its last and makes the mean of these; but
 * of a thousand threads on two cores each runs for some milliseconds in a second, and hardly any from the beginning to the
 * end. Here what all of them did is counted, from one moment to another.
 */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.SingleShotTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class ManyCycle extends PoolState {
    private static final VarHandle COUNT = MethodHandles.arrayElementVarHandle(long[].class);

    /** So many numbers fill two cache lines. */
    private static final int LINES = 16;

    /** How many connections the pool has. */
    @Param("1000")
    public int connections = 1_000;

    /** How many of them nobody holds for the whole time; 0: all. */
    @Param("0")
    public int free;

    /** How many threads there are. */
    @Param("32")
    public int crowd = 32;

    /** How long they are counted. */
    @Param("1000")
    public int millis = 1_000;

    private final List<Connection> held = new ArrayList<>();
    private ExecutorService threads = Executors.newCachedThreadPool();
    private long[] counts = {};
    private Connection[] seen = {};
    private CountDownLatch begin = new CountDownLatch(1);
    private volatile boolean over;

    /** What all threads did, and in which time. */
    @State(Scope.Thread)
    @AuxCounters(AuxCounters.Type.EVENTS)
    public static class Done {
        public long operations;
        public long nanos;
    }

    @Override
    int size() {
        return connections;
    }

    @Override
    public void open() throws Exception {
        super.open();
        for (int i = free == 0 ? connections : free; i < connections; i++) {
            held.add(connection());
        }
        threads = Executors.newFixedThreadPool(crowd);
        counts = new long[crowd * LINES];
        seen = new Connection[crowd * LINES];
    }

    @Override
    public void close() throws SQLException {
        threads.shutdownNow();
        for (Connection connection : held) {
            connection.close();
        }
        super.close();
    }

    @Benchmark
    public void cycle(Done done) throws Exception {
        begin = new CountDownLatch(1);
        over = false;
        List<Future<?>> all = new ArrayList<>();
        for (int thread = 0; thread < crowd; thread++) {
            int at = thread * LINES;
            all.add(threads.submit(() -> work(at)));
        }
        long before = sum();
        long begun = System.nanoTime();
        begin.countDown();
        TimeUnit.MILLISECONDS.sleep(millis);
        done.operations = sum() - before;
        done.nanos = System.nanoTime() - begun;
        over = true;
        for (Future<?> one : all) {
            one.get();
        }
    }

    @SuppressWarnings("NullAway") // of a Callable
    private Void work(int at) throws Exception {
        begin.await();
        long count = (long) COUNT.getOpaque(counts, at);
        while (!over) {
            try (Connection connection = connection()) {
                seen[at] = connection; // else the compiler would drop the handle
            }
            COUNT.setOpaque(counts, at, ++count);
        }
        return null;
    }

    private long sum() {
        return IntStream.range(0, crowd)
                .mapToLong(thread -> (long) COUNT.getOpaque(counts, thread * LINES))
                .sum();
    }
}
