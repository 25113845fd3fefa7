package dev.weir.fleet.tests;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.weir.testkit.servers.MariaDbServer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** The same on MariaDB, which shows members whose a session is. */
final class FleetOnMariaDbTest {
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

    @AfterEach
    void never() {
        fleet.checkNeverTooMany();
    }

    @Test
    void aBurstGetsWhatTheOthersDoNotNeedWhereverItComes() throws Exception {
        fleet.moveABurst();
    }

    @Test
    void thePlacesOfAKilledMemberAreGivenAwayAfterItsLease() throws Exception {
        fleet.killTheLargest(1);
    }

    @Test
    void aMemberThatWakesAfterItsLeaseAsksFirst() throws Exception {
        fleet.pauseTheLargest(2);
    }

    @Test
    void aMemberThatIsCutOffComesBack() throws Exception {
        fleet.cutOneOff();
    }

    @Test
    void nobodyNoticesARollingDeploy() throws Exception {
        fleet.deploy();
    }

    @Test
    void allComeBackAfterARestartOfTheServer() throws Exception {
        fleet.restartTheServer();
    }
}
