package dev.weir.hibernate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.WeirDataSource;
import dev.weir.testkit.servers.PostgresServer;
import java.util.List;
import org.hibernate.ScrollableResults;
import org.hibernate.Session;
import org.hibernate.SessionFactory;
import org.hibernate.cfg.Configuration;
import org.hibernate.engine.jdbc.connections.spi.ConnectionProvider;
import org.hibernate.engine.spi.SessionFactoryImplementor;
import org.hibernate.resource.jdbc.spi.PhysicalConnectionHandlingMode;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** Hibernate in each mode of the pool, on PostgreSQL. */
class PoolModesTest {
    private static PostgresServer server;

    @BeforeAll
    static void startServer() {
        server = PostgresServer.launch();
    }

    @AfterAll
    static void closeServer() {
        server.close();
    }

    private static Configuration configuration(String mode, boolean autoCommit) {
        return new Configuration()
                .addAnnotatedClass(Ship.class)
                .setProperty("hibernate.connection.provider_class", "weir")
                .setProperty("jakarta.persistence.jdbc.url", server.jdbcUrl())
                .setProperty("jakarta.persistence.schema-generation.database.action", "drop-and-create")
                .setProperty("hibernate.connection.autocommit", Boolean.toString(autoCommit))
                .setProperty("hibernate.connection.provider_disables_autocommit", Boolean.toString(!autoCommit))
                .setProperty("hibernate.weir.poolMode", mode)
                .setProperty("hibernate.weir.maximumPoolSize", "2")
                .setProperty("hibernate.weir.minimumPoolSize", "0");
    }

    private static WeirDataSource pool(SessionFactory factory) {
        return ((SessionFactoryImplementor) factory)
                .getServiceRegistry()
                .requireService(ConnectionProvider.class)
                .unwrap(WeirDataSource.class);
    }

    /**
     * Of a session that is kept open and holds its connection, as Spring has it; by itself Hibernate gives it back after each
     * transaction, in every mode of the pool. With auto-commit off a question outside of transactions begins one, which only the end of
     * the session ends.
     */
    @ParameterizedTest
    @CsvSource({
        "session, true, 1, 1",
        "lazy, true, 1, 1",
        "transaction, true, 0, 0",
        "transaction, false, 0, 1",
    })
    void aSessionHoldsWhatTheModeSays(String mode, boolean autoCommit, int afterTransaction, int afterQuestion) {
        try (SessionFactory factory = configuration(mode, autoCommit)
                .setProperty("hibernate.connection.handling_mode", "DELAYED_ACQUISITION_AND_HOLD")
                .buildSessionFactory()) {
            WeirDataSource pool = pool(factory);
            try (Session session = factory.openSession()) {
                session.beginTransaction();
                session.persist(new Ship("Vasa"));
                session.flush();
                assertThat(pool.held()).hasSize(1);
                session.getTransaction().commit();
                assertThat(pool.held()).hasSize(afterTransaction);

                session.beginTransaction();
                try (ScrollableResults<Ship> ships =
                        session.createQuery("from Ship", Ship.class).scroll()) {
                    assertThat(ships.next()).isTrue();
                    assertThat(pool.held()).hasSize(1);
                }
                session.getTransaction().rollback();
                assertThat(pool.held()).hasSize(afterTransaction);

                assertThat(session.createQuery("select s.name from Ship s", String.class)
                                .getResultList())
                        .containsExactly("Vasa");
                assertThat(pool.held()).hasSize(afterQuestion);
            }
            assertThat(pool.held()).isEmpty();
        }
    }

    @ParameterizedTest
    @EnumSource(
            mode = EnumSource.Mode.EXCLUDE,
            value = PhysicalConnectionHandlingMode.class,
            names = "DELAYED_ACQUISITION_AND_RELEASE_BEFORE_TRANSACTION_COMPLETION")
    void noHandlingModeCommitsWhatIsRolledBackOrKeepsAConnection(PhysicalConnectionHandlingMode handling) {
        for (String mode : List.of("lazy", "transaction")) {
            for (boolean autoCommit : new boolean[] {true, false}) {
                try (SessionFactory factory = configuration(mode, autoCommit)
                        .setProperty("hibernate.connection.handling_mode", handling.name())
                        .buildSessionFactory()) {
                    assertThatThrownBy(() -> factory.inTransaction(session -> {
                                session.persist(new Ship("Titanic"));
                                session.flush();
                                throw new IllegalStateException("sunk");
                            }))
                            .hasMessage("sunk");
                    factory.inTransaction(session -> session.persist(new Ship("Vasa")));
                    assertThat(server.number("select count(*) from ship")).isOne();
                    assertThat(pool(factory).held()).isEmpty();
                }
            }
        }
    }
}
