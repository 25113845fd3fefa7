package dev.weir.hibernate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.WeirDataSource;
import dev.weir.testkit.servers.PostgresServer;
import dev.weir.testkit.servers.ThreadsLeft;
import jakarta.persistence.EntityManagerFactory;
import jakarta.persistence.Persistence;
import java.sql.SQLFeatureNotSupportedException;
import java.time.Duration;
import java.util.Map;
import javax.sql.DataSource;
import org.hibernate.SessionFactory;
import org.hibernate.Version;
import org.hibernate.cfg.Configuration;
import org.hibernate.dialect.Dialect;
import org.hibernate.engine.jdbc.connections.spi.ConnectionProvider;
import org.hibernate.engine.jdbc.connections.spi.DatabaseConnectionInfo;
import org.hibernate.engine.spi.SessionFactoryImplementor;
import org.hibernate.service.UnknownUnwrapTypeException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A real Hibernate on the pool; runs once with each supported line of Hibernate. */
class WeirConnectionProviderTest {

    @Test
    void runsWithTheHibernateItIsMeantToRunWith() {
        assertThat(Version.getVersionString()).isEqualTo(System.getProperty("weir.test.hibernate"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"session", "lazy", "transaction"})
    void entitiesAreStoredRolledBackAndReadOnPostgres(String mode) {
        try (PostgresServer server = PostgresServer.launch()) {
            ThreadsLeft threads = ThreadsLeft.sinceNow();
            try (SessionFactory factory = configuration(server.jdbcUrl())
                    .setProperty("hibernate.connection.provider_class", "weir")
                    .setProperty("hibernate.connection.isolation", "SERIALIZABLE")
                    .setProperty("hibernate.connection.ApplicationName", "shop")
                    .setProperty("hibernate.weir.poolMode", mode)
                    .setProperty("hibernate.weir.maximumPoolSize", "2")
                    .setProperty("hibernate.weir.poolName", "ships")
                    .buildSessionFactory()) {
                Long id = factory.fromTransaction(session -> {
                    Ship ship = new Ship("Vasa");
                    session.persist(ship);
                    return ship.id();
                });
                assertThatThrownBy(() -> factory.inTransaction(session -> {
                            session.persist(new Ship("Titanic"));
                            session.flush();
                            throw new IllegalStateException("sunk");
                        }))
                        .hasMessage("sunk");
                Ship found = factory.fromSession(session -> session.find(Ship.class, id));
                assertThat(found.name()).isEqualTo("Vasa");
                assertThat(server.number("select count(*) from Ship")).isEqualTo(1);
                assertThat(server.number("select count(*) from pg_stat_activity where application_name = 'shop'"))
                        .isBetween(1L, 2L);

                WeirDataSource pool = provider(factory).unwrap(WeirDataSource.class);
                assertThat(pool.stats().inUse()).isZero();
                assertThat(pool.getTransactionIsolation()).isEqualTo("TRANSACTION_SERIALIZABLE");
                assertThat(factory.<String>fromSession(session -> session.doReturningWork(connection -> {
                            try (var statement = connection.createStatement();
                                    var result = statement.executeQuery("show transaction_isolation")) {
                                result.next();
                                return result.getString(1);
                            }
                        })))
                        .isEqualTo("serializable");
            }
            threads.none("weir-ships", Duration.ofSeconds(5));
        }
    }

    @Test
    void infoSaysWhatIsInForceWithoutSecrets() {
        try (SessionFactory factory = configuration("jdbc:h2:mem:info;DB_CLOSE_DELAY=-1;PASSWORD=hunter2")
                .setProperty("hibernate.connection.provider_class", "weir")
                .setProperty("hibernate.connection.username", "sa")
                .setProperty("hibernate.connection.driver_class", "org.h2.Driver")
                .setProperty("hibernate.connection.autocommit", "false")
                .setProperty("hibernate.connection.isolation", "READ_COMMITTED")
                .setProperty("hibernate.weir.minimumPoolSize", "1")
                .setProperty("hibernate.weir.maximumPoolSize", "4")
                .buildSessionFactory()) {
            ConnectionProvider provider = provider(factory);
            Dialect dialect =
                    ((SessionFactoryImplementor) factory).getJdbcServices().getDialect();
            DatabaseConnectionInfo info = provider.getDatabaseConnectionInfo(dialect);
            assertThat(info.getJdbcUrl()).startsWith("jdbc:h2:mem:info;").doesNotContain("hunter2");
            assertThat(info.getJdbcDriver()).isEqualTo("org.h2.Driver");
            assertThat(info.getDialectVersion()).isEqualTo(dialect.getVersion());
            assertThat(info.getAutoCommitMode()).isEqualTo("false");
            assertThat(info.getIsolationLevel()).isEqualTo("READ_COMMITTED");
            assertThat(info.getPoolMinSize()).isEqualTo(1);
            assertThat(info.getPoolMaxSize()).isEqualTo(4);
            assertThat(info.toInfoString())
                    .contains("Pool: Weir", "Maximum pool size: 4", "jdbc:h2:mem:info", "H2Dialect")
                    .doesNotContain("hunter2");
        }
    }

    @Test
    void persistenceUnitChoosesThePoolByItsShortName() {
        try (EntityManagerFactory factory = Persistence.createEntityManagerFactory("shop")) {
            WeirDataSource pool = provider(factory.unwrap(SessionFactory.class)).unwrap(WeirDataSource.class);
            assertThat(pool.getPoolName()).isEqualTo("unit");
            assertThat(pool.getMaximumPoolSize()).isEqualTo(3);
            assertThat(pool.getUsername()).isEqualTo("sa");
            try (var entities = factory.createEntityManager()) {
                entities.getTransaction().begin();
                entities.persist(new Ship("Wasa"));
                entities.getTransaction().commit();
                assertThat(entities.createQuery("select count(s) from Ship s", Long.class)
                                .getSingleResult())
                        .isEqualTo(1);
            }
        }
    }

    @Test
    void onlyProviderThereIsTakenUnasked() {
        try (SessionFactory factory =
                configuration("jdbc:h2:mem:unasked;DB_CLOSE_DELAY=-1").buildSessionFactory()) {
            assertThat(provider(factory)).isInstanceOf(WeirConnectionProvider.class);
        }
    }

    @Test
    void unwrapsToThePoolAndToNothingElse() {
        try (SessionFactory factory =
                configuration("jdbc:h2:mem:unwrap;DB_CLOSE_DELAY=-1").buildSessionFactory()) {
            ConnectionProvider provider = provider(factory);
            assertThat(provider.isUnwrappableAs(DataSource.class)).isTrue();
            assertThat(provider.isUnwrappableAs(WeirConnectionProvider.class)).isTrue();
            assertThat(provider.isUnwrappableAs(String.class)).isFalse();
            assertThat(provider.unwrap(ConnectionProvider.class)).isSameAs(provider);
            assertThat(provider.unwrap(DataSource.class)).isSameAs(provider.unwrap(WeirDataSource.class));
            assertThatExceptionOfType(UnknownUnwrapTypeException.class).isThrownBy(() -> provider.unwrap(String.class));
            assertThat(provider.supportsAggressiveRelease()).isFalse();
            assertThatExceptionOfType(SQLFeatureNotSupportedException.class)
                    .isThrownBy(() -> ((WeirConnectionProvider) provider).getConnection("other", "x"));
        }
    }

    @Test
    void closedFactoryClosesThePool() {
        WeirDataSource pool;
        try (SessionFactory factory =
                configuration("jdbc:h2:mem:closed;DB_CLOSE_DELAY=-1").buildSessionFactory()) {
            pool = provider(factory).unwrap(WeirDataSource.class);
        }
        assertThat(pool.isClosed()).isTrue();
    }

    @Test
    void wrongSettingStopsTheStartByName() {
        Configuration wrong = configuration("jdbc:h2:mem:wrong").setProperty("hibernate.weir.maxLifetime", "soon");
        assertThatThrownBy(wrong::buildSessionFactory)
                .hasStackTraceContaining("hibernate.weir.maxLifetime: soon (expected: ");

        Configuration unknownDriver =
                configuration("jdbc:h2:mem:wrong").setProperty("jakarta.persistence.jdbc.driver", "com.example.None");
        assertThatThrownBy(unknownDriver::buildSessionFactory)
                .hasStackTraceContaining("jakarta.persistence.jdbc.driver: com.example.None (expected: a class on the");
    }

    @Test
    void databaseThatIsNotThereStopsTheStartInTime() {
        ThreadsLeft threads = ThreadsLeft.sinceNow();
        Configuration away = configuration("jdbc:h2:tcp://127.0.0.1:1/away")
                .setProperty("hibernate.weir.poolName", "away")
                .setProperty("hibernate.weir.initializationFailTimeout", "200");
        assertThatThrownBy(away::buildSessionFactory)
                .hasStackTraceContaining("could not open the first connection within")
                .hasStackTraceContaining("JDBCConnectionException");
        threads.none("weir-away", Duration.ofSeconds(5));
    }

    private static Configuration configuration(String url) {
        Configuration configuration = new Configuration().addAnnotatedClass(Ship.class);
        Map.of(
                        "jakarta.persistence.jdbc.url", url,
                        "jakarta.persistence.schema-generation.database.action", "drop-and-create",
                        "hibernate.weir.minimumPoolSize", "0")
                .forEach(configuration::setProperty);
        return configuration;
    }

    private static ConnectionProvider provider(SessionFactory factory) {
        return ((SessionFactoryImplementor) factory).getServiceRegistry().requireService(ConnectionProvider.class);
    }
}
