package rehearsal;

import dev.weir.WeirDataSource;
import io.micronaut.context.ApplicationContext;
import java.util.Map;
import javax.sql.DataSource;

public final class App {
    public static void main(String[] args) throws Exception {
        WeirDataSource pool;
        try (ApplicationContext context = ApplicationContext.run(Map.of(
                "datasources.default.url", "jdbc:h2:mem:shop", "datasources.default.maximum-pool-size", 3))) {
            pool = context.getBean(DataSource.class).unwrap(WeirDataSource.class);
            check(pool.isRunning() && pool.getMaximumPoolSize() == 3, "the pool");
        }
        check(pool.isClosed(), "the end of the pool");
    }

    private static void check(boolean holds, String what) {
        if (!holds) {
            throw new AssertionError(what);
        }
    }
}
