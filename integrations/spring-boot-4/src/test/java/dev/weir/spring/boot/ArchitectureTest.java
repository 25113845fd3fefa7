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

    /** Logback tells everything until an application configures it. */
    @BeforeAll
    static void quiet() {
        ((Logger) LoggerFactory.getLogger("com.tngtech.archunit")).setLevel(Level.WARN);
    }

    @Test
    void itSeesThePublicApiOfThePoolAndOfIntegrationsMigrationsAndMicrometersAlone() {
        Rooms.seesThePoolAnd(
                ROOM,
                "dev.weir.migration",
                METERS,
                "io.micrometer..",
                "org.springframework..",
                "org.apache.commons.logging");
    }

    /** The meters are optional: what names them elsewhere fails where they are not on the class path. */
    @Test
    void onlyOneClassSeesTheMeters() {
        ArchRuleDefinition.noClasses()
                .that()
                .doNotHaveSimpleName("WeirMetricsAutoConfiguration")
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage(METERS, "io.micrometer..")
                .check(new ClassFileImporter()
                        .withImportOption(new ImportOption.DoNotIncludeTests())
                        .importPackages(ROOM));
    }
}
