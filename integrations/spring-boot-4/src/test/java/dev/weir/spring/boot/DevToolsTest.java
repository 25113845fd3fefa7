package dev.weir.spring.boot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.dao.DataAccessException;
import org.springframework.jdbc.core.JdbcTemplate;

/** What is left in memory for the application that a restart brings up. */
class DevToolsTest {
    /** The DevTools see by the stack that they are in a test; a thread of its own has none. */
    private static final Executor OUTSIDE_OF_JUNIT = task -> new Thread(task, "as an application").start();

    @Configuration(proxyBeanMethods = false)
    @Import(PlainApplication.class)
    @ImportAutoConfiguration(WeirDevToolsAutoConfiguration.class)
    static class WithDevTools {}

    private static ConfigurableApplicationContext start() {
        return Fleet.start(
                WithDevTools.class,
                Map.of(
                        "spring.main.banner-mode",
                        "off",
                        "logging.level.root",
                        "warn",
                        "spring.datasource.url",
                        "jdbc:h2:mem:restarted;DB_CLOSE_DELAY=-1"));
    }

    private static void create() {
        try (ConfigurableApplicationContext context = start()) {
            context.getBean(JdbcTemplate.class).execute("create table ship (id int)");
        }
    }

    @Test
    void aRestartByTheDevToolsBeginsWithAnEmptyDatabaseInMemory() throws Exception {
        CompletableFuture.runAsync(DevToolsTest::create, OUTSIDE_OF_JUNIT).get(60, TimeUnit.SECONDS);
        CompletableFuture.runAsync(DevToolsTest::create, OUTSIDE_OF_JUNIT).get(60, TimeUnit.SECONDS);
    }

    @Test
    void withoutThemItStays() {
        create();
        assertThatThrownBy(DevToolsTest::create).isInstanceOf(DataAccessException.class);
        try (ConfigurableApplicationContext context = start()) {
            context.getBean(JdbcTemplate.class).execute("drop table ship");
            assertThat(context.isActive()).isTrue();
        }
    }
}
