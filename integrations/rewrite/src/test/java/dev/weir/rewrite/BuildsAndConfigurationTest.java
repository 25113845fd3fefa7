package dev.weir.rewrite;

import static org.openrewrite.groovy.Assertions.groovy;
import static org.openrewrite.kotlin.Assertions.kotlin;
import static org.openrewrite.maven.Assertions.pomXml;
import static org.openrewrite.properties.Assertions.properties;
import static org.openrewrite.yaml.Assertions.yaml;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledForJreRange;
import org.junit.jupiter.api.io.TempDir;
import org.openrewrite.InMemoryExecutionContext;
import org.openrewrite.maven.MavenExecutionContextView;
import org.openrewrite.maven.tree.MavenRepository;
import org.openrewrite.test.RecipeSpec;
import org.openrewrite.test.RewriteTest;
import org.openrewrite.test.TypeValidation;

class BuildsAndConfigurationTest implements RewriteTest {
    private static final String VERSION = version();

    @TempDir
    private Path repository;

    @Override
    public void defaults(RecipeSpec spec) {
        spec.recipeFromResources("dev.weir.rewrite.FromHikariCP");
    }

    /** As the resources of this build have it. */
    private static String version() {
        try (InputStream recipes = BuildsAndConfigurationTest.class.getResourceAsStream("/META-INF/rewrite/weir.yml")) {
            return new String(Objects.requireNonNull(recipes).readAllBytes(), StandardCharsets.UTF_8)
                    .replaceAll("(?s).*newVersion: (\\S+).*", "$1");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private void publish(String group, String artifact, String version) throws IOException {
        Path folder = Files.createDirectories(
                repository.resolve(group.replace('.', '/')).resolve(artifact).resolve(version));
        Files.writeString(
                folder.resolve(artifact + "-" + version + ".pom"),
                "<project><modelVersion>4.0.0</modelVersion><groupId>" + group + "</groupId><artifactId>" + artifact
                        + "</artifactId><version>" + version + "</version></project>");
        Files.write(folder.resolve(artifact + "-" + version + ".jar"), new byte[] {'P', 'K', 5, 6});
        Files.writeString(
                folder.getParent().resolve("maven-metadata.xml"),
                "<metadata><groupId>" + group + "</groupId><artifactId>" + artifact
                        + "</artifactId><versioning><versions><version>" + version
                        + "</version></versions></versioning></metadata>");
    }

    @Test
    void mavensDependencyIsExchanged() throws IOException {
        publish("com.zaxxer", "HikariCP", "7.0.2");
        publish("dev.weir", "weir", VERSION);
        MavenExecutionContextView context = MavenExecutionContextView.view(new InMemoryExecutionContext());
        context.setAddCentralRepository(false);
        context.setAddLocalRepository(false);
        context.setRepositories(List.of(MavenRepository.builder()
                .id("folder")
                .uri(repository.toUri().toString())
                .releases(true)
                .snapshots(true)
                .build()));
        rewriteRun(
                spec -> spec.executionContext(context).recipeExecutionContext(context),
                pomXml(pom("com.zaxxer", "HikariCP", "7.0.2"), pom("dev.weir", "weir", VERSION)));
    }

    private static String pom(String group, String artifact, String version) {
        return """
                <project>
                  <modelVersion>4.0.0</modelVersion>
                  <groupId>shop</groupId>
                  <artifactId>shop</artifactId>
                  <version>1</version>
                  <dependencies>
                    <dependency>
                      <groupId>%s</groupId>
                      <artifactId>%s</artifactId>
                      <version>%s</version>
                    </dependency>
                  </dependencies>
                </project>
                """.formatted(group, artifact, version);
    }

    @Test
    void gradlesDependencyIsExchanged() {
        rewriteRun(groovy("""
                dependencies {
                    implementation 'com.zaxxer:HikariCP:7.0.2'
                    runtimeOnly "com.h2database:h2:2.4.240"
                }
                """, """
                dependencies {
                    implementation 'dev.weir:weir:%s'
                    runtimeOnly "com.h2database:h2:2.4.240"
                }
                """.formatted(VERSION), spec -> spec.path("build.gradle")));
    }

    /** The Kotlin in this version of OpenRewrite cannot be started on JDK 25. */
    @Test
    @EnabledForJreRange(maxVersion = 24)
    void soIsThatOfAScriptInKotlin() {
        rewriteRun(
                spec -> spec.typeValidationOptions(TypeValidation.none()), // Gradle's API is not there
                kotlin("""
                dependencies {
                    implementation("com.zaxxer:HikariCP:7.0.2")
                }
                """, """
                dependencies {
                    implementation("dev.weir:weir:%s")
                }
                """.formatted(VERSION), spec -> spec.path("build.gradle.kts")));
    }

    @Test
    void springBootsYamlIsRenamedAndKeepsItsSize() {
        rewriteRun(yaml("""
                spring:
                  datasource:
                    url: jdbc:h2:mem:shop
                    hikari:
                      connection-timeout: 2000
                      allow-pool-suspension: true
                """, """
                spring:
                  datasource:
                    url: jdbc:h2:mem:shop
                    weir:
                      connection-timeout: 2000
                      maximum-pool-size: 10
                """));
    }

    @Test
    void aSizeThatIsSetStays() {
        rewriteRun(yaml("""
                        spring:
                          datasource:
                            hikari:
                              maximumPoolSize: 30
                        """, """
                        spring:
                          datasource:
                            weir:
                              maximumPoolSize: 30
                        """), properties("""
                        spring.datasource.hikari.maximum-pool-size=30
                        spring.datasource.hikari.pool-name=shop
                        """, """
                        spring.datasource.weir.maximum-pool-size=30
                        spring.datasource.weir.pool-name=shop
                        """));
    }

    @Test
    void springBootsPropertiesAreRenamedAndKeepTheirSize() {
        rewriteRun(properties("""
                spring.datasource.url=jdbc:h2:mem:shop
                spring.datasource.hikari.pool-name=shop
                """, """
                spring.datasource.url=jdbc:h2:mem:shop
                spring.datasource.weir.pool-name=shop
                spring.datasource.weir.maximum-pool-size=10
                """));
    }

    @Test
    void otherConfigurationIsLeftAlone() {
        rewriteRun(
                yaml("""
                        spring:
                          datasource:
                            url: jdbc:h2:mem:shop
                        """),
                properties("spring.datasource.url=jdbc:h2:mem:shop"),
                groovy("dependencies { implementation 'dev.weir:weir:0.1.0' }", spec -> spec.path("build.gradle")));
    }
}
