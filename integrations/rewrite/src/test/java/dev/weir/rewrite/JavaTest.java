package dev.weir.rewrite;

import static org.assertj.core.api.Assertions.assertThat;
import static org.openrewrite.java.Assertions.java;

import com.zaxxer.hikari.HikariConfig;
import dev.weir.WeirDataSource;
import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.openrewrite.java.JavaParser;
import org.openrewrite.test.RecipeSpec;
import org.openrewrite.test.RewriteTest;
import org.openrewrite.test.TypeValidation;

class JavaTest implements RewriteTest {

    @Override
    public void defaults(RecipeSpec spec) {
        spec.recipeFromResources("dev.weir.rewrite.FromHikariCPInJava")
                .parser(JavaParser.fromJavaVersion().classpath(JavaParser.runtimeClasspath()))
                .afterTypeValidationOptions(TypeValidation.none());
    }

    @Test
    void aConfigurationBecomesTheDataSource() {
        rewriteRun(java("""
                import com.zaxxer.hikari.HikariConfig;
                import com.zaxxer.hikari.HikariDataSource;
                import javax.sql.DataSource;

                class Shop {
                    DataSource dataSource() {
                        HikariConfig config = new HikariConfig();
                        config.setJdbcUrl("jdbc:h2:mem:shop");
                        config.setMaximumPoolSize(10);
                        config.setConnectionTimeout(2_000);
                        config.setAllowPoolSuspension(true);
                        config.addDataSourceProperty("cachePrepStmts", "true");
                        return new HikariDataSource(config);
                    }
                }
                """, """
                import dev.weir.WeirDataSource;

                import javax.sql.DataSource;

                class Shop {
                    DataSource dataSource() {
                        WeirDataSource config = new WeirDataSource();
                        config.setJdbcUrl("jdbc:h2:mem:shop");
                        config.setMaximumPoolSize(10);
                        config.setConnectionTimeout(2_000);
                        config.addDataSourceProperty("cachePrepStmts", "true");
                        return config;
                    }
                }
                """));
    }

    @Test
    void theOperationsBecomeThoseOfThePool() {
        rewriteRun(java("""
                import com.zaxxer.hikari.HikariDataSource;
                import com.zaxxer.hikari.HikariPoolMXBean;

                class Watch {
                    int busy(HikariDataSource dataSource) {
                        HikariPoolMXBean pool = dataSource.getHikariPoolMXBean();
                        pool.softEvictConnections();
                        return pool.getActiveConnections() - dataSource.getHikariPoolMXBean().getThreadsAwaitingConnection();
                    }
                }
                """, """
                import dev.weir.WeirDataSource;

                class Watch {
                    int busy(WeirDataSource dataSource) {
                        WeirDataSource pool = dataSource;
                        pool.evictAll();
                        return pool.stats().inUse() - dataSource.stats().waiting();
                    }
                }
                """));
    }

    @Test
    void whatHasNoEquivalentIsMarked() {
        rewriteRun(java("""
                import com.zaxxer.hikari.HikariConfig;
                import com.zaxxer.hikari.HikariDataSource;
                import java.util.Properties;

                class Shop {
                    HikariDataSource read(Properties properties, Object registry) {
                        HikariDataSource dataSource = new HikariDataSource(new HikariConfig(properties));
                        dataSource.setMetricRegistry(registry);
                        return dataSource;
                    }

                    HikariDataSource unsized() {
                        return new HikariDataSource();
                    }
                }
                """, """
                import dev.weir.WeirDataSource;

                import java.util.Properties;

                class Shop {
                    WeirDataSource read(Properties properties, Object registry) {
                        WeirDataSource dataSource = /*~~(new WeirDataSource(HikariProperties.of(properties).toConfig()), of weir-migration, reads HikariCP's properties)~~>*/new WeirDataSource(properties);
                        /*~~(bind dev.weir.micrometer.WeirMetrics to the registry)~~>*/dataSource.setMetricRegistry(registry);
                        return dataSource;
                    }

                    WeirDataSource unsized() {
                        return /*~~(set maximumPoolSize: it is 10 in HikariCP unless it is set, and 60 in Weir)~~>*/new WeirDataSource();
                    }
                }
                """));
    }

    @Test
    void otherCodeIsLeftAlone() {
        rewriteRun(java("""
                class Shop {
                    Object softEvictConnections() {
                        return new Object();
                    }
                }
                """));
    }

    /** Lest a property of HikariCP becomes a call that is not there. */
    @Test
    void eachPropertyOfHikariIsOneOfWeirOrSaidToBeNone() {
        Set<String> ours = Arrays.stream(WeirDataSource.class.getMethods())
                .map(JavaTest::signature)
                .collect(Collectors.toSet());
        Set<String> unknown = Arrays.stream(HikariConfig.class.getMethods())
                .filter(method -> method.getDeclaringClass() == HikariConfig.class)
                .filter(method -> method.getReturnType() == void.class)
                .filter(method -> !HikariCalls.DROPPED.contains(method.getName())
                        && !HikariCalls.OTHERWISE.containsKey(method.getName()))
                .map(JavaTest::signature)
                .filter(signature -> !ours.contains(signature))
                .collect(Collectors.toSet());
        assertThat(unknown).isEmpty();
    }

    /** A boolean is one that is boxed too, for whoever calls it. */
    private static String signature(Method method) {
        return method.getName()
                + Arrays.toString(method.getParameterTypes()).replace("class java.lang.Boolean", "boolean");
    }
}
