package dev.weir.testkit;

import dev.weir.testkit.Contract.Spec;
import dev.weir.testkit.ContractSuite.Check;
import java.sql.Connection;
import java.sql.DatabaseMetaData;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CyclicBarrier;
import javax.sql.DataSource;

/** P1: a physical connection is behind at most one live handle. */
final class OwnerChecks {

    private static final String P1 = "P1";
    private static final Duration STRESS = Duration.ofSeconds(1);

    private OwnerChecks() {}

    static void addTo(List<Check> all) {
        all.add(new Check(P1, "second close changes nothing", OwnerChecks::doubleClose));
        all.add(new Check(P1, "close from two threads returns the connection once", OwnerChecks::overlappingClose));
        all.add(new Check(P1, "abort while another thread closes", OwnerChecks::abortDuringClose));
        all.add(new Check(P1, "late abort does not touch the next user", OwnerChecks::lateAbort));
        all.add(new Check(P1, "late calls do not touch the next user", OwnerChecks::lateCalls));
        all.add(new Check(P1, "late close of a statement does not touch the next user", OwnerChecks::lateStatement));
        all.add(new Check(P1, "late metadata does not reach the next user's connection", OwnerChecks::lateMetaData));
        all.add(new Check(P1, "an aborted connection is closed and never lent again", OwnerChecks::aborted));
        all.add(new Check(P1, "one owner under racing closes", OwnerChecks::racingCloses));
        all.add(new Check(P1, "never more connections than the maximum", OwnerChecks::neverMoreThanMaximum));
        all.add(new Check(P1, "never more than the maximum while new connections fail their test", scene -> {
            int ignored = OpeningChecks.newOnesFailTheirTest(scene);
            Scene.check(scene.db().maxOpenAtOnce() <= 4, scene.db().maxOpenAtOnce() + " connections at once of 4");
        }));
    }

    private static void doubleClose(Scene scene) throws Throwable {
        DataSource pool = scene.dataSource(Spec.ofSize(2));
        Connection first = pool.getConnection();
        first.close();
        first.close();
        distinctPair(scene, pool);
        first.close();
        Scene.check(first.isClosed(), "isClosed() is false after close()");
    }

    private static void distinctPair(Scene scene, DataSource pool) throws SQLException {
        Connection one = pool.getConnection();
        Connection two = pool.getConnection();
        Scene.check(
                scene.sessionOf(one) != scene.sessionOf(two),
                "two users share " + scene.sessionOf(one) + " at one time");
        Scene.query(one);
        Scene.query(two);
        one.close();
        two.close();
    }

    private static void overlappingClose(Scene scene) throws Throwable {
        DataSource pool = scene.dataSource(Spec.ofSize(2).withAutoCommit(false));
        Connection shared = pool.getConnection();
        Scene.execute(shared, "INSERT x");
        Fault hang = scene.db().hangNext("Connection.rollback", 1);
        Scene.Forked<Boolean> first = forkClose(scene, shared);
        hang.awaitWaiting(1, Scene.SOON);
        Scene.Forked<Boolean> second = forkClose(scene, shared);
        Await.becomesTrue(Duration.ofMillis(300), second::isDone);
        Connection one = pool.getConnection();
        StubSession ofOne = scene.sessionOf(one);
        hang.release();
        Scene.closeQuietly(() -> waitFor(first));
        Scene.closeQuietly(() -> waitFor(second));
        Connection two = pool.getConnection();
        Scene.check(scene.sessionOf(two) != ofOne, "two users share " + ofOne + " at one time");
        Scene.query(one);
        Scene.query(two);
    }

    private static Scene.Forked<Boolean> forkClose(Scene scene, Connection connection) {
        return scene.spawn(() -> {
            connection.close();
        });
    }

    private static void waitFor(Scene.Forked<?> forked) {
        Await.await("a close ends", Scene.SOON, forked::isDone);
    }

    private static void abortDuringClose(Scene scene) throws Throwable {
        DataSource pool = scene.dataSource(Spec.ofSize(1).withAutoCommit(false));
        Connection shared = pool.getConnection();
        StubSession session = scene.sessionOf(shared);
        Scene.execute(shared, "INSERT x");
        Fault hang = scene.db().hangNext("Connection.rollback", 1);
        Scene.Forked<Boolean> closing = forkClose(scene, shared);
        hang.awaitWaiting(1, Scene.SOON);
        Scene.Forked<Boolean> aborting = scene.spawn(() -> {
            shared.abort(Runnable::run);
        });
        Await.becomesTrue(Duration.ofMillis(300), aborting::isDone);
        hang.release();
        waitFor(closing);
        waitFor(aborting);
        Connection next = pool.getConnection();
        Scene.query(next);
        Scene.check(
                scene.sessionOf(next) != session || session.uncommitted().isEmpty(),
                "the next user is in a transaction");
        Scene.check(scene.db().committed().isEmpty(), "committed: " + scene.db().committed());
    }

    private static void lateAbort(Scene scene) throws Throwable {
        DataSource pool = scene.dataSource(Spec.ofSize(1).withAutoCommit(false).withTimeout(Duration.ofSeconds(1)));
        Connection stale = pool.getConnection();
        stale.close();
        Connection user = pool.getConnection();
        StubSession session = scene.sessionOf(user);
        Scene.execute(user, "INSERT mine");
        Scene.closeQuietly(() -> stale.abort(Runnable::run));
        Scene.check(session.isOpen(), "a late abort() closed the next user's connection");
        Scene.check(
                session.uncommitted().equals(List.of("INSERT mine")), "a late abort() ended the user's transaction");
        Scene.refused(pool);
        user.commit();
        user.close();
    }

    private static void lateCalls(Scene scene) throws Throwable {
        DataSource pool = scene.dataSource(Spec.ofSize(1).withAutoCommit(false).withTimeout(Duration.ofSeconds(1)));
        Connection stale = pool.getConnection();
        stale.close();
        Connection user = pool.getConnection();
        StubSession session = scene.sessionOf(user);
        Scene.execute(user, "INSERT mine");
        stale.close();
        Scene.closeQuietly(stale::commit);
        Scene.closeQuietly(stale::rollback);
        Scene.closeQuietly(() -> stale.setAutoCommit(true));
        Scene.closeQuietly(() -> stale.setSchema("other"));
        Scene.check(session.uncommitted().equals(List.of("INSERT mine")), "a late call ended the user's transaction");
        Scene.check(!"other".equals(session.schema()), "a late call changed the user's schema");
        Scene.refused(pool);
    }

    private static void lateStatement(Scene scene) throws Throwable {
        DataSource pool = scene.dataSource(Spec.ofSize(1));
        Connection stale = pool.getConnection();
        Statement old = stale.createStatement();
        stale.close();
        Connection user = pool.getConnection();
        Statement mine = user.createStatement();
        old.close();
        stale.close();
        mine.execute("SELECT 1");
        Scene.check(scene.sessionOf(user).openStatements() == 1, "the user's statement was closed");
    }

    private static void lateMetaData(Scene scene) throws Throwable {
        DataSource pool = scene.dataSource(Spec.ofSize(1));
        Connection stale = pool.getConnection();
        DatabaseMetaData metaData = stale.getMetaData();
        stale.close();
        Connection user = pool.getConnection();
        StubSession session = scene.sessionOf(user);
        int before = session.journalOfThisThread().size();
        try {
            metaData.getTables(null, null, null, null);
        } catch (SQLException expected) {
            Scene.check(session.journalOfThisThread().size() == before, "late metadata was asked on the connection");
            return;
        }
        throw new AssertionError("metadata of a closed connection still works, on the next user's connection");
    }

    private static void aborted(Scene scene) throws Throwable {
        DataSource pool = scene.dataSource(Spec.ofSize(1));
        Connection user = pool.getConnection();
        StubSession session = scene.sessionOf(user);
        user.abort(Runnable::run);
        Scene.check(user.isClosed(), "isClosed() is false after abort()");
        Await.await("abort() closes the physical connection", Scene.SETTLE, session::isClosed);
        Scene.closeQuietly(user);
        Connection next = pool.getConnection();
        Scene.check(scene.sessionOf(next) != session, "the aborted connection is lent again");
        Scene.query(next);
    }

    private static void racingCloses(Scene scene) throws Throwable {
        DataSource pool = scene.dataSource(Spec.ofSize(3));
        Map<Long, Thread> owners = new ConcurrentHashMap<>();
        long deadline = System.nanoTime() + STRESS.toNanos();
        List<Scene.Forked<Boolean>> users = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            users.add(scene.spawn(() -> raceUntil(scene, pool, owners, deadline)));
        }
        for (Scene.Forked<Boolean> user : users) {
            user.get(Duration.ofSeconds(20));
        }
        Scene.check(scene.db().maxOpenAtOnce() <= 3, scene.db().maxOpenAtOnce() + " connections at once of 3");
    }

    private static void raceUntil(Scene scene, DataSource pool, Map<Long, Thread> owners, long deadline)
            throws Exception {
        while (System.nanoTime() - deadline < 0) {
            Connection connection = pool.getConnection();
            long id = scene.sessionOf(connection).id();
            Thread other = owners.putIfAbsent(id, Thread.currentThread());
            Scene.check(other == null, "session " + id + " has two owners");
            Scene.query(connection);
            owners.remove(id);
            CyclicBarrier together = new CyclicBarrier(2);
            Scene.Forked<Boolean> second = scene.spawn(() -> {
                together.await();
                connection.close();
            });
            together.await();
            connection.close();
            second.result().get();
        }
    }

    private static void neverMoreThanMaximum(Scene scene) throws Throwable {
        DataSource pool = scene.dataSource(Spec.ofSize(4));
        long deadline = System.nanoTime() + STRESS.toNanos();
        List<Scene.Forked<Boolean>> users = new ArrayList<>();
        for (int i = 0; i < 12; i++) {
            users.add(scene.spawn(() -> {
                while (System.nanoTime() - deadline < 0) {
                    useOnce(pool);
                }
            }));
        }
        Random random = new Random(42);
        while (System.nanoTime() - deadline < 0) {
            List<StubSession> open = scene.db().openSessions();
            if (!open.isEmpty()) {
                open.get(random.nextInt(open.size())).kill();
            }
            Scene.letPass(Duration.ofMillis(2));
        }
        for (Scene.Forked<Boolean> user : users) {
            user.get(Duration.ofSeconds(20));
        }
        Scene.check(scene.db().maxOpenAtOnce() <= 4, scene.db().maxOpenAtOnce() + " connections at once of 4");
    }

    private static void useOnce(DataSource pool) {
        try (Connection connection = pool.getConnection()) {
            Scene.query(connection);
        } catch (SQLException ignored) {
            // The sessions are being killed; users are to see some of that.
        }
    }
}
