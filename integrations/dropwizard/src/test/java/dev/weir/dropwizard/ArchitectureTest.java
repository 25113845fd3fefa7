package dev.weir.dropwizard;

import dev.weir.testkit.servers.Rooms;
import io.dropwizard.logging.common.BootstrapLogging;
import org.junit.jupiter.api.Test;

class ArchitectureTest {

    @Test
    void itSeesThePublicApiOfThePoolAndOfTheFleetAlone() {
        BootstrapLogging.bootstrap(); // Logback tells everything until then
        Rooms.seesThePoolAnd(
                "dev.weir.dropwizard",
                "io.dropwizard..",
                "com.codahale.metrics..",
                "com.fasterxml.jackson..",
                "jakarta.validation..",
                "org.slf4j",
                "dev.weir.fleet");
        Rooms.onlyOneSees("dev.weir.dropwizard", "FleetMember", "dev.weir.fleet");
    }
}
