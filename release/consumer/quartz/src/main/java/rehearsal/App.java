package rehearsal;

import java.sql.Connection;
import java.util.Properties;
import org.quartz.Scheduler;
import org.quartz.impl.StdSchedulerFactory;
import org.quartz.utils.DBConnectionManager;

public final class App {
    public static void main(String[] args) throws Exception {
        Properties quartz = new Properties();
        quartz.setProperty("org.quartz.threadPool.threadCount", "1");
        quartz.setProperty(
                "org.quartz.dataSource.shop.connectionProvider.class", "dev.weir.quartz.WeirConnectionProvider");
        quartz.setProperty("org.quartz.dataSource.shop.URL", "jdbc:h2:mem:shop");
        quartz.setProperty("org.quartz.dataSource.shop.maximumPoolSize", "3");
        Scheduler scheduler = new StdSchedulerFactory(quartz).getScheduler();
        try (Connection connection = DBConnectionManager.getInstance().getConnection("shop")) {
            check(connection.isValid(1), "the connection");
        }
        DBConnectionManager.getInstance().shutdown("shop");
        scheduler.shutdown();
    }

    private static void check(boolean holds, String what) {
        if (!holds) {
            throw new AssertionError(what);
        }
    }
}
