package dev.weir.spring.boot;

import dev.weir.WeirDataSource;
import dev.weir.fleet.WeirFleet;
import dev.weir.spi.CredentialsProvider;
import dev.weir.spi.FailureClassifier;
import dev.weir.spi.PoolListener;
import javax.sql.DataSource;
import javax.sql.XADataSource;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.jdbc.DataSourceUnwrapper;
import org.springframework.boot.jdbc.autoconfigure.DataSourceAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.DataSourceProperties;
import org.springframework.boot.jdbc.autoconfigure.JdbcConnectionDetails;
import org.springframework.boot.jdbc.autoconfigure.JndiDataSourceAutoConfiguration;
import org.springframework.boot.jdbc.autoconfigure.XADataSourceAutoConfiguration;
import org.springframework.boot.jdbc.metadata.DataSourcePoolMetadataProvider;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.env.Environment;
import org.springframework.jdbc.datasource.embedded.EmbeddedDatabaseType;

/**
 * Makes the DataSource of an application a {@link WeirDataSource}, unless {@code spring.datasource.type} names another
 * class, the application has a DataSource of its own, or it excludes Spring Boot's {@link DataSourceAutoConfiguration}. It
 * comes before that one, so that it does not matter which other pools are on the class path.
 */
@AutoConfiguration(
        before = DataSourceAutoConfiguration.class,
        after = {JndiDataSourceAutoConfiguration.class, XADataSourceAutoConfiguration.class},
        afterName = {
            "org.springframework.boot.r2dbc.autoconfigure.R2dbcAutoConfiguration",
            "org.springframework.boot.autoconfigure.r2dbc.R2dbcAutoConfiguration",
            "org.springframework.boot.jdbc.test.autoconfigure.TestDatabaseAutoConfiguration"
        })
@ConditionalOnClass({DataSource.class, EmbeddedDatabaseType.class})
public final class WeirAutoConfiguration {
    static final String PREFIX = "spring.datasource.weir";

    @Bean
    @ConditionalOnMissingBean
    WeirDataSourceFactory weirDataSourceFactory(Environment environment, ListableBeanFactory beans) {
        return new WeirDataSourceFactory(environment, beans);
    }

    @Bean
    static Pools weirPools(ConfigurableListableBeanFactory beans) {
        return new Pools(beans);
    }

    @Bean
    CheckpointLifecycle weirCheckpointLifecycle(Pools weirPools) {
        return new CheckpointLifecycle(weirPools);
    }

    @Bean
    DataSourcePoolMetadataProvider weirPoolMetadataProvider() {
        return dataSource -> {
            WeirDataSource pool = DataSourceUnwrapper.unwrap(dataSource, WeirDataSource.class);
            return pool == null ? null : new WeirPoolMetadata(pool);
        };
    }

    /** Makes pools members of a fleet, where {@code weir-fleet} is on the class path and their properties say so. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass(WeirFleet.class)
    static class OfFleets {

        @Bean
        JoinedFleets weirFleets(Environment environment, ObjectProvider<JoinedFleets.Observer> observers) {
            return new JoinedFleets(environment, observers);
        }

        @Bean
        static JoinedFleets.Leaving weirFleetLeaving(ObjectProvider<JoinedFleets> weirFleets) {
            return new JoinedFleets.Leaving(weirFleets);
        }
    }

    /** The one DataSource of most applications. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnMissingBean(
            value = {DataSource.class, XADataSource.class},
            type = "io.r2dbc.spi.ConnectionFactory")
    @ConditionalOnProperty(
            name = "spring.datasource.type",
            havingValue = "dev.weir.WeirDataSource",
            matchIfMissing = true)
    @EnableConfigurationProperties(DataSourceProperties.class)
    static class PoolConfiguration {

        @Bean
        @ConditionalOnMissingBean
        JdbcConnectionDetails jdbcConnectionDetails(DataSourceProperties properties) {
            return new ConnectionProperties(properties);
        }

        @Bean(destroyMethod = "close")
        WeirDataSource dataSource(
                WeirDataSourceFactory factory,
                DataSourceProperties properties,
                JdbcConnectionDetails details,
                ObjectProvider<CredentialsProvider> credentials,
                ObjectProvider<FailureClassifier> classifier,
                ObjectProvider<PoolListener> listeners) {
            return factory.create(PREFIX, properties.getName(), pool -> {
                credentials.ifUnique(pool::setCredentialsProvider);
                if (details instanceof ConnectionProperties own) {
                    own.completeWhatIsUnset(pool);
                } else {
                    pool.setUrl(details.getJdbcUrl());
                    if (pool.getCredentialsProvider() == null) {
                        pool.setUsername(details.getUsername());
                        pool.setPassword(details.getPassword());
                    }
                    pool.setDriverClassName(details.getDriverClassName());
                }
                classifier.ifUnique(pool::setFailureClassifier);
                listeners.orderedStream().forEach(pool::addListener);
            });
        }
    }
}
