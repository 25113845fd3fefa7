package dev.weir.spring.boot;

import dev.weir.WeirDataSource;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.config.DestructionAwareBeanPostProcessor;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.devtools.autoconfigure.ConditionalOnEnabledDevTools;
import org.springframework.context.annotation.Bean;

/**
 * A restart by the DevTools begins with an empty database in memory, as it does with Spring Boot's own pools: what the last
 * run left would be in the way of its scripts.
 */
@AutoConfiguration(after = WeirAutoConfiguration.class)
@ConditionalOnClass(ConditionalOnEnabledDevTools.class)
@ConditionalOnEnabledDevTools
public final class WeirDevToolsAutoConfiguration {

    @Bean
    static DestructionAwareBeanPostProcessor weirInMemoryDatabaseShutdown() {
        return new Shutdown();
    }

    /** Comes right before the pool is closed, when nothing that depends on it is left. */
    static class Shutdown implements DestructionAwareBeanPostProcessor {
        private static final Log LOG = LogFactory.getLog("dev.weir");

        @Override
        public boolean requiresDestruction(Object bean) {
            return bean instanceof WeirDataSource;
        }

        @Override
        public void postProcessBeforeDestruction(Object bean, String beanName) {
            if (bean instanceof WeirDataSource pool && pool.isRunning() && isInMemory(pool.getUrl())) {
                try (Connection connection = pool.getConnection();
                        Statement statement = connection.createStatement()) {
                    statement.execute("SHUTDOWN");
                } catch (SQLException e) {
                    LOG.warn("the database of " + beanName + " could not be shut down for the restart: "
                            + e.getMessage());
                }
            }
        }

        private static boolean isInMemory(@Nullable String url) {
            return url != null && (url.startsWith("jdbc:h2:mem:") || url.startsWith("jdbc:hsqldb:mem:"));
        }
    }
}
