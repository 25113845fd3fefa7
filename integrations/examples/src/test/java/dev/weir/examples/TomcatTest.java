package dev.weir.examples;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.WeirDataSource;
import dev.weir.WeirObjectFactory;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicReference;
import javax.management.ObjectName;
import javax.naming.CompositeName;
import javax.naming.InitialContext;
import javax.naming.NamingException;
import javax.naming.Reference;
import javax.naming.StringRefAddr;
import javax.sql.DataSource;
import org.apache.catalina.Context;
import org.apache.catalina.startup.ContextConfig;
import org.apache.catalina.startup.Tomcat;
import org.apache.naming.ResourceRef;
import org.apache.naming.factory.ResourceFactory;
import org.apache.tomcat.util.scan.StandardJarScanner;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** A resource of Tomcat's own JNDI. */
class TomcatTest {
    private static final AtomicReference<WeirDataSource> POOL = new AtomicReference<>();

    /** Looks the pool up as any application does. */
    static final class Shop extends HttpServlet {
        private static final long serialVersionUID = 1;

        @Override
        @SuppressWarnings("BanJNDI") // the name is a constant, the resource the application's own
        protected void doGet(HttpServletRequest request, HttpServletResponse response) throws IOException {
            try {
                // snippet:tomcat-lookup
                DataSource dataSource = InitialContext.doLookup("java:comp/env/jdbc/shop");
                try (Connection connection = dataSource.getConnection()) {
                    response.getWriter().print(connection.getMetaData().getURL());
                }
                // snippet:end
                POOL.set((WeirDataSource) dataSource);
            } catch (NamingException | SQLException e) {
                throw new IOException(e);
            }
        }
    }

    @Test
    void poolIsAResourceThatEndsWithTheApplication(@TempDir Path folder) throws Exception {
        Tomcat tomcat = new Tomcat();
        tomcat.setBaseDir(folder.toString());
        tomcat.setPort(0);
        tomcat.getConnector().setProperty("address", "127.0.0.1");
        tomcat.enableNaming();
        Context context = tomcat.addContext("", folder.toString());
        context.setConfigFile(TomcatTest.class.getResource("/snippets/tomcat-context.xml"));
        ContextConfig config = new ContextConfig();
        config.setDefaultWebXml(tomcat.noDefaultWebXmlPath());
        context.addLifecycleListener(config);
        ((StandardJarScanner) context.getJarScanner()).setScanClassPath(false); // there is nothing to find, slowly
        Tomcat.addServlet(context, "shop", new Shop()).addMapping("/");
        tomcat.start();
        try {
            assertThat(get(tomcat)).isEqualTo("jdbc:h2:mem:tomcat");
            WeirDataSource pool = POOL.get();
            assertThat(get(tomcat)).isNotEmpty();
            assertThat(POOL.get()).isSameAs(pool);
            assertThat(pool.getPoolName()).isEqualTo("tomcat");
            assertThat(pool.getMaximumPoolSize()).isEqualTo(20);
            assertThat(pool.getMinimumPoolSize()).isEqualTo(2);
            assertThat(pool.getConnectionTimeout()).isEqualTo(Duration.ofSeconds(3));
            assertThat(pool.getReadOnly()).isTrue();
            assertThat(pool.stats().inUse()).isZero();
            assertThat(pool.isClosed()).isFalse();
            // Tomcat would show the password among the getters.
            assertThat(ManagementFactory.getPlatformMBeanServer()
                            .queryNames(new ObjectName("*:type=DataSource,*"), null))
                    .isEmpty();
        } finally {
            tomcat.stop();
            tomcat.destroy();
        }
        assertThat(POOL.get().isClosed()).isTrue();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "maximumPoolSize | 0 | maximumPoolSize: 0 (expected: 1..10000)",
                "maximumPoolSize | many | maximumPoolSize: many (expected: 1..10000)",
                "connectionTimeout | soon | connectionTimeout: soon (expected: 1ms..365d",
                "readOnly | yes | readOnly: yes (expected: true or false)",
                "minimumPoolSize | 61 | minimumPoolSize: 61 (expected: at most maximumPoolSize 60)",
                "maximumPoolSise | 5 | maximumPoolSise: not a setting (did you mean maximumPoolSize?)",
            })
    void wrongAttributeIsNamed(String attribute, String value, String message) {
        ResourceRef resource = resource("javax.sql.DataSource");
        resource.add(new StringRefAddr("url", "jdbc:h2:mem:wrong"));
        resource.add(new StringRefAddr("username", "sa"));
        resource.add(new StringRefAddr("password", "s3cr3t"));
        resource.add(new StringRefAddr(attribute, value));
        assertThatThrownBy(() -> made(resource))
                .isInstanceOf(NamingException.class)
                .hasMessageStartingWith("resource shop: ")
                .hasMessageContaining(message)
                .hasMessageNotContaining("s3cr3t");
    }

    @Test
    void resourceOfAnotherTypeIsRefusedOrLeftToOthers() throws Exception {
        assertThatThrownBy(() -> made(resource("com.zaxxer.hikari.HikariDataSource")))
                .isInstanceOf(NamingException.class)
                .hasMessage("resource shop: type: com.zaxxer.hikari.HikariDataSource"
                        + " (expected: dev.weir.WeirDataSource or javax.sql.DataSource)");
        assertThat(new WeirObjectFactory()
                        .getObjectInstance(new Reference("javax.mail.Session"), new CompositeName("mail"), null, null))
                .isNull();
    }

    /** As Tomcat describes it to its factories. */
    private static ResourceRef resource(String type) {
        ResourceRef resource = new ResourceRef(type, "ships", "Shareable", "Container", true);
        resource.add(new StringRefAddr("factory", WeirObjectFactory.class.getName()));
        return resource;
    }

    private static Object made(ResourceRef resource) throws Exception {
        return new ResourceFactory().getObjectInstance(resource, new CompositeName("shop"), null, null);
    }

    private static String get(Tomcat tomcat) throws IOException, InterruptedException {
        URI uri = URI.create("http://127.0.0.1:" + tomcat.getConnector().getLocalPort() + "/");
        HttpResponse<String> response = HttpClient.newHttpClient()
                .send(HttpRequest.newBuilder(uri).build(), HttpResponse.BodyHandlers.ofString());
        assertThat(response.statusCode()).as(response.body()).isEqualTo(200);
        return response.body();
    }
}
