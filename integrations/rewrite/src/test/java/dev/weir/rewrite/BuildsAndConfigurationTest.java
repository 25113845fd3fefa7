package dev.weir.rewrite;

import static org.assertj.core.api.Assertions.assertThat;
import static org.openrewrite.groovy.Assertions.groovy;
import static org.openrewrite.kotlin.Assertions.kotlin;
import static org.openrewrite.maven.Assertions.pomXml;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledForJreRange;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
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
                    .replaceAll("(?s).* version: (\\S+).*", "$1");
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
    void coordinatesThatAreNotOneStringAreMarked() {
        Repository before = Repository.of(
                "build.gradle",
                "dependencies {\n    implementation group: 'com.zaxxer', name: 'HikariCP', version: '7.1.0'\n}\n",
                "src/main/java/shop/Shop.java",
                "class Shop { boolean is(com.zaxxer.hikari.HikariDataSource pool) { return pool.isClosed(); } }\n");
        Repository after = before.moved();
        assertThat(after.get("build.gradle")).contains("write the coordinates as one string");
        after.isLeft(before);
        Map.of(
                        "gradle/libs.versions.toml",
                        "[libraries]\nhikari = \"com.zaxxer:HikariCP:7.1.0\"\n",
                        "gradle/modules.toml",
                        "hikari = \"io.micronaut.sql:micronaut-jdbc-hikari:6.0.0\"\n",
                        "build.sbt",
                        "libraryDependencies += \"com.typesafe.slick\" %% \"slick-hikaricp\" % \"3.6.1\"\n",
                        "gradle/more.toml",
                        "hikari = { group = \"com.zaxxer\", name = \"HikariCP\" }\n",
                        "ivy.xml",
                        "<dependency org='com.zaxxer' name='HikariCP'/>\n")
                .forEach((path, text) -> {
                    Repository elsewhere = Repository.of(
                            "build.gradle", "dependencies {\n    implementation libs.hikari\n}\n", path, text);
                    assertThat(elsewhere.moved().get("build.gradle"))
                            .contains("HikariCP stays until its uses are changed in " + path);
                });
        Repository micronaut = Repository.of(
                "build.gradle", "dependencies {\n    runtimeOnly 'io.micronaut.sql:micronaut-jdbc-hikari'\n}\n");
        assertThat(micronaut.moved().get("build.gradle")).contains("micronaut-jdbc-hikari is another way to HikariCP");
    }

    /** Without it the application would go on with HikariCP, and its defaults. */
    @Test
    void bootWithoutTheStarterIsNotChanged() {
        String pom = """
                <project>
                  <dependencies>
                    <dependency>
                      <groupId>org.springframework.boot</groupId>
                      <artifactId>spring-boot-starter-jdbc</artifactId>
                    </dependency>
                  </dependencies>
                </project>
                """;
        Repository before = Repository.of(
                "pom.xml",
                pom,
                "src/main/resources/application.yml",
                "spring.datasource.hikari:\n  auto-commit: false\n  maximum-pool-size: 5\n");
        Repository after = before.moved();
        assertThat(after.get("pom.xml"))
                .contains("<!--~~(Weir, to do: add dev.weir:weir-spring-boot-starter:" + VERSION + " (Spring Boot 4)");
        after.isLeft(before);
        Repository added = after.with(
                        "pom.xml",
                        after.get("pom.xml")
                                .replace("starter-jdbc</", "starter-jdbc</artifactId><!--weir-spring-boot--></"))
                .with(
                        "pom.xml",
                        pom.replace("  </dependencies>", "    <!-- weir-spring-boot-starter -->\n  </dependencies>"));
        assertThat(added.moved().get("src/main/resources/application.yml"))
                .isEqualTo("spring.datasource.weir:\n  auto-commit: false\n  maximum-pool-size: 5\n");
    }

    @Test
    void springBootsYamlIsRenamedAndKeepsItsSize() {
        Repository after =
                Repository.boot("src/main/resources/application.yml", """
                spring:
                  datasource:
                    url: jdbc:h2:mem:shop
                    # the pool
                    hikari:
                      allow-pool-suspension: true
                      connection-timeout: 2000 # ms
                """).moved();
        assertThat(after.get("src/main/resources/application.yml")).isEqualTo("""
                spring:
                  datasource:
                    url: jdbc:h2:mem:shop
                    # the pool
                    weir:
                      maximum-pool-size: 10
                      connection-timeout: 2000 # ms
                """);
        after.isMoved();
    }

    @Test
    void springBootsPropertiesAreRenamedAndKeepTheirSize() {
        Repository after = Repository.boot("src/main/resources/application.properties", """
                spring.datasource.hikari.isolate-internal-queries=true
                spring.datasource.hikari.pool-name=shop
                #---
                spring.config.activate.on-profile=prod
                spring.datasource.hikari.pool-name=prod
                """)
                .moved();
        assertThat(after.get("src/main/resources/application.properties")).isEqualTo("""
                spring.datasource.weir.maximum-pool-size=10
                spring.datasource.weir.pool-name=shop
                #---
                spring.config.activate.on-profile=prod
                spring.datasource.weir.pool-name=prod
                """);
        after.isMoved();
    }

    /** A profile's file is put over the one for all: a size in it would cut that one's. */
    @Test
    void sizeIsSetOnceForAllProfiles() {
        Repository after = Repository.boot(
                        "src/main/resources/application.yml",
                        "spring.datasource.hikari.maximumPoolSize: 50\n",
                        "src/main/resources/application-prod.yml",
                        "spring.datasource.hikari.connection-timeout: 3s\n",
                        "src/test/resources/application-test.yml",
                        "spring.datasource.hikari.connection-timeout: 4s\n")
                .moved();
        after.isMoved();
        assertThat(after.get("src/main/resources/application-prod.yml")
                        + after.get("src/test/resources/application-test.yml"))
                .doesNotContain("pool-size");

        Repository before = Repository.boot(
                "src/main/resources/application.yml",
                "spring.datasource.url: jdbc:h2:mem:shop\n",
                "src/main/resources/application-prod.yml",
                "spring.datasource.hikari.maximum-pool-size: 50\n");
        Repository left = before.moved();
        assertThat(left.get("src/main/resources/application-prod.yml"))
                .startsWith("# Weir, to do: set the maximum pool size")
                .contains(", for all profiles\nspring");
        left.isLeft(before);
    }

    @Test
    void configurationOfATestThatReplacesTheOtherHasASizeOfItsOwn() {
        Repository after = Repository.boot(
                        "src/main/resources/application.yml",
                        "spring.datasource.hikari.maximum-pool-size: 50\n",
                        "src/test/resources/application.yml",
                        "spring.datasource.hikari:\n  pool-name: test\n")
                .moved();
        assertThat(after.get("src/test/resources/application.yml"))
                .isEqualTo("spring.datasource.weir:\n  maximum-pool-size: 10\n  pool-name: test\n");
    }

    /** One end of a name is never changed alone; a value that HikariCP does not take is not Weir's either. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "    metric-registry: x",
                "    initialization-fail-timeout: -1",
                "    idle-timeout: 5000",
                "    connection-timeout: 0",
                "    data-source-jndi: x",
                "other: ${spring.datasource.hikari.maximum-pool-size}",
                "spring.datasource.type: com.zaxxer.hikari.HikariDataSource"
            })
    void configurationThatCannotBeRenamedIsMarked(String line) {
        Repository before = Repository.boot(
                "src/main/resources/application.yml",
                "spring:\n  datasource.hikari:\n    maximum-pool-size: 5\n" + line + "\n",
                "src/main/resources/application-x.properties",
                "spring.datasource.hikari.pool-name=x\n");
        Repository after = before.moved();
        assertThat(after.get("src/main/resources/application.yml"))
                .containsPattern("\n *# Weir, to do: .*\n" + Pattern.quote(line) + "\n");
        after.isLeft(before);
    }

    /** A file that a test or another file names: when it is read, and which values win, is not known. */
    @Test
    void keysInConfigurationOfAnotherNameAreMarked() {
        Repository before = Repository.boot(
                "src/main/resources/application.yml",
                "spring.datasource.hikari.maximum-pool-size: 5\n",
                "src/test/resources/test.properties",
                "spring.datasource.url=jdbc:h2:mem:shop\nspring.datasource.hikari.maximum-pool-size=20\n",
                "src/main/resources/db.yml",
                "spring:\n  datasource:\n    hikari:\n      pool-name: shop\n",
                "src/main/resources/hibernate.properties",
                "hibernate.connection.provider_class=com.zaxxer.hikari.hibernate.HikariConnectionProvider\n");
        Repository after = before.moved();
        assertThat(after.get("src/test/resources/test.properties"))
                .contains(
                        "shop\n# Weir, to do: the key is HikariCP's",
                        "\nspring.datasource.hikari.maximum-pool-size=20");
        assertThat(after.get("src/main/resources/db.yml")).contains("      # Weir, to do: the key is HikariCP's");
        assertThat(after.get("src/main/resources/hibernate.properties")).startsWith("# Weir, to do: the class is");
        after.isLeft(before);

        Repository changed = after;
        for (String path : List.of("test/resources/test.properties", "main/resources/db.yml")) {
            changed = changed.with("src/" + path, after.get("src/" + path).replace("hikari", "weir"));
        }
        Repository moved = changed.with("src/main/resources/hibernate.properties", "hibernate.show_sql=true\n")
                .moved();
        moved.isMoved();
        assertThat(moved.get("src/test/resources/test.properties"))
                .isEqualTo(before.get("src/test/resources/test.properties").replace("hikari", "weir"));
    }

    @Test
    void keysInOtherFilesKeepAllAsItIs() {
        Repository before = Repository.boot(
                "src/main/resources/application.yml",
                "spring: {datasource: {hikari: {maximum-pool-size: 5}}}\n",
                "docker/shop.env",
                "SPRING_DATASOURCE_HIKARI_MAXIMUM_POOL_SIZE=20\n");
        Repository after = before.moved();
        assertThat(after.get("build.gradle")).contains("HikariCP stays until its uses are changed in docker/shop.env");
        after.isLeft(before);
    }

    /** OpenRewrite shows the path of such a file alone. */
    @Test
    void codeThatCannotBeReadKeepsAllAsItIsAndOtherFilesDoNot() {
        Repository before = Repository.java("class Shop {}\n").with("logo.png", "com.zaxxer.hikari");
        assertThat(before.moved().get("build.gradle")).contains("'dev.weir:weir:");
        Repository scala = before.with("src/main/scala/shop/Pool.scala", "object Pool");
        assertThat(scala.moved().get("build.gradle"))
                .contains("HikariCP stays until its uses are changed in src/main/scala/shop/Pool.scala");
    }

    /** The name of a log is said, and nobody waits for it. */
    @Test
    void namesOfLogsAreMarked() {
        Repository after = Repository.boot(
                        "src/main/resources/application.yml",
                        "logging.level.com.zaxxer.hikari: debug\nspring.datasource.hikari.maximum-pool-size: 5\n",
                        "src/main/resources/logback.xml",
                        "<configuration><logger name=\"com.zaxxer.hikari\" level=\"DEBUG\"/></configuration>\n",
                        "src/main/resources/log4j2.properties",
                        "logger.pool.name=com.zaxxer.hikari\n")
                .moved();
        assertThat(after.get("src/main/resources/application.yml")).isEqualTo("""
                        # Weir, to do: the name of Weir's log is dev.weir
                        logging.level.com.zaxxer.hikari: debug
                        spring.datasource.weir.maximum-pool-size: 5
                        """);
    }

    @Test
    void otherConfigurationIsLeftAlone() {
        Repository before = Repository.of(
                "src/main/resources/application.yml",
                "spring.datasource.url: jdbc:h2:mem:shop\n",
                "src/main/resources/application-x.properties",
                "spring.datasource.url=jdbc:h2:mem:shop\n",
                "build.gradle",
                "dependencies { implementation 'dev.weir:weir:0.1.0' }\n");
        before.moved().isLeft(before);
    }
}
