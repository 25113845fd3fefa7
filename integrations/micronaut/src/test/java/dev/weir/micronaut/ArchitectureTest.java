package dev.weir.micronaut;

import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.lang.syntax.ArchRuleDefinition;
import dev.weir.testkit.servers.Rooms;
import org.junit.jupiter.api.Test;

class ArchitectureTest {
    private static final String ROOM = "dev.weir.micronaut";
    private static final String METERS = "dev.weir.micrometer";

    @Test
    void itSeesThePublicApiOfThePoolOfMigrationAndOfMeters() {
        Rooms.seesThePoolAnd(
                ROOM,
                "dev.weir.migration",
                METERS,
                "io.micrometer..",
                "io.micronaut..",
                "jakarta.annotation",
                "jakarta.inject",
                "org.reactivestreams");
    }

    /** Both are optional: what names them elsewhere fails where they are not on the class path. */
    @Test
    void onlyOneBeanSeesTheMetersAndOneTheHealth() {
        ArchRuleDefinition.noClasses()
                .that()
                .haveNameNotMatching(".*(WeirMeterFactory|WeirHealthIndicator).*")
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage(
                        METERS, "io.micrometer..", "io.micronaut.management..", "io.micronaut.configuration..")
                .check(new ClassFileImporter()
                        .withImportOption(new ImportOption.DoNotIncludeTests())
                        .importPackages(ROOM));
    }
}
