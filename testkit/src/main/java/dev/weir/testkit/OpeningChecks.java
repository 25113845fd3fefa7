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
import java.util.function.Supplier;
import javax.sql.DataSource;

/** P6: connections are opened in parallel, never in a storm, and a failure to open costs no place. */
final class OpeningChecks {

    private static final String P6 = "P6";
    private static final int MOST_CONNECTS = 400;

    private OpeningChecks() {}

    static void addTo(List<Check> all) {
        Map<String, Supplier<Throwable>> failures = new LinkedHashMap<>();
        failures.put("SQLException", () -> new SQLException("as asked", "08001"));
        failures.put("RuntimeException", () -> new IllegalStateException("as asked"));
        failures.put("Error", () -> new NoClassDefFoundError("as asked"));
        failures.forEach((kind, failure) -> all.add(
                new Check(P6, "a connect that fails costs no place: " + kind, scene -> placeIsKept(scene, failure))));
        all.add(new Check(P6, "one hung connect does not stop all opening", OpeningChecks::oneHangs));
        all.add(new Check(P6, "connects are made in parallel", OpeningChecks::parallel));
        all.add(new Check(P6, "no storm of connects while the database is down", OpeningChecks::noStorm));
        all.add(new Check(P6, "no storm of connects while connections die at once", OpeningChecks::noStormOfDying));
        all.add(new Check(P6, "no storm of connects while new connections fail their test", scene -> {
            int connects = newOnesFailTheirTest(scene);
            Scene.check(connects <= MOST_CONNECTS, connects + " connects for 8 users who waited 2 s at most");
        }));
        all.add(new Check(P6, "a refused password is told at once and not hammered", OpeningChecks::refusedPassword));
        all.add(new Check(P6, "a full database lets the rest go on", OpeningChecks::fullDatabase));
    }

    private static void placeIsKept(Scene scene, Supplier<Throwable> failure) throws Throwable {
        DataSource pool = scene.dataSource(Spec.ofSize(2).withTimeout(Duration.ofSeconds(1)));
        Fault fault = scene.db().fail(StubDatabase.CONNECT, failure);
        for (int i = 0; i < 3; i++) {
            Scene.closeQuietly(() -> pool.getConnection().close());
        }
        Scene.check(fault.hits() >= 2, "only " + fault.hits() + " connects were tried");
        fault.release();
        List<Connection> got = new ArrayList<>();
        Await.await(() -> "2 connections of 2 can be had again, there are " + got.size(), Scene.SETTLE, () -> {
            try {
                got.add(pool.getConnection());
            } catch (SQLException e) {
                // The next try decides, as long as there is time.
                return false;
            }
            return got.size() == 2;
        });
    }

    private static void oneHangs(Scene scene) throws Throwable {
        DataSource pool = scene.dataSource(Spec.ofSize(4).withTimeout(Duration.ofSeconds(4)));
        scene.db().hangNext(StubDatabase.CONNECT, 1);
        List<Scene.Forked<Boolean>> users = new ArrayList<>();
        for (int i = 0; i < 2; i++) {
            users.add(scene.spawn(() -> Scene.query(pool.getConnection())));
        }
        Await.await(
                "one of two users is served while one connect hangs",
                Duration.ofSeconds(6),
                () -> users.stream()
                        .anyMatch(user -> user.isDone() && !user.result().isCompletedExceptionally()));
    }

    private static void parallel(Scene scene) throws Throwable {
        Fault hang = scene.db().hang(StubDatabase.CONNECT);
        Scene.Forked<DataSource> making =
                scene.fork(() -> scene.dataSource(Spec.ofSize(4).withMinimum(4).withTimeout(Duration.ofSeconds(5))));
        List<Scene.Forked<Connection>> users = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            users.add(scene.fork(() -> making.result().get().getConnection()));
        }
        hang.awaitWaiting(2, Duration.ofSeconds(4));
        hang.release();
        for (Scene.Forked<Connection> user : users) {
            user.get();
        }
    }

    private static void noStorm(Scene scene) throws Throwable {
        DataSource pool = scene.dataSource(Spec.ofSize(4).withTimeout(Duration.ofSeconds(2)));
        scene.db().fail(StubDatabase.CONNECT, "08001");
        List<Scene.Forked<SQLException>> users = new ArrayList<>();
        for (int i = 0; i < 8; i++) {
            users.add(scene.fork(() -> Scene.refused(pool)));
        }
        for (Scene.Forked<SQLException> user : users) {
            user.get();
        }
        long connects = scene.db().calls(StubDatabase.CONNECT);
        Scene.check(connects <= 300, connects + " connects for 8 users in 2 s");
    }

    /** A database that accepts and at once ends each session, as one that is shutting down. */
    private static void noStormOfDying(Scene scene) throws Throwable {
        DataSource pool = scene.dataSource(Spec.ofSize(4).withMinimum(4).withTimeout(Duration.ofSeconds(2)));
        for (String call : List.of("isValid", "setAutoCommit", "createStatement", "getMetaData")) {
            scene.db().fail("Connection." + call, "57P01");
        }
        long before = scene.db().calls(StubDatabase.CONNECT);
        List<Scene.Forked<Boolean>> users = new ArrayList<>();
        for (int i = 0; i < 8; i++) {
            users.add(scene.spawn(() -> {
                useOnce(pool);
            }));
        }
        for (Scene.Forked<Boolean> user : users) {
            user.get();
        }
        long connects = scene.db().calls(StubDatabase.CONNECT) - before;
        Scene.check(connects <= MOST_CONNECTS, connects + " connects for 8 users in 2 s");
    }

    /** A database that logs everybody in and then serves nobody; returns how often it was connected to while 8 users asked once. */
    static int newOnesFailTheirTest(Scene scene) throws Throwable {
        DataSource pool = scene.dataSource(Spec.ofSize(4).withTimeout(Duration.ofSeconds(2)));
        List<Fault> faults = List.of(
                scene.db().fail("Connection.isValid", "57P01"), scene.db().fail("Connection.createStatement", "57P01"));
        List<Scene.Forked<Boolean>> users = new ArrayList<>();
        for (int i = 0; i < 8; i++) {
            users.add(scene.spawn(() -> {
                useOnce(pool);
            }));
        }
        boolean ignored = Await.becomesTrue(
                Duration.ofSeconds(4),
                () -> scene.db().calls(StubDatabase.CONNECT) > 2 * MOST_CONNECTS
                        || users.stream().allMatch(Scene.Forked::isDone));
        int connects = (int) scene.db().calls(StubDatabase.CONNECT);
        faults.forEach(Fault::release);
        Scene.check(connects > 0, "nobody connected for 8 users");
        return connects;
    }

    private static void useOnce(DataSource pool) {
        try (Connection connection = pool.getConnection()) {
            Scene.query(connection);
        } catch (SQLException ignored) {
            // The database is shutting down; a failure is what users are to see.
        }
    }

    private static void refusedPassword(Scene scene) throws Throwable {
        Duration timeout = Duration.ofSeconds(4);
        DataSource pool = scene.dataSource(Spec.ofSize(4).withTimeout(timeout));
        scene.db().fail(StubDatabase.CONNECT, "28P01");
        long start = System.nanoTime();
        SQLException refusal = Scene.refused(pool);
        Duration took = Duration.ofNanos(System.nanoTime() - start);
        Scene.check(Scene.hasState(refusal, "28P01"), "the refused password is not among the causes of " + refusal);
        Scene.check(took.compareTo(timeout.dividedBy(2)) < 0, "the user heard of it after " + took.toMillis() + " ms");
        long connects = scene.db().calls(StubDatabase.CONNECT);
        Scene.check(connects <= 50, connects + " connects with a refused password");
    }

    private static void fullDatabase(Scene scene) throws Throwable {
        DataSource pool = scene.dataSource(Spec.ofSize(4).withTimeout(Duration.ofSeconds(1)));
        scene.db().maxConnections(2);
        Connection one = pool.getConnection();
        Connection two = pool.getConnection();
        SQLException refusal = Scene.refusedInTime(pool, Duration.ofSeconds(1));
        Scene.check(Scene.hasState(refusal, "53300"), "the full database is not among the causes of " + refusal);
        Scene.query(one);
        two.close();
        Scene.query(pool.getConnection());
    }
}
