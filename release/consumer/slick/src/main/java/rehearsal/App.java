package rehearsal;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import java.sql.Connection;
import slick.jdbc.JdbcBackend;
import slick.jdbc.JdbcBackend$;

public final class App {
    public static void main(String[] args) throws Exception {
        Config config = ConfigFactory.parseString("shop { connectionPool = dev.weir.slick.WeirJdbcDataSource,"
                + " url = \"jdbc:h2:mem:shop\", maximumPoolSize = 3, numThreads = 3 }");
        try (JdbcBackend.JdbcDatabaseDef database =
                        JdbcBackend$.MODULE$.Database().forConfig("shop", config, null, App.class.getClassLoader());
                Connection connection = database.source().createConnection()) {
            check(connection.isValid(1), "the connection");
            check(database.source().maxConnections().get().equals(3), "the size");
        }
    }

    private static void check(boolean holds, String what) {
        if (!holds) {
            throw new AssertionError(what);
        }
    }
}
