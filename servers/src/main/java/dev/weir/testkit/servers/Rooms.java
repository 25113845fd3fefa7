package dev.weir.testkit.servers;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.lang.syntax.ArchRuleDefinition;
import java.util.stream.Stream;

/** What an integration may see: the public API of the pool, the libraries it is for, and no other integration. */
public final class Rooms {
    private Rooms() {}

    /**
     * Checks that what is optional for an integration is named by one class of it alone: any other would fail where it is
     * not on the class path.
     *
     * @param room the package of the integration
     * @param simpleName of the class, as a regular expression; its nested classes may see it too
     * @param packages of what is optional, as ArchUnit writes packages
     * @throws AssertionError naming each other class that sees them
     */
    public static void onlyOneSees(String room, String simpleName, String... packages) {
        ArchRuleDefinition.noClasses()
                .that()
                .haveNameNotMatching(room.replace(".", "\\.") + "\\." + simpleName + "(\\$.*)?")
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage(packages)
                .check(new ClassFileImporter()
                        .withImportOption(new ImportOption.DoNotIncludeTests())
                        .importPackages(room));
    }

    /**
     * Checks the classes of an integration as they are compiled, without its tests.
     *
     * @param room the package of the integration
     * @param libraries what it may see beside the pool and the JDK, as ArchUnit writes packages
     * @throws AssertionError naming each class that sees more, or if there are no classes
     */
    public static void seesThePoolAnd(String room, String... libraries) {
        JavaClasses classes = new ClassFileImporter()
                .withImportOption(new ImportOption.DoNotIncludeTests())
                .importPackages(room);
        String[] allowed = Stream.concat(
                        Stream.of(
                                room, "dev.weir", "dev.weir.spi", "java..", "javax.sql..", "org.jspecify.annotations"),
                        Stream.of(libraries))
                .toArray(String[]::new);
        ArchRuleDefinition.classes()
                .should()
                .onlyDependOnClassesThat()
                .resideInAnyPackage(allowed)
                .check(classes);
    }
}
