package dev.weir.console;

import dev.weir.testkit.servers.Rooms;
import org.junit.jupiter.api.Test;

class ArchitectureTest {

    @Test
    void itSeesThePublicApiOfThePoolAndNoOtherIntegration() {
        Rooms.seesThePoolAnd(
                "dev.weir.console",
                "dev.weir.console.window",
                "com.fasterxml.jackson.core..",
                "com.fasterxml.jackson.databind..",
                "com.sun.net.httpserver",
                "com.sun.tools.attach",
                "jakarta.servlet..",
                "javax.management..");
    }

    @Test
    void whatARuntimeOrAnApplicationMayLackIsSeenByOneClassEach() {
        Rooms.onlyOneSees("dev.weir.console", "ConsoleServlet", "jakarta.servlet..");
        Rooms.onlyOneSees("dev.weir.console", "ConsoleServer", "com.sun.net.httpserver");
        Rooms.onlyOneSees("dev.weir.console", "window.Jvms", "com.sun.tools.attach");
    }
}
