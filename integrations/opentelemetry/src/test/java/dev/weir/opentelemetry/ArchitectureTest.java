package dev.weir.opentelemetry;

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
                        "dev.weir.opentelemetry",
                        "io.opentelemetry..",
                        "java..",
                        "org.jspecify.annotations")
                .check(new ClassFileImporter()
                        .withImportOption(new ImportOption.DoNotIncludeTests())
                        .importPackages("dev.weir.opentelemetry"));
    }
}
