package dev.weir.lab.battle;

import dev.weir.lab.battle.shop.Downstream;
import dev.weir.lab.battle.shop.Shop;
import dev.weir.lab.battle.shop.ShopApplication;
import dev.weir.lab.battle.shop.ShopDatabase;
import dev.weir.lab.contender.PoolUnderTest;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import javax.sql.DataSource;
import org.HdrHistogram.Histogram;

/** The application on one pool, under load: first unmeasured, then measured. */
final class Battle {
    private Battle() {}

    /** Opens the pool under comparison on these physical connections. */
    @FunctionalInterface
    interface Opener {
        PoolUnderTest open(DataSource physical) throws Exception;
    }

    /**
     * What came of it, in the measured part where nothing else is said.
     *
     * @param responses how long the users waited for each answer
     * @param hiccups how late this JVM ran its threads
     * @param acquires how long each getConnection took
     * @param begunNanos when the measured part began
     * @param meanInUse connections in use on average; -1 if the pool cannot tell
     * @param opened connections opened from the beginning of the pool on
     * @param openedMeasured of them in the measured part
     * @param connectionsAtEnd connections that the database has when the users have left
     * @param failures what failed, and how often, the warm-up included
     * @param counted what was done, the warm-up included
     */
    record Result(
            Samples responses,
            Samples hiccups,
            Histogram acquires,
            long begunNanos,
            double meanInUse,
            long opened,
            long openedMeasured,
            int connectionsAtEnd,
            Map<String, Integer> failures,
            Counted counted) {}

    /** What the users counted, over the whole time, and what the database has; they must agree. */
    record Counted(
            long answered,
            long ordersPlaced,
            long ordersStored,
            long linesPlaced,
            long linesStored,
            long spentByUsers,
            long spentStored,
            long totalsStored) {
        boolean agree() {
            return ordersPlaced == ordersStored
                    && linesPlaced == linesStored
                    && spentByUsers == spentStored
                    && spentByUsers == totalsStored;
        }
    }

    static Result fight(BattlePlan plan, Opener opener) throws Exception {
        try (ShopDatabase database = new ShopDatabase(plan.customers(), plan.products())) {
            SlowSource physical = new SlowSource(database.source(), plan.connect());
            Downstream downstream = new Downstream(plan.downstream());
            try (PoolUnderTest pool = opener.open(physical)) {
                TimedSource timed = new TimedSource(pool.dataSource());
                try (ShopApplication application = new ShopApplication(timed, downstream)) {
                    return fight(plan, application.shop(), database, physical, pool, timed);
                }
            }
        }
    }

    private static Result fight(
            BattlePlan plan,
            Shop shop,
            ShopDatabase database,
            SlowSource physical,
            PoolUnderTest pool,
            TimedSource timed)
            throws Exception {
        long from = System.nanoTime() + plan.warmUp().toNanos();
        long to = from + plan.measured().toNanos();
        timed.countFrom(from);
        List<User> users = new ArrayList<>();
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < plan.users(); i++) {
            User user = new User(i, plan, shop, to);
            users.add(user);
            Thread thread = new Thread(user, "battle-user-" + i);
            thread.setDaemon(true);
            threads.add(thread);
        }
        try (Hiccups hiccups = new Hiccups();
                Watch watch = new Watch(pool, physical, from)) {
            threads.forEach(Thread::start);
            for (Thread thread : threads) {
                thread.join();
            }
            int atEnd = database.sessions();
            return new Result(
                    responses(users).between(from, to),
                    hiccups.end().between(from, to),
                    timed.took(),
                    from,
                    watch.meanInUse(),
                    physical.opened(),
                    watch.openedMeasured(),
                    atEnd,
                    failures(users),
                    counted(users, database));
        } finally {
            threads.forEach(Thread::interrupt);
        }
    }

    private static Samples responses(List<User> users) {
        Samples all = new Samples();
        users.forEach(user -> all.addAll(user.samples()));
        return all;
    }

    private static Map<String, Integer> failures(List<User> users) {
        Map<String, Integer> all = new TreeMap<>();
        users.forEach(user -> user.failures().forEach((what, times) -> all.merge(what, times, Integer::sum)));
        return all;
    }

    private static Counted counted(List<User> users, ShopDatabase database) throws SQLException {
        return new Counted(
                responses(users).size(),
                users.stream().mapToLong(User::ordersPlaced).sum(),
                database.orders(),
                users.stream().mapToLong(User::linesPlaced).sum(),
                database.lines(),
                users.stream().mapToLong(User::spent).sum(),
                database.spent(),
                database.totals());
    }
}
