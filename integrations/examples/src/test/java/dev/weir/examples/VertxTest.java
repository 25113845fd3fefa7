package dev.weir.examples;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.WeirDataSource;
import dev.weir.testkit.Await;
import io.vertx.core.Vertx;
import io.vertx.jdbcclient.JDBCPool;
import io.vertx.sqlclient.Pool;
import io.vertx.sqlclient.PoolOptions;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.RowSet;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class VertxTest {

    @Test
    void theClientTakesConnectionsFromThePoolAndGivesThemBackWhenTheyAreIdle() throws Exception {
        Vertx vertx = Vertx.vertx();
        try (WeirDataSource dataSource = Pools.h2("vertx")) {
            // snippet:vertx
            Pool client = JDBCPool.pool(
                    vertx,
                    dataSource,
                    new PoolOptions()
                            .setMaxSize(dataSource.getMaximumPoolSize())
                            .setIdleTimeout(500)
                            .setIdleTimeoutUnit(TimeUnit.MILLISECONDS)
                            .setPoolCleanerPeriod(500)); // milliseconds
            // snippet:end
            RowSet<Row> rows = client.query("select 42").execute().await(20, TimeUnit.SECONDS);
            assertThat(rows.iterator().next().getInteger(0)).isEqualTo(42);
            assertThat(dataSource.stats().acquired()).isEqualTo(1);
            Await.await("idle", Duration.ofSeconds(20), () -> dataSource.stats().inUse() == 0);
            client.close().await(20, TimeUnit.SECONDS);
        } finally {
            vertx.close().await(20, TimeUnit.SECONDS);
        }
    }
}
