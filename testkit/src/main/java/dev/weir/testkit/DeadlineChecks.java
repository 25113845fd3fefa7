package dev.weir.testkit;

import dev.weir.testkit.Contract.Pool;
import dev.weir.testkit.Contract.Spec;
import dev.weir.testkit.ContractSuite.Check;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import javax.sql.DataSource;

/** P4: getConnection() returns or throws within its timeout, and the pool closes within its own. */
final class DeadlineChecks {

    private static final String P4 = "P4";
    private static final Duration BRIEF = Duration.ofMillis(300);
    private static final Duration SHORT = Duration.ofMillis(500);
    private static final Duration LONG = Duration.ofSeconds(20);

    private DeadlineChecks() {}

    static void addTo(List<Check> all) {
        all.add(new Check(P4, "times out in time while all are in use", DeadlineChecks::exhausted));
        all.add(new Check(P4, "times out in time while connects hang", DeadlineChecks::connectsHang));
        all.add(new Check(P4, "times out in time while a connect takes long", DeadlineChecks::connectsSlow));
        all.add(new Check(P4, "in time while a validation hangs", DeadlineChecks::validationHangs));
        all.add(new Check(P4, "in time while the network is a black hole", DeadlineChecks::blackHole));
        all.add(new Check(P4, "in time while the pool is suspended", DeadlineChecks::suspended));
        all.add(new Check(P4, "in time while another user's close hangs", DeadlineChecks::closeHangs));
        all.add(new Check(
                P4, "in time at the start, and at most the maximum of connects, while connects hang", scene -> {
                    startHangs(scene);
                }));
        all.add(new Check(P4, "in time at the start while a first connect takes long", DeadlineChecks::startIsSlow));
        all.add(new Check(P4, "what a start has opened is lent", DeadlineChecks::startServes));
        for (String call :
                List.of("Connection.rollback", "Statement.close", "Connection.setSchema", "Connection.clearWarnings")) {
            all.add(new Check(P4, "close of a connection is bounded while it hangs in " + call, scene -> {
                userCloseHangs(scene, call);
            }));
        }
        all.add(new Check(P4, "an interrupted waiter fails at once and costs no place", DeadlineChecks::interrupted));
        all.add(new Check(P4, "waiters fail at once when the pool is closed", DeadlineChecks::waitersOfClosedPool));
        all.add(new Check(P4, "close of the pool is bounded while one is out", DeadlineChecks::closeIsBounded));
        all.add(new Check(
                P4, "close of the pool is bounded while connects hang", DeadlineChecks::closeWhileConnecting));
    }

    private static void exhausted(Scene scene) throws Throwable {
        DataSource pool = scene.dataSource(Spec.ofSize(1).withTimeout(SHORT));
        Connection only = pool.getConnection();
        long start = System.nanoTime();
        Scene.refusedInTime(pool, SHORT);
        long waitedMillis = (System.nanoTime() - start) / 1_000_000;
        Scene.check(waitedMillis >= SHORT.toMillis() - 50, "gave up after " + waitedMillis + " ms already");
        only.close();
        pool.getConnection().close();
    }

    private static void connectsHang(Scene scene) throws Throwable {
        scene.db().hang(StubDatabase.CONNECT);
        inTime(scene, Spec.ofSize(2));
    }

    private static void connectsSlow(Scene scene) throws Throwable {
        scene.db().delay(StubDatabase.CONNECT, Duration.ofSeconds(5));
        inTime(scene, Spec.ofSize(2));
    }

    /** The making of the pool counts: users wait for it, too. */
    private static void inTime(Scene scene, Spec spec) throws Throwable {
        Timed timed = Timed.start(SHORT);
        DataSource pool;
        try {
            pool = scene.dataSource(spec.withTimeout(SHORT));
        } catch (SQLException | RuntimeException e) {
            // A pool that cannot be made without a connection says so here.
            timed.check("making the pool");
            scene.db().heal();
            Scene.query(scene.dataSource(spec).getConnection());
            return;
        }
        Scene.refusedInTime(pool, SHORT);
    }

    private static void validationHangs(Scene scene) throws Throwable {
        DataSource pool = scene.dataSource(Spec.ofSize(1).withTimeout(Duration.ofSeconds(1)));
        Scene.useOnce(pool);
        // Long enough for pools that trust a connection they tested a moment ago.
        Scene.letPass(Duration.ofMillis(700));
        scene.db().hang("Connection.isValid");
        Timed timed = Timed.start(Duration.ofSeconds(1));
        Scene.closeQuietly(() -> pool.getConnection().close());
        timed.check("getConnection()");
    }

    private static void blackHole(Scene scene) throws Throwable {
        DataSource pool = scene.dataSource(Spec.ofSize(3).withTimeout(Duration.ofSeconds(1)));
        fill(pool, 3);
        Scene.letPass(Duration.ofMillis(700));
        scene.db().openSessions().forEach(StubSession::freeze);
        scene.db().hang(StubDatabase.CONNECT);
        Scene.refusedInTime(pool, Duration.ofSeconds(1));
    }

    /** Has so many connections open and idle. */
    static void fill(DataSource pool, int connections) throws SQLException {
        List<Connection> all = new ArrayList<>();
        for (int i = 0; i < connections; i++) {
            all.add(pool.getConnection());
        }
        for (Connection connection : all) {
            Scene.query(connection);
            connection.close();
        }
    }

    private static void suspended(Scene scene) throws Throwable {
        Pool pool = scene.open(Spec.ofSize(1).withTimeout(SHORT));
        Scene.useOnce(pool.dataSource());
        pool.suspend();
        Scene.refusedInTime(pool.dataSource(), SHORT);
    }

    private static void closeHangs(Scene scene) throws Throwable {
        DataSource pool = scene.dataSource(Spec.ofSize(2).withAutoCommit(false));
        Connection user = pool.getConnection();
        Scene.execute(user, "INSERT x");
        Fault hang = scene.db().hangNext("Connection.rollback", 1);
        scene.spawn(() -> {
            user.close();
        });
        hang.awaitWaiting(1, Scene.SOON);
        Timed timed = Timed.start(Duration.ZERO);
        pool.getConnection().close();
        timed.check("getConnection()");
    }

    private static void startHangs(Scene scene) throws Throwable {
        Fault hang = scene.db().hang(StubDatabase.CONNECT);
        Spec spec = Spec.ofSize(4).withMinimum(4).withTimeout(BRIEF).withConnectAtStart();
        Timed timed = Timed.start(BRIEF);
        DataSource pool;
        try {
            pool = scene.dataSource(spec);
            Scene.refused(pool);
        } catch (SQLException | RuntimeException e) {
            // A pool that cannot be made without a connection says so here, and there is none to ask again.
            timed.check("making the pool");
            scene.db().heal();
            Scene.useOnce(scene.dataSource(spec));
            return;
        }
        timed.check("making the pool and its first getConnection()");
        List<Timed.Late> late = new ArrayList<>();
        for (int i = 0; i < 5; i++) {
            try {
                Scene.refusedInTime(pool, BRIEF);
            } catch (Timed.Late e) {
                late.add(e); // one of five may be a busy machine's
            }
        }
        if (late.size() > 1) {
            throw late.get(1);
        }
        Scene.check(hang.waiting() <= 4, hang.waiting() + " connects at once of 4");
        Scene.check(hang.hits() > 0, "nobody connected");
    }

    private static void startIsSlow(Scene scene) throws Throwable {
        scene.db().delay(StubDatabase.CONNECT, Duration.ofSeconds(2));
        Spec spec = Spec.ofSize(4).withTimeout(BRIEF).withConnectAtStart();
        Timed timed = Timed.start(BRIEF);
        try {
            Scene.refused(scene.dataSource(spec));
        } catch (SQLException | RuntimeException e) {
            // As above.
            timed.check("making the pool");
            scene.db().heal();
            Scene.useOnce(scene.dataSource(spec));
            return;
        }
        timed.check("making the pool and its first getConnection()");
        Scene.check(scene.db().calls(StubDatabase.CONNECT) > 0, "nobody connected");
    }

    /** The start takes most of the time; the rest is enough for what the start has opened. */
    private static void startServes(Scene scene) throws Throwable {
        Duration timeout = Duration.ofSeconds(1);
        scene.db().delay(StubDatabase.CONNECT, Duration.ofMillis(700));
        Spec spec = Spec.ofSize(10).withMinimum(10).withTimeout(timeout).withConnectAtStart();
        Timed timed = Timed.start(timeout);
        Scene.useOnce(scene.dataSource(spec));
        timed.check("making the pool and its first getConnection()");
    }

    private static void userCloseHangs(Scene scene, String call) throws Throwable {
        Spec spec = Spec.ofSize(1).withAutoCommit(false);
        DataSource pool = scene.dataSource(spec);
        Connection user = pool.getConnection();
        StubSession session = scene.sessionOf(user);
        user.setSchema("another");
        user.createStatement().execute("INSERT x");
        session.warn("as asked");
        Fault hang = scene.db().hang(call);
        Timed timed = Timed.start(spec.cleanTimeout());
        Scene.closeQuietly(user);
        timed.check("close()");
        hang.release();
        Connection next = pool.getConnection();
        Scene.query(next);
        Scene.check(
                "schema0".equals(scene.sessionOf(next).schema())
                        && !scene.sessionOf(next).uncommitted().contains("INSERT x"),
                "the next user finds what could not be cleaned");
    }

    private static void interrupted(Scene scene) throws Throwable {
        DataSource pool = scene.dataSource(Spec.ofSize(1).withTimeout(LONG));
        Connection only = pool.getConnection();
        Scene.Forked<Boolean> waiter = scene.fork(() -> {
            Scene.refused(pool);
            return Thread.currentThread().isInterrupted();
        });
        Await.blocked(waiter.thread(), Scene.SOON);
        waiter.thread().interrupt();
        boolean stillInterrupted = Timed.within("the interrupted getConnection()", Duration.ZERO, waiter::get);
        Scene.check(stillInterrupted, "the waiter's interrupt was swallowed");
        only.close();
        Connection next = scene.fork(pool::getConnection).get(Duration.ofSeconds(5));
        Scene.query(next);
    }

    private static void waitersOfClosedPool(Scene scene) throws Throwable {
        Pool pool = scene.open(Spec.ofSize(1).withTimeout(LONG));
        pool.dataSource().getConnection();
        Scene.Forked<SQLException> waiter = scene.fork(() -> Scene.refused(pool.dataSource()));
        Await.blocked(waiter.thread(), Scene.SOON);
        scene.spawn(() -> {
            pool.close();
        });
        Scene.check(
                Timed.within("getConnection() of a pool that is closed", Duration.ZERO, waiter::get) != null,
                "no refusal");
    }

    private static void closeIsBounded(Scene scene) throws Throwable {
        Spec spec = Spec.ofSize(1);
        Pool pool = scene.open(spec);
        Connection out = pool.dataSource().getConnection();
        StubSession session = scene.sessionOf(out);
        Scene.Forked<Boolean> closing = scene.spawn(() -> {
            pool.close();
        });
        Scene.check(Timed.within("close() of the pool", spec.closeTimeout(), closing::get), "not closed");
        Await.await("the connection that did not come home is closed", Scene.SETTLE, session::isClosed);
        Scene.refusedInTime(pool.dataSource(), Duration.ZERO);
    }

    private static void closeWhileConnecting(Scene scene) throws Throwable {
        Spec spec = Spec.ofSize(1).withTimeout(LONG);
        Pool pool = scene.open(spec);
        Fault hang = scene.db().hang(StubDatabase.CONNECT);
        Scene.Forked<SQLException> waiter = scene.fork(() -> Scene.refused(pool.dataSource()));
        hang.awaitWaiting(1, Scene.SOON);
        Scene.Forked<Boolean> closing = scene.spawn(() -> {
            pool.close();
        });
        Scene.check(Timed.within("close() of the pool", spec.closeTimeout(), closing::get), "not closed");
        Scene.check(Timed.within("getConnection() of a closed pool", Duration.ZERO, waiter::get) != null, "no refusal");
        hang.release();
        Await.await(
                "a connection that arrives after the close is closed",
                Scene.SOON,
                () -> scene.db().openNow() == 0);
    }
}
