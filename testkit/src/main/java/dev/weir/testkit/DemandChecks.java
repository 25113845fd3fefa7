package dev.weir.testkit;

import dev.weir.testkit.Contract.Pool;
import dev.weir.testkit.Contract.Spec;
import dev.weir.testkit.ContractSuite.Check;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import javax.sql.DataSource;

/** P6: there are as many connections, connects and threads as help, and no more, also after a bad start. */
final class DemandChecks {

    private static final String P6 = "P6";
    private static final Duration RETRY_DELAY = Duration.ofMillis(750);

    private DemandChecks() {}

    static void addTo(List<Check> all) {
        all.add(new Check(P6, "grows again after first connects that took long", DemandChecks::slowFirst));
        all.add(new Check(
                P6, "surplus goes, also while connections are replaced for their age", DemandChecks::surplus));
        all.add(new Check(P6, "a full database is not hammered while others serve the queue", DemandChecks::full));
        all.add(new Check(P6, "no storm of connects while each new one is read-only", DemandChecks::readOnly));
        all.add(Check.alone(P6, "300 connections need few threads", DemandChecks::threads));
    }

    /** Users who take a connection, keep it for a while, and take another, until they are told to stop. */
    private static final class Users implements AutoCloseable {
        private final CountDownLatch stop = new CountDownLatch(1);
        private final AtomicInteger served = new AtomicInteger();
        private final List<Scene.Forked<Boolean>> threads = new ArrayList<>();

        Users(Scene scene, int number, DataSource pool, String sql, Duration hold) {
            for (int i = 0; i < number; i++) {
                threads.add(scene.spawn(() -> {
                    while (!stop.await(1, TimeUnit.MILLISECONDS)) {
                        Scene.quietly(() -> serve(pool, sql, hold));
                    }
                }));
            }
        }

        private void serve(DataSource pool, String sql, Duration hold) throws SQLException, InterruptedException {
            try (Connection connection = pool.getConnection()) {
                Scene.execute(connection, sql);
                served.incrementAndGet();
                boolean ignored = stop.await(hold.toMillis(), TimeUnit.MILLISECONDS);
            }
        }

        int served() {
            return served.get();
        }

        @Override
        public void close() {
            stop.countDown();
        }

        void end() throws Throwable {
            close();
            for (Scene.Forked<Boolean> thread : threads) {
                Scene.check(thread.get(), "a user did not end");
            }
        }
    }

    /** As a cold JVM or a database that starts: what it cost once says nothing of what it costs now. */
    private static void slowFirst(Scene scene) throws Throwable {
        DataSource pool = scene.dataSource(Spec.ofSize(20).withTimeout(Scene.SOON));
        scene.db().delayNext(StubDatabase.CONNECT, 5, Duration.ofMillis(1_500));
        try (Users users = new Users(scene, 40, pool, "SELECT 1", Duration.ofMillis(100))) {
            Await.await(
                    () -> "16 of 20 connections for 40 users, there are "
                            + scene.db().openNow(),
                    Duration.ofSeconds(6),
                    () -> scene.db().openNow() >= 16);
            users.end();
        }
    }

    private static void surplus(Scene scene) throws Throwable {
        DataSource pool = scene.dataSource(
                Spec.ofSize(10).withMinimum(1).withAges(Duration.ofSeconds(1), Duration.ofMillis(2_500)));
        List<Connection> held = new ArrayList<>();
        for (int i = 0; i < 10; i++) {
            held.add(pool.getConnection());
            Scene.query(held.get(i));
            Scene.letPass(Duration.ofMillis(150)); // so that they do not all grow old at once
        }
        held.forEach(Scene::closeQuietly);
        Await.await(
                () -> "2 connections at most are left of 10, there are "
                        + scene.db().openNow(),
                Duration.ofSeconds(8),
                () -> scene.db().openNow() <= 2);
    }

    private static void full(Scene scene) throws Throwable {
        DataSource pool =
                scene.dataSource(Spec.ofSize(8).withTimeout(Scene.SOON).withRetryDelay(RETRY_DELAY));
        scene.db().maxConnections(2);
        DeadlineChecks.fill(pool, 2);
        try (Users users = new Users(scene, 8, pool, "SELECT 1", Duration.ofMillis(50))) {
            Scene.letPass(Duration.ofSeconds(1));
            long before = scene.db().calls(StubDatabase.CONNECT);
            Scene.letPass(Duration.ofSeconds(3));
            long connects = scene.db().calls(StubDatabase.CONNECT) - before;
            users.end();
            Scene.check(users.served() >= 50, "only " + users.served() + " served by 2 connections in 4 s, 50 ms each");
            Scene.check(connects <= 18, connects + " connects in 3 s to a database that is full");
        }
    }

    private static void readOnly(Scene scene) throws Throwable {
        DataSource pool = scene.dataSource(
                Spec.ofSize(8).withTimeout(Duration.ofSeconds(1)).withRetryDelay(RETRY_DELAY));
        DeadlineChecks.fill(pool, 2);
        scene.db().readOnly(true);
        int before = scene.db().opened();
        try (Users users = new Users(scene, 8, pool, "INSERT x", Duration.ofMillis(20))) {
            Scene.letPass(Duration.ofSeconds(3));
            int opened = scene.db().opened() - before;
            scene.db().readOnly(false);
            Await.await("a user writes again", Scene.SETTLE, () -> users.served() > 0);
            users.end();
            Scene.check(opened <= 60, opened + " connections opened in 3 s, of which none could write");
        }
    }

    private static void threads(Scene scene) throws Throwable {
        int most = 64;
        Set<Thread> before = Thread.getAllStackTraces().keySet();
        AtomicInteger peak = new AtomicInteger();
        CountDownLatch stop = new CountDownLatch(1);
        Scene.Forked<Boolean> watch = scene.spawn(() -> {
            while (!stop.await(5, TimeUnit.MILLISECONDS)) {
                peak.accumulateAndGet(ExplanationChecks.startedSince(before).size(), Math::max);
            }
        });
        scene.db().delay(StubDatabase.CONNECT, Duration.ofMillis(5));
        Pool pool = scene.open(Spec.ofSize(300).withMinimum(300).withTimeout(Scene.SOON));
        DeadlineChecks.fill(pool.dataSource(), 300);
        for (String call : List.of("Connection.isValid", "Connection.close")) {
            scene.db().delay(call, Duration.ofMillis(5));
        }
        scene.db().openSessions().stream().limit(100).forEach(StubSession::kill);
        for (int i = 0; i < 20; i++) {
            Scene.quietly(() -> Scene.useOnce(pool.dataSource()));
        }
        pool.close();
        stop.countDown();
        Scene.check(watch.get(), "the watch did not end");
        Scene.check(peak.get() <= most, peak + " threads at once");
    }
}
