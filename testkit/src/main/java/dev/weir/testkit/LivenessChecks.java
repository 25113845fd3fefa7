package dev.weir.testkit;

import dev.weir.testkit.Contract.Spec;
import dev.weir.testkit.ContractSuite.Check;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import javax.sql.DataSource;

/** P7: never a dead connection, never a slow recovery. */
final class LivenessChecks {

    private static final String P7 = "P7";

    private LivenessChecks() {}

    static void addTo(List<Check> all) {
        all.add(new Check(P7, "a connection that died idle is not lent", LivenessChecks::diedIdle));
        all.add(new Check(P7, "a connection that died in use is not lent again", LivenessChecks::diedInUse));
        all.add(new Check(P7, "a connection that reports 57P01 is not lent again", LivenessChecks::reportsShutdown));
        all.add(new Check(
                P7, "isClosed() says that a connection died, and frees its place", LivenessChecks::saysClosed));
        addInformers(all);
        all.add(new Check(P7, "all four die: 30 acquires without an error", LivenessChecks::allDie));
        all.add(new Check(P7, "all four die in use: errors end with those users", LivenessChecks::allDieInUse));
        all.add(new Check(P7, "ten silently dead of twelve: the healthy ones are lent", LivenessChecks::tenSilent));
        all.add(new Check(P7, "all silently dead: new ones are opened in time", LivenessChecks::allSilent));
        all.add(new Check(P7, "serves again soon after the database is back", LivenessChecks::recovers));
        all.add(new Check(P7, "waiting users are served when the database is back", LivenessChecks::waitersRecover));
    }

    /** Ways in which a user, not a test of the pool, is the first to meet a dead connection. */
    private static void addInformers(List<Check> all) {
        Map<String, ReturnChecks.Act> informers = new LinkedHashMap<>();
        informers.put("execute", connection -> Scene.quietly(() -> Scene.query(connection)));
        informers.put("close", connection -> Scene.quietly(connection::close));
        informers.put("isValid", connection -> Scene.check(!connection.isValid(1), "a dead connection is valid"));
        informers.put("abort", connection -> Scene.quietly(() -> connection.abort(Runnable::run)));
        informers.put("commit", connection -> Scene.quietly(connection::commit));
        informers.forEach((call, informer) ->
                all.add(new Check(P7, "one found dead in " + call + "() puts its siblings under suspicion", scene -> {
                    foundDead(scene, informer);
                })));
    }

    /** The pool trusts what was used a moment ago, until it hears that one of them is dead. */
    private static void foundDead(Scene scene, ReturnChecks.Act informer) throws Throwable {
        DataSource pool = scene.dataSource(Spec.ofSize(4).withAutoCommit(false).withGrace(Duration.ofMinutes(1)));
        DeadlineChecks.fill(pool, 4);
        Connection user = pool.getConnection();
        Scene.execute(user, "INSERT x");
        scene.db().killAll();
        Fault abort = scene.db().fail("Connection.abort", "08006");
        informer.on(user);
        Scene.closeQuietly(user);
        abort.release();
        int errors = errorsOf(pool, 8);
        Scene.check(errors == 0, errors + " of 8 later acquires had an error");
    }

    private static void diedIdle(Scene scene) throws Throwable {
        DataSource pool = scene.dataSource(Spec.ofSize(1));
        pool.getConnection().close();
        scene.db().killAll();
        Connection next = pool.getConnection();
        Scene.query(next);
    }

    private static void diedInUse(Scene scene) throws Throwable {
        DataSource pool = scene.dataSource(Spec.ofSize(1));
        Connection user = pool.getConnection();
        StubSession session = scene.sessionOf(user);
        session.kill();
        Scene.closeQuietly(() -> Scene.query(user));
        Scene.closeQuietly(user);
        Connection next = pool.getConnection();
        Scene.check(scene.sessionOf(next) != session, "the dead connection is lent again");
        Scene.query(next);
    }

    /** Much code closes only what says that it is not closed. */
    private static void saysClosed(Scene scene) throws Throwable {
        DataSource pool = scene.dataSource(Spec.ofSize(1));
        Connection user = pool.getConnection();
        Scene.check(!user.isClosed(), "a connection that works says that it is closed");
        scene.sessionOf(user).kill();
        Scene.quietly(() -> Scene.query(user));
        Scene.check(user.isClosed(), "a connection that died says that it is open");
        Scene.query(pool.getConnection());
        user.close();
    }

    private static void reportsShutdown(Scene scene) throws Throwable {
        DataSource pool = scene.dataSource(Spec.ofSize(1));
        Connection user = pool.getConnection();
        StubSession session = scene.sessionOf(user);
        Scene.closeQuietly(() -> Scene.execute(user, "FAIL 57P01"));
        Scene.closeQuietly(user);
        Connection next = pool.getConnection();
        Scene.check(scene.sessionOf(next) != session, "the connection that reported 57P01 is lent again");
        Await.await("the connection that reported 57P01 is closed", Scene.SETTLE, session::isClosed);
    }

    private static void allDie(Scene scene) throws Throwable {
        DataSource pool = scene.dataSource(Spec.ofSize(4));
        DeadlineChecks.fill(pool, 4);
        scene.db().killAll();
        int errors = errorsOf(pool, 30);
        Scene.check(errors == 0, errors + " of 30 acquires had an error");
    }

    private static int errorsOf(DataSource pool, int acquires) {
        int errors = 0;
        for (int i = 0; i < acquires; i++) {
            try (Connection connection = pool.getConnection()) {
                Scene.query(connection);
            } catch (SQLException e) {
                errors++;
            }
        }
        return errors;
    }

    private static void allDieInUse(Scene scene) throws Throwable {
        DataSource pool = scene.dataSource(Spec.ofSize(4));
        List<Connection> users = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            users.add(pool.getConnection());
        }
        scene.db().killAll();
        for (Connection user : users) {
            Scene.closeQuietly(() -> Scene.query(user));
            Scene.closeQuietly(user);
        }
        int errors = errorsOf(pool, 30);
        Scene.check(errors == 0, errors + " of 30 later acquires had an error");
    }

    private static void tenSilent(Scene scene) throws Throwable {
        DataSource pool = scene.dataSource(Spec.ofSize(12));
        DeadlineChecks.fill(pool, 12);
        Scene.letPass(Duration.ofMillis(700));
        scene.db().openSessions().stream().limit(10).forEach(StubSession::freeze);
        servedIn(scene, pool, Duration.ofSeconds(3));
    }

    private static void allSilent(Scene scene) throws Throwable {
        DataSource pool = scene.dataSource(Spec.ofSize(10));
        DeadlineChecks.fill(pool, 10);
        Scene.letPass(Duration.ofMillis(700));
        scene.db().openSessions().forEach(StubSession::freeze);
        servedIn(scene, pool, Duration.ofSeconds(3));
    }

    private static void servedIn(Scene scene, DataSource pool, Duration limit) throws Throwable {
        Scene.Forked<Boolean> user = scene.spawn(() -> {
            try (Connection connection = pool.getConnection()) {
                Scene.query(connection);
            }
        });
        Scene.check(Timed.within("getConnection()", limit, user::get), "not served");
    }

    private static void recovers(Scene scene) throws Throwable {
        DataSource pool = scene.dataSource(Spec.ofSize(4).withTimeout(Duration.ofSeconds(1)));
        DeadlineChecks.fill(pool, 4);
        scene.db().stop();
        Scene.closeQuietly(() -> pool.getConnection().close());
        Scene.closeQuietly(() -> pool.getConnection().close());
        scene.db().start();
        Await.await("users are served again", Duration.ofSeconds(2), () -> errorsOf(pool, 1) == 0);
        int errors = errorsOf(pool, 10);
        Scene.check(errors == 0, errors + " of 10 acquires after the recovery had an error");
    }

    private static void waitersRecover(Scene scene) throws Throwable {
        DataSource pool = scene.dataSource(Spec.ofSize(2).withTimeout(Duration.ofSeconds(8)));
        DeadlineChecks.fill(pool, 2);
        scene.db().stop();
        AtomicInteger served = new AtomicInteger();
        List<Scene.Forked<Boolean>> users = new ArrayList<>();
        for (int i = 0; i < 6; i++) {
            users.add(scene.spawn(() -> {
                try (Connection connection = pool.getConnection()) {
                    Scene.query(connection);
                    served.incrementAndGet();
                }
            }));
        }
        for (Scene.Forked<Boolean> user : users) {
            Await.await("the user waits", Scene.SOON, () -> user.isDone() || Await.isBlocked(user.thread()));
        }
        scene.db().start();
        Await.await(() -> "6 waiting users are served, " + served, Duration.ofSeconds(4), () -> served.get() == 6);
    }
}
