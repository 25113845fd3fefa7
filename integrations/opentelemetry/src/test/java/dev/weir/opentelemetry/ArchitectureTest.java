package dev.weir.opentelemetry;

import dev.weir.testkit.servers.Rooms;
import org.junit.jupiter.api.Test;

class ArchitectureTest {

    @Test
    void itSeesThePublicApiOfThePoolAndOfTheFleetAlone() {
        Rooms.seesThePoolAnd("dev.weir.opentelemetry", "io.opentelemetry..", "dev.weir.fleet");
    }

    @Test
    void onlyOneClassSeesTheFleetWhichIsOptional() {
        Rooms.onlyOneSees("dev.weir.opentelemetry", "FleetTelemetry", "dev.weir.fleet");
    }
}
