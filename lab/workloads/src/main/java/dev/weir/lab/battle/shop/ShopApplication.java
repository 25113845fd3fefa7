package dev.weir.lab.battle.shop;

import jakarta.persistence.EntityManager;
import jakarta.persistence.EntityManagerFactory;
import java.time.Duration;
import java.util.List;
import java.util.logging.Level;
import java.util.logging.Logger;
import java.util.random.RandomGenerator;
import javax.sql.DataSource;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.orm.jpa.EntityManagerFactoryUtils;
import org.springframework.orm.jpa.EntityManagerHolder;
import org.springframework.transaction.support.TransactionSynchronizationManager;

/** The running application on one data source. Closing it ends it, and leaves the data source alone. */
public final class ShopApplication implements AutoCloseable {
    /** Held, for java.util.logging forgets the level of a logger that nobody holds. */
    private static final List<Logger> CHATTY =
            List.of(Logger.getLogger("org.hibernate"), Logger.getLogger("org.springframework"));

    private final AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext();
    private final Downstream downstream;
    private final boolean isOpenInView;
    private final EntityManagerFactory entities;

    /**
     * Starts it.
     *
     * @param isOpenInView whether a session ends after the view, which then is what asks the other system; else a session ends
     *     with its transaction, in which the other system is asked
     */
    public ShopApplication(DataSource dataSource, Downstream downstream, boolean isOpenInView) {
        this.downstream = downstream;
        this.isOpenInView = isOpenInView;
        CHATTY.forEach(logger -> logger.setLevel(Level.SEVERE));
        context.registerBean("dataSource", DataSource.class, () -> dataSource, bean -> bean.setDestroyMethodName(""));
        context.registerBean(Downstream.class, () -> isOpenInView ? new Downstream(Duration.ZERO) : downstream);
        context.register(ShopConfiguration.class);
        context.refresh();
        entities = context.getBean(EntityManagerFactory.class);
    }

    /** Serves a request; with an open session in view does what Spring's filter of that name does, and renders the view. */
    public void serve(Runnable request, RandomGenerator random) {
        if (!isOpenInView) {
            request.run();
            return;
        }
        EntityManager session = entities.createEntityManager();
        TransactionSynchronizationManager.bindResource(entities, new EntityManagerHolder(session));
        try {
            request.run();
            downstream.ask(random);
        } finally {
            TransactionSynchronizationManager.unbindResource(entities);
            EntityManagerFactoryUtils.closeEntityManager(session);
        }
    }

    public Shop shop() {
        return context.getBean(Shop.class);
    }

    @Override
    public void close() {
        context.close();
    }
}
