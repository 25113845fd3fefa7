package shop;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.concurrent.CountDownLatch;

/** A user's code, outside of the packages of the pool: it renders a page while its transaction is open. */
public final class OrderView {
    private OrderView() {}

    /** Reads in a transaction, says that it has, and renders until it may end. */
    public static void render(Connection connection, CountDownLatch mayEnd) throws Exception {
        connection.setAutoCommit(false);
        execute(connection);
        mayEnd.await();
        connection.commit();
    }

    private static void execute(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute("select 1");
        }
    }
}
