package dev.weir.examples;

import static org.assertj.core.api.Assertions.assertThat;

import com.p6spy.engine.spy.P6DataSource;
import dev.weir.PoolConfig;
import dev.weir.WeirDataSource;
import dev.weir.testkit.servers.PostgresServer;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import javax.sql.DataSource;
import net.ttddyy.dsproxy.support.ProxyDataSourceBuilder;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.postgresql.ds.PGSimpleDataSource;
import org.springframework.jdbc.datasource.DelegatingDataSource;
import org.springframework.jdbc.datasource.LazyConnectionDataSourceProxy;
import org.springframework.jdbc.datasource.UserCredentialsDataSourceAdapter;

/** P2 through what stands between a pool and a driver: the next user finds no transaction that SQL text began. */
class WrappersTest {
    private static PostgresServer server;

    @BeforeAll
    static void startServer(@TempDir Path logs) {
        System.setProperty(
                "p6spy.config.logfile", logs.resolve("spy.log").toString()); // read when its first class is loaded
        server = PostgresServer.builder().start();
        server.execute("CREATE TABLE trace (loan int)");
    }

    @AfterAll
    static void stopServer() {
        server.close();
    }

    enum Wrapper {
        P6SPY_URL("com.p6spy.engine.wrapper.ConnectionWrapper"),
        P6SPY_DATA_SOURCE("com.p6spy.engine.wrapper.ConnectionWrapper"),
        DATASOURCE_PROXY("net.ttddyy.dsproxy"),
        AWS("software.amazon.jdbc.wrapper.ConnectionWrapper"),
        SPRING_DELEGATING(null),
        SPRING_CREDENTIALS(null),
        SPRING_LAZY("org.springframework.jdbc.datasource.LazyConnectionDataSourceProxy"),
        NONE(null);

        /** The class that the pool names; null where the driver's own connection comes through. */
        private final String through;

        Wrapper(String through) {
            this.through = through;
        }

        PoolConfig.Builder pool() {
            PoolConfig.Builder builder = PoolConfig.builder()
                    .poolName(name())
                    .maximumPoolSize(1)
                    .registerMbeans(false)
                    .connectionTimeout(Duration.ofMinutes(1));
            String url = server.jdbcUrl();
            return switch (this) {
                case P6SPY_URL -> builder.url(url.replace("jdbc:", "jdbc:p6spy:"));
                case P6SPY_DATA_SOURCE -> builder.dataSource(new P6DataSource(plain()));
                case DATASOURCE_PROXY ->
                    builder.dataSource(ProxyDataSourceBuilder.create(plain()).build());
                case AWS ->
                    builder.url(url.replace("jdbc:", "jdbc:aws-wrapper:")).dataSourceProperty("wrapperPlugins", "");
                case SPRING_DELEGATING -> builder.dataSource(new DelegatingDataSource(plain()));
                case SPRING_CREDENTIALS -> {
                    UserCredentialsDataSourceAdapter adapter = new UserCredentialsDataSourceAdapter();
                    adapter.setTargetDataSource(plain());
                    adapter.setUsername("postgres");
                    adapter.setPassword("");
                    yield builder.dataSource(adapter);
                }
                case SPRING_LAZY -> builder.dataSource(new LazyConnectionDataSourceProxy(plain()));
                case NONE -> builder.url(url);
            };
        }

        private static DataSource plain() {
            PGSimpleDataSource plain = new PGSimpleDataSource();
            plain.setURL(server.jdbcUrl());
            return plain;
        }
    }

    @ParameterizedTest
    @EnumSource
    void aTransactionBegunAsTextDoesNotReachTheNextUser(Wrapper wrapper) throws SQLException {
        server.execute("TRUNCATE trace");
        try (WeirDataSource pool = new WeirDataSource(wrapper.pool().build())) {
            long session = Pools.number(pool, "SELECT pg_backend_pid()");
            try (Connection connection = pool.getConnection();
                    Statement statement = connection.createStatement()) {
                statement.execute("BEGIN");
                statement.execute("INSERT INTO trace VALUES (1)");
                statement.execute("SET search_path TO nowhere");
            }
            assertThat(Pools.number(pool, "SELECT count(*) FROM trace")).isZero();
            assertThat(server.number("SELECT count(*) FROM trace")).isZero();
            try (Connection connection = pool.getConnection();
                    Statement statement = connection.createStatement()) {
                statement.execute("INSERT INTO trace VALUES (2)");
                connection.setAutoCommit(false);
                statement.execute("INSERT INTO trace VALUES (3)");
            }
            assertThat(server.number("SELECT sum(loan) FROM trace")).isEqualTo(2);
            assertThat(Pools.number(pool, "SELECT pg_backend_pid()")).isEqualTo(session);
            assertThat(pool.dump()).contains("PostgreSQL", "BEGIN as text is seen");
            if (wrapper.through == null) {
                assertThat(pool.dump()).doesNotContain(" through ");
            } else {
                assertThat(pool.dump()).contains(" through " + wrapper.through);
            }
        }
    }
}
