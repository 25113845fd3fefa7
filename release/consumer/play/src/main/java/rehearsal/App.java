package rehearsal;

import dev.weir.WeirDataSource;
import java.sql.Connection;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import play.Application;
import play.api.db.DBApi;
import play.inject.guice.GuiceApplicationBuilder;
import scala.jdk.javaapi.FutureConverters;

public final class App {
    public static void main(String[] args) throws Exception {
        Application application = new GuiceApplicationBuilder()
                .configure(Map.of(
                        "play.db.pool", "dev.weir.play.WeirConnectionPool",
                        "db.default.url", "jdbc:h2:mem:shop",
                        "db.default.weir.maximumPoolSize", 3))
                .build();
        WeirDataSource pool = (WeirDataSource)
                application.injector().instanceOf(DBApi.class).database("default").dataSource();
        try (Connection connection = pool.getConnection()) {
            check(connection.isValid(1), "the connection");
        }
        FutureConverters.asJava(application.asScala().stop())
                .toCompletableFuture()
                .get(20, TimeUnit.SECONDS);
        check(pool.isClosed(), "the end of the pool");
    }

    private static void check(boolean holds, String what) {
        if (!holds) {
            throw new AssertionError(what);
        }
    }
}
