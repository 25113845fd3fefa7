package dev.weir.examples;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.WeirDataSource;
import org.flywaydb.core.Flyway;
import org.junit.jupiter.api.Test;

class FlywayTest {

    @Test
    void migrationsRunOnThePool() throws Exception {
        try (WeirDataSource dataSource = Pools.h2("flyway")) {
            // snippet:flyway
            Flyway.configure().dataSource(dataSource).load().migrate(); // db/migration/V1__ships.sql, ...
            // snippet:end
            assertThat(Pools.number(dataSource, "select count(*) from ship")).isZero();
            assertThat(dataSource.stats().inUse()).isZero();
        }
    }
}
