package dev.weir.spring.boot;

import dev.weir.WeirDataSource;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.jdbc.DatabaseDriver;
import org.springframework.boot.jdbc.autoconfigure.DataSourceProperties;
import org.springframework.boot.jdbc.autoconfigure.JdbcConnectionDetails;
import org.springframework.util.ClassUtils;

/** {@code spring.datasource.url}, {@code username}, {@code password} and {@code driver-class-name}. */
class ConnectionProperties implements JdbcConnectionDetails {
    private final DataSourceProperties properties;

    ConnectionProperties(DataSourceProperties properties) {
        this.properties = properties;
    }

    @Override
    public String getJdbcUrl() {
        return properties.determineUrl();
    }

    @Override
    public @Nullable String getUsername() {
        return isDriverThere() ? properties.determineUsername() : properties.getUsername();
    }

    @Override
    public @Nullable String getPassword() {
        return isDriverThere() ? properties.determinePassword() : properties.getPassword();
    }

    /** Spring Boot looks into the driver to tell the user of an embedded database, and fails without naming the property. */
    private boolean isDriverThere() {
        String named = properties.getDriverClassName();
        return named == null || ClassUtils.isPresent(named, properties.getClassLoader());
    }

    /** The driver that is named; else the one that Spring Boot knows for the url, if it is there; else the pool looks for one. */
    @Override
    @SuppressWarnings(
            "NullAway") // Spring Boot 4 says it is never null, yet null is what a pool needs to look for itself
    public String getDriverClassName() {
        String named = properties.getDriverClassName();
        if (named != null) {
            return named;
        }
        String known = DatabaseDriver.fromJdbcUrl(getJdbcUrl()).getDriverClassName();
        return known != null && ClassUtils.isPresent(known, properties.getClassLoader()) ? known : null;
    }

    /** Leaves alone what {@code spring.datasource.weir.*} says about the same things. */
    void completeWhatIsUnset(WeirDataSource pool) {
        if (pool.getUrl() == null && pool.getDataSourceClassName() == null) {
            pool.setUrl(getJdbcUrl());
            if (pool.getDriverClassName() == null) {
                pool.setDriverClassName(getDriverClassName());
            }
        }
        boolean asked = pool.getCredentialsProvider() != null; // then what the user wrote counts, and no default
        if (pool.getUsername() == null) {
            pool.setUsername(asked ? properties.getUsername() : getUsername());
        }
        if (pool.getPassword() == null) {
            pool.setPassword(asked ? properties.getPassword() : getPassword());
        }
    }
}
