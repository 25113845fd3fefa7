package dev.weir.lab.service.app;

import com.codahale.metrics.MetricRegistry;
import com.fasterxml.jackson.annotation.JsonProperty;
import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import io.dropwizard.db.ManagedDataSource;
import io.dropwizard.util.Duration;
import io.dropwizard.validation.MinDuration;
import jakarta.validation.constraints.Min;
import jakarta.validation.constraints.NotEmpty;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** HikariCP in YAML, with what the service needs of it. */
public final class HikariDataSourceFactory extends ServicePool {
    @JsonProperty
    @NotEmpty
    private String jdbcUrl = "";

    @JsonProperty
    private @Nullable String username;

    @JsonProperty
    private @Nullable String password;

    @JsonProperty
    @Min(1)
    private int maximumPoolSize = 10;

    @JsonProperty
    @Min(0)
    private int minimumIdle = 10;

    @JsonProperty
    @MinDuration(value = 250, unit = TimeUnit.MILLISECONDS)
    private Duration connectionTimeout = Duration.seconds(30);

    @Override
    public String getUrl() {
        return jdbcUrl;
    }

    @Override
    public void asSingleConnectionPool() {
        maximumPoolSize = 1;
        minimumIdle = 1;
    }

    @Override
    public ManagedDataSource build(MetricRegistry metricRegistry, String name) {
        HikariConfig config = new HikariConfig();
        config.setPoolName(name);
        config.setJdbcUrl(jdbcUrl);
        config.setUsername(username);
        config.setPassword(password);
        config.setMaximumPoolSize(maximumPoolSize);
        config.setMinimumIdle(minimumIdle);
        config.setConnectionTimeout(connectionTimeout.toMilliseconds());
        getProperties().forEach(config::addDataSourceProperty);
        config.setMetricRegistry(metricRegistry);
        return new ManagedHikari(config);
    }

    /** Opens its pool when it is made, as HikariCP does, and closes it with the application. */
    private static final class ManagedHikari extends HikariDataSource implements ManagedDataSource {
        ManagedHikari(HikariConfig config) {
            super(config);
        }

        @Override
        public void start() {}

        @Override
        public void stop() {
            close();
        }
    }
}
