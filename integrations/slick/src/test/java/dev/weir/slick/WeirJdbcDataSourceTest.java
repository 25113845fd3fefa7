package dev.weir.slick;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import dev.weir.WeirDataSource;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.SQLTransientConnectionException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import scala.concurrent.Future;
import scala.jdk.javaapi.FutureConverters;
import slick.SlickException;
import slick.dbio.DBIOAction;
import slick.jdbc.JdbcBackend;
import slick.jdbc.JdbcBackend$;
import slick.jdbc.SimpleJdbcAction;

/** Slick itself reads the configuration, makes the pool and runs an action on it. */
class WeirJdbcDataSourceTest {
    private static final Config SHOP = ConfigFactory.load("shop.conf");

    private static JdbcBackend.JdbcDatabaseDef database(Config config) {
        return JdbcBackend$.MODULE$
                .Database()
                .forConfig("shop", config, null, WeirJdbcDataSourceTest.class.getClassLoader());
    }

    private static Config with(String name, Object value) {
        return ConfigFactory.parseMap(Map.of("shop." + name, value)).withFallback(SHOP);
    }

    private static WeirDataSource pool(JdbcBackend.JdbcDatabaseDef database) {
        return ((WeirJdbcDataSource) database.source()).pool();
    }

    @SuppressWarnings({"unchecked", "rawtypes"}) // what Scala calls Nothing
    private static int answer(JdbcBackend.JdbcDatabaseDef database) throws Exception {
        SimpleJdbcAction<Integer> action = new SimpleJdbcAction<>(context -> {
            try (Statement statement = context.connection().createStatement();
                    ResultSet row = statement.executeQuery("select 42")) {
                row.next();
                return row.getInt(1);
            } catch (SQLException e) {
                throw new IllegalStateException(e);
            }
        });
        Future<Integer> answer = database.run((DBIOAction) action);
        return FutureConverters.asJava(answer).toCompletableFuture().get(20, TimeUnit.SECONDS);
    }

    @Test
    void actionsRunOnThePoolThatEndsWithTheDatabase() throws Exception {
        JdbcBackend.JdbcDatabaseDef database = database(SHOP);
        WeirDataSource pool = pool(database);
        try {
            assertThat(pool.isRunning()).isFalse(); // as Slick's own: it starts with the first action
            assertThat(answer(database)).isEqualTo(42);
            assertThat(pool.getPoolName()).isEqualTo("shop");
            assertThat(pool.getUsername()).isEqualTo("sa");
            assertThat(pool.getMaximumPoolSize()).isEqualTo(8); // as many as there are threads
            assertThat(database.source().maxConnections().get()).isEqualTo(8);
            assertThat(pool.getConnectionTimeout()).isEqualTo(Duration.ofSeconds(3));
            assertThat(pool.config().dataSourceProperties()).isEqualTo(Map.of("TRACE_LEVEL_FILE", "0"));
            assertThat(pool.config().closeTimeout()).isZero(); // Slick's threads have ended by then
            assertThat(pool.stats().acquired()).isEqualTo(1);
        } finally {
            database.close();
        }
        assertThat(pool.isClosed()).isTrue();
    }

    @Test
    void slicksNamesAndTimesMeanWhatTheyMeanThere() {
        try (JdbcBackend.JdbcDatabaseDef database = database(ConfigFactory.parseMap(Map.of(
                        "shop.maxConnections",
                        9,
                        "shop.minConnections",
                        3,
                        "shop.keepAliveTime",
                        "3 minutes",
                        "shop.idleTimeout",
                        60000,
                        "shop.maxLifetime",
                        "1.5 hours",
                        "shop.isolation",
                        "SERIALIZABLE",
                        "shop.driver",
                        "org.h2.Driver",
                        "shop.queueSize",
                        100))
                .withFallback(SHOP))) {
            WeirDataSource pool = pool(database);
            assertThat(pool.getMaximumPoolSize()).isEqualTo(9);
            assertThat(pool.getMinimumPoolSize()).isEqualTo(3);
            assertThat(pool.config().minimumIdle()).isEqualTo(3);
            assertThat(pool.getMaxLifetime()).isEqualTo(Duration.ofMinutes(90));
            assertThat(pool.getKeepaliveTime()).isEqualTo(Duration.ofMinutes(3));
            assertThat(pool.getIdleTimeout()).isEqualTo(Duration.ofMinutes(1));
            assertThat(pool.config().transactionIsolation()).isEqualTo(8);
            assertThat(pool.getDriverClassName()).isEqualTo("org.h2.Driver");
        }
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "maximumPoolSize | 0 | shop.maximumPoolSize: 0 (expected: 1..10000)",
                "maximumPoolSize | 7 | shop.maximumPoolSize: 7 (expected: at least numThreads 8, or lower that",
                "queueSize | 0 | shop.queueSize: 0 (expected: 1 or more",
                "queueSize | -1 | shop.queueSize: -1 (expected: 1 or more",
                "initializationFailFast | true | shop.initializationFailFast: not a setting (set initializationFailTimeout)",
                "connectionTimeout | soon | shop.connectionTimeout: soon (expected: 1ms..365d",
                "maximumPoolSise | 5 | shop.maximumPoolSise: not a setting (did you mean maximumPoolSize?)",
            })
    void aWrongPropertyIsNamed(String name, String value, String message) {
        assertThatThrownBy(() -> database(with(name, value)))
                .isInstanceOf(SlickException.class)
                .hasMessageContaining("\n  " + message);
    }

    /** As HikariCP's minimumIdle, which it is there. */
    @Test
    void moreConnectionsKeptThanThereMayBeGiveWay() {
        try (JdbcBackend.JdbcDatabaseDef database = database(with("minConnections", 9))) {
            assertThat(pool(database).getMinimumPoolSize()).isEqualTo(8);
        }
    }

    @Test
    void propertiesOfTheDriverHaveThePoolsNameToo() {
        try (JdbcBackend.JdbcDatabaseDef database = database(with("dataSource.CACHE_SIZE", 4096))) {
            assertThat(pool(database).config().dataSourceProperties())
                    .isEqualTo(Map.of("TRACE_LEVEL_FILE", "0", "CACHE_SIZE", "4096"));
        }
    }

    @Test
    void whatIsNoSettingIsLeftToOthers() {
        database(with("region", "eu")).close();
    }

    @Test
    void aStartThatShallWaitForTheDatabaseFailsWithoutIt() {
        Config absent = ConfigFactory.parseMap(Map.of(
                        "shop.url", "jdbc:h2:mem:absent;IFEXISTS=TRUE", "shop.initializationFailTimeout", "200 ms"))
                .withFallback(SHOP);
        assertThatThrownBy(() -> database(absent))
                .isInstanceOf(SlickException.class)
                .hasMessageContaining("'shop'")
                .hasCauseInstanceOf(SQLException.class);
    }

    @Test
    void aFailureIsTheDriversOwnSqlException() {
        Config absent = ConfigFactory.parseMap(
                        Map.of("shop.url", "jdbc:h2:mem:absent;IFEXISTS=TRUE", "shop.connectionTimeout", "200ms"))
                .withFallback(SHOP);
        try (JdbcBackend.JdbcDatabaseDef database = database(absent)) {
            assertThatThrownBy(() -> database.source().createConnection())
                    .isInstanceOf(SQLTransientConnectionException.class);
        }
    }

    @Test
    void theGuideShowsThisConfiguration() throws IOException {
        Path root = Path.of(System.getProperty("basedir", ""))
                .toAbsolutePath()
                .getParent()
                .getParent();
        String tested = Files.readString(root.resolve("integrations/slick/src/test/resources/shop.conf"));
        assertThat(root.resolve("docs/start/slick.md")).content().contains("```hocon\n" + tested + "```\n");
    }
}
