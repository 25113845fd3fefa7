package dev.weir.lab;

import static com.tngtech.archunit.base.DescribedPredicate.describe;
import static com.tngtech.archunit.base.DescribedPredicate.not;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.type;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaMethodCall;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import dev.weir.RetireReason;
import org.junit.jupiter.api.Test;

/** The arrows between the rooms, as docs/why/design.md draws them. The laboratory sees every room, so the test lives here. */
final class ArchitectureTest {
    private static final JavaClasses ALL = new ClassFileImporter()
            .withImportOption(new ImportOption.DoNotIncludeTests())
            .importPackages("dev.weir");

    /** Compiled against a driver, which need not be there. */
    private static final String FOR_CONNECTOR_J = "dev.weir.internal.sockets.MySqlSocketFactory";

    @Test
    void theCoreHasNoDependencyButTheJdk() {
        classes()
                .that()
                .resideInAnyPackage("dev.weir", "dev.weir.spi", "dev.weir.internal..")
                .and()
                .doNotHaveFullyQualifiedName(FOR_CONNECTOR_J)
                .should()
                .onlyDependOnClassesThat()
                .resideInAnyPackage(
                        "dev.weir",
                        "dev.weir.spi",
                        "dev.weir.internal..",
                        "java..",
                        "javax.sql..",
                        "javax.management..",
                        "javax.naming..",
                        "javax.xml..",
                        "org.xml.sax..",
                        "javax.net..",
                        "jdk.jfr..",
                        "org.jspecify.annotations")
                .check(ALL);
    }

    /** Connector/J loads it by its name, so that it is never loaded where that driver is not. */
    @Test
    void nothingNeedsTheClassThatNeedsConnectorJ() {
        noClasses()
                .that()
                .doNotHaveFullyQualifiedName(FOR_CONNECTOR_J)
                .should()
                .dependOnClassesThat()
                .haveFullyQualifiedName(FOR_CONNECTOR_J)
                .check(ALL);
    }

    @Test
    void whatUsersImplementDoesNotSeeTheEngine() {
        noClasses()
                .that()
                .resideInAPackage("dev.weir.spi")
                .should()
                .dependOnClassesThat(resideInAPackage("dev.weir").and(not(type(RetireReason.class))))
                .check(ALL);
    }

    @Test
    void theTestKitSeesNoOtherRoom() {
        noClasses()
                .that()
                .resideInAPackage("dev.weir.testkit..")
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage(
                        "dev.weir", "dev.weir.spi", "dev.weir.internal..", "dev.weir.lab..", "dev.weir.codegen..")
                .check(ALL);
    }

    @Test
    void nobodyDependsOnTheLaboratory() {
        noClasses()
                .that()
                .resideOutsideOfPackage("dev.weir.lab..")
                .should()
                .dependOnClassesThat()
                .resideInAPackage("dev.weir.lab..")
                .check(ALL);
    }

    @Test
    void theCoreNeitherSleepsNorSpins() {
        noClasses()
                .that()
                .resideInAnyPackage("dev.weir", "dev.weir.spi", "dev.weir.internal..")
                .should()
                .callMethodWhere(ofThread("sleep"))
                .orShould()
                .callMethodWhere(ofThread("yield"))
                .orShould()
                .callMethod(Thread.class, "onSpinWait")
                .orShould()
                .dependOnClassesThat()
                .areAssignableTo(ThreadLocal.class)
                .check(ALL);
    }

    private static DescribedPredicate<JavaMethodCall> ofThread(String method) {
        return describe(
                "to Thread." + method + "()",
                call -> call.getTargetOwner().isEquivalentTo(Thread.class)
                        && call.getTarget().getName().equals(method));
    }
}
