package dev.weir.fleet.tests;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.weir.testkit.servers.MariaDbServer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;

/** The same on MariaDB, which shows members whose a session is. */
@Tag("thorough")
final class FleetOnMariaDbTest extends Deeds {
    private static Site site;
    private static Fleet fleet;

    @BeforeAll
    static void begin() throws Exception {
        assumeTrue(MariaDbServer.isInstalled());
        site = new MariaDbSite();
        fleet = new Fleet(site);
    }

    @AfterAll
    static void end() throws Exception {
        if (fleet != null) {
            fleet.close();
        }
        if (site != null) {
            site.close();
        }
    }

    @Override
    Fleet fleet() {
        return fleet;
    }
}
