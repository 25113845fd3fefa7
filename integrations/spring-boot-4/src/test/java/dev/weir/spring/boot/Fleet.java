package dev.weir.spring.boot;

import dev.weir.testkit.servers.PostgresServer;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.core.env.StandardEnvironment;
import org.springframework.core.env.SystemEnvironmentPropertySource;
import org.springframework.core.io.ResourceLoader;

/** Starts applications, on one database server for all tests of the JVM. */
final class Fleet {
    static final String USER = "captain";
    static final String PASSWORD = "ahoy-42";

    private static final String ENVIRONMENT = StandardEnvironment.SYSTEM_ENVIRONMENT_PROPERTY_SOURCE_NAME;

    private Fleet() {}

    private static final class Server {
        static final PostgresServer SERVER =
                PostgresServer.builder().role(USER, PASSWORD).start();
    }

    static PostgresServer server() {
        return Server.SERVER;
    }

    /** The properties of an application on the server, as its user, with a small pool. */
    static Map<String, Object> properties() {
        Map<String, Object> properties = new LinkedHashMap<>();
        properties.put("spring.datasource.url", server().jdbcUrl("postgres"));
        properties.put("spring.datasource.username", USER);
        properties.put("spring.datasource.password", PASSWORD);
        properties.put("spring.datasource.weir.maximum-pool-size", "8");
        properties.put("spring.datasource.weir.minimum-pool-size", "1");
        properties.put("spring.main.banner-mode", "off");
        properties.put("logging.level.root", "warn");
        return properties;
    }

    static Map<String, Object> with(Map<String, Object> properties, String... pairs) {
        Map<String, Object> all = new LinkedHashMap<>(properties);
        for (int i = 0; i < pairs.length; i += 2) {
            all.put(pairs[i], pairs[i + 1]);
        }
        return all;
    }

    /** Without a web server. */
    static ConfigurableApplicationContext start(Class<?> application, Map<String, Object> properties) {
        return start(WebApplicationType.NONE, null, application, properties, Map.of());
    }

    /** Without a web server, with these environment variables and no other. */
    static ConfigurableApplicationContext start(
            Class<?> application, Map<String, Object> properties, Map<String, Object> variables) {
        return start(WebApplicationType.NONE, null, application, properties, variables);
    }

    /** On a free port. */
    static ConfigurableApplicationContext startWeb(Class<?> application, Map<String, Object> properties) {
        return startWeb(WebApplicationType.SERVLET, null, application, properties);
    }

    /** On a free port; {@code loader}: null for the usual one. */
    static ConfigurableApplicationContext startWeb(
            WebApplicationType type,
            @Nullable ResourceLoader loader,
            Class<?> application,
            Map<String, Object> properties) {
        return start(
                type,
                loader,
                application,
                with(properties, "server.port", "0", "server.address", "127.0.0.1"),
                Map.of());
    }

    private static ConfigurableApplicationContext start(
            WebApplicationType type,
            @Nullable ResourceLoader loader,
            Class<?> application,
            Map<String, Object> properties,
            Map<String, Object> variables) {
        SpringApplicationBuilder builder = new SpringApplicationBuilder(application);
        if (loader != null) {
            builder.resourceLoader(loader);
        }
        return builder.web(type)
                .registerShutdownHook(false)
                .properties(properties)
                .initializers(starting -> starting.getEnvironment()
                        .getPropertySources()
                        .replace(ENVIRONMENT, new SystemEnvironmentPropertySource(ENVIRONMENT, variables)))
                .run();
    }
}
