package dev.weir.lab.workload.start;

import dev.weir.lab.contender.Contender;
import dev.weir.lab.contender.Contenders;
import dev.weir.lab.contender.Entrant;
import dev.weir.lab.contender.PoolSpec;
import dev.weir.lab.contender.PoolUnderTest;
import dev.weir.lab.contender.Profile;
import dev.weir.lab.runs.ChildMain;
import dev.weir.lab.stub.StubDataSource;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Locale;
import java.util.Map;

/**
 * A JVM that has just been started, with one pool in it. The driver has been used once before the clock begins, and nothing
 * else that a pool may need is loaded: what this class itself needs is written without lambdas and formats.
 */
final class StartMain {
    static final String BEGIN = "dev.weir.lab.workload.start.StartMain$RestBegins";
    static final String END = "dev.weir.lab.workload.start.StartMain$RestEnds";

    private static final String SQL = "SELECT 1";
    private static final int SIZE = 10;
    private static final Duration TIMEOUT = Duration.ofSeconds(30);

    private StartMain() {}

    /** Between this class and {@link RestEnds} the JVM's log of loaded classes has those of the pool. */
    static final class RestBegins {}

    static final class RestEnds {}

    /** {@code pool profile url first|rest number}: cycles of the first seconds, or milliseconds of rest. */
    public static void main(String[] args) throws Exception {
        ChildMain.endWithParent();
        PoolSpec.Builder spec =
                args[2].isEmpty() ? PoolSpec.of(new StubDataSource()) : PoolSpec.of(args[2], null, null);
        spec.size(SIZE, SIZE).connectionTimeout(TIMEOUT).connectsAtStart(true);
        Contender contender = Contenders.named(args[0]);
        Entrant entrant = new Entrant(args[0], args[0], contender, Map.of());
        Profile profile = Profile.valueOf(args[1].toUpperCase(Locale.ROOT));
        cycle(spec.build().physical().getConnection());
        int number = Integer.parseInt(args[4]);
        if (args[3].equals("rest")) {
            rest(entrant, spec, profile, number);
        } else {
            first(entrant, spec, profile, number);
        }
        ChildMain.end(0);
    }

    private static void first(Entrant entrant, PoolSpec.Builder spec, Profile profile, int cycles) throws Exception {
        long begun = System.nanoTime();
        PoolUnderTest pool = entrant.open(spec, profile);
        Connection first = pool.dataSource().getConnection();
        long connected = System.nanoTime();
        cycle(first);
        long used = System.nanoTime();
        for (int i = 0; i < cycles; i++) {
            cycle(pool.dataSource().getConnection());
        }
        long done = System.nanoTime();
        long cpu = ProcessHandle.current()
                .info()
                .totalCpuDuration()
                .orElse(Duration.ZERO)
                .toNanos();
        say("first connection", connected - begun);
        say("first use", used - connected);
        say("cycles", done - used);
        say("done", done - begun);
        say("cpu", cpu);
        pool.close();
    }

    /** Everything a pool does by itself, such as to end threads that it needs no more, it has done by the end of the rest. */
    private static void rest(Entrant entrant, PoolSpec.Builder spec, Profile profile, int restMillis) throws Exception {
        long heap = usedHeap();
        int threads = threads();
        mark(BEGIN);
        PoolUnderTest pool = entrant.open(spec, profile);
        pool.fill(SIZE);
        for (int i = 0; i < SIZE; i++) {
            cycle(pool.dataSource().getConnection());
        }
        say("threads at first", threads() - threads);
        Thread.sleep(restMillis);
        say("threads", threads() - threads);
        mark(END);
        say("heap", usedHeap() - heap);
        pool.close();
    }

    private static void mark(String name) throws ClassNotFoundException {
        Class<?> ignored = Class.forName(name);
    }

    private static long usedHeap() {
        Runtime runtime = Runtime.getRuntime();
        for (int i = 0; i < 3; i++) {
            System.gc();
        }
        return runtime.totalMemory() - runtime.freeMemory();
    }

    private static int threads() {
        ThreadGroup all = Thread.currentThread().getThreadGroup();
        while (all.getParent() != null) {
            all = all.getParent();
        }
        return all.enumerate(new Thread[1_000]);
    }

    private static void say(String what, long number) {
        System.out.println("measured " + what + ": " + number);
    }

    private static void cycle(Connection connection) throws SQLException {
        try (connection;
                PreparedStatement statement = connection.prepareStatement(SQL);
                ResultSet rows = statement.executeQuery()) {
            while (rows.next()) {
                int ignored = rows.getInt(1);
            }
        }
    }
}
