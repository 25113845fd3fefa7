package dev.weir.examples;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.WeirDataSource;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicReference;
import javax.naming.InitialContext;
import javax.naming.NamingException;
import javax.naming.StringRefAddr;
import javax.sql.DataSource;
import org.apache.catalina.Context;
import org.apache.catalina.startup.ContextConfig;
import org.apache.catalina.startup.Tomcat;
import org.apache.naming.ResourceRef;
import org.apache.naming.factory.BeanFactory;
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
        context.setConfigFile(TomcatTest.class.getResource("/tomcat/context.xml"));
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
            assertThat(pool.stats().inUse()).isZero();
            assertThat(pool.isClosed()).isFalse();
        } finally {
            tomcat.stop();
            tomcat.destroy();
        }
        assertThat(POOL.get().isClosed()).isTrue();
    }

    /** By Tomcat's own factory of resources, which has the attributes of the element. */
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "maximumPoolSize | 0 | maximumPoolSize: 0 (expected: 1..10000)",
                "connectionTimeout | soon | connectionTimeout: soon (expected: 1ms..365d",
                "maximumPoolSise | 5 | maximumPoolSise",
            })
    void wrongAttributeIsNamed(String attribute, String value, String message) {
        ResourceRef resource = new ResourceRef(WeirDataSource.class.getName(), null, null, null, false);
        resource.add(new StringRefAddr("url", "jdbc:h2:mem:wrong"));
        resource.add(new StringRefAddr(attribute, value));
        assertThatThrownBy(() ->
                        ((DataSource) new BeanFactory().getObjectInstance(resource, null, null, null)).getConnection())
                .hasStackTraceContaining(attribute)
                .hasStackTraceContaining(message);
    }

    private static String get(Tomcat tomcat) throws IOException, InterruptedException {
        URI uri = URI.create("http://127.0.0.1:" + tomcat.getConnector().getLocalPort() + "/");
        HttpResponse<String> response = HttpClient.newHttpClient()
                .send(HttpRequest.newBuilder(uri).build(), HttpResponse.BodyHandlers.ofString());
        assertThat(response.statusCode()).as(response.body()).isEqualTo(200);
        return response.body();
    }
}
