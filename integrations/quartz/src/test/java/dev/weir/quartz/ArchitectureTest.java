package dev.weir.quartz;

import dev.weir.testkit.servers.Rooms;
import org.junit.jupiter.api.Test;

class ArchitectureTest {

    @Test
    void itSeesThePublicApiOfThePoolAndNoOtherIntegration() {
        Rooms.seesThePoolAnd("dev.weir.quartz", "org.quartz.utils");
    }
}
