package dev.weir.migration;

import dev.weir.testkit.servers.Rooms;
import org.junit.jupiter.api.Test;

class ArchitectureTest {

    @Test
    void itSeesThePublicApiOfThePoolAlone() {
        Rooms.seesThePoolAnd("dev.weir.migration");
    }
}
