package dev.weir.spring.boot;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.lang.syntax.ArchRuleDefinition;
import dev.weir.testkit.servers.Rooms;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

class ArchitectureTest {
    private static final String ROOM = "dev.weir.spring.boot";
    private static final String METERS = "dev.weir.micrometer";
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
                "io.opentelemetry..",
                "org.springframework..",
                "org.apache.commons.logging");
    }

    /** They are optional: what names one elsewhere fails where it is not on the class path. */
    @Test
    void onlyOneClassSeesTheMetersTheTelemetryAndTheDevTools() {
        isSeenOnlyBy("WeirMetricsAutoConfiguration", METERS, "io.micrometer..");
        isSeenOnlyBy("WeirTelemetryAutoConfiguration", TELEMETRY, "io.opentelemetry..");
        isSeenOnlyBy("WeirDevToolsAutoConfiguration", "org.springframework.boot.devtools..");
    }

    private static void isSeenOnlyBy(String simpleName, String... packages) {
        ArchRuleDefinition.noClasses()
                .that()
                .haveNameNotMatching(ROOM.replace(".", "\\.") + "\\." + simpleName + "(\\$.*)?")
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage(packages)
                .check(new ClassFileImporter()
                        .withImportOption(new ImportOption.DoNotIncludeTests())
                        .importPackages(ROOM));
    }
}
