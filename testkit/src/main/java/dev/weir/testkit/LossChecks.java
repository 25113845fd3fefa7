package dev.weir.testkit;

import dev.weir.testkit.Contract.Spec;
import dev.weir.testkit.ContractSuite.Check;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/** P12: nothing is lost. Each place can be lent afterwards and nothing stays locked, whatever is thrown wherever. */
final class LossChecks {

    private static final String P12 = "P12";
    private static final Duration TIMEOUT = Duration.ofSeconds(1);
    private static final Duration AGAIN = Duration.ofSeconds(5);
    private static final Duration STRESS = Duration.ofSeconds(1);

    /** Every call that a pool or its user makes of a driver in the life of a connection. */
    private static final List<String> CALLS = List.of(
            StubDatabase.CONNECT,
            "Connection.setAutoCommit",
            "Connection.getAutoCommit",
            "Connection.setReadOnly",
            "Connection.isReadOnly",
            "Connection.setTransactionIsolation",
            "Connection.getTransactionIsolation",
            "Connection.setSchema",
            "Connection.getSchema",
            "Connection.setCatalog",
            "Connection.getCatalog",
            "Connection.setNetworkTimeout",
            "Connection.getNetworkTimeout",
            "Connection.isValid",
            "Connection.isClosed",
            "Connection.getWarnings",
            "Connection.clearWarnings",
            "Connection.getMetaData",
            "Connection.createStatement",
            "Connection.prepareStatement",
            "Connection.createBlob",
            "Blob.free",
            "Statement.execute",
            "Statement.executeQuery",
            "Statement.close",
            "PreparedStatement.executeUpdate",
            "ResultSet.next",
            "ResultSet.close",
            "Connection.commit",
            "Connection.rollback",
            "Connection.close",
            "Connection.abort");

    private LossChecks() {}

    static void addTo(List<Check> all) {
        for (String call : CALLS) {
            all.add(new Check(P12, "no place is lost, whatever is thrown by " + call, scene -> thrownBy(scene, call)));
        }
        all.add(new Check(
                P12,
                "no place is lost, whatever is thrown by BaseConnection.getTransactionState",
                StubDatabase.Likeness.POSTGRESQL,
                scene -> thrownBy(scene, "BaseConnection.getTransactionState")));
        all.add(new Check(P12, "no place is lost where a user's recursion overflows the stack", LossChecks::recursion));
        all.add(new Check(P12, "no place is lost by interrupts", LossChecks::interrupts));
        ReturnChecks.changes().forEach((property, change) -> {
            // JDBC lets the setters of client info fail in their own way only, and the mode is the pool's own matter.
            if (!property.startsWith("clientInfo") && !property.equals("autoCommit")) {
                all.add(new Check(P12, "a property the driver has not costs no connection: " + property, scene -> {
                    refusedSetter(scene, ReturnChecks.setterOf(property), change);
                }));
            }
        });
        all.add(new Check(P12, "a physical close that hangs costs its place until its bound", LossChecks::hungClose));
    }

    /** Waits until so many connections can be had at one time, and used. */
    static void allCanBeLent(DataSource pool, int places) {
        int[] most = {0};
        Await.await(() -> places + " connections can be had again, there were " + most[0], AGAIN, () -> {
            List<Connection> held = new ArrayList<>();
            try {
                while (held.size() < places) {
                    held.add(pool.getConnection());
                    Scene.query(held.get(held.size() - 1));
                }
            } catch (SQLException | RuntimeException | Error e) {
                // The next try decides, as long as there is time.
                return false;
            } finally {
                most[0] = Math.max(most[0], held.size());
                held.forEach(Scene::closeQuietly);
            }
            return true;
        });
    }

    private static void thrownBy(Scene scene, String call) throws Throwable {
        DataSource pool = scene.dataSource(Spec.ofSize(2).withTimeout(TIMEOUT));
        DeadlineChecks.fill(pool, 2);
        for (Map.Entry<String, Supplier<Throwable>> kind : Failings.all().entrySet()) {
            for (int i = 0; i < 2; i++) {
                Fault fault = scene.db().failNext(call, 1, kind.getValue());
                Scene.closeQuietly(() -> live(pool));
                fault.release();
            }
            try {
                allCanBeLent(pool, 2);
            } catch (AssertionError e) {
                throw new AssertionError(kind.getKey() + ": " + e.getMessage(), e);
            }
        }
    }

    /** A life of a connection that makes the pool open, test, clean and close it, whatever fails on the way. */
    private static void live(DataSource pool) throws SQLException {
        try (Connection other = pool.getConnection()) {
            Scene.quietly(() -> live(pool, pool.getConnection()));
            Scene.query(other);
        }
    }

    private static void live(DataSource pool, Connection user) throws SQLException {
        List<Scene.Work> steps = List.of(
                () -> user.createBlob().free(),
                () -> user.createBlob(),
                () -> user.setReadOnly(true),
                () -> user.setReadOnly(false),
                () -> user.setTransactionIsolation(Connection.TRANSACTION_SERIALIZABLE),
                () -> user.setSchema("another"),
                () -> user.setCatalog("another"),
                () -> user.setNetworkTimeout(Runnable::run, 60_000),
                () -> user.getMetaData().getUserName(),
                () -> user.setAutoCommit(false),
                () -> write(user),
                () -> Scene.query(user),
                () -> user.commit(),
                () -> write(user),
                () -> Scene.execute(user, "WARN me"),
                () -> user.getWarnings(),
                () -> user.isValid(1));
        steps.forEach(Scene::quietly);
        Scene.closeQuietly(user);
        Connection last = pool.getConnection();
        Scene.closeQuietly(() -> Scene.execute(last, "FAIL 57P01"));
        Scene.closeQuietly(() -> last.abort(Runnable::run));
        Scene.closeQuietly(last);
    }

    private static void write(Connection user) throws SQLException {
        PreparedStatement prepared = user.prepareStatement("INSERT x");
        prepared.executeUpdate();
        Statement left = user.createStatement();
        ResultSet rows = left.executeQuery("SELECT 1");
        rows.next();
    }

    // ---- a stack that overflows

    private static final int STACK_BYTES = 512 * 1024;
    private static final int DEPTHS = 400;

    private static void recursion(Scene scene) throws Throwable {
        DataSource pool = scene.dataSource(Spec.ofSize(4).withAutoCommit(false).withTimeout(TIMEOUT));
        warmUp(scene, pool);
        Recursion recursion = new Recursion(pool);
        Scene.check(scene.spawn(STACK_BYTES, recursion::run).get(Duration.ofSeconds(15)), "the user did not end");
        Scene.check(recursion.overflows.get() > 0, "no stack overflowed");
        allCanBeLent(pool, 4);
    }

    /** All classes are loaded first: one whose first use overflows the stack is of no use to its JVM ever after. */
    private static void warmUp(Scene scene, DataSource pool) throws Throwable {
        DeadlineChecks.fill(pool, 4);
        for (int i = 0; i < 2; i++) {
            List<Connection> held = new ArrayList<>();
            for (int j = 0; j < 4; j++) {
                held.add(pool.getConnection());
                Scene.execute(held.get(j), "INSERT x");
            }
            Scene.refused(pool);
            Fault fault = scene.db().failNext("Statement.execute", 4, () -> new StackOverflowError("as asked"));
            held.forEach(user -> Scene.closeQuietly(() -> Scene.execute(user, "INSERT x")));
            fault.release();
            held.forEach(Scene::closeQuietly);
            allCanBeLent(pool, 4);
        }
    }

    /** A user who gets, uses and closes a connection with less and less of the stack left, and closes it once more after. */
    private static final class Recursion {
        private final DataSource pool;
        private volatile @Nullable Connection held;
        private final AtomicInteger overflows = new AtomicInteger();
        private int depth;

        Recursion(DataSource pool) {
            this.pool = pool;
        }

        void run() {
            List<Integer> depths = IntStream.rangeClosed(1, DEPTHS).boxed().collect(Collectors.toList());
            Collections.shuffle(depths, new Random(42));
            long end = System.nanoTime() + Duration.ofSeconds(3).toNanos();
            for (int i = 0; i < DEPTHS && System.nanoTime() - end < 0; i++) {
                int left = depths.get(i);
                int deepest = deepest();
                held = null;
                try {
                    descend(Math.max(1, deepest - left));
                } catch (StackOverflowError e) {
                    overflows.incrementAndGet();
                } catch (SQLException | RuntimeException | Error ignored) {
                    // An overflow, told in other words.
                }
                Scene.closeQuietly(held);
            }
        }

        private int deepest() {
            depth = 0;
            try {
                descend(Integer.MAX_VALUE);
            } catch (StackOverflowError | SQLException expected) {
                return depth;
            }
            return depth;
        }

        private void descend(int left) throws SQLException {
            depth++;
            if (left > 0) {
                descend(left - 1);
            } else {
                Connection got = pool.getConnection();
                held = got;
                Scene.execute(got, "INSERT x");
                got.close();
            }
        }
    }

    // ---- interrupts, refusals, hung closes

    private static void interrupts(Scene scene) throws Throwable {
        DataSource pool = scene.dataSource(Spec.ofSize(3).withTimeout(TIMEOUT));
        DeadlineChecks.fill(pool, 3);
        long end = System.nanoTime() + STRESS.toNanos();
        List<Scene.Forked<Boolean>> users = new ArrayList<>();
        for (int i = 0; i < 8; i++) {
            users.add(scene.spawn(() -> {
                while (System.nanoTime() - end < 0) {
                    Scene.closeQuietly(() -> Scene.useOnce(pool));
                }
            }));
        }
        Random random = new Random(42);
        while (System.nanoTime() - end < 0) {
            users.get(random.nextInt(users.size())).thread().interrupt();
            Scene.letPass(Duration.ofMillis(1));
        }
        for (Scene.Forked<Boolean> user : users) {
            Scene.check(user.get(), "the user did not end");
        }
        allCanBeLent(pool, 3);
        Scene.check(scene.db().maxOpenAtOnce() <= 3, scene.db().maxOpenAtOnce() + " connections at once of 3");
    }

    /** One connection may go until the pool has learnt it. */
    private static void refusedSetter(Scene scene, String setter, ReturnChecks.Act change) throws Throwable {
        DataSource pool = scene.dataSource(Spec.ofSize(1));
        Scene.useOnce(pool);
        Fault refusal = scene.db().fail(setter, () -> new SQLFeatureNotSupportedException("as asked", "0A000"));
        for (int i = 0; i < 5; i++) {
            Connection user = pool.getConnection();
            try {
                change.on(user);
                throw new AssertionError("the user is not told that the driver has not this property");
            } catch (SQLFeatureNotSupportedException expected) {
                Scene.query(user);
            }
            user.close();
        }
        Scene.check(refusal.hits() >= 5, "only " + refusal.hits() + " of 5 users reached the driver");
        Scene.check(scene.db().opened() <= 2, scene.db().opened() + " connections for 5 users, one after another");
    }

    /** The time that connections in use have when the pool is closed is another matter. */
    private static void hungClose(Scene scene) throws Throwable {
        Spec spec = Spec.ofSize(2).withCloseTimeout(Duration.ZERO);
        DataSource pool = scene.dataSource(spec);
        DeadlineChecks.fill(pool, 2);
        Fault hang = scene.db().hang("Connection.close");
        for (int i = 0; i < 4; i++) {
            Connection user = Timed.within("getConnection()", spec.discardTimeout(), pool::getConnection);
            Scene.closeQuietly(() -> Scene.execute(user, "FAIL 57P01"));
            Scene.closeQuietly(user);
        }
        allCanBeLent(pool, 2);
        Scene.check(hang.hits() > 0, "no connection was closed");
        Scene.check(scene.db().maxOpenAtOnce() <= 2, scene.db().maxOpenAtOnce() + " sessions at once of 2");
    }
}
