package rehearsal;

import dev.weir.WeirDataSource;
import org.hibernate.SessionFactory;
import org.hibernate.cfg.Configuration;
import org.hibernate.engine.jdbc.connections.spi.ConnectionProvider;
import org.hibernate.engine.spi.SessionFactoryImplementor;

public final class App {
    public static void main(String[] args) throws Exception {
        Configuration configuration = new Configuration()
                .setProperty("hibernate.connection.provider_class", "weir")
                .setProperty("jakarta.persistence.jdbc.url", "jdbc:h2:mem:shop");
        try (SessionFactory factory = configuration.buildSessionFactory()) {
            int answer = factory.fromTransaction(session ->
                    session.createNativeQuery("select 6 * 7", Integer.class).getSingleResult());
            check(answer == 42, "the answer");
            ConnectionProvider provider = factory.unwrap(SessionFactoryImplementor.class)
                    .getServiceRegistry()
                    .getService(ConnectionProvider.class);
            check(provider.unwrap(WeirDataSource.class).isRunning(), "the pool");
        }
    }

    private static void check(boolean holds, String what) {
        if (!holds) {
            throw new AssertionError(what);
        }
    }
}
