package dev.weir.spring.boot;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.WeirDataSource;
import dev.weir.testkit.Await;
import java.sql.Connection;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.context.event.ApplicationEventMulticaster;
import org.springframework.context.event.SimpleApplicationEventMulticaster;
import org.springframework.jdbc.core.JdbcTemplate;

/** What a checkpoint does to an application: its context is stopped, must have no socket open then, and starts again. */
class CheckpointLifecycleTest {
    private static final Duration LIMIT = Duration.ofSeconds(20);

    private static long backends() {
        return Fleet.server().number("select count(*) from pg_stat_activity where application_name = 'checkpoint'");
    }

    private static ConfigurableApplicationContext start() {
        return Fleet.start(
                PlainApplication.class,
                Fleet.with(
                        Fleet.properties(),
                        "spring.datasource.weir.minimum-pool-size",
                        "3",
                        "spring.datasource.weir.data-source-properties.ApplicationName",
                        "checkpoint"));
    }

    @Test
    void hasNoSocketWhileItIsStoppedAndServesAgainWhenItIsStarted() throws Exception {
        try (ConfigurableApplicationContext context = start()) {
            WeirDataSource pool = context.getBean(WeirDataSource.class);
            Await.await("the pool is filled", LIMIT, () -> backends() == 3);
            Connection inUse = pool.getConnection();
            CompletableFuture<Void> stopped = CompletableFuture.runAsync(context::stop);
            Await.await("it waits for what is in use", LIMIT, () -> pool.physicalConnections() == 1);
            assertThat(stopped).isNotDone();
            inUse.close();
            stopped.get(20, TimeUnit.SECONDS);
            assertThat(pool.physicalConnections()).isZero();
            assertThat(pool.isSuspended()).isTrue();
            Await.await("no backend is left", LIMIT, () -> backends() == 0);

            context.start();
            assertThat(pool.isSuspended()).isFalse();
            assertThat(context.getBean(JdbcTemplate.class).queryForObject("select 1", Integer.class))
                    .isEqualTo(1);
        }
    }

    @Test
    void leavesAloneWhatAnOperatorSuspended() {
        try (ConfigurableApplicationContext context = start()) {
            WeirDataSource pool = context.getBean(WeirDataSource.class);
            pool.suspend();
            context.stop();
            context.start();
            assertThat(pool.isSuspended()).isTrue();
        }
    }

    /** Needs the database when everything else has ended. */
    @Configuration(proxyBeanMethods = false)
    @Import(PlainApplication.class)
    static class WithLastWill {
        static final AtomicReference<String> WRITTEN = new AtomicReference<>();

        @Bean
        DisposableBean lastWill(JdbcTemplate jdbc) {
            return () -> WRITTEN.set(jdbc.queryForObject("select current_user", String.class));
        }
    }

    @Test
    void servesTheBeansThatEndBeforeItWhenTheContextIsClosed() {
        Fleet.start(WithLastWill.class, Fleet.properties()).close();
        assertThat(WithLastWill.WRITTEN).hasValue(Fleet.USER);
    }

    /** Another thread may tell of the close when it is over. */
    @Configuration(proxyBeanMethods = false)
    @Import(WithLastWill.class)
    static class WithLateEvents {
        @Bean
        ApplicationEventMulticaster applicationEventMulticaster() {
            SimpleApplicationEventMulticaster late = new SimpleApplicationEventMulticaster();
            late.setTaskExecutor(event -> {});
            return late;
        }
    }

    @Test
    void servesThemThoughTheEventOfTheCloseComesLate() {
        WithLastWill.WRITTEN.set("nothing");
        Fleet.start(
                        WithLateEvents.class,
                        Fleet.with(Fleet.properties(), "spring.datasource.weir.connection-timeout", "2s"))
                .close();
        assertThat(WithLastWill.WRITTEN).hasValue(Fleet.USER);
    }

    @Test
    void leavesNoConnectionBehindWhenItIsClosed() {
        ConfigurableApplicationContext context = start();
        WeirDataSource pool = context.getBean(WeirDataSource.class);
        context.close();
        assertThat(pool.isClosed()).isTrue();
        Await.await("no backend is left", LIMIT, () -> backends() == 0);
    }
}
