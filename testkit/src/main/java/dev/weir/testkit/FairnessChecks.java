package dev.weir.testkit;

import dev.weir.testkit.Contract.Spec;
import dev.weir.testkit.ContractSuite.Check;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.locks.LockSupport;
import javax.sql.DataSource;

/** P5: waiters are served in order, and none is overtaken without bound. */
final class FairnessChecks {

    private static final String P5 = "P5";

    private FairnessChecks() {}

    static void addTo(List<Check> all) {
        all.add(new Check(P5, "who waits longest is served first", FairnessChecks::inOrder));
        all.add(new Check(P5, "of 200 threads on 4 connections each is served", FairnessChecks::nobodyStarves));
    }

    /** The first of the waiters may be overtaken by few, since a pool may let a running thread go first once. */
    private static void inOrder(Scene scene) throws Throwable {
        DataSource pool = scene.dataSource(Spec.ofSize(1).withTimeout(Scene.SOON));
        Connection only = pool.getConnection();
        List<Integer> served = new CopyOnWriteArrayList<>();
        List<Scene.Forked<Boolean>> waiters = new ArrayList<>();
        for (int i = 0; i < 8; i++) {
            int number = i;
            Scene.Forked<Boolean> waiter = scene.spawn(() -> {
                Connection connection = pool.getConnection();
                served.add(number);
                connection.close();
            });
            Await.blocked(waiter.thread(), Scene.SOON);
            waiters.add(waiter);
        }
        Scene.letPass(Duration.ofMillis(20));
        only.close();
        for (Scene.Forked<Boolean> waiter : waiters) {
            waiter.get();
        }
        for (int i = 0; i < served.size(); i++) {
            int late = i - served.get(i);
            Scene.check(late <= 2, "waiter " + served.get(i) + " of 8 was served as number " + i + ": " + served);
        }
    }

    private static void nobodyStarves(Scene scene) throws Throwable {
        int users = 200;
        DataSource pool = scene.dataSource(Spec.ofSize(4).withTimeout(Duration.ofSeconds(15)));
        DeadlineChecks.fill(pool, 4);
        AtomicIntegerArray served = new AtomicIntegerArray(users);
        AtomicBoolean stop = new AtomicBoolean();
        List<Scene.Forked<Boolean>> all = new ArrayList<>();
        for (int i = 0; i < users; i++) {
            int number = i;
            all.add(scene.spawnVirtual(() -> {
                while (!stop.get()) {
                    hold(pool);
                    served.incrementAndGet(number);
                }
            }));
        }
        Scene.letPass(Duration.ofSeconds(2));
        int unserved = 0;
        for (int i = 0; i < users; i++) {
            unserved += served.get(i) == 0 ? 1 : 0;
        }
        stop.set(true);
        for (Scene.Forked<Boolean> user : all) {
            user.get();
        }
        Scene.check(unserved == 0, unserved + " of " + users + " threads were never served in 2 s");
    }

    private static void hold(DataSource pool) throws SQLException {
        Connection connection = pool.getConnection();
        LockSupport.parkNanos(100_000);
        connection.close();
    }
}
