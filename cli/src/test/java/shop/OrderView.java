package shop;

import static org.assertj.core.api.Assertions.assertThatCode;

import dev.weir.WeirDataSource;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.concurrent.Callable;

/** Code of a user: what the pool's own packages do is nobody's place. */
public final class OrderView {
    private OrderView() {}

    /** Does this. */
    public static <T> T call(Callable<T> work) throws Exception {
        return work.call();
    }

    /** Holds a connection, and gets no second one. */
    public static void render(WeirDataSource pool) throws SQLException {
        try (Connection order = pool.getConnection()) {
            order.setAutoCommit(false);
            try (Statement statement = order.createStatement()) {
                statement.execute("select * from orders where name = 'hush-hush'");
            }
            assertThatCode(() -> total(pool)).hasMessageContaining("no connection within");
            order.rollback();
        }
    }

    private static void total(WeirDataSource pool) throws SQLException {
        pool.getConnection().close();
    }
}
