package dev.weir.lab.battle.shop;

import java.util.List;
import java.util.logging.Level;
import java.util.logging.Logger;
import javax.sql.DataSource;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;

/** The running application on one data source. Closing it ends it, and leaves the data source alone. */
public final class ShopApplication implements AutoCloseable {
    /** Held, for java.util.logging forgets the level of a logger that nobody holds. */
    private static final List<Logger> CHATTY =
            List.of(Logger.getLogger("org.hibernate"), Logger.getLogger("org.springframework"));

    private final AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext();

    public ShopApplication(DataSource dataSource, Downstream downstream) {
        CHATTY.forEach(logger -> logger.setLevel(Level.SEVERE));
        context.registerBean("dataSource", DataSource.class, () -> dataSource, bean -> bean.setDestroyMethodName(""));
        context.registerBean(Downstream.class, () -> downstream);
        context.register(ShopConfiguration.class);
        context.refresh();
    }

    public Shop shop() {
        return context.getBean(Shop.class);
    }

    @Override
    public void close() {
        context.close();
    }
}
