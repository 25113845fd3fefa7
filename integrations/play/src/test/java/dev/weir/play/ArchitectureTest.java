package dev.weir.play;

import dev.weir.testkit.servers.Rooms;
import org.junit.jupiter.api.Test;

class ArchitectureTest {

    @Test
    void itSeesThePublicApiOfThePoolAndNoOtherIntegration() {
        Rooms.seesThePoolAnd("dev.weir.play", "com.typesafe.config", "javax.naming", "play.api..", "scala..");
    }
}
