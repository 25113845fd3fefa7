package dev.weir.cli.migrate;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.PoolConfig;
import dev.weir.migration.HikariProperties;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringReader;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.yaml.snakeyaml.Yaml;
import picocli.CommandLine;

/** {@code weir migrate}, as a user runs it. */
class MigrateCommandTest {
    @TempDir
    private Path folder;

    private final StringWriter out = new StringWriter();
    private final StringWriter err = new StringWriter();

    private int migrate(String name, String text, String... options) throws IOException {
        Path file = Files.writeString(
                folder.resolve(name), text, name.endsWith("properties") ? ISO_8859_1 : UTF_8); // as they are read
        List<String> arguments = new ArrayList<>(List.of(options));
        arguments.add(file.toString());
        return new CommandLine(new MigrateCommand())
                .setOut(new PrintWriter(out, true))
                .setErr(new PrintWriter(err, true))
                .execute(arguments.toArray(String[]::new));
    }

    @Test
    void hikariFileBecomesAFileThatWeirReadsTheSame() throws IOException {
        String hikari = """
                jdbcUrl=jdbc:postgresql://db/shop
                username=shop
                password=h\u00e9 = #2
                maximumPoolSize=20
                minimumIdle=5
                connectionTimeout=0
                allowPoolSuspension=true
                scheduledExecutor=com.example.Threads
                dataSource.ApplicationName=shop
                """;
        assertThat(migrate("hikari.properties", hikari)).isZero();
        Properties result = new Properties();
        result.load(new StringReader(out.toString()));
        Properties given = new Properties();
        given.load(new StringReader(hikari));
        given.remove("scheduledExecutor");
        assertThat(PoolConfig.from(result))
                .hasToString(HikariProperties.of(given).toConfig().toString());
        assertThat(result).containsEntry("password", "h\u00e9 = #2").containsEntry("minimumPoolSize", "5");
        assertThat(err.toString())
                .contains("Not taken over:" + System.lineSeparator() + "- scheduledExecutor: has no meaning here")
                .contains("- allowPoolSuspension: ", "- connectionTimeout: 0 is 24.8 days there")
                .contains("validationTimeout: there for HikariCP's defaults; leave out for Weir's")
                .doesNotContain("Wrong:", "#2");
    }

    @Test
    void yamlKeepsItsDocumentsProfilesAndPlaceholders() throws IOException {
        String yaml = """
                spring:
                  datasource:
                    url: jdbc:postgresql://db/shop
                    type: com.zaxxer.hikari.HikariDataSource
                    hikari:
                      maximum-pool-size: ${POOL:20}
                      idleTimeout: 5m
                      data-source-properties:
                        "socket.timeout": 30
                ---
                spring:
                  config.activate.on-profile: prod & eu
                  datasource.hikari:
                    maximum-pool-size: 50
                    leak-detection-threshold: 10s
                ---
                spring.config.activate.on-profile: dev
                server.port: 8081
                """;
        assertThat(migrate("application.yml", yaml)).isZero();
        List<Object> documents = new ArrayList<>();
        new Yaml().loadAll(out.toString()).forEach(documents::add);
        assertThat(documents).hasSize(2);
        assertThat(documents.get(0))
                .isEqualTo(Map.of(
                        "spring",
                        Map.of(
                                "datasource",
                                Map.of(
                                        "weir",
                                        Map.of(
                                                "auto-commit", true,
                                                "connection-timeout", "30s",
                                                "data-source-properties", Map.of("socket.timeout", 30),
                                                "idle-timeout", "5m",
                                                "maximum-pool-size", "${POOL:20}",
                                                "minimum-pool-size", "${POOL:20}",
                                                "read-only", false,
                                                "register-mbeans", false,
                                                "validation-timeout", "5s")))));
        assertThat(documents.get(1))
                .isEqualTo(Map.of(
                        "spring",
                        Map.of(
                                "config", Map.of("activate", Map.of("on-profile", "prod & eu")),
                                "datasource",
                                        Map.of(
                                                "weir",
                                                Map.of(
                                                        "leak-detection-threshold", "10s",
                                                        "maximum-pool-size", 50,
                                                        "minimum-pool-size", 50)))));
        assertThat(err.toString())
                .contains("spring.datasource.type: com.zaxxer.hikari.HikariDataSource is the other pool")
                .contains("spring.datasource.hikari: maximumPoolSize: has a placeholder");
    }

    @Test
    void everyConditionOfADocumentIsKept() throws IOException {
        String yaml = """
                spring.datasource.hikari.maximum-pool-size: 5
                ---
                spring:
                  config:
                    activate:
                      on-profile:
                        - prod
                        - eu
                  datasource.hikari.maximum-pool-size: 50
                ---
                spring.config.activate.onCloudPlatform: kubernetes
                spring.datasource.hikari.maximum-pool-size: 70
                ---
                spring.profiles: old
                spring.datasource.hikari.maximum-pool-size: 90
                """;
        assertThat(migrate("application.yml", yaml)).isZero();
        List<Object> documents = new ArrayList<>();
        new Yaml().loadAll(out.toString()).forEach(documents::add);
        assertThat(documents).hasSize(4);
        assertThat(documents.get(0).toString()).contains("maximum-pool-size=5,");
        assertThat(documents.subList(1, 4))
                .extracting(Object::toString)
                .allSatisfy(document -> assertThat(document).contains("spring={config={activate={on-"));
        assertThat(documents.get(1).toString()).contains("on-profile=prod,eu}", "maximum-pool-size=50,");
        assertThat(documents.get(2).toString()).contains("on-cloud-platform=kubernetes}", "maximum-pool-size=70,");
        assertThat(documents.get(3).toString()).contains("on-profile=old}", "maximum-pool-size=90,");
    }

    /** Of two documents that both apply the later one counts, also where it only says what the base says. */
    @Test
    void documentThatSetsBackToTheBaseSaysSo() throws IOException {
        String yaml = """
                spring.datasource.hikari.jdbc-url: jdbc:postgresql://one/shop
                ---
                spring.config.activate.on-profile: prod
                spring.datasource.hikari.jdbc-url: jdbc:postgresql://two/shop
                ---
                spring.config.activate.on-profile: eu
                spring.datasource.hikari.jdbc-url: jdbc:postgresql://one/shop
                """;
        assertThat(migrate("application.yml", yaml)).isZero();
        List<Object> documents = new ArrayList<>();
        new Yaml().loadAll(out.toString()).forEach(documents::add);
        assertThat(documents).hasSize(3);
        assertThat(documents.get(2).toString()).contains("on-profile=eu", "weir={url=jdbc:postgresql://one/shop}");
    }

    @Test
    void passwordThatLooksLikeADateAndNamesInBracketsStayWhatTheyAre() throws IOException {
        String yaml = """
                spring.datasource.hikari:
                  password: 2001-12-14
                  "data-source-properties[cache.size]": 5
                  data-source-properties:
                    "[socket.timeout]": 30
                """;
        assertThat(migrate("application-prod.yml", yaml)).isZero();
        Map<String, Map<String, Map<String, Map<String, Object>>>> result = new Yaml().load(out.toString());
        assertThat(result.get("spring").get("datasource").get("weir"))
                .containsEntry("password", "2001-12-14")
                .containsEntry("data-source-properties", Map.of("[cache.size]", 5, "[socket.timeout]", 30));
        assertThat(err.toString()).doesNotContain("Not taken over");
    }

    /** What the file for all profiles sets is not known: the default may be what it is set back to. */
    @Test
    void fileOfAProfileKeepsWhatItSetsToTheDefault() throws IOException {
        String text = """
                spring.datasource.hikari.maximum-pool-size=10
                spring.datasource.hikari.auto-commit=true
                """;
        assertThat(migrate("application-prod.properties", text)).isZero();
        assertThat(out.toString().lines())
                .containsExactly(
                        "spring.datasource.weir.auto-commit=true",
                        "spring.datasource.weir.maximum-pool-size=10",
                        "spring.datasource.weir.minimum-pool-size=10");
        assertThat(err.toString()).contains("leave it out if the file for all profiles sets minimumIdle");
    }

    @Test
    void ofTwoPoolsUnderOnePrefixHikariIsTaken() throws IOException {
        String text = """
                spring.datasource.dbcp2.max-total=100
                spring.datasource.hikari.maximum-pool-size=10
                spring.datasource.tomcat.max-active=100
                """;
        assertThat(migrate("application-x.properties", text)).isZero();
        assertThat(out.toString().lines())
                .containsExactly(
                        "spring.datasource.weir.maximum-pool-size=10", "spring.datasource.weir.minimum-pool-size=10");
        String already = ": spring.datasource.weir.maximum-pool-size is set already, by another pool's properties";
        assertThat(err.toString())
                .contains("- spring.datasource.dbcp2" + already, "- spring.datasource.tomcat" + already);
    }

    @Test
    void systemPropertiesOfHikariAreNoPool() throws IOException {
        String text = "com.zaxxer.hikari.aliveBypassWindowMs=100\nspring.datasource.hikari.pool-name=shop\n";
        assertThat(migrate("application-x.properties", text)).isZero();
        assertThat(out.toString().lines()).containsExactly("spring.datasource.weir.pool-name=shop");
        assertThat(err.toString()).contains("- com.zaxxer.hikari.aliveBypassWindowMs: a system property of HikariCP's");
    }

    @Test
    void fileOfAProfileHasOnlyWhatItSets() throws IOException {
        assertThat(migrate("application-prod.properties", "spring.datasource.hikari.minimum-idle=3\n"))
                .isZero();
        assertThat(out.toString().lines())
                .containsExactly("spring.datasource.weir.minimum-idle=3", "spring.datasource.weir.minimum-pool-size=3");
    }

    @Test
    void propertiesOfSpringKeepTheirDocuments() throws IOException {
        String text = """
                spring.datasource.hikari.pool-name=shop
                #---
                spring.config.activate.on-profile=prod
                spring.datasource.hikari.pool-name=shop-prod
                """;
        assertThat(migrate("application.properties", text)).isZero();
        assertThat(out.toString())
                .contains("spring.datasource.weir.pool-name=shop")
                .endsWith(String.join(
                        System.lineSeparator(),
                        "#---",
                        "spring.config.activate.on-profile=prod",
                        "spring.datasource.weir.pool-name=shop-prod",
                        ""));
    }

    @Test
    void relaxedNamesOfSpringAreUnderstood() throws IOException {
        String yaml = """
                spring.datasource.hikari:
                  MAXIMUM_POOL_SIZE: 20
                  max_lifetime: 25m
                  keepalivetime: 1m
                  data_source_properties.ssl: true
                """;
        assertThat(migrate("application-prod.yml", yaml)).isZero();
        Map<String, Map<String, Map<String, Map<String, Object>>>> result = new Yaml().load(out.toString());
        assertThat(result.get("spring").get("datasource").get("weir"))
                .isEqualTo(Map.of(
                        "data-source-properties",
                        Map.of("ssl", true),
                        "keepalive-time",
                        "1m",
                        "max-lifetime",
                        "25m",
                        "maximum-pool-size",
                        20,
                        "minimum-pool-size",
                        20));
        assertThat(err.toString()).doesNotContain("Not taken over");
    }

    @Test
    void otherPoolsOfSpringAreTranslatedToo() throws IOException {
        String yaml = """
                spring.datasource.tomcat:
                  max-active: 30
                  max-wait: -1
                  remove-abandoned: true
                  removeAbandonedTimeout: 90
                  test-on-borrow: true
                  connection-properties: ssl=true;ApplicationName=shop
                """;
        assertThat(migrate("application.yaml", yaml)).isZero();
        Map<String, Object> result = new Yaml().load(out.toString());
        assertThat(result)
                .isEqualTo(Map.of(
                        "spring",
                        Map.of(
                                "datasource",
                                Map.of(
                                        "weir",
                                        Map.of(
                                                "connection-timeout",
                                                "365d",
                                                "data-source-properties",
                                                Map.of("ssl", true, "ApplicationName", "shop"),
                                                "leak-detection-threshold",
                                                "90s",
                                                "maximum-pool-size",
                                                30)))));
        assertThat(err.toString()).contains("spring.datasource.tomcat: testOnBorrow: Connections are always tested");
    }

    @Test
    void secondsOfC3p0AreSeconds() throws IOException {
        String text = "jdbcUrl=jdbc:h2:mem:x\nmaxConnectionAge=3600\nidleConnectionTestPeriod=30\nmaxStatements=50\n";
        assertThat(migrate("c3p0.properties", text, "--from", "c3p0")).isZero();
        Properties result = new Properties();
        result.load(new StringReader(out.toString()));
        assertThat(result).isEqualTo(Map.of("url", "jdbc:h2:mem:x", "maxLifetime", "3600s", "keepaliveTime", "30s"));
        assertThat(err.toString()).contains("maxStatements: The driver caches statements better");
        PoolConfig.from(result);
    }

    @Test
    void wrongValueIsToldByNameWithoutSecrets() throws IOException {
        String text = "jdbcUrl=jdbc:h2:mem:x\npassword=hunter2\nmaxLifetime=soon\nmaximumPoolSise=3\n";
        assertThat(migrate("hikari.properties", text)).isEqualTo(1);
        assertThat(err.toString())
                .contains("Wrong:" + System.lineSeparator() + "- maxLifetime: soon (expected: ")
                .contains("- maximumPoolSise: not a property of HikariCP (did you mean maximumPoolSize?)")
                .doesNotContain("hunter2");
    }

    @Test
    void fileWithoutAPoolAndNoFileAreFailures() throws IOException {
        assertThat(migrate("application.yml", "server.port: 80\n")).isEqualTo(1);
        assertThat(err.toString()).contains("configures no pool");
        assertThat(migrate("broken.yml", "a: [\n")).isEqualTo(1);
        assertThat(err.toString()).contains("broken.yml: not YAML");
        assertThat(migrate("x.properties", "a=b", "--from", "bonecp")).isEqualTo(2);
        assertThat(err.toString()).contains("--from: bonecp (expected: hikari, tomcat, dbcp2, c3p0)");
        Files.delete(folder.resolve("x.properties"));
        int missing = new CommandLine(new MigrateCommand())
                .setErr(new PrintWriter(err, true))
                .execute(folder.resolve("x.properties").toString());
        assertThat(missing).isEqualTo(1);
        assertThat(err.toString()).contains("x.properties: no such file");
    }

    @Test
    void fileOfC3p0sOwnHasItsNameBeforeEachProperty() throws IOException {
        String text = "c3p0.jdbcUrl=jdbc:h2:mem:x\nc3p0.maxConnectionAge=3600\n";
        assertThat(migrate("c3p0.properties", text)).isZero();
        assertThat(out.toString().lines()).containsExactly("maxLifetime=3600s", "url=jdbc\\:h2\\:mem\\:x");
    }

    /** Only it leaves the minimum alone, as idleTimeout does. */
    @Test
    void maximumIdleTimeOfTheSurplusGoesBeforeTheOneOfAll() throws IOException {
        String text = "c3p0.jdbcUrl=jdbc:h2:mem:x\nc3p0.maxIdleTime=60\nc3p0.maxIdleTimeExcessConnections=300\n";
        assertThat(migrate("c3p0.properties", text, "--strict")).isZero();
        assertThat(out.toString().lines()).containsExactly("idleTimeout=300s", "url=jdbc\\:h2\\:mem\\:x");
        assertThat(err.toString()).contains("- maxIdleTime: left out, as maxIdleTimeExcessConnections is idleTimeout");
    }

    @Test
    void unitsOfPersistenceXmlAreTranslated() throws IOException {
        String xml = """
                <persistence>
                  <persistence-unit name="shop">
                    <properties>
                      <property name="hibernate.connection.provider_class"
                                value="org.hibernate.hikaricp.internal.HikariCPConnectionProvider"/>
                      <property name="hibernate.hikari.maximumPoolSize" value="5"/>
                      <property name="hibernate.hikari.minimumIdle" value="5"/>
                      <property name="hibernate.hikari.poolName" value="&lt;shop>"/>
                    </properties>
                  </persistence-unit>
                  <persistence-unit name="other"/>
                </persistence>
                """;
        assertThat(migrate("persistence.xml", xml)).isZero();
        assertThat(out.toString().lines())
                .startsWith("<!-- shop -->")
                .contains(
                        "<property name=\"hibernate.connection.provider_class\" value=\"weir\"/>",
                        "<property name=\"hibernate.weir.maximumPoolSize\" value=\"5\"/>",
                        "<property name=\"hibernate.weir.poolName\" value=\"&lt;shop>\"/>")
                .noneMatch(line -> line.contains("hikari") || line.contains("other"));
    }

    @Test
    void namesInBracketsAreKeptAsSpringWritesThem() throws IOException {
        String yaml = """
                spring.datasource.hikari:
                  maximum-pool-size: 5
                  data-source-properties:
                    "[reWriteBatchedInserts]": true # batches
                """;
        assertThat(migrate("application-prod.yml", yaml, "--in-place")).isZero();
        assertThat(folder.resolve("application-prod.yml")).hasContent("""
                spring.datasource.weir:
                  maximum-pool-size: 5
                  data-source-properties:
                    "[reWriteBatchedInserts]": true # batches
                  minimum-pool-size: 5
                """);
        assertThat(migrate("application-bom.yml", "\uFEFFspring.datasource.hikari.pool-name: x # who\n", "--in-place"))
                .isZero();
        assertThat(Files.readString(folder.resolve("application-bom.yml")))
                .isEqualTo("\uFEFFspring.datasource.weir.pool-name: x # who\n");
    }

    /** Each alone is right, and what becomes of it too; both at once are refused at the start. */
    @Test
    void profilesOfOneFileAreCheckedTogether() throws IOException {
        String base = "spring.datasource.hikari.jdbc-url: jdbc:h2:mem:x\n";
        String tight = "---\nspring.config.activate.on-profile: tight\nspring.datasource.hikari.max-lifetime: 60s\n";
        String calm = "---\nspring.config.activate.on-profile: calm\nspring.datasource.hikari.keepalive-time: 5m\n";
        assertThat(migrate("application.yml", base + tight)).isZero();
        assertThat(migrate("application.yml", base + calm)).isZero();
        assertThat(migrate("application.yml", base + tight + calm)).isEqualTo(1);
        assertThat(err.toString())
                .contains("- spring.datasource.hikari, with tight and calm: keepaliveTime: 5m (expected: ");
    }

    @Test
    void yamlThatGrowsWithoutEndIsRefusedInASentence() throws IOException {
        StringBuilder laughs = new StringBuilder("a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n");
        for (int i = 1; i < 10; i++) {
            String alias = "*a" + (i - 1);
            laughs.append("a%d: &a%d [%s]\n".formatted(i, i, String.join(", ", Collections.nCopies(10, alias))));
        }
        for (String yaml : List.of(laughs.toString(), "a: &a\n  b: *a\n", "a: &a [*a]\n", "[".repeat(60) + "\n")) {
            assertThat(migrate("application.yml", yaml + "spring.datasource.hikari.pool-name: x\n"))
                    .isEqualTo(1);
        }
        assertThat(err.toString().lines())
                .hasSize(4)
                .allSatisfy(line -> assertThat(line).startsWith("migrate: cannot read "));
        assertThat(err.toString())
                .contains("more than 100000 values when its aliases are followed", "the alias *a is inside of what it");
        String merged = """
                x: &pool
                  maximum-pool-size: 5
                spring.datasource.hikari:
                  <<: *pool
                  pool-name: shop
                """;
        assertThat(migrate("application-prod.yml", merged)).isZero();
        assertThat(out.toString()).contains("maximum-pool-size: 5", "pool-name: shop");
    }

    @Test
    void fileOfNoPoolOrOfAnotherOneIsAFailure() throws IOException {
        assertThat(migrate("c3p0.properties", "maxConnectionAge=3\n")).isEqualTo(1);
        assertThat(err.toString()).contains("no property of hikari (--from says whose names they are)");
        assertThat(migrate("empty.properties", "")).isEqualTo(1);
        assertThat(out.toString()).isEmpty();
    }

    @Test
    void whatIsNoTextOrNoFileIsToldByItsName() throws IOException {
        Path file = Files.write(folder.resolve("random.yml"), new byte[] {'a', (byte) 0xC3, 0x28});
        Path directory = Files.createDirectory(folder.resolve("some.properties"));
        for (Path path : List.of(file, directory)) {
            assertThat(new CommandLine(new MigrateCommand())
                            .setErr(new PrintWriter(err, true))
                            .execute(path.toString()))
                    .isEqualTo(1);
            assertThat(err.toString()).contains("cannot read " + path + ": ");
        }
    }

    @Test
    void valuesBelowHikarisFloorsAreWhatTheyAreThereAndSaid() throws IOException {
        assertThat(migrate(
                        "hikari.properties",
                        "jdbcUrl=jdbc:h2:mem:x\nminimumIdle=2\nidleTimeout=5000\nkeepaliveTime=1000\n"))
                .isZero();
        assertThat(out.toString().lines()).contains("idleTimeout=10m", "keepaliveTime=0");
        assertThat(err.toString())
                .contains("- idleTimeout: less than 10s becomes the default, 10m, as there")
                .contains("- keepaliveTime: less than 30s becomes 0, never, as there")
                .doesNotContain("- jdbcUrl");
    }

    @Test
    void strictFailsForWhatIsNotTakenOverOnly() throws IOException {
        String always = "spring.datasource.tomcat.test-on-borrow=true\nspring.datasource.tomcat.max-active=9\n";
        assertThat(migrate("application.properties", always, "--strict")).isZero();
        assertThat(err.toString())
                .contains("testOnBorrow: Connections are always tested")
                .doesNotContain("Not taken");
        String lost = always + "spring.datasource.tomcat.jdbc-interceptors=X\n";
        assertThat(migrate("application.properties", lost)).isZero();
        assertThat(migrate("application.properties", lost, "--strict", "--in-place"))
                .isEqualTo(3);
        assertThat(err.toString()).contains("jdbcInterceptors: State is always reset", "is as it was");
        assertThat(folder.resolve("application.properties")).hasContent(lost);
    }

    @Test
    void defaultsOfTheOtherPoolAreNotNotedAndHeldOnesAreLoggedOnlyIfThere() throws IOException {
        String text =
                "url=jdbc:h2:mem:x\nremoveAbandoned=false\nremoveAbandonedTimeout=10\nmaxActive=5\ndefaultTransactionIsolation=-1\n";
        assertThat(migrate("tomcat.properties", text, "--from", "tomcat", "--strict"))
                .isZero();
        assertThat(out.toString().lines()).containsExactly("maximumPoolSize=5", "url=jdbc\\:h2\\:mem\\:x");
        assertThat(err.toString().strip().lines())
                .containsExactly(
                        "To know:",
                        "- removeAbandonedTimeout: without removeAbandoned it is without effect there, and left out");
        assertThat(migrate("tomcat.properties", "removeAbandoned=true\n", "--from", "tomcat"))
                .isZero();
        assertThat(out.toString()).contains("leakDetectionThreshold=60s");
    }

    @Test
    void inPlaceKeepsCommentsTheOrderAndAllOtherLines() throws IOException {
        String yaml = """
                # the shop
                spring:
                  application.name: shop # a name
                  datasource:
                    url: jdbc:postgresql://db/shop
                    # how many
                    hikari: # the pool
                      # never more
                      maximum-pool-size: 20 # of 100
                      minimum-idle: 20
                      allow-pool-suspension: true

                      auto-commit: false   # Hibernate

                  # of the web
                  mvc.log-request-details: true
                ---
                spring.config.activate.on-profile: prod
                spring.datasource.hikari.maximum-pool-size: 50
                server.port: 8081
                """;
        assertThat(migrate("application.yml", yaml, "--diff")).isZero();
        assertThat(out.toString().lines())
                .contains(
                        "-    hikari: # the pool",
                        "-      minimum-idle: 20",
                        "+    weir: # the pool",
                        "+      minimum-pool-size: 20")
                .contains("-spring.datasource.hikari.maximum-pool-size: 50", "     # how many")
                .noneMatch(line -> line.startsWith("-") && (line.contains("url") || line.contains("auto-commit")));
        Path file = folder.resolve("application.yml");
        assertThat(file).hasContent(yaml);
        assertThat(migrate("application.yml", yaml, "--in-place")).isZero();
        assertThat(file).hasContent("""
                # the shop
                spring:
                  application.name: shop # a name
                  datasource:
                    url: jdbc:postgresql://db/shop
                    # how many
                    weir: # the pool
                      # never more
                      maximum-pool-size: 20 # of 100
                      minimum-pool-size: 20

                      auto-commit: false   # Hibernate
                      connection-timeout: 30s
                      read-only: false
                      register-mbeans: false
                      validation-timeout: 5s

                  # of the web
                  mvc.log-request-details: true
                ---
                spring.config.activate.on-profile: prod
                spring.datasource.weir.maximum-pool-size: 50
                spring.datasource.weir.minimum-idle: 20
                spring.datasource.weir.minimum-pool-size: 20
                server.port: 8081
                """);
        assertThat(migrate("again.yml", Files.readString(file))).isEqualTo(1);
    }

    @Test
    void inPlaceOfPropertiesKeepsTheOrderAndRefusesWhatSharesALine() throws IOException {
        String text = """
                # shop
                server.port=80
                spring.datasource.hikari.connection-\\
                    timeout=2000
                spring.datasource.url=jdbc:h2:mem:x
                spring.datasource.hikari.pool-name=shop
                """;
        assertThat(migrate("application-p.properties", text, "--in-place")).isZero();
        assertThat(folder.resolve("application-p.properties")).hasContent("""
                # shop
                server.port=80
                spring.datasource.weir.connection-timeout=2000
                spring.datasource.url=jdbc:h2:mem:x
                spring.datasource.weir.pool-name=shop
                """);
        String flow = "spring: {datasource: {url: x, hikari: {pool-name: shop, allow-pool-suspension: true}}}\n";
        assertThat(migrate("application-p.yml", flow, "--in-place")).isEqualTo(1);
        assertThat(err.toString()).contains("cannot edit: ");
        assertThat(folder.resolve("application-p.yml")).hasContent(flow);
    }

    @Test
    void dropwizardsFactoryIsTranslatedWhereItStands() throws IOException {
        String yaml = """
                server.rootPath: /api
                database:
                  driverClass: org.h2.Driver
                  url: jdbc:h2:mem:x
                  user: sa
                  password: secret
                  maxWaitForConnection: 1 minute
                  maxSize: 32
                  validationQueryTimeout: 3s
                  checkConnectionOnBorrow: true
                  rollbackOnReturn: true
                  properties:
                    ApplicationName: shop
                    socket.timeout: 3
                """;
        assertThat(migrate("shop.yml", yaml, "--strict")).isZero();
        Map<String, Object> result = new Yaml().load(out.toString());
        assertThat(result)
                .isEqualTo(Map.of(
                        "database",
                        Map.of(
                                "driverClassName", "org.h2.Driver",
                                "url", "jdbc:h2:mem:x",
                                "username", "sa",
                                "password", "secret",
                                "connectionTimeout", "1m",
                                "maximumPoolSize", 32,
                                "properties", Map.of("ApplicationName", "shop", "socket.timeout", 3))));
        assertThat(migrate("shop.yml", yaml, "--in-place")).isZero();
        assertThat(folder.resolve("shop.yml"))
                .content()
                .startsWith("server.rootPath: /api\ndatabase:\n")
                .contains("validationQueryTimeout: 3s");
    }

    @Test
    void micronautsDataSourcesKeepWhatIsNotThePools() throws IOException {
        String yaml = """
                datasources:
                  default:
                    url: jdbc:h2:mem:x
                    dialect: H2
                    maximum-pool-size: 5
                    data-source-properties:
                      ssl: true
                """;
        assertThat(migrate("application-dev.yml", yaml, "--in-place")).isZero();
        Map<String, Map<String, Map<String, Object>>> result =
                new Yaml().load(Files.readString(folder.resolve("application-dev.yml")));
        assertThat(result.get("datasources").get("default"))
                .containsEntry("dialect", "H2")
                .containsEntry("url", "jdbc:h2:mem:x")
                .containsEntry("minimum-pool-size", 5)
                .containsEntry("data-source-properties", Map.of("ssl", true));
    }

    @Test
    void quarkusGetsAFileOfWeirsOwnNamesForEachDataSource() throws IOException {
        String text = """
                quarkus.http.port=80
                quarkus.datasource.db-kind=h2
                quarkus.datasource.jdbc.url=jdbc:h2:mem:x
                quarkus.datasource.jdbc.max-size=16
                quarkus.datasource.jdbc.acquisition-timeout=PT3S
                quarkus.datasource."orders".jdbc.max-lifetime=5M
                quarkus.datasource."orders".jdbc.flush-on-close=true
                quarkus.datasource."orders".jdbc.additional-jdbc-properties.ssl=true
                """;
        assertThat(migrate("application.properties", text)).isZero();
        assertThat(out.toString().lines())
                .containsExactlyInAnyOrder(
                        "# quarkus.datasource",
                        "connectionTimeout=3s",
                        "maximumPoolSize=16",
                        "url=jdbc\\:h2\\:mem\\:x",
                        "",
                        "# quarkus.datasource.\"orders\"",
                        "dataSource.ssl=true",
                        "maxLifetime=5m");
        assertThat(err.toString()).contains("Not taken over:", "jdbc.flush-on-close: A connection is closed only");
        assertThat(migrate("application.properties", text, "--in-place")).isEqualTo(1);
    }

    @Test
    void resourcesOfTomcatBecomeResources() throws IOException {
        String xml = """
                <Context>
                  <Resource name="jdbc/a" type="javax.sql.DataSource" maxTotal="9" maxWaitMillis="-1" url="jdbc:h2:mem:a"
                            password="&lt;&quot;"/>
                  <Resource name="jdbc/b" type="javax.sql.DataSource" factory="com.zaxxer.hikari.HikariJNDIFactory"
                            jdbcUrl="jdbc:h2:mem:b" maximumPoolSize="4"/>
                  <Resource name="mail/m" type="javax.mail.Session"/>
                </Context>
                """;
        assertThat(migrate("context.xml", xml)).isZero();
        assertThat(out.toString())
                .contains("<Resource name=\"jdbc/a\" auth=\"Container\" type=\"dev.weir.WeirDataSource\"")
                .contains("maximumPoolSize=\"9\"", "connectionTimeout=\"365d\"", "password=\"&lt;&quot;\"")
                .contains("url=\"jdbc:h2:mem:b\"", "minimumPoolSize=\"4\"")
                .doesNotContain("mail/m");
        assertThat(err.toString())
                .contains("- jdbc/a: maxWaitMillis is connectionTimeout: There, 0 and less wait for ever");
        assertThat(migrate("broken.xml", "<Context>")).isEqualTo(1);
        assertThat(err.toString()).contains("broken.xml: not XML");
    }

    @Test
    void eachConfigurationOfC3p0sXmlIsAFile() throws IOException {
        String xml = """
                <c3p0-config>
                  <default-config>
                    <property name="maxPoolSize">9</property>
                    <property name="maxIdleTime" value="60"/>
                    <user-overrides user="x"><property name="maxPoolSize">1</property></user-overrides>
                  </default-config>
                  <named-config name="big"><property name="maxPoolSize">90</property></named-config>
                </c3p0-config>
                """;
        assertThat(migrate("c3p0-config.xml", xml)).isZero();
        assertThat(out.toString().lines())
                .containsExactly(
                        "# default-config",
                        "idleTimeout=60s",
                        "maximumPoolSize=9",
                        "# big",
                        "idleTimeout=60s",
                        "maximumPoolSize=90");
        assertThat(err.toString()).contains("- default-config: <user-overrides>: A pool has one user");
    }

    @Test
    void hibernatesProviderBecomesWeirs() throws IOException {
        String text = """
                hibernate.connection.provider_class=org.hibernate.hikaricp.internal.HikariCPConnectionProvider
                hibernate.hikari.maximumPoolSize=5
                hibernate.hikari.dataSource.ssl=true
                hibernate.dialect=X
                """;
        assertThat(migrate("hibernate.properties", text, "--in-place")).isZero();
        assertThat(Files.readAllLines(folder.resolve("hibernate.properties")))
                .contains("hibernate.connection.provider_class=weir", "hibernate.weir.maximumPoolSize=5")
                .contains("hibernate.weir.dataSource.ssl=true", "hibernate.dialect=X")
                .noneMatch(line -> line.contains("hikari"));
        String c3p0 =
                "spring.jpa.properties.hibernate.c3p0.max_size=7\nspring.jpa.properties.hibernate.c3p0.timeout=30\n";
        assertThat(migrate("application.properties", c3p0)).isZero();
        assertThat(out.toString().lines())
                .contains(
                        "spring.jpa.properties.hibernate.weir.maximumPoolSize=7",
                        "spring.jpa.properties.hibernate.weir.idleTimeout=30s");
    }

    @Test
    void eachPoolIsExchangedWhereItStands() throws IOException {
        String yaml = """
                spring:
                    datasource:
                        # before
                        hikari:
                            # inside
                            pool-name: a
                        # after
                        username: sa
                    jpa.properties:
                        hibernate.hikari.maximumPoolSize: 4
                        hibernate.show_sql: true
                """;
        assertThat(migrate("application-x.yml", yaml, "--in-place")).isZero();
        assertThat(folder.resolve("application-x.yml")).hasContent("""
                spring:
                    datasource:
                        # before
                        weir:
                            # inside
                            pool-name: a
                        # after
                        username: sa
                    jpa.properties:
                        hibernate.weir.maximumPoolSize: 4
                        hibernate.weir.minimumPoolSize: 4
                        hibernate.show_sql: true
                """);
        String shop = """
                database:
                  driverClass: org.h2.Driver
                  user: sa   # who
                  password: x
                  url: jdbc:h2:mem:x # where
                  maxSize: 5
                """;
        assertThat(migrate("shop.yml", shop, "--in-place")).isZero();
        assertThat(folder.resolve("shop.yml")).hasContent("""
                database:
                  driverClassName: org.h2.Driver
                  username: sa   # who
                  password: x
                  url: jdbc:h2:mem:x # where
                  maximumPoolSize: 5
                """);
    }
}
