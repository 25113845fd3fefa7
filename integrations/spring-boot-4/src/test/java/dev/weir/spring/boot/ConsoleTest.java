package dev.weir.spring.boot;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import dev.weir.WeirDataSource;
import dev.weir.console.Console;
import dev.weir.console.window.PoolView;
import java.net.http.HttpResponse;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.predicate.RuntimeHintsPredicates;
import org.springframework.boot.SpringBootConfiguration;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.hibernate.autoconfigure.HibernateJpaAutoConfiguration;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.core.io.DefaultResourceLoader;

/** The live page as an endpoint of a running application. */
class ConsoleTest {
    private static final String AT = "/actuator/weirconsole";
    private static final String EXPOSED = "management.endpoints.web.exposure.include";
    private static final String ACCESS = "management.endpoint.weirconsole.access";
    private static final Pattern ADDRESS = Pattern.compile("(?:src|href)=\"(?!data:)([^\"]+)\"");

    @SpringBootConfiguration(proxyBeanMethods = false)
    @EnableAutoConfiguration(exclude = HibernateJpaAutoConfiguration.class)
    static class Application {}

    private static Map<String, Object> properties(String... more) {
        return Fleet.with(
                Map.of(
                        "spring.datasource.url",
                        "jdbc:h2:mem:console",
                        "spring.datasource.weir.pool-name",
                        "shown",
                        "spring.data.jpa.repositories.enabled",
                        "false",
                        "spring.flyway.enabled",
                        "false",
                        "spring.application.name",
                        "shop",
                        "spring.main.banner-mode",
                        "off",
                        "logging.level.root",
                        "warn"),
                more);
    }

    private static ConfigurableApplicationContext start(WebApplicationType type, String... more) throws Exception {
        ConfigurableApplicationContext context = Fleet.startWeb(type, null, Application.class, properties(more));
        context.getBean(WeirDataSource.class).getConnection().close(); // starts it
        return context;
    }

    /** As a browser does it: the page, and what it names, by addresses relative to its own. */
    private static void assertPageIsWhole(Http http, String at) throws Exception {
        assertPageIsFound(http, at);
        assertPageIsFound(http, at + "/");
        HttpResponse<String> look = http.get(at + "/look", "application/json");
        assertThat(look.statusCode()).isEqualTo(200);
        assertThat(look.headers().firstValue("Content-Type").orElse("")).startsWith("application/json");
        assertThat(look.body()).contains("\"shown\"");
        assertThat(http.get(at + "/dump?pool=shown", "*/*").body()).contains("shown");
        assertThat(http.get(at + "/nothing", "*/*").statusCode()).isEqualTo(404);
        assertThat(http.get(at + "/a/look", "*/*").statusCode()).isEqualTo(404);
    }

    private static void assertPageIsFound(Http http, String at) throws Exception {
        HttpResponse<String> page = http.get(at, "text/html");
        assertThat(page.statusCode()).isEqualTo(200);
        assertThat(page.headers().firstValue("Content-Type")).hasValue("text/html;charset=utf-8");
        // An endpoint cannot set the header.
        assertThat(page.body()).contains("<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none';");
        Matcher addresses = ADDRESS.matcher(page.body());
        int found = 0;
        while (addresses.find()) {
            String one = page.uri().resolve(addresses.group(1)).getPath();
            HttpResponse<String> asset = http.get(one, one.endsWith("css") ? "text/css" : "*/*");
            assertThat(asset.statusCode()).as(one).isEqualTo(200);
            assertThat(asset.headers().firstValue("Content-Type").orElse(""))
                    .as(one)
                    .isEqualTo(one.endsWith("css") ? "text/css;charset=utf-8" : "text/javascript;charset=utf-8");
            found++;
        }
        assertThat(found).isGreaterThanOrEqualTo(4);
    }

    @Test
    void exposedPageOnlyReads() throws Exception {
        try (ConfigurableApplicationContext context = start(WebApplicationType.SERVLET, EXPOSED, "weirconsole")) {
            Http http = new Http(context);
            assertPageIsWhole(http, AT);
            assertThat(http.get(AT + "/look").body()).contains("\"writable\":false");
            assertThat(http.post(AT + "/act", "{\"pool\":\"shown\",\"operation\":\"suspend\"}")
                            .statusCode())
                    .isBetween(404, 405);
            assertThat(context.getBean(WeirDataSource.class).isSuspended()).isFalse();
        }
    }

    @Test
    void operatorsAccessMakesItActAndTheLogSaysForWhom() throws Exception {
        ListAppender<ILoggingEvent> log = new ListAppender<>();
        log.start();
        try (ConfigurableApplicationContext context = start(
                WebApplicationType.SERVLET,
                EXPOSED,
                "weirconsole",
                ACCESS,
                "unrestricted",
                "logging.level.dev.weir.console",
                "info")) {
            ((Logger) LoggerFactory.getLogger("dev.weir.console")).addAppender(log);
            Http http = new Http(context);
            WeirDataSource pool = context.getBean(WeirDataSource.class);
            assertThat(http.get(AT + "/look").body()).contains("\"writable\":true", "\"jvm\":\"shop, pid ");

            // What a page of another origin can send without being asked first.
            String suspend = "{\"pool\":\"shown\",\"operation\":\"suspend\"}";
            for (String type : new String[] {
                "text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x", null
            }) {
                assertThat(http.post(AT + "/act", type, suspend).statusCode())
                        .as(String.valueOf(type))
                        .isEqualTo(415);
                assertThat(http.post(AT + "/act?pool=shown&operation=suspend", type, "")
                                .statusCode())
                        .as(String.valueOf(type))
                        .isEqualTo(415);
            }
            assertThat(http.preflight(AT + "/act", "http://elsewhere.example")
                            .headers()
                            .map())
                    .doesNotContainKeys("Access-Control-Allow-Origin", "access-control-allow-origin");
            assertThat(pool.isSuspended()).isFalse();

            assertThat(http.post(AT + "/act", suspend).statusCode()).isEqualTo(200);
            assertThat(pool.isSuspended()).isTrue();
            assertThat(http.post(AT + "/change", "{\"pool\":\"shown\",\"setting\":\"maximumPoolSize\",\"value\":7}")
                            .statusCode())
                    .isEqualTo(200);
            assertThat(pool.getMaximumPoolSize()).isEqualTo(7);
            HttpResponse<String> refused = http.post(
                    AT + "/change", "{\"pool\":\"shown\",\"setting\":\"maximumPoolSize\",\"value\":\"many\"}");
            assertThat(refused.statusCode()).isBetween(400, 499);
            assertThat(refused.body()).contains("\"error\"", "many");
            assertThat(http.post(AT + "/act", "{}").statusCode()).isBetween(400, 499);
        } finally {
            ((Logger) LoggerFactory.getLogger("dev.weir.console")).detachAppender(log);
        }
        assertThat(log.list)
                .anySatisfy(event -> assertThat(event.getFormattedMessage()).contains("shown", "suspend", "anonymous"))
                .anySatisfy(event ->
                        assertThat(event.getFormattedMessage()).contains("shown", "maximumPoolSize", "7", "anonymous"));
    }

    @Test
    void reactiveServerOnItsOwnPortServesItUnderAnotherPath() throws Exception {
        try (ConfigurableApplicationContext context = start(
                WebApplicationType.REACTIVE,
                EXPOSED,
                "weirconsole",
                "management.server.port",
                "0",
                "management.server.address",
                "127.0.0.1",
                "management.endpoints.web.base-path",
                "/",
                "management.endpoints.web.path-mapping.weirconsole",
                "ops/pools",
                ACCESS,
                "unrestricted")) {
            Http http = Http.ofManagement(context);
            assertPageIsWhole(http, "/ops/pools");
            for (String type : new String[] {"text/plain", null}) {
                assertThat(http.post("/ops/pools/act", type, "{\"pool\":\"shown\",\"operation\":\"suspend\"}")
                                .statusCode())
                        .as(String.valueOf(type))
                        .isEqualTo(415);
            }
            WeirDataSource pool = context.getBean(WeirDataSource.class);
            assertThat(pool.isSuspended()).isFalse();
            assertThat(http.post("/ops/pools/act", "{\"pool\":\"shown\",\"operation\":\"suspend\"}")
                            .statusCode())
                    .isEqualTo(200);
            assertThat(pool.isSuspended()).isTrue();
        }
    }

    @Test
    void managementPortOfAServletServerServesItAndTheGreatestAccessIsKept() throws Exception {
        try (ConfigurableApplicationContext context = start(
                WebApplicationType.SERVLET,
                EXPOSED,
                "*",
                "management.server.port",
                "0",
                "management.server.address",
                "127.0.0.1",
                "management.endpoints.access.max-permitted",
                "read-only",
                ACCESS,
                "unrestricted")) {
            Http http = Http.ofManagement(context);
            assertPageIsWhole(http, AT);
            assertThat(http.get(AT + "/look").body()).contains("\"writable\":false");
            assertThat(new Http(context).get(AT).statusCode()).isEqualTo(404);
        }
    }

    @Test
    void nothingIsThereUnlessItIsExposed() throws Exception {
        try (ConfigurableApplicationContext context = start(WebApplicationType.SERVLET)) {
            assertThat(context.getBeansOfType(WeirConsoleEndpoint.class)).isEmpty();
            assertThat(new Http(context).get(AT).statusCode()).isEqualTo(404);
        }
    }

    @Test
    void applicationWithoutTheModuleStarts() throws Exception {
        try (ConfigurableApplicationContext context = Fleet.startWeb(
                WebApplicationType.SERVLET,
                new DefaultResourceLoader(new FilteredClassLoader(Console.class)),
                Application.class,
                properties(EXPOSED, "*"))) {
            assertThat(new Http(context).get(AT).statusCode()).isEqualTo(404);
            assertThat(new Http(context).get("/actuator/weir").statusCode()).isEqualTo(200);
        }
    }

    @Test
    void nativeImageHasThePageAndItsJson() throws Exception {
        RuntimeHints hints = new RuntimeHints();
        new WeirConsoleAutoConfiguration.Hints().registerHints(hints, null);
        for (String name : new String[] {
            "dev/weir/console/page.html",
            "dev/weir/console/page.js",
            "dev/weir/console/page.css",
            "META-INF/resources/webjars/uplot/1.6.30/dist/uPlot.iife.min.js",
            "META-INF/resources/webjars/uplot/1.6.30/dist/uPlot.min.css"
        }) {
            assertThat(Console.class.getResource("/" + name)).as(name).isNotNull();
            assertThat(RuntimeHintsPredicates.resource().forResource(name))
                    .as(name)
                    .accepts(hints);
        }
        assertThat(RuntimeHintsPredicates.reflection().onMethodInvocation(PoolView.Holder.class.getMethod("thread")))
                .accepts(hints);
    }
}
