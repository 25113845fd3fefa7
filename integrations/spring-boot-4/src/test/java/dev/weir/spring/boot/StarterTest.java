package dev.weir.spring.boot;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.AppenderBase;
import dev.weir.WeirDataSource;
import dev.weir.spi.FailureClass;
import dev.weir.spi.FailureClassifier;
import java.lang.management.ManagementFactory;
import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import javax.management.ObjectName;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.context.event.ApplicationPreparedEvent;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.jdbc.DataSourceBuilder;
import org.springframework.context.ApplicationListener;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.jdbc.core.JdbcTemplate;

/** What an application gets by the dependency alone. */
class StarterTest {
    private static Map<String, Object> h2(String name) {
        return Map.of(
                "spring.main.banner-mode",
                "off",
                "logging.level.root",
                "warn",
                "spring.datasource.url",
                "jdbc:h2:mem:" + name,
                "spring.datasource.name",
                name);
    }

    private static Method ofContext(String name) {
        Method method = Arrays.stream(ConfigurableApplicationContext.class.getMethods())
                .filter(one -> one.getName().equals(name) && one.getParameterCount() == 0)
                .findFirst()
                .orElse(null);
        assumeTrue(method != null, "from Spring 7 on");
        return method;
    }

    /** As Spring's cache of test contexts does at every switch from one to another. */
    @Test
    void whatATestWroteIsThereWhenItsContextComesBack() throws Exception {
        Method pause = ofContext("pause");
        Method restart = ofContext("restart");
        try (ConfigurableApplicationContext first = Fleet.start(PlainApplication.class, h2("first"))) {
            JdbcTemplate jdbc = first.getBean(JdbcTemplate.class);
            jdbc.execute("create table kept (id int)");
            pause.invoke(first);
            try (ConfigurableApplicationContext second = Fleet.start(PlainApplication.class, h2("second"))) {
                assertThat(second.getBean(JdbcTemplate.class).queryForObject("select 1", Integer.class))
                        .isEqualTo(1);
            }
            restart.invoke(first);
            assertThat(jdbc.queryForObject("select count(*) from kept", Integer.class))
                    .isZero();
        }
    }

    @Test
    void jmxFollowsSpringsOwnProperty() throws Exception {
        ObjectName name = new ObjectName("dev.weir:type=Pool,name=shown");
        try (ConfigurableApplicationContext context =
                Fleet.start(PlainApplication.class, Fleet.with(h2("shown"), "spring.jmx.enabled", "false"))) {
            assertThat(context.getBean(WeirDataSource.class).isRegisterMbeans()).isFalse();
            assertThat(ManagementFactory.getPlatformMBeanServer().isRegistered(name))
                    .isFalse();
        }
        try (ConfigurableApplicationContext context = Fleet.start(PlainApplication.class, h2("shown"))) {
            assertThat(context.getBean(WeirDataSource.class).isRegisterMbeans()).isTrue();
            assertThat(ManagementFactory.getPlatformMBeanServer().isRegistered(name))
                    .isTrue();
        }
        try (ConfigurableApplicationContext context = Fleet.start(
                PlainApplication.class,
                Fleet.with(
                        h2("shown"),
                        "spring.jmx.enabled",
                        "false",
                        "spring.datasource.weir.register-mbeans",
                        "true"))) {
            assertThat(ManagementFactory.getPlatformMBeanServer().isRegistered(name))
                    .isTrue();
            assertThat(context.isActive()).isTrue();
        }
    }

    @Configuration(proxyBeanMethods = false)
    @Import(PlainApplication.class)
    static class WithCustomizer {
        static final FailureClassifier CLASSIFIER = failure -> FailureClass.DISCONNECT;

        @Bean
        WeirDataSourceCustomizer classifier() {
            return (prefix, pool) -> {
                pool.setFailureClassifier(CLASSIFIER);
                pool.setMaximumPoolSize(prefix.equals("app.reports") ? 3 : 4);
            };
        }

        @Bean
        WeirDataSource reports(WeirDataSourceFactory pools) {
            return pools.create("app.reports", pool -> {
                pool.setUrl("jdbc:h2:mem:reports");
                pool.setMinimumPoolSize(1);
            });
        }
    }

    @Test
    void aCustomizerCompletesEveryPool() {
        try (ConfigurableApplicationContext context = Fleet.start(WithCustomizer.class, h2("custom"))) {
            WeirDataSource reports = context.getBean("reports", WeirDataSource.class);
            assertThat(reports.getFailureClassifier()).isSameAs(WithCustomizer.CLASSIFIER);
            assertThat(reports.getMaximumPoolSize()).isEqualTo(3);
            try (WeirDataSource another = context.getBean(WeirDataSourceFactory.class)
                    .create("app.other", pool -> pool.setUrl("jdbc:h2:mem:other"))) {
                assertThat(another.getMaximumPoolSize()).isEqualTo(4);
            }
        }
    }

    private static List<String> saidOfSizes(Map<String, Object> properties) {
        List<String> said = new CopyOnWriteArrayList<>();
        AppenderBase<ILoggingEvent> collector = new AppenderBase<>() {
            @Override
            protected void append(ILoggingEvent event) {
                said.add(event.getFormattedMessage());
            }
        };
        Logger logger = (Logger) LoggerFactory.getLogger("dev.weir");
        ApplicationListener<ApplicationPreparedEvent> listen = event -> {
            collector.start();
            logger.addAppender(collector);
        };
        try (ConfigurableApplicationContext context = new SpringApplicationBuilder(PlainApplication.class)
                .web(WebApplicationType.NONE)
                .listeners(listen)
                .properties(Fleet.with(properties, "logging.level.dev.weir", "info"))
                .run()) {
            assertThat(context.isActive()).isTrue();
        } finally {
            logger.detachAppender(collector);
        }
        return said.stream()
                .filter(message -> message.contains("no size is set"))
                .toList();
    }

    @Test
    void whoSetsNoSizeIsToldOnceHowManyConnectionsThereMayBe() {
        assertThat(saidOfSizes(h2("unsized")))
                .singleElement()
                .asString()
                .startsWith("pool of spring.datasource.weir.*: no size is set, so it opens up to 60 connections");
        assertThat(saidOfSizes(Fleet.with(h2("sized"), "spring.datasource.weir.maximum-pool-size", "60")))
                .isEmpty();
    }

    @Test
    void aBuilderWithoutATypeIsExplained() {
        FailureAnalysis analysis =
                new NoTypeFailureAnalyzer().analyze(new IllegalStateException("No supported DataSource type found"));
        assertThat(analysis).isNotNull();
        assertThat(analysis.getAction()).contains(".type(WeirDataSource.class)");
        assertThat(new NoTypeFailureAnalyzer().analyze(new IllegalStateException("something else")))
                .isNull();
    }

    /** The message that the analysis waits for is Spring Boot's: where it knows another pool it has no need of it. */
    @Test
    void theBuilderTakesWeirByItsType() {
        DataSource pool = DataSourceBuilder.create()
                .type(WeirDataSource.class)
                .url("jdbc:h2:mem:built")
                .build();
        assertThat(pool).isInstanceOf(WeirDataSource.class);
        ((WeirDataSource) pool).close();
    }
}
