package dev.weir.hibernate;

import dev.weir.testkit.servers.Rooms;
import org.junit.jupiter.api.Test;

class ArchitectureTest {

    @Test
    void itSeesThePublicApiOfThePoolAndNoOtherIntegration() {
        Rooms.seesThePoolAnd("dev.weir.hibernate", "org.hibernate..", "org.springframework.jdbc..");
    }
}
