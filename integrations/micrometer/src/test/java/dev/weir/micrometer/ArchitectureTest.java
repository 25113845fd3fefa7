package dev.weir.micrometer;

import dev.weir.testkit.servers.Rooms;
import org.junit.jupiter.api.Test;

class ArchitectureTest {

    @Test
    void itSeesThePublicApiOfThePoolAndOfTheFleetAlone() {
        Rooms.seesThePoolAnd("dev.weir.micrometer", "io.micrometer..", "dev.weir.fleet");
    }

    @Test
    void onlyOneClassSeesTheFleetWhichIsOptional() {
        Rooms.onlyOneSees("dev.weir.micrometer", "FleetMetrics", "dev.weir.fleet");
    }
}
