package dev.weir.fleet.tests;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What is done to the members, one deed a test, on whatever server. */
abstract class Deeds {
    abstract Fleet fleet();

    @AfterEach
    void never() {
        fleet().checkNeverTooMany();
    }

    @Test
    void aBurstGetsWhatTheOthersDoNotNeedWhereverItComes() throws Exception {
        fleet().moveABurst();
    }

    @Test
    void thePlacesOfAKilledMemberAreGivenAwayAfterItsLease() throws Exception {
        fleet().killTheLargest(1);
    }

    @Test
    void aMemberThatWakesAfterItsLeaseAsksFirst() throws Exception {
        fleet().pauseTheLargest(2);
    }

    @Test
    void aMemberThatIsCutOffComesBack() throws Exception {
        fleet().cutOneOff();
    }

    @Test
    void allComeBackAfterARestartOfTheServer() throws Exception {
        fleet().restartTheServer();
    }

    @Test
    void nobodyNoticesARollingDeploy() throws Exception {
        fleet().deploy();
    }
}
