package dev.weir.micrometer;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;

import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import org.junit.jupiter.api.Test;

class ArchitectureTest {

    @Test
    void itSeesThePublicApiOfThePoolAndNoOtherIntegration() {
        classes()
                .should()
                .onlyDependOnClassesThat()
                .resideInAnyPackage(
                        "dev.weir",
                        "dev.weir.spi",
                        "dev.weir.micrometer",
                        "io.micrometer..",
                        "java..",
                        "org.jspecify.annotations")
                .check(new ClassFileImporter()
                        .withImportOption(new ImportOption.DoNotIncludeTests())
                        .importPackages("dev.weir.micrometer"));
    }
}
