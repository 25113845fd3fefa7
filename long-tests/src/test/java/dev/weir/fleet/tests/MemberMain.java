package dev.weir.fleet.tests;

import dev.weir.PoolConfig;
import dev.weir.PoolStats;
import dev.weir.WeirDataSource;
import dev.weir.fleet.FleetOptions;
import dev.weir.fleet.FleetStats;
import dev.weir.fleet.WeirFleet;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.logging.Level;
import java.util.logging.Logger;

/**
 * The JVM of one member. It does what its standard input says, a line each, answers each line, and ends when that input
 * ends, so that it never outlives the test.
 *
 * <pre>
 *   load N    N users keep asking from now on
 *   status    what the member has and wants
 *   leave     closes the pool and leaves; the JVM ends with the answer
 * </pre>
 */
final class MemberMain {
    /** Longer than a lease: whoever waits for the places of a dead member is served. */
    private static final Duration PATIENCE = Duration.ofSeconds(30);

    /** Held here, as the logging of the JDK forgets the level of a logger that nobody holds. */
    private static final Logger ROOT = Logger.getLogger("");

    private MemberMain() {}

    public static void main(String[] args) throws Exception {
        ROOT.setLevel(Level.OFF); // failures are told in answers
        WeirDataSource pool = new WeirDataSource(PoolConfig.builder()
                .url(args[0])
                .username(args[1])
                .password(args[2])
                .maximumPoolSize(Integer.parseInt(args[3]))
                .minimumPoolSize(0)
                .connectionTimeout(PATIENCE)
                .build());
        FleetOptions options = FleetOptions.of("proof", args[7])
                .withBudget(Integer.parseInt(args[4]))
                .withLease(Duration.ofMillis(Long.parseLong(args[5])), Duration.ofMillis(Long.parseLong(args[5])))
                .withShare(1, Fleet.OF_THE_IDLE * Fleet.SIZE / 2)
                .withInstances(Fleet.SIZE / 2)
                .withCreateTables(true);
        WeirFleet fleet = WeirFleet.join(pool, options);
        Users users = new Users(pool, args[6]);
        say("joined " + fleet.instance());
        obey(fleet, users);
        Runtime.getRuntime().halt(0);
    }

    private static void obey(WeirFleet fleet, Users users) throws IOException, InterruptedException {
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String line = in.readLine(); line != null; line = in.readLine()) {
            if (line.equals("leave")) {
                users.end();
                fleet.close();
                say("left " + users.failed() + " " + users.lastFailure());
                return;
            } else if (line.equals("status")) {
                say(status(fleet, users));
            } else if (line.startsWith("load ")) {
                users.want(Integer.parseInt(line.substring("load ".length())));
                say("loaded");
            }
        }
    }

    private static String status(WeirFleet fleet, Users users) {
        PoolStats pool = fleet.pool().stats();
        FleetStats member = fleet.stats();
        return String.join(
                " ",
                Integer.toString(member.granted()),
                Integer.toString(pool.total()),
                Integer.toString(pool.inUse()),
                Integer.toString(pool.waiting()),
                Boolean.toString(member.leaseHolds()),
                Integer.toString(member.members()),
                Long.toString(users.served()),
                Long.toString(users.failed()),
                Long.toString(pool.openFailed()),
                users.lastFailure() + " / " + member.lastFailure() + " / " + pool.lastOpenFailure() + " / " + member);
    }

    private static void say(String line) {
        System.out.println(line.replaceAll("\\s+", " "));
        System.out.flush();
    }
}
