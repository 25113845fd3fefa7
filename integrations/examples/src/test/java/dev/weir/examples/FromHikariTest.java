package dev.weir.examples;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.WeirDataSource;
import dev.weir.migration.HikariProperties;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class FromHikariTest {

    @Test
    void theSettersHaveTheNamesOfHikariDataSource() throws Exception {
        // snippet:hikari-bean
        WeirDataSource dataSource = new WeirDataSource();
        dataSource.setJdbcUrl("jdbc:h2:mem:shop");
        dataSource.setUsername("sa");
        dataSource.setPassword("");
        dataSource.setMaximumPoolSize(10);
        dataSource.setConnectionTimeout("30s");
        // snippet:end
        try (dataSource) {
            assertThat(Pools.number(dataSource, "select 6 * 7")).isEqualTo(42);
            assertThat(dataSource.config().connectionTimeout()).hasSeconds(30);
        }
    }

    @Test
    void aFileOfHikariCpKeepsItsMeaning(@TempDir Path folder) throws Exception {
        Path file = folder.resolve("hikari.properties");
        Files.writeString(file, "jdbcUrl=jdbc:h2:mem:shop\nusername=sa\npassword=\n");
        // snippet:hikari-file
        WeirDataSource dataSource =
                new WeirDataSource(HikariProperties.load(file).toConfig());
        dataSource.start(); // or throws, as HikariCP's constructor
        // snippet:end
        try (dataSource) {
            assertThat(Pools.number(dataSource, "select 6 * 7")).isEqualTo(42);
            assertThat(dataSource.config().maximumPoolSize()).as("as there").isEqualTo(10);
        }
    }
}
