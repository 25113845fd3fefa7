package dev.weir.hibernate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.PoolConfig;
import dev.weir.WeirDataSource;
import dev.weir.testkit.servers.ThreadsLeft;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import javax.sql.DataSource;
import org.hibernate.SessionFactory;
import org.hibernate.cfg.Configuration;
import org.hibernate.context.spi.CurrentTenantIdentifierResolver;
import org.hibernate.engine.jdbc.connections.spi.AbstractMultiTenantConnectionProvider;
import org.hibernate.engine.jdbc.connections.spi.ConnectionProvider;
import org.hibernate.engine.spi.SessionFactoryImplementor;
import org.hibernate.resource.jdbc.spi.PhysicalConnectionHandlingMode;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.springframework.jdbc.datasource.LazyConnectionDataSourceProxy;
import org.springframework.jdbc.datasource.lookup.AbstractRoutingDataSource;

/** What Hibernate does with connections in each of its ways, and what must not be lost in any. */
class TransactionsTest {
    private static final String DISABLES = "hibernate.connection.provider_disables_autocommit";

    private static Configuration configuration(String name) {
        return new Configuration()
                .addAnnotatedClass(Ship.class)
                .setProperty("hibernate.connection.provider_class", "weir")
                .setProperty("jakarta.persistence.jdbc.url", "jdbc:h2:mem:" + name + ";DB_CLOSE_DELAY=-1")
                .setProperty("jakarta.persistence.schema-generation.database.action", "drop-and-create")
                .setProperty("hibernate.weir.maximumPoolSize", "2")
                .setProperty("hibernate.weir.minimumPoolSize", "0");
    }

    private static WeirDataSource pool(SessionFactory factory) {
        return ((SessionFactoryImplementor) factory)
                .getServiceRegistry()
                .requireService(ConnectionProvider.class)
                .unwrap(WeirDataSource.class);
    }

    private static long ships(SessionFactory factory) {
        return factory.fromTransaction(session ->
                session.createQuery("select count(s) from Ship s", Long.class).getSingleResult());
    }

    /** Of the modes for JDBC's own transactions; the other one gives the connection back before the commit, for JTA to commit. */
    @ParameterizedTest
    @EnumSource(
            mode = EnumSource.Mode.EXCLUDE,
            value = PhysicalConnectionHandlingMode.class,
            names = "DELAYED_ACQUISITION_AND_RELEASE_BEFORE_TRANSACTION_COMPLETION")
    void noHandlingModeCommitsWhatIsRolledBackOrKeepsAConnection(PhysicalConnectionHandlingMode mode) {
        for (boolean disabled : new boolean[] {false, true}) {
            try (SessionFactory factory = configuration("modes-" + mode + disabled)
                    .setProperty("hibernate.connection.handling_mode", mode.name())
                    .setProperty("hibernate.connection.autocommit", Boolean.toString(!disabled))
                    .setProperty(DISABLES, Boolean.toString(disabled))
                    .buildSessionFactory()) {
                for (int i = 0; i < 3; i++) {
                    assertThatThrownBy(() -> factory.inTransaction(session -> {
                                session.persist(new Ship("Titanic"));
                                session.flush();
                                throw new IllegalStateException("sunk");
                            }))
                            .hasMessage("sunk");
                }
                assertThat(ships(factory)).isZero();
                factory.inTransaction(session -> session.persist(new Ship("Vasa")));
                assertThat(ships(factory)).isOne();
                assertThat(pool(factory).stats().inUse()).isZero();
            }
        }
    }

    /** Else each statement is committed at once, and a rollback does nothing. */
    @ParameterizedTest
    @CsvSource({"true", "TRUE"})
    void autoCommitThatHibernateTakesForOffIsOff(String disabled) {
        Configuration wrong = configuration("wrong")
                .setProperty("hibernate.weir.poolName", "wrong")
                .setProperty(DISABLES, disabled);
        assertThatThrownBy(wrong::buildSessionFactory)
                .hasStackTraceContaining(
                        DISABLES + ": true (expected: not set, or with autoCommit=false of pool wrong;");
        ThreadsLeft.assertNone("weir-wrong", Duration.ofSeconds(10)); // its pool was closed
        try (SessionFactory factory = configuration("right")
                .setProperty("hibernate.weir.autoCommit", "false")
                .setProperty(DISABLES, disabled)
                .buildSessionFactory()) {
            assertThat(pool(factory).getAutoCommit()).isFalse();
        }
    }

    private static WeirDataSource pool(String name, Boolean autoCommit) {
        return new WeirDataSource(PoolConfig.builder()
                .url("jdbc:h2:mem:" + name)
                .poolName(name)
                .autoCommit(autoCommit)
                .minimumPoolSize(0)
                .build());
    }

    private static SessionFactory promised(DataSource source) {
        Configuration configuration = new Configuration().setProperty(DISABLES, "true");
        configuration.getProperties().put("hibernate.connection.datasource", source);
        return configuration.buildSessionFactory();
    }

    /** Of plain Java, plain Spring and Jakarta EE: Hibernate is given a DataSource, and finds the check by itself. */
    @Test
    void soItIsInAPoolThatHibernateIsGivenInWhateverWrapping() throws SQLException {
        try (WeirDataSource off = pool("off", false);
                WeirDataSource on = pool("on", true);
                WeirDataSource drivers = pool("drivers", null)) {
            AbstractRoutingDataSource routing = new AbstractRoutingDataSource() {
                @Override
                protected Object determineCurrentLookupKey() {
                    return "off";
                }
            };
            routing.setTargetDataSources(Map.of("off", off, "on", on));
            routing.setDefaultTargetDataSource(drivers);
            routing.afterPropertiesSet();

            promised(off).close();
            promised(new LazyConnectionDataSourceProxy(off)).close();
            assertThatThrownBy(() -> promised(drivers))
                    .hasMessageContaining("of pool drivers; auto-commit of this pool is the driver's");
            assertThatThrownBy(() -> promised(new LazyConnectionDataSourceProxy(on)))
                    .hasMessageContaining("of pool on;");
            assertThatThrownBy(() -> promised(routing))
                    .hasMessageContaining("of pool on;")
                    .hasMessageContaining("of pool drivers;")
                    .hasMessageNotContaining("of pool off;");
            assertThat(off.isClosed()).as("by whoever made it").isFalse();
        }
    }

    @Test
    void whatIsLeftOfHikarisConfigurationStopsTheStart() {
        Configuration left = configuration("left")
                .setProperty("hibernate.hikari.autoCommit", "false")
                .setProperty("hibernate.hikari.maximumPoolSize", "50");
        assertThatThrownBy(left::buildSessionFactory)
                .hasStackTraceContaining(
                        "hibernate.hikari.autoCommit, hibernate.hikari.maximumPoolSize: set for HikariCP")
                .hasStackTraceContaining("hibernate.weir.*");
    }

    /** One pool for all tenants, each in a schema of its own, which nobody sets back. */
    private static final class BySchema extends AbstractMultiTenantConnectionProvider<String> {
        private static final long serialVersionUID = 1L;
        private final transient WeirDataSource pool;

        BySchema(WeirDataSource pool) {
            this.pool = pool;
        }

        @Override
        protected ConnectionProvider getAnyConnectionProvider() {
            return new OfSchema("PUBLIC");
        }

        @Override
        protected ConnectionProvider selectConnectionProvider(String tenant) {
            return new OfSchema(tenant);
        }

        private final class OfSchema implements ConnectionProvider {
            private static final long serialVersionUID = 1L;
            private final String schema;

            OfSchema(String schema) {
                this.schema = schema;
            }

            @Override
            public Connection getConnection() throws SQLException {
                Connection connection = pool.getConnection();
                assertThat(connection.getSchema()).isEqualTo("PUBLIC");
                connection.setSchema(schema);
                return connection;
            }

            @Override
            public void closeConnection(Connection connection) throws SQLException {
                connection.close();
            }

            @Override
            public boolean supportsAggressiveRelease() {
                return true;
            }

            @Override
            public boolean isUnwrappableAs(Class<?> type) {
                return false;
            }

            @Override
            public <T> T unwrap(Class<T> type) {
                throw new IllegalArgumentException();
            }
        }
    }

    private static final class Current implements CurrentTenantIdentifierResolver<String> {
        @Override
        public String resolveCurrentTenantIdentifier() {
            return "ONE";
        }

        @Override
        public boolean validateExistingCurrentSessions() {
            return false;
        }
    }

    @Test
    void tenantsOfOnePoolNeverSeeEachOthersRows() throws SQLException {
        try (WeirDataSource pool = new WeirDataSource(PoolConfig.builder()
                .url("jdbc:h2:mem:tenants;DB_CLOSE_DELAY=-1")
                .maximumPoolSize(1)
                .build())) {
            try (Connection connection = pool.getConnection();
                    Statement statement = connection.createStatement()) {
                for (String tenant : List.of("ONE", "TWO")) {
                    statement.execute("CREATE SCHEMA " + tenant);
                    statement.execute("CREATE TABLE " + tenant + ".Ship (id BIGINT PRIMARY KEY, name VARCHAR(255))");
                    statement.execute("CREATE SEQUENCE " + tenant + ".Ship_SEQ INCREMENT BY 50");
                }
            }
            Configuration configuration = new Configuration()
                    .addAnnotatedClass(Ship.class)
                    .setProperty(
                            "hibernate.connection.handling_mode", "DELAYED_ACQUISITION_AND_RELEASE_AFTER_STATEMENT");
            configuration.getProperties().put("hibernate.multi_tenant_connection_provider", new BySchema(pool));
            configuration.setCurrentTenantIdentifierResolver(new Current());
            try (SessionFactory factory = configuration.buildSessionFactory()) {
                for (int i = 0; i < 2; i++) {
                    for (String tenant : List.of("ONE", "TWO")) {
                        try (var session = factory.withOptions()
                                .tenantIdentifier((Object) tenant)
                                .openSession()) {
                            session.beginTransaction();
                            session.persist(new Ship(tenant));
                            session.getTransaction().commit();
                            assertThat(session.createQuery("select s.name from Ship s", String.class)
                                            .getResultList())
                                    .containsOnly(tenant)
                                    .hasSize(i + 1);
                        }
                    }
                }
                assertThat(pool.stats().inUse()).isZero();
            }
        }
    }
}
