package dev.weir.micronaut;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.WeirDataSource;
import io.micronaut.context.ApplicationContext;
import java.util.Map;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;

/** Repositories and transactions of Micronaut Data. */
@EnabledIfSystemProperty(named = "weir.test.classpath", matches = "data")
class DataTest {

    @Test
    void aTransactionHasOneConnectionOfThePoolAndGivesItBackCommittedOrRolledBack() throws Exception {
        try (ApplicationContext context = ApplicationContext.run(Map.of(
                "datasources.default.url", "jdbc:h2:mem:data;DB_CLOSE_DELAY=-1",
                "datasources.default.dialect", "H2",
                "datasources.default.schema-generate", "CREATE_DROP"))) {
            DataSource dataSource = context.getBean(DataSource.class);
            WeirDataSource pool = dataSource.unwrap(WeirDataSource.class);
            assertThat(dataSource).as("Micronaut Data's own is before it").isNotSameAs(pool);
            ShipTransactions ships = new ShipTransactions(context);

            long before = pool.stats().acquired();
            ships.save("Vasa", "Mary Rose");
            assertThat(pool.stats().acquired()).isEqualTo(before + 1);
            assertThatThrownBy(() -> ships.saveAndThrow("Titanic", new IllegalStateException("sunk")))
                    .hasMessage("sunk");
            assertThat(ships.names()).containsExactly("Vasa", "Mary Rose");
            assertThat(pool.stats().inUse()).isZero();
        }
    }
}
