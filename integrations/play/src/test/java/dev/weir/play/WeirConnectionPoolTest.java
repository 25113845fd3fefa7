package dev.weir.play;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import dev.weir.WeirDataSource;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.Statement;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import play.Application;
import play.api.db.DBApi;
import play.api.libs.JNDI;
import play.inject.guice.GuiceApplicationBuilder;
import scala.jdk.javaapi.FutureConverters;

/** A Play application, as its builder makes it, reads the configuration and makes the pool. */
class WeirConnectionPoolTest {
    private static final Config SHOP = ConfigFactory.parseResources("shop.conf");

    private static Application start(Map<String, ?> more) {
        return new GuiceApplicationBuilder()
                .configure(ConfigFactory.parseMap(more).withFallback(SHOP))
                .build();
    }

    private static void stop(Application application) throws Exception {
        FutureConverters.asJava(application.asScala().stop())
                .toCompletableFuture()
                .get(20, TimeUnit.SECONDS);
    }

    private static DataSource dataSource(Application application) {
        return application
                .injector()
                .instanceOf(DBApi.class)
                .database("default")
                .dataSource();
    }

    private static int answer(DataSource dataSource) throws Exception {
        try (Connection connection = dataSource.getConnection();
                Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery("select 42")) {
            row.next();
            return row.getInt(1);
        }
    }

    @Test
    void aDatabaseIsAPoolThatEndsWithTheApplication() throws Exception {
        Application application = start(Map.of());
        WeirDataSource pool = (WeirDataSource) dataSource(application);
        try {
            assertThat(answer(pool)).isEqualTo(42);
            assertThat(pool.getPoolName()).isEqualTo("default");
            assertThat(pool.getMaximumPoolSize()).isEqualTo(7);
            assertThat(pool.getConnectionTimeout()).isEqualTo(Duration.ofSeconds(3));
            assertThat(pool.config().dataSourceProperties()).isEqualTo(Map.of("TRACE_LEVEL_FILE", "0"));
        } finally {
            stop(application);
        }
        assertThat(pool.isClosed()).isTrue();
    }

    @Test
    void theLogOfStatementsIsPutBeforeIt() throws Exception {
        Application application = start(Map.of("db.default.logSql", true));
        DataSource dataSource = dataSource(application);
        assertThat(dataSource).isNotInstanceOf(WeirDataSource.class);
        assertThat(answer(dataSource)).isEqualTo(42);
        stop(application);
        assertThatThrownBy(dataSource::getConnection).hasStackTraceContaining("closed");
    }

    @Test
    @SuppressWarnings("BanJNDI") // the name is a constant
    void itIsInJndiWhereItHasANameThere() throws Exception {
        Application application = start(Map.of("db.default.jndiName", "ShopDS"));
        DataSource dataSource = dataSource(application);
        assertThat(JNDI.initialContext().lookup("ShopDS")).isSameAs(dataSource);
        stop(application);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "maximumPoolSize | 0 | maximumPoolSize: 0 (expected: 1..10000)",
                "maximumPoolSise | 5 | maximumPoolSise: not a setting (did you mean maximumPoolSize?)",
                "driverClassName | none.Such | none.Such",
            })
    void aWrongSettingStopsTheApplicationAndIsNamed(String name, String value, String message) {
        Map<String, ?> wrong =
                Map.of("db.default.weir." + name, value, "db.default.weir.initializationFailTimeout", 200);
        assertThatThrownBy(() -> dataSource(start(wrong)))
                .hasStackTraceContaining("database default: ")
                .hasStackTraceContaining(message);
    }

    /** Play's own prototype has a section of HikariCP's for each database, which says nothing. */
    @Test
    void whatIsLeftOfHikarisConfigurationStopsTheApplicationAndIsNamed() {
        Map<String, ?> left =
                Map.of("db.default.hikaricp.maximumPoolSize", 44, "db.default.hikaricp.autoCommit", false);
        assertThatThrownBy(() -> dataSource(start(left)))
                .hasStackTraceContaining("hikaricp.autoCommit, hikaricp.maximumPoolSize: set for HikariCP");
    }

    @Test
    void theGuideShowsThisConfiguration() throws IOException {
        Path root = Path.of(System.getProperty("basedir", ""))
                .toAbsolutePath()
                .getParent()
                .getParent();
        String tested = Files.readString(root.resolve("integrations/play/src/test/resources/shop.conf"));
        assertThat(root.resolve("docs/start/play.md")).content().contains("```hocon\n" + tested + "```\n");
    }
}
