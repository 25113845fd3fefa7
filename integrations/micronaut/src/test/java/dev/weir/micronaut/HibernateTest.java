package dev.weir.micronaut;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.WeirDataSource;
import io.micronaut.context.ApplicationContext;
import jakarta.persistence.Entity;
import jakarta.persistence.EntityManager;
import jakarta.persistence.EntityManagerFactory;
import jakarta.persistence.Id;
import java.util.Map;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;

/** Micronaut's Hibernate on a pool, which Micronaut Data has wrapped. */
@EnabledIfSystemProperty(named = "weir.test.classpath", matches = "data")
class HibernateTest {

    /** What is stored. */
    @Entity(name = "Buoy")
    static class Buoy {
        @Id
        long id;

        protected Buoy() {}

        Buoy(long id) {
            this.id = id;
        }
    }

    private static ApplicationContext start(boolean autoCommit) {
        return ApplicationContext.run(Map.of(
                "datasources.default.url",
                "jdbc:h2:mem:buoys",
                "datasources.default.auto-commit",
                autoCommit,
                "jpa.default.entity-scan.packages",
                "dev.weir.micronaut",
                "jpa.default.properties.hibernate.connection.provider_disables_autocommit",
                true,
                "jpa.default.properties.hibernate.hbm2ddl.auto",
                "create-drop"));
    }

    /** Else a transaction that is rolled back would be committed. */
    @Test
    void autoCommitThatHibernateTakesForOffIsOff() throws Exception {
        assertThatThrownBy(() -> start(true))
                .hasStackTraceContaining("hibernate.connection.provider_disables_autocommit: true (expected: not set,");
        try (ApplicationContext context = start(false)) {
            EntityManagerFactory factory = context.getBean(EntityManagerFactory.class);
            try (EntityManager entities = factory.createEntityManager()) {
                entities.getTransaction().begin();
                entities.persist(new Buoy(1));
                entities.flush();
                entities.getTransaction().rollback();
                assertThat(entities.find(Buoy.class, 1L)).isNull();
            }
            WeirDataSource pool = context.getBean(DataSource.class).unwrap(WeirDataSource.class);
            assertThat(pool.stats().inUse()).isZero();
        }
    }
}
