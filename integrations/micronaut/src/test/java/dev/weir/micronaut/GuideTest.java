package dev.weir.micronaut;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.WeirDataSource;
import dev.weir.testkit.servers.PostgresServer;
import io.micronaut.context.ApplicationContext;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Map;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;

/** What docs/start/micronaut.md shows, read by Micronaut, on a real PostgreSQL. */
class GuideTest {
    private static final Path ROOT = Path.of(System.getProperty("basedir", ""))
            .toAbsolutePath()
            .getParent()
            .getParent();

    @Test
    void theFileOfTheGuideIsAnApplicationsConfiguration() throws SQLException {
        try (PostgresServer server =
                        PostgresServer.builder().role("shop", "secret").start();
                ApplicationContext context = ApplicationContext.run(
                        Map.of(
                                "datasources.default.url",
                                "jdbc:postgresql://127.0.0.1:" + server.port() + "/postgres",
                                "SHOP_PASSWORD",
                                "secret"),
                        "guide")) {
            WeirDataSource pool = context.getBean(DataSource.class).unwrap(WeirDataSource.class);
            assertThat(pool.getMaximumPoolSize()).isEqualTo(20);
            assertThat(pool.getConnectionTimeout()).isEqualTo(Duration.ofSeconds(3));
            try (Connection connection = pool.getConnection();
                    Statement statement = connection.createStatement();
                    ResultSet row =
                            statement.executeQuery("select current_user, current_setting('application_name')")) {
                assertThat(row.next()).isTrue();
                assertThat(row.getString(1)).isEqualTo("shop");
                assertThat(row.getString(2)).isEqualTo("shop");
            }
        }
    }

    @Test
    void theGuideShowsThatFile() throws IOException {
        String tested =
                Files.readString(ROOT.resolve("integrations/micronaut/src/test/resources/application-guide.yml"));
        assertThat(ROOT.resolve("docs/start/micronaut.md")).content().contains("```yaml\n" + tested + "```\n");
    }
}
