package dev.weir.slick;

import dev.weir.testkit.servers.Rooms;
import org.junit.jupiter.api.Test;

class ArchitectureTest {

    @Test
    void itSeesThePublicApiOfThePoolAndNoOtherIntegration() {
        Rooms.seesThePoolAnd("dev.weir.slick", "com.typesafe.config", "scala..", "slick..");
    }
}
