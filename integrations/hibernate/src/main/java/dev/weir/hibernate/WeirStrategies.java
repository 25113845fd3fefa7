package dev.weir.hibernate;

import java.util.List;
import org.hibernate.boot.registry.selector.SimpleStrategyRegistrationImpl;
import org.hibernate.boot.registry.selector.StrategyRegistration;
import org.hibernate.boot.registry.selector.StrategyRegistrationProvider;
import org.hibernate.engine.jdbc.connections.spi.ConnectionProvider;

/** Tells Hibernate the short name {@code weir}. Hibernate finds it as a service. */
public final class WeirStrategies implements StrategyRegistrationProvider {

    /** For the service loader. */
    public WeirStrategies() {}

    @Override
    public Iterable<StrategyRegistration<?>> getStrategyRegistrations() {
        return List.of(new SimpleStrategyRegistrationImpl<>(
                ConnectionProvider.class,
                WeirConnectionProvider.class,
                "weir",
                WeirConnectionProvider.class.getSimpleName()));
    }
}
