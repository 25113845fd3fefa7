package dev.weir.fleet.tests;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.time.Duration;
import java.util.Random;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Six JVMs on one PostgreSQL that has exactly the places of their budget: a single connect too many would be refused, and
 * its log would say so. {@code -Dfleet.seconds=600} has all faults come in any order for so long.
 */
@Tag("thorough")
final class FleetProcessesTest extends Deeds {
    private static Site site;
    private static Fleet fleet;

    @BeforeAll
    static void begin() throws Exception {
        site = new PostgresSite();
        fleet = new Fleet(site);
    }

    @AfterAll
    static void end() throws Exception {
        if (fleet != null) {
            fleet.close();
        }
        site.close();
    }

    @Override
    Fleet fleet() {
        return fleet;
    }

    @Test
    void anythingInAnyOrder() throws Exception {
        Duration time = Duration.ofSeconds(Long.getLong("weir.fleet.seconds", 0));
        assumeTrue(time.toSeconds() > 0, "-Dfleet.seconds");
        String given = System.getProperty("weir.fleet.seed", "");
        long seed = given.isEmpty() ? System.nanoTime() : Long.parseLong(given);
        System.out.printf("any order for %d s, -Dfleet.seed=%d%n", time.toSeconds(), seed);
        Random random = new Random(seed);
        long begin = System.nanoTime();
        while (System.nanoTime() - begin < time.toNanos()) {
            int deed = random.nextInt(6);
            int place = random.nextInt(Fleet.SIZE);
            System.out.printf("%d s: %d %d%n", (System.nanoTime() - begin) / 1_000_000_000, deed, place);
            switch (deed) {
                case 0 -> fleet.moveABurst();
                case 1 -> fleet.killTheLargest(place);
                case 2 -> fleet.pauseTheLargest(place);
                case 3 -> fleet.cutOneOff();
                case 4 -> fleet.restartTheServer();
                default -> fleet.deploy();
            }
        }
    }
}
