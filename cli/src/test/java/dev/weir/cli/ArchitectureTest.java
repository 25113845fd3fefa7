package dev.weir.cli;

import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.lang.syntax.ArchRuleDefinition;
import dev.weir.testkit.servers.Rooms;
import org.junit.jupiter.api.Test;

class ArchitectureTest {

    @Test
    void commandsSeeThePoolTheTestKitAndLibraries() {
        Rooms.seesThePoolAnd(
                "dev.weir.cli",
                "dev.weir.cli..",
                "dev.weir.internal.shared", // explain's names of places, which are the pool's
                "dev.weir.console..",
                "dev.weir.migration",
                "dev.weir.testkit",
                "dev.weir.testkit.servers",
                "com.fasterxml.jackson.core..",
                "com.fasterxml.jackson.databind..",
                "com.github.difflib",
                "com.github.difflib.patch",
                "com.samskivert.mustache",
                "com.sun.tools.attach", // top and record
                "jdk.jfr..", // explain
                "jdk.management.jfr",
                "javax.management..",
                "com.zaxxer.hikari", // demo --compare
                "de.erichseifert.vectorgraphics2d..",
                "de.siegmar.fastcsv..",
                "org.HdrHistogram",
                "org.hipparchus..",
                "org.jline..",
                "org.knowm.xchart..",
                "org.springframework.boot.env",
                "org.springframework.core.env",
                "org.springframework.core.io",
                "javax.management..",
                "javax.xml",
                "javax.xml.parsers",
                "org.w3c.dom",
                "org.xml.sax",
                "org.yaml.snakeyaml..",
                "picocli");
        Rooms.onlyOneSees("dev.weir.cli", "explain.Recording", "dev.weir.internal..");
    }

    @Test
    void commandsAreThereInARuntimeWithoutTheModulesOfAJdk() {
        ArchRuleDefinition.noClasses()
                .that()
                .haveSimpleNameEndingWith("Command")
                .or()
                .haveSimpleName("Main")
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage("com.sun.tools.attach", "jdk..", "com.sun.management")
                .check(new ClassFileImporter()
                        .withImportOption(new ImportOption.DoNotIncludeTests())
                        .importPackages("dev.weir.cli"));
    }

    /** A picture's width in Arabic digits is none. */
    @Test
    void numbersAreWrittenAlikeInAllLanguages() {
        ArchRuleDefinition.noClasses()
                .should()
                .callMethod(String.class, "formatted", Object[].class)
                .check(new ClassFileImporter()
                        .withImportOption(new ImportOption.DoNotIncludeTests())
                        .importPackages("dev.weir.cli"));
    }
}
