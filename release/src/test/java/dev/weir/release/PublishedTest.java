package dev.weir.release;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collection;
import java.util.List;
import java.util.jar.Attributes;
import java.util.jar.JarFile;
import java.util.zip.ZipEntry;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.w3c.dom.Element;

/** What {@code mvn deploy} publishes, and that each jar of it says what it is. */
class PublishedTest {

    static Collection<Module> jars() throws Exception {
        return Module.published().stream().filter(Module::isJar).toList();
    }

    @Test
    void onlyWhatIsNamedIsPublished() throws Exception {
        assertThat(Module.published())
                .extracting(Module::name)
                .containsExactlyInAnyOrder(
                        "weir",
                        "weir-bom",
                        "weir-cli",
                        "weir-console",
                        "weir-dropwizard",
                        "weir-fleet",
                        "weir-hibernate",
                        "weir-micrometer",
                        "weir-micronaut",
                        "weir-migration",
                        "weir-opentelemetry",
                        "weir-play",
                        "weir-quartz",
                        "weir-rewrite",
                        "weir-slick",
                        "weir-spring-boot-starter",
                        "weir-spring-boot3-starter",
                        "weir-testkit");
    }

    /** Lest a module for users is forgotten. */
    @Test
    void eachModuleForUsersIsPublishedOrSaysThatItIsNot() throws Exception {
        List<Module> silent = Module.all().stream()
                .filter(module -> module.isJar() && !module.folder().startsWith(Module.ROOT.resolve("lab")))
                .filter(module -> module.isPublished() == module.description().contains("Never published."))
                .toList();
        assertThat(silent)
                .as("set maven.deploy.skip to false, or describe it with 'Never published.'")
                .isEmpty();
    }

    /** Imported before another bill of materials, it decides no version but Weir's own. */
    @Test
    void theBillOfMaterialsIsAllLibrariesThatArePublishedAndNothingElse() throws Exception {
        Module bom = Module.published().stream()
                .filter(module -> !module.isJar())
                .findFirst()
                .orElseThrow();
        Element asPublished = Module.read(bom.folder().resolve(Path.of("target", ".flattened-pom.xml")));
        assertThat(Module.children(asPublished, "parent")).isEmpty();
        assertThat(Module.children(asPublished, "properties")).isEmpty();
        assertThat(Module.text(asPublished, "version")).isEqualTo(bom.version());

        List<Element> managed = Module.children(asPublished, "dependencyManagement", "dependencies");
        assertThat(managed)
                .extracting(one -> Module.text(one, "artifactId"))
                .containsExactlyInAnyOrderElementsOf(jars().stream()
                        .map(Module::name)
                        .filter(name -> !name.equals("weir-cli")) // a program
                        .toList());
        assertThat(managed).allSatisfy(one -> {
            assertThat(Module.text(one, "groupId")).isEqualTo("dev.weir");
            assertThat(Module.text(one, "version")).isIn("${project.version}", bom.version());
            assertThat(Module.text(one, "scope")).isEmpty();
        });
    }

    @ParameterizedTest
    @MethodSource("jars")
    void aJarSaysItsVersionItsModuleAndItsLicence(Module module) throws Exception {
        assertThat(module.description()).isNotEmpty();
        try (JarFile jar = new JarFile(module.jar().toFile())) {
            Attributes manifest = jar.getManifest().getMainAttributes();
            assertThat(manifest.getValue(Attributes.Name.IMPLEMENTATION_VERSION))
                    .isEqualTo(module.version());
            assertThat(manifest.getValue(Attributes.Name.IMPLEMENTATION_TITLE)).isNotEmpty();
            assertThat(manifest.getValue("Automatic-Module-Name"))
                    .isEqualTo("dev." + module.name().replace('-', '.'));
            for (String file : List.of("LICENSE", "NOTICE")) {
                ZipEntry entry = jar.getEntry("META-INF/" + file);
                assertThat(entry).as(file).isNotNull();
                assertThat(jar.getInputStream(entry).readAllBytes())
                        .as(file)
                        .isEqualTo(Files.readAllBytes(Module.ROOT.resolve(file)));
            }
        }
    }

    /** No class of another library, no test, nothing of the machine that it was built on. */
    @ParameterizedTest
    @MethodSource("jars")
    void aJarHoldsWhatIsItsOwn(Module module) throws Exception {
        try (JarFile jar = new JarFile(module.jar().toFile())) {
            assertThat(jar.stream().map(ZipEntry::getName).filter(name -> !name.endsWith("/")))
                    .allMatch(name -> name.matches("(META-INF|dev/weir)/.*|module-info\\.class"))
                    .noneMatch(name -> name.matches(".*\\wTest(\\$.*)?\\.class"));
        }
    }
}
