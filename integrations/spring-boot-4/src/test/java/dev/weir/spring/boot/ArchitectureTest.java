package dev.weir.spring.boot;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import dev.weir.testkit.servers.Rooms;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

class ArchitectureTest {
    private static final String ROOM = "dev.weir.spring.boot";
    private static final String METERS = "dev.weir.micrometer";
    private static final String FLEET = "dev.weir.fleet";
    private static final String CONSOLE = "dev.weir.console..";
    private static final String TELEMETRY = "dev.weir.opentelemetry";

    /** Logback tells everything until an application configures it. */
    @BeforeAll
    static void quiet() {
        ((Logger) LoggerFactory.getLogger("com.tngtech.archunit")).setLevel(Level.WARN);
    }

    @Test
    void itSeesThePublicApiOfThePoolAndOfIntegrationsMigrationsAndMetricsAlone() {
        Rooms.seesThePoolAnd(
                ROOM,
                "dev.weir.migration",
                METERS,
                "io.micrometer..",
                TELEMETRY,
                FLEET,
                CONSOLE,
                "io.opentelemetry..",
                "org.springframework..",
                "org.apache.commons.logging");
    }

    /** They are optional: what names one elsewhere fails where it is not on the class path. */
    @Test
    void onlyOneClassSeesTheMetersTheTelemetryAndTheDevTools() {
        Rooms.onlyOneSees(ROOM, "WeirMetricsAutoConfiguration", METERS, "io.micrometer..");
        Rooms.onlyOneSees(ROOM, "WeirTelemetryAutoConfiguration", TELEMETRY, "io.opentelemetry..");
        Rooms.onlyOneSees(ROOM, "WeirDevToolsAutoConfiguration", "org.springframework.boot.devtools..");
        Rooms.onlyOneSees(ROOM, "WeirConsole(AutoConfiguration|Endpoint)", CONSOLE);
        Rooms.onlyOneSees(ROOM, "(JoinedFleets|Weir\\w*AutoConfiguration\\$OfFleets)", FLEET);
    }
}
