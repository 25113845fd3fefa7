package dev.weir.soak;

import dev.weir.PoolConfig;
import dev.weir.WeirDataSource;
import dev.weir.testkit.Await;
import dev.weir.testkit.TcpProxy;
import dev.weir.testkit.servers.PostgresServer;
import dev.weir.testkit.servers.ThreadsLeft;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.sql.Connection;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.SplittableRandom;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.LockSupport;
import java.util.logging.Level;
import org.postgresql.ds.PGSimpleDataSource;

/** One pool from its start to its close, with settings drawn from the seed, and phases of trouble, each followed by quiet times. */
final class Generation {
    static final Duration CONNECTION_TIMEOUT = Duration.ofMillis(1500);
    private static final Duration VALIDATE_AFTER_IDLE = Duration.ofMillis(100);
    private static final Duration RECOVERY_LIMIT = Duration.ofSeconds(10);
    private static final Duration LIMIT = Duration.ofSeconds(20);
    private static final Duration QUIET = Duration.ofMillis(250);
    private static final int USERS_OF_EACH_KIND = 8;

    /** Little, since HotSpot walks the whole stack for each overflow, which takes it seconds where the stack is large. */
    private static final long STACK_BYTES = 256 << 10;

    final Gate gate = new Gate();
    final Queue<Connection> leaks = new ConcurrentLinkedQueue<>();

    private final Soak soak;
    private final SplittableRandom random;
    private final String name;
    private final int minimum;
    private final int maximum;
    private final boolean virtual;
    private final String mode;
    private final WeirDataSource pool;
    private final List<User> users = new ArrayList<>();
    private volatile Mood mood = Mood.WILD;

    Generation(Soak soak, int number, SplittableRandom random) {
        this.soak = soak;
        this.random = random;
        name = "soak-" + number;
        maximum = 1 + random.nextInt(8);
        minimum = random.nextInt(maximum + 1);
        virtual = Runtime.version().feature() >= 21 && random.nextBoolean();
        mode = number % 2 == 1 ? "session" : number % 4 == 2 ? "transaction" : "lazy";
        PoolConfig config = draw();
        soak.history.note((virtual ? "platform and virtual threads, " : "platform threads, ") + config);
        pool = new WeirDataSource(config);
    }

    private PoolConfig draw() {
        PGSimpleDataSource driver = new PGSimpleDataSource();
        driver.setServerNames(new String[] {"127.0.0.1"});
        driver.setPortNumbers(new int[] {soak.proxy.port()});
        driver.setDatabaseName("postgres");
        driver.setApplicationName(name);
        driver.setConnectTimeout(2);
        driver.setSocketTimeout(random.nextBoolean() ? 2 : 0);
        driver.setCancelSignalTimeout(1);
        driver.setOptions("-c lock_timeout=2000 -c statement_timeout=4000 -c idle_in_transaction_session_timeout=8000");
        PoolConfig.Builder settings = PoolConfig.builder()
                .poolName(name)
                .poolMode(mode)
                .dataSource(new FaultyDataSource(driver, soak.driverFaults))
                .maximumPoolSize(maximum)
                .minimumPoolSize(minimum)
                .connectionTimeout(CONNECTION_TIMEOUT)
                .validateAfterIdle(VALIDATE_AFTER_IDLE)
                .validationTimeout(Duration.ofMillis(500))
                .connectTimeout(Duration.ofMillis(1000))
                .closeTimeout(Duration.ofMillis(random.nextInt(1500)))
                .acquireRetryDelay(Duration.ofMillis(50))
                .acquireIncrement(1 + random.nextInt(4))
                .keepaliveTime(Duration.ofMillis(random.nextBoolean() ? 0 : 300))
                .idleTimeout(Duration.ofMillis(random.nextBoolean() ? 0 : 1000))
                .maxLifetime(Duration.ofMillis(random.nextBoolean() ? 0 : 3000))
                .leakDetectionThreshold(Duration.ofMillis(random.nextBoolean() ? 0 : 200))
                .initializationFailTimeout(Duration.ofMillis(random.nextBoolean() ? -1 : 0))
                .registerMbeans(random.nextBoolean());
        if (random.nextInt(4) == 0) {
            settings.resetSql("DISCARD ALL");
        }
        Level level = random.nextBoolean() ? Level.ALL : Level.WARNING;
        return soak.callbacks.into(settings, level, Soak.USER, Soak.PASSWORD).build();
    }

    /** What a user finds in a connection that nobody had before. */
    String expected() {
        return "auto-commit true, nothing written true, isolation read committed, read-only off, schemas public, by "
                + name;
    }

    /** Runs phases until this time, and one at least, and ends the pool. */
    void run(long endNanos) throws Exception {
        begin();
        try {
            Deck deck = new Deck(random);
            do {
                phase(deck.deal(), 200 + random.nextInt(1000));
            } while (System.nanoTime() - endNanos < 0 && !soak.history.hasFailed());
        } finally {
            close(random.nextBoolean());
        }
        soak.history.check();
    }

    private void begin() throws Exception {
        for (int i = 0; i < 2 * USERS_OF_EACH_KIND; i++) {
            User user = new User(this, random.split());
            users.add(user);
            if (virtual && i % 2 == 0) {
                startVirtual(user);
            } else {
                Thread thread = new Thread(null, user, "soak-user-" + i, STACK_BYTES);
                thread.setDaemon(true);
                thread.start();
            }
        }
        if (random.nextBoolean()) { // else the pool is started in the middle of trouble
            gate.open();
            Await.await("the pool runs", LIMIT, () -> soak.history.hasFailed() || pool.isRunning());
        }
    }

    private static void startVirtual(Runnable task) throws Exception {
        MethodHandle start = MethodHandles.publicLookup()
                .findStatic(Thread.class, "startVirtualThread", MethodType.methodType(Thread.class, Runnable.class));
        try {
            Thread ignored = (Thread) start.invokeExact(task);
        } catch (Throwable e) {
            throw new AssertionError("no virtual thread", e);
        }
    }

    private void phase(List<Trouble> troubles, int millis) throws Exception {
        soak.history.note("troubles " + troubles + " for " + millis + " ms, maximum " + maximum);
        mood = Mood.WILD;
        gate.open();
        long end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(millis);
        for (Trouble trouble : troubles) {
            attempt(trouble, () -> trouble.begin(this));
        }
        while (System.nanoTime() - end < 0 && !soak.history.hasFailed()) {
            for (Trouble trouble : troubles) {
                attempt(trouble, () -> trouble.act(this, random));
            }
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(5 + random.nextInt(40)));
            closeLeaks(false);
        }
        heal();
        recover(troubles);
        soak.history.check();
    }

    private void attempt(Trouble trouble, Runnable action) {
        try {
            action.run();
        } catch (IllegalStateException e) { // asked of a server that another trouble stopped
            soak.history.noteOnce(trouble + ": " + e.getMessage());
        }
    }

    private void heal() throws Exception {
        mood = Mood.CALM;
        within("the troubles end", LIMIT.multipliedBy(2), () -> {
            Trouble.endAll(this);
            return null;
        });
        closeLeaks(true);
    }

    /** Users lose a handle for some time, and others find and close it. */
    private void closeLeaks(boolean all) {
        int n = all ? Integer.MAX_VALUE : leaks.size() / 2;
        for (Connection leaked = n > 0 ? leaks.poll() : null; leaked != null; leaked = --n > 0 ? leaks.poll() : null) {
            Connection mine = leaked;
            Future<?> ignored = soak.helpers.submit(() -> {
                mine.close();
                return null;
            });
        }
    }

    private void recover(List<Trouble> troubles) throws Exception {
        long healed = System.nanoTime();
        boolean served = Await.becomesTrue(RECOVERY_LIMIT, () -> {
            closeLeaks(true);
            return soak.history.hasFailed() || users.stream().allMatch(user -> user.servedSince(healed));
        });
        if (!served) {
            soak.history.fail(
                    "not served within " + RECOVERY_LIMIT.toMillis() + " ms after " + troubles + ": "
                            + users.stream()
                                    .filter(user -> !user.servedSince(healed))
                                    .toList() + "\n" + pool.dump(),
                    null);
        }
        soak.history.check();
        long recovered = (System.nanoTime() - healed) / 1_000_000;
        soak.recovered(troubles, recovered);
        Await.await(
                "what is dead is known to be",
                LIMIT,
                () -> System.nanoTime() - healed > 3 * VALIDATE_AFTER_IDLE.toNanos());
        if (!gate.shut(LIMIT)) {
            soak.history.fail("a user does not come to the end of his turn: " + users, null);
        }
        soak.history.check();
        allPlacesCanBeLent();
        within("the counts can be read", LIMIT, this::look);
        soak.bank.audit();
        mood = Mood.STRICT;
        gate.open();
        boolean failed = Await.becomesTrue(QUIET, soak.history::hasFailed);
        mood = Mood.CALM;
        soak.history.note("recovered after " + recovered + " ms" + (failed ? ", and failed" : ""));
        Await.await(
                () -> soak.server.backends() + " sessions for a maximum of " + maximum + ": " + pool.stats(),
                LIMIT,
                () -> soak.server.backends() <= maximum);
    }

    private void allPlacesCanBeLent() throws Exception {
        List<Future<Connection>> asked = new ArrayList<>();
        for (int i = 0; i < maximum; i++) {
            asked.add(soak.helpers.submit(() -> pool.getConnection()));
        }
        List<Connection> lent = new ArrayList<>();
        try {
            for (Future<Connection> one : asked) {
                Connection connection = one.get(LIMIT.toMillis(), TimeUnit.MILLISECONDS);
                lent.add(connection);
                Statement held =
                        connection.createStatement(); // open, or the place is free again in the mode transaction
                boolean ignored = held.execute("SELECT 1");
            }
        } catch (Exception e) {
            soak.history.fail(
                    "only " + lent.size() + " of " + maximum + " places can be lent: " + e + "\n" + pool.dump(), e);
        }
        for (Connection connection : lent) {
            connection.close();
        }
        soak.history.check();
    }

    /** Whatever takes a lock of the pool. */
    private Object look() {
        boolean keeper = Thread.getAllStackTraces().keySet().stream()
                .anyMatch(thread -> thread.getName().startsWith("weir-" + name + "-keeper"));
        if (!keeper) {
            soak.history.fail("the keeper is gone", null);
        }
        resize(minimum, maximum);
        return List.of(pool.stats(), pool.dump(), pool.held(), pool.openFailures(), pool.physicalConnections());
    }

    private void close(boolean whileInUse) throws Exception {
        soak.history.note("the pool is closed " + (whileInUse ? "under its users" : "when they are gone"));
        if (whileInUse && !soak.history.hasFailed()) {
            mood = Mood.WILD;
            gate.open();
        } else {
            boolean ignored = gate.shut(LIMIT);
        }
        Duration most = pool.getCloseTimeout().multipliedBy(3).plus(LIMIT);
        within("close()", most, () -> {
            pool.close();
            return null;
        });
        gate.end();
        boolean gone = gate.shut(LIMIT);
        soak.history.check();
        closeLeaks(true);
        if (!gone) {
            soak.history.fail("a user does not come to the end of his turn: " + users, null);
        }
        ThreadsLeft.assertNone("weir-" + name + "-", LIMIT);
        Await.await(() -> soak.server.backends() + " sessions are left", LIMIT, () -> soak.server.backends() == 0);
        Await.await(() -> soak.proxy.open() + " sockets are left", LIMIT, () -> soak.proxy.open() == 0);
        soak.bank.audit();
    }

    private void within(String what, Duration limit, Callable<?> work) throws Exception {
        Future<?> future = soak.helpers.submit(work);
        try {
            future.get(limit.toMillis(), TimeUnit.MILLISECONDS);
        } catch (TimeoutException e) {
            soak.history.fail(what + ": not within " + limit.toMillis() + " ms", e);
            soak.history.check();
        }
    }

    void resize(int least, int most) {
        try {
            pool.setMinimumPoolSize(0);
            pool.setMaximumPoolSize(most);
            pool.setMinimumPoolSize(least);
        } catch (IllegalStateException e) {
            soak.history.note("resize: " + e.getMessage());
        }
    }

    void interruptOne(SplittableRandom by) {
        users.get(by.nextInt(users.size())).interrupt();
    }

    Soak soak() {
        return soak;
    }

    WeirDataSource dataSource() {
        return pool;
    }

    PostgresServer server() {
        return soak.server;
    }

    TcpProxy proxy() {
        return soak.proxy;
    }

    /**
     * Whether users may run out of stack in the pool. Where an overflow cuts off the JDK's own unpark of a virtual thread, that
     * thread never runs again, whoever unparks it later (JDK 25).
     */
    boolean mayOverflow() {
        return !virtual;
    }

    /** Whether a connection takes a place at its first call only. */
    boolean bindsLate() {
        return !mode.equals("session");
    }

    /** Whether a place is free again between transactions. */
    boolean givesBack() {
        return mode.equals("transaction");
    }

    Mood mood() {
        return mood;
    }

    int minimum() {
        return minimum;
    }

    int maximum() {
        return maximum;
    }
}
