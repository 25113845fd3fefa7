package dev.weir.spring.boot;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.WeirDataSource;
import jakarta.persistence.EntityManager;
import jakarta.persistence.PersistenceContext;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.net.http.HttpResponse;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;
import org.springframework.stereotype.Controller;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.servlet.ModelAndView;
import org.springframework.web.servlet.View;

/** A session of JPA that stays open while the view is rendered, which is Spring Boot's default, in each mode of the pool. */
class OpenInViewTest {
    private static final String SCHEMA = "open_in_view";

    @Configuration(proxyBeanMethods = false)
    @Import({FleetApplication.class, Quay.class})
    static class WithView {}

    /** Does its work in two transactions, and has a view that waits, and then reads by the same session. */
    @Controller
    static class Quay implements View {
        final CountDownLatch rendering = new CountDownLatch(1);
        final CountDownLatch open = new CountDownLatch(1);

        private final Harbour harbour;
        private final WeirDataSource pool;

        @PersistenceContext
        private EntityManager entities;

        Quay(Harbour harbour, WeirDataSource pool) {
            this.harbour = harbour;
            this.pool = pool;
        }

        @GetMapping("/quay")
        ModelAndView quay() {
            harbour.build(2, "Beagle");
            return new ModelAndView(this, "name", harbour.nameOf(1));
        }

        @Override
        public void render(Map<String, ?> model, HttpServletRequest request, HttpServletResponse response)
                throws Exception {
            rendering.countDown();
            boolean opened = open.await(30, TimeUnit.SECONDS);
            long ships = entities.createQuery("select s from Ship s", Ship.class)
                    .getResultList()
                    .size();
            response.getWriter()
                    .write(model.get("name") + ", " + opened + ", " + ships + " ships, "
                            + pool.held().size() + " held");
        }
    }

    @BeforeAll
    static void createSchema() {
        Fleet.server().execute("create schema " + SCHEMA + " authorization " + Fleet.USER);
    }

    @AfterAll
    static void dropSchema() {
        Fleet.server().execute("drop schema if exists " + SCHEMA + " cascade");
    }

    /** With auto-commit off, what a view reads is a transaction that only the end of the session ends. */
    @ParameterizedTest
    @CsvSource({
        "session, true, 1, 1",
        "lazy, true, 1, 1",
        "transaction, true, 0, 0",
        "transaction, false, 0, 1",
    })
    void aViewHoldsWhatTheModeSays(String mode, boolean autoCommit, int beforeItReads, int afterIt) throws Exception {
        Map<String, Object> properties = Fleet.with(
                Fleet.properties(),
                "spring.flyway.schemas",
                SCHEMA,
                "spring.datasource.weir.schema",
                SCHEMA,
                "spring.datasource.weir.pool-mode",
                mode,
                "spring.datasource.weir.auto-commit",
                String.valueOf(autoCommit),
                "spring.jpa.properties.hibernate.connection.provider_disables_autocommit",
                String.valueOf(!autoCommit));
        try (ConfigurableApplicationContext context = Fleet.startWeb(WithView.class, properties)) {
            WeirDataSource pool = context.getBean(WeirDataSource.class);
            Quay quay = context.getBean(Quay.class);
            Fleet.server().execute("delete from " + SCHEMA + ".ship where id = 2");
            CompletableFuture<HttpResponse<String>> page = new Http(context).begin("/quay");
            int held;
            try {
                assertThat(quay.rendering.await(20, TimeUnit.SECONDS)).isTrue();
                held = pool.held().size();
            } finally {
                quay.open.countDown();
            }
            assertThat(page.get(20, TimeUnit.SECONDS).body()).isEqualTo("Argo, true, 2 ships, " + afterIt + " held");
            assertThat(held).isEqualTo(beforeItReads);
        }
    }
}
