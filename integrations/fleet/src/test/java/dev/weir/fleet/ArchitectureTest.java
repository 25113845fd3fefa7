package dev.weir.fleet;

import dev.weir.testkit.servers.Rooms;
import org.junit.jupiter.api.Test;

class ArchitectureTest {

    @Test
    void itSeesThePublicApiOfThePoolAndNoOtherIntegration() {
        Rooms.seesThePoolAnd("dev.weir.fleet", "javax.management..");
    }
}
