package dev.weir.dropwizard;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.codahale.metrics.MetricRegistry;
import com.fasterxml.jackson.annotation.JsonProperty;
import dev.weir.WeirDataSource;
import dev.weir.testkit.servers.ThreadsLeft;
import io.dropwizard.core.Application;
import io.dropwizard.core.Configuration;
import io.dropwizard.core.setup.Bootstrap;
import io.dropwizard.core.setup.Environment;
import io.dropwizard.db.ManagedDataSource;
import io.dropwizard.db.PooledDataSourceFactory;
import io.dropwizard.hibernate.AbstractDAO;
import io.dropwizard.hibernate.HibernateBundle;
import io.dropwizard.hibernate.UnitOfWork;
import jakarta.persistence.Entity;
import jakarta.persistence.Id;
import jakarta.ws.rs.DELETE;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.POST;
import jakarta.ws.rs.Path;
import java.nio.file.Files;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import javax.sql.DataSource;
import org.hibernate.SessionFactory;
import org.hibernate.engine.jdbc.connections.spi.ConnectionProvider;
import org.hibernate.engine.spi.SessionFactoryImplementor;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** An application of Dropwizard's {@code HibernateBundle}: two databases, and a session for each request. */
class HibernateTest {
    private static final String YAML = """
            shop:
              url: jdbc:h2:mem:bundle-shop
              username: sa
              password: ''
              maximumPoolSize: 2
              minimumPoolSize: 1
              autoCommit: false
              properties:
                hibernate.connection.provider_disables_autocommit: true
                hibernate.hbm2ddl.auto: create-drop
            till:
              url: jdbc:h2:mem:bundle-till
              username: sa
              password: ''
              maximumPoolSize: 2
              minimumPoolSize: 1
              properties:
                hibernate.hbm2ddl.auto: create-drop
            server:
              applicationConnectors: [{type: http, bindHost: 127.0.0.1, port: 0}]
              adminConnectors: [{type: http, bindHost: 127.0.0.1, port: 0}]
              requestLog: {appenders: []}
            logging: {level: "OFF"}
            """;

    static final class Settings extends Configuration {
        @JsonProperty
        WeirDataSourceFactory shop;

        @JsonProperty
        WeirDataSourceFactory till;
    }

    @Entity(name = "Ship")
    public static class Ship {
        @Id
        long id;

        protected Ship() {}

        Ship(long id) {
            this.id = id;
        }
    }

    static final class Ships extends AbstractDAO<Ship> {
        Ships(SessionFactory sessions) {
            super(sessions);
        }

        void add(long id) {
            persist(new Ship(id));
            currentSession().flush();
        }

        long count() {
            return currentSession()
                    .createQuery("select count(*) from Ship", Long.class)
                    .getSingleResult();
        }
    }

    @Path("/")
    public static final class Harbour {
        private final Ships shop;
        private final Ships till;

        Harbour(Ships shop, Ships till) {
            this.shop = shop;
            this.till = till;
        }

        @GET
        @Path("shop")
        @UnitOfWork(value = "shop", readOnly = true)
        public long shop() {
            return shop.count();
        }

        @GET
        @Path("till")
        @UnitOfWork("till")
        public long till() {
            return till.count();
        }

        @POST
        @Path("shop")
        @UnitOfWork("shop")
        public String build() {
            shop.add(1);
            return "built";
        }

        @DELETE
        @Path("shop")
        @UnitOfWork("shop")
        public String sinkInShop() {
            shop.add(2);
            throw new IllegalStateException("too much sail");
        }

        @DELETE
        @Path("till")
        @UnitOfWork("till")
        public String sinkInTill() {
            till.add(2);
            throw new IllegalStateException("too much sail");
        }
    }

    private static final class Bundle extends HibernateBundle<Settings> {
        private final String name;

        Bundle(String name) {
            super(Ship.class);
            this.name = name;
        }

        @Override
        protected String name() {
            return name;
        }

        @Override
        public PooledDataSourceFactory getDataSourceFactory(Settings settings) {
            return name.equals("shop") ? settings.shop : settings.till;
        }

        WeirDataSource pool() throws SQLException {
            return ((SessionFactoryImplementor) getSessionFactory())
                    .getServiceRegistry()
                    .getService(ConnectionProvider.class)
                    .unwrap(DataSource.class)
                    .unwrap(WeirDataSource.class);
        }
    }

    static final class Shop extends Application<Settings> {
        final Bundle shop = new Bundle("shop");
        final Bundle till = new Bundle("till");
        CompletableFuture<Running> running;

        @Override
        public void initialize(Bootstrap<Settings> bootstrap) {
            bootstrap.addBundle(shop);
            bootstrap.addBundle(till);
        }

        @Override
        public void run(Settings settings, Environment environment) {
            environment
                    .jersey()
                    .register(new Harbour(new Ships(shop.getSessionFactory()), new Ships(till.getSessionFactory())));
            running = Running.soon(environment);
        }
    }

    @Test
    void aFailedRequestIsRolledBackInEachAndNoConnectionIsLost(@TempDir java.nio.file.Path folder) throws Exception {
        Shop application = new Shop();
        application.run(
                "server", Files.writeString(folder.resolve("shop.yml"), YAML).toString());
        Running running = application.running.get(20, TimeUnit.SECONDS);
        WeirDataSource shop = application.shop.pool();
        WeirDataSource till = application.till.pool();
        try {
            assertThat(running.send("POST", "shop")).isEqualTo("built");
            for (int i = 0; i < 5; i++) { // more than there are connections
                assertThat(running.send("DELETE", "shop")).contains("500");
                assertThat(running.send("DELETE", "till")).contains("500");
            }
            assertThat(running.send("GET", "shop")).isEqualTo("1");
            assertThat(running.send("GET", "till")).isEqualTo("0");
            assertThat(shop).isNotSameAs(till);
            assertThat(shop.stats().inUse() + till.stats().inUse()).isZero();
            assertThat(running.admin("healthcheck"))
                    .contains("\"shop\":{\"healthy\":true")
                    .contains("\"till\":{\"healthy\":true");
            assertThat(running.admin("metrics"))
                    .contains("\"shop.pool.MaxConnections\":{\"value\":2}", "\"till.pool.MaxConnections\"");
            try (Connection connection = shop.getConnection()) {
                assertThat(connection.isReadOnly()).as("of the next loan").isFalse();
            }
        } finally {
            running.server().stop();
        }
        assertThat(shop.isClosed()).isTrue();
        assertThat(till.isClosed()).isTrue();
        ThreadsLeft.assertNone("weir-", Duration.ofSeconds(10));
    }

    /** Hibernate would not switch it off, and each statement be committed. */
    @Test
    void autoCommitThatHibernateTakesForOffIsOff() throws Exception {
        ManagedDataSource shop = Yaml.read("url: jdbc:h2:mem:promise").build(new MetricRegistry(), "shop");
        try {
            org.hibernate.cfg.Configuration hibernate = new org.hibernate.cfg.Configuration()
                    .setProperty("hibernate.connection.provider_disables_autocommit", "true");
            hibernate.getProperties().put("hibernate.connection.datasource", shop);
            assertThatThrownBy(hibernate::buildSessionFactory)
                    .hasMessageContaining("hibernate.connection.provider_disables_autocommit: true (expected: not set,")
                    .hasMessageContaining("with autoCommit=false of pool shop;");
        } finally {
            shop.stop();
        }
    }
}
