package dev.weir.soak;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.Callable;
import java.util.concurrent.Future;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/** Transfers money, again and again; in wild times does what users do besides. Belongs to its thread but for the volatile fields. */
final class User implements Runnable {
    private static final long SLACK_NANOS = 400_000_000;
    private static final long BREATH_NANOS = 5_000_000;
    private static final int OVERFLOWS = 20;
    private static final List<Deed> DEEDS = List.of(Deed.values());

    /** What getConnection() threw: there is no connection, which is bad luck and no fault while there is trouble. */
    private static final class Refused extends Exception {
        private static final long serialVersionUID = 1;

        Refused(SQLException cause) {
            super(cause);
        }
    }

    private final Generation pool;
    private final Soak soak;
    private final SplittableRandom random;
    private final List<Deed.Step> later = new ArrayList<>();

    private int pid;
    private boolean disowned;
    private boolean leaked;
    private @Nullable Connection deep;
    private int overflowsLeft;

    private volatile @Nullable Thread thread;
    private volatile long servedNanos = System.nanoTime();
    private volatile String doing = "nothing";

    User(Generation pool, SplittableRandom random) {
        this.pool = pool;
        this.soak = pool.soak();
        this.random = random;
    }

    @Override
    public void run() {
        thread = Thread.currentThread();
        while (pool.gate.enter()) {
            Mood mood = pool.mood();
            long begun = System.nanoTime();
            try {
                turn(mood);
                servedNanos = begun;
            } catch (Throwable e) {
                failed(mood, e);
            } finally {
                boolean ignored = Thread.interrupted();
                doing = "nothing";
                pool.gate.leave();
            }
            LockSupport.parkNanos(random.nextInt(mood == Mood.WILD ? 3_000_000 : 10_000_000));
        }
    }

    private void failed(Mood mood, Throwable failure) {
        if (mood == Mood.STRICT && pool.mood() == Mood.STRICT) {
            soak.history.fail(
                    "in quiet times " + doing + " failed: " + failure + "\n"
                            + pool.dataSource().dump(),
                    failure);
        }
        if (failure instanceof Refused) {
            soak.refused.incrementAndGet();
            LockSupport.parkNanos(BREATH_NANOS);
        } else {
            soak.failed.incrementAndGet();
        }
    }

    private void turn(Mood mood) throws Exception {
        disowned = false;
        leaked = false;
        pid = 0;
        if (mood == Mood.WILD) {
            catchUp();
            if (pool.mayOverflow() && random.nextInt(30) == 0) {
                dive();
                return;
            }
        }
        Connection connection = lend();
        Throwable failure = null;
        try {
            boolean held = !pool.givesBack() || random.nextBoolean();
            if (held && pool.givesBack()) {
                Statement ignored = connection.createStatement(); // open until the connection is closed
            }
            inspect(connection, held);
            use(mood, connection);
        } catch (Throwable e) {
            failure = e;
        }
        if (!leaked) {
            failure = close(connection, failure);
        }
        if (failure instanceof Error e) {
            throw e;
        }
        if (failure instanceof Exception e) {
            throw e;
        }
    }

    private void use(Mood mood, Connection connection) throws Exception {
        if (mood == Mood.WILD && random.nextBoolean()) {
            Deed deed = DEEDS.get(random.nextInt(DEEDS.size()));
            doing = deed.name();
            soak.deeds.incrementAndGet();
            deed.by(this, connection);
        } else {
            doing = "transfer";
            soak.bank.transfer(connection, soak.bank.draw(random), random.nextInt(8) == 0);
        }
    }

    private Connection lend() throws Refused {
        doing = "getConnection()";
        long late = soak.pulse.lateNanos();
        long begun = System.nanoTime();
        try {
            return pool.dataSource().getConnection();
        } catch (SQLException e) {
            throw new Refused(e);
        } catch (RuntimeException | Error e) {
            soak.history.fail("getConnection() threw " + e, e);
            throw e;
        } finally {
            long over = System.nanoTime() - begun - Generation.CONNECTION_TIMEOUT.toNanos();
            long slack = SLACK_NANOS + 2 * (soak.pulse.lateNanos() - late);
            soak.note(over);
            if (over > slack) {
                soak.history.fail(
                        "getConnection() ended " + over / 1_000_000 + " ms after its deadline, slack "
                                + slack / 1_000_000 + " ms",
                        null);
            }
        }
    }

    /** Whether anything of another user's is left in it; and, where the user keeps it, whether another has it too. */
    private void inspect(Connection connection, boolean held) throws SQLException {
        doing = "inspect";
        boolean autoCommit = connection.getAutoCommit();
        String found;
        try (Statement statement = connection.createStatement();
                ResultSet row =
                        statement.executeQuery("SELECT pg_backend_pid(), pg_current_xact_id_if_assigned() IS NULL,"
                                + " current_setting('transaction_isolation'), current_setting('transaction_read_only'),"
                                + " current_setting('search_path'), current_setting('application_name')")) {
            row.next();
            pid = held ? row.getInt(1) : 0;
            found = "auto-commit " + autoCommit + ", nothing written " + row.getBoolean(2) + ", isolation "
                    + row.getString(3) + ", read-only " + row.getString(4) + ", schemas " + row.getString(5) + ", by "
                    + row.getString(6);
        }
        if (!found.equals(pool.expected())) {
            soak.history.fail(
                    "a connection is lent in the state of another user:\n    " + found + "\n    not " + pool.expected()
                            + "\n" + pool.dataSource().dump(),
                    null);
        }
        Thread other = held ? soak.owners.putIfAbsent(pid, Thread.currentThread()) : null;
        if (other != null) {
            soak.history.fail("session " + pid + " is lent to " + other + " too", null);
        }
    }

    private @Nullable Throwable close(Connection connection, @Nullable Throwable failure) {
        boolean inQuestion = false;
        try {
            disown();
            connection.close();
        } catch (Throwable e) {
            inQuestion = true;
            failure = failure == null ? e : failure;
        }
        try {
            if (!connection.isClosed()) {
                soak.history.fail("closed, and alive" + (inQuestion ? ", close() threw: " + failure : ""), failure);
            }
        } catch (SQLException e) {
            soak.history.fail("isClosed() threw " + e, e);
        }
        return failure;
    }

    /** The connection is no longer this user's from now on, as far as this user is concerned. */
    void disown() {
        if (!disowned && pid != 0) {
            disowned = true;
            soak.owners.remove(pid, Thread.currentThread());
        }
    }

    void leak(Connection connection) {
        disown();
        leaked = true;
        pool.leaks.add(connection);
    }

    void doLater(Deed.Step step) {
        later.add(step);
    }

    private void catchUp() {
        for (Deed.Step step : later) {
            try {
                step.run();
            } catch (Exception | LinkageError | VirtualMachineError e) {
                // as it should
            }
        }
        later.clear();
    }

    Future<?> elsewhere(Callable<?> task) {
        return soak.helpers.submit(task);
    }

    int random(int bound) {
        return random.nextInt(bound);
    }

    void mustThrow(String what, Callable<?> call) throws Exception {
        try {
            call.call();
        } catch (SQLException e) {
            return;
        }
        soak.history.fail(what + " did not throw", null);
    }

    /** Acquires and gives back where the stack ends: at the first frames above an overflow, one after the other. */
    private void dive() throws Exception {
        doing = "dive";
        soak.dives.incrementAndGet();
        overflowsLeft = 1 + random.nextInt(OVERFLOWS);
        try {
            sink();
        } catch (StackOverflowError e) {
            // that was the aim
        } finally {
            surface();
        }
    }

    @SuppressWarnings("InfiniteRecursion")
    private void sink() throws SQLException {
        try {
            sink();
        } catch (StackOverflowError e) {
            if (--overflowsLeft < 0 || pool.mood() != Mood.WILD) {
                throw e;
            }
            if (deep == null) {
                deep = pool.dataSource().getConnection();
            }
            if (pool.bindsLate()) {
                String ignored = deep.nativeSQL("SELECT 1");
            }
            deep.close();
            deep = null;
        }
    }

    private void surface() throws SQLException {
        Connection mine = deep;
        deep = null;
        if (mine != null) {
            mine.close();
        }
    }

    boolean servedSince(long nanos) {
        return servedNanos - nanos >= 0;
    }

    void interrupt() {
        Thread mine = thread;
        if (mine != null) {
            mine.interrupt();
        }
    }

    @Override
    public String toString() {
        return thread + ": " + doing;
    }
}
