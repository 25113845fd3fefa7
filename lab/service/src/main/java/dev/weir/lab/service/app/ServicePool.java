package dev.weir.lab.service.app;

import com.fasterxml.jackson.annotation.JsonProperty;
import io.dropwizard.db.PooledDataSourceFactory;
import io.dropwizard.util.Duration;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** What pools that have no factory of their own have in common in YAML: the driver is that of the url, and tests by itself. */
abstract class ServicePool implements PooledDataSourceFactory {
    @JsonProperty
    private Map<String, String> properties = Map.of();

    @Override
    public boolean isAutoCommentsEnabled() {
        return true;
    }

    @Override
    public Map<String, String> getProperties() {
        return properties;
    }

    @Override
    public Optional<Duration> getValidationQueryTimeout() {
        return Optional.empty();
    }

    @Override
    public Optional<String> getValidationQuery() {
        return Optional.empty();
    }

    @Override
    public @Nullable String getDriverClass() {
        return null;
    }
}
