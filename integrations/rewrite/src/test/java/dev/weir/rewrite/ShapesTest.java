package dev.weir.rewrite;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

/** Five kinds of project: after the recipe each compiles on Weir, or is as it was and marked at every place that keeps it so. */
class ShapesTest {
    private static final String IMPORTS = """
            package shop;

            import com.zaxxer.hikari.HikariConfig;
            import com.zaxxer.hikari.HikariDataSource;
            import javax.sql.DataSource;

            """;

    @Test
    void plainJavaWithTwoDataSources() {
        Repository after = Repository.of(
                        "build.gradle", Repository.gradle(""), "src/main/java/shop/Pools.java", IMPORTS + """
                        final class Pools implements AutoCloseable {
                            private final HikariDataSource primary = open("jdbc:h2:mem:primary", 8);
                            private final HikariDataSource replica = open("jdbc:h2:mem:replica", 4);

                            private static HikariDataSource open(String url, int size) {
                                HikariConfig config = new HikariConfig();
                                config.setJdbcUrl(url);
                                config.setMaximumPoolSize(size);
                                return new HikariDataSource(config);
                            }

                            DataSource primary() {
                                return primary;
                            }

                            @Override
                            public void close() {
                                primary.close();
                                replica.close();
                            }
                        }
                        """)
                .moved();
        after.isMoved();
        assertThat(after.get("src/main/java/shop/Pools.java")).contains("config.start();", "return config;");
    }

    @Test
    void bootWithABoundConfiguration() {
        Repository before = Repository.boot(
                "src/main/resources/application.yml", """
                spring:
                  datasource:
                    url: jdbc:h2:mem:shop
                    hikari:
                      maximum-pool-size: 8
                      connection-timeout: 2000
                """, "src/main/java/shop/Database.java", IMPORTS + """
                import org.springframework.boot.context.properties.ConfigurationProperties;
                import org.springframework.context.annotation.Bean;
                import org.springframework.context.annotation.Configuration;

                @Configuration
                class Database {
                    @Bean
                    @ConfigurationProperties("spring.datasource.hikari")
                    HikariConfig hikariConfig() {
                        return new HikariConfig();
                    }

                    @Bean
                    DataSource dataSource(HikariConfig config) {
                        return new HikariDataSource(config);
                    }
                }
                """);
        Repository after = before.moved();
        after.isLeft(before);
        assertThat(after.get("src/main/java/shop/Database.java").lines().filter(line -> line.contains("to do")))
                .hasSize(5);
        assertThat(after.get("build.gradle")).contains("HikariCP stays", "src/main/java/shop/Database.java");
    }

    @Test
    void kotlinWithGradle() {
        Repository before = Repository.of(
                "build.gradle",
                Repository.gradle(""),
                "src/main/kotlin/shop/Pool.kt",
                """
                package shop

                import com.zaxxer.hikari.HikariConfig
                import com.zaxxer.hikari.HikariDataSource

                fun open() = HikariDataSource(HikariConfig().apply { maximumPoolSize = 4 })
                """,
                "src/main/java/shop/Watch.java",
                IMPORTS + """
                class Watch {
                    boolean isOpen(HikariDataSource pool) {
                        return !pool.isClosed();
                    }
                }
                """);
        Repository after = before.moved();
        after.isLeft(before);
        assertThat(after.get("build.gradle")).contains("HikariCP stays", "src/main/kotlin/shop/Pool.kt");
    }

    @Test
    void manyTenantsWithAPoolEach() {
        Repository after = Repository.of(
                        "build.gradle", Repository.gradle(""), "src/main/java/shop/Tenants.java", IMPORTS + """
                        import java.util.HashMap;
                        import java.util.List;
                        import java.util.Map;

                        class Tenants {
                            private final Map<String, HikariDataSource> pools = new HashMap<>();

                            Tenants(List<String> names) {
                                for (String name : names) {
                                    HikariConfig config = new HikariConfig();
                                    config.setJdbcUrl("jdbc:h2:mem:" + name);
                                    config.setMaximumPoolSize(2);
                                    pools.put(name, new HikariDataSource(config));
                                }
                            }

                            DataSource of(String name) {
                                return pools.get(name);
                            }
                        }
                        """)
                .moved();
        after.isMoved();
        assertThat(after.get("src/main/java/shop/Tenants.java"))
                .contains("WeirDataSource config = new WeirDataSource();", "pools.put(name, config);");
    }

    /** Marked in all files, and moved once the marks were followed: the type of the builder is said elsewhere than it builds. */
    @Test
    void tenantsOfOneBoundConfiguration() {
        Repository before = Repository.boot(
                "src/test/resources/test.properties",
                "spring.datasource.hikari.maximum-pool-size=20\n",
                "src/main/java/shop/Tenants.java",
                IMPORTS + """
                import org.springframework.boot.context.properties.ConfigurationProperties;
                import org.springframework.boot.jdbc.DataSourceBuilder;

                class Tenants {
                    private final DataSourceBuilder<? extends DataSource> builder = DataSourceBuilder.create();

                    @ConfigurationProperties("spring.datasource.hikari")
                    HikariConfig hikariConfig() {
                        return new HikariConfig();
                    }

                    DataSource open(HikariConfig config) {
                        DataSource pool = builder.build();
                        if (pool instanceof HikariDataSource hikari) {
                            hikari.setMaximumPoolSize(config.getMaximumPoolSize());
                            hikari.setIdleTimeout(config.getIdleTimeout());
                        }
                        return pool;
                    }
                }
                """);
        Repository after = before.moved();
        after.isLeft(before);
        assertThat(after.get("src/test/resources/test.properties")).startsWith("# Weir, to do: the key is HikariCP's");
        assertThat(after.get("src/main/java/shop/Tenants.java"))
                .contains("WeirDataSourceFactory makes a pool", "this builds HikariCP's pool", "a Duration in Weir");

        after.with("src/test/resources/test.properties", "spring.datasource.weir.maximum-pool-size=20\n")
                .with("src/main/java/shop/Tenants.java", """
                package shop;

                import dev.weir.WeirDataSource;
                import java.util.function.Consumer;
                import org.springframework.boot.jdbc.DataSourceBuilder;

                class Tenants {
                    private final DataSourceBuilder<WeirDataSource> builder =
                            DataSourceBuilder.create().type(WeirDataSource.class);

                    WeirDataSource open(Consumer<WeirDataSource> settings) {
                        WeirDataSource pool = builder.build();
                        settings.accept(pool);
                        return pool;
                    }
                }
                """)
                .moved()
                .isMoved();
    }

    /** One configuration for all of them: a pool each, as HikariDataSource copies it, must not become one. */
    @Test
    void manyTenantsOfOneConfiguration() {
        Repository before = Repository.java("""
                import com.zaxxer.hikari.*;
                import java.util.*;

                class Shop {
                    final Map<String, HikariDataSource> pools = new HashMap<>();

                    Shop(List<String> names) {
                        HikariConfig config = new HikariConfig();
                        config.setMaximumPoolSize(2);
                        for (String name : names) {
                            config.setJdbcUrl("jdbc:h2:mem:" + name);
                            pools.put(name, new HikariDataSource(config));
                        }
                    }
                }
                """);
        Repository after = before.moved();
        after.isLeft(before);
        assertThat(after.shop()).contains("to do: HikariDataSource copies its configuration");
    }

    @Test
    void applicationWithProfiles() {
        Repository after = Repository.boot(
                        "src/main/resources/application.yml",
                        """
                        spring:
                          datasource:
                            url: jdbc:h2:mem:shop
                            hikari:
                              connection-timeout: 2000
                        ---
                        spring:
                          config.activate.on-profile: eu
                          datasource.hikari.pool-name: eu
                        """,
                        "src/main/resources/application-prod.yml",
                        """
                        spring.datasource.hikari:
                          maximum-pool-size: 50
                        """,
                        "src/main/resources/application-dev.properties",
                        """
                        spring.datasource.hikari.pool-name=dev
                        """)
                .moved();
        after.isMoved();
        assertThat(after.get("src/main/resources/application.yml")).isEqualTo("""
                spring:
                  datasource:
                    url: jdbc:h2:mem:shop
                    weir:
                      maximum-pool-size: 10
                      connection-timeout: 2000
                ---
                spring:
                  config.activate.on-profile: eu
                  datasource.weir.pool-name: eu
                """);
        assertThat(after.get("src/main/resources/application-prod.yml"))
                .contains("maximum-pool-size: 50")
                .doesNotContain("10");
        assertThat(after.get("src/main/resources/application-dev.properties"))
                .isEqualTo("spring.datasource.weir.pool-name=dev\n");
    }

    /** A starter counts for the module that has it, and for those below it: another one would go on with HikariCP's defaults. */
    @Test
    void eachApplicationOfARepositoryNeedsTheStarter() {
        String root = """
                <project>
                  <packaging>pom</packaging>
                  <dependencyManagement>
                    <dependencies>
                      <dependency><artifactId>weir-spring-boot-starter</artifactId></dependency>
                    </dependencies>
                  </dependencyManagement>
                </project>
                """;
        String weir = """
                <project>
                  <dependencies>
                    <dependency><artifactId>spring-boot-starter-jdbc</artifactId></dependency>
                    <dependency><artifactId>weir-spring-boot-starter</artifactId></dependency>
                  </dependencies>
                </project>
                """;
        String other = weir.replace("weir-spring-boot-starter", "h2");
        String keys = "spring.datasource.hikari:\n  auto-commit: false\n  maximum-pool-size: 5\n";
        Repository before = Repository.of(
                "pom.xml",
                root,
                "shop/pom.xml",
                weir,
                "shop/src/main/resources/application.yml",
                keys,
                "stock/pom.xml",
                other,
                "stock/src/main/resources/application.yml",
                keys);
        Repository after = before.moved();
        after.isLeft(before);
        assertThat(after.get("stock/pom.xml")).contains("to do: add dev.weir:weir-spring-boot-starter");
        assertThat(after.get("pom.xml") + after.get("shop/pom.xml")).doesNotContain("to do");

        before.with("stock/pom.xml", weir).moved().isMoved();
        before.with("pom.xml", weir).moved().isMoved();
    }

    @Test
    void starterOfAVersionCatalogueIsOne() {
        Repository.of(
                        "build.gradle",
                        """
                        dependencies {
                            implementation libs.spring.boot.starter.data.jpa
                            implementation libs.weir.spring.boot.starter
                        }
                        """,
                        "src/main/resources/application.yml",
                        "spring.datasource.hikari.maximum-pool-size: 5\n")
                .moved()
                .isMoved();
    }

    /** An editor's files are written again from the build. */
    @Test
    void filesOfAnEditorKeepNothing() {
        String library = "<component><library name=\"com.zaxxer:HikariCP:7.1.0\"/></component>\n";
        Repository after = Repository.java("class Shop {}\n")
                .with("shop.iml", library)
                .with(".idea/libraries/hikari.xml", library)
                .moved();
        assertThat(after.get("build.gradle")).contains("'dev.weir:weir:");
    }
}
