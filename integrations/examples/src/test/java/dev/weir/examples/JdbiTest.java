package dev.weir.examples;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.PoolConfig;
import dev.weir.WeirDataSource;
import java.time.Duration;
import java.util.List;
import org.jdbi.v3.core.Jdbi;
import org.junit.jupiter.api.Test;

class JdbiTest {

    @Test
    void transactionsAreOfThePool() {
        // snippet:pool
        PoolConfig config = PoolConfig.builder()
                .url("jdbc:h2:mem:shop")
                .username("sa")
                .password("")
                .maximumPoolSize(20)
                .connectionTimeout(Duration.ofSeconds(3))
                .build();
        WeirDataSource dataSource = new WeirDataSource(config); // opens nothing yet; close it at the end
        // snippet:end
        try (dataSource) {
            // snippet:jdbi
            Jdbi jdbi = Jdbi.create(dataSource);
            jdbi.useTransaction(handle -> {
                handle.execute("create table ship (name varchar(40))");
                handle.execute("insert into ship values (?)", "Vasa");
            });
            List<String> ships = jdbi.withHandle(handle -> handle.createQuery("select name from ship")
                    .mapTo(String.class)
                    .list());
            // snippet:end
            assertThat(ships).containsExactly("Vasa");
            assertThatThrownBy(() -> jdbi.useTransaction(handle -> {
                        handle.execute("insert into ship values (?)", "Titanic");
                        throw new IllegalStateException("sunk");
                    }))
                    .hasMessage("sunk");
            assertThat(jdbi.<Integer, RuntimeException>withHandle(
                            handle -> handle.createQuery("select count(*) from ship")
                                    .mapTo(Integer.class)
                                    .one()))
                    .isEqualTo(1);
            assertThat(dataSource.stats().inUse()).isZero();
        }
    }
}
