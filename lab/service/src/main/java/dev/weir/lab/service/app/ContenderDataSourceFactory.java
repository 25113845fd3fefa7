package dev.weir.lab.service.app;

import com.codahale.metrics.MetricRegistry;
import com.fasterxml.jackson.annotation.JsonProperty;
import dev.weir.lab.contender.Entrant;
import dev.weir.lab.contender.PoolSpec;
import dev.weir.lab.contender.PoolUnderTest;
import dev.weir.lab.contender.Profile;
import dev.weir.lab.stub.BareDataSource;
import io.dropwizard.db.ManagedDataSource;
import io.dropwizard.db.PooledDataSourceFactory;
import io.dropwizard.util.Duration;
import jakarta.validation.constraints.Min;
import jakarta.validation.constraints.NotEmpty;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Any other pool of the laboratory in YAML, in words that every pool knows. */
public final class ContenderDataSourceFactory implements PooledDataSourceFactory {
    @JsonProperty
    @NotEmpty
    private String url = "";

    @JsonProperty
    private Map<String, String> properties = Map.of();

    @JsonProperty
    private @Nullable String user;

    @JsonProperty
    private @Nullable String password;

    @JsonProperty
    @Min(1)
    private int maxSize = 10;

    @JsonProperty
    @Min(0)
    private int minSize = 10;

    @JsonProperty
    private Duration connectionTimeout = Duration.seconds(30);

    @JsonProperty
    private @Nullable String pool;

    private @Nullable Entrant entrant;

    /** Which pool of the laboratory, where the key does not say it. */
    @Nullable
    String pool() {
        return pool;
    }

    /** Says which pool it is. */
    void setEntrant(Entrant value) {
        entrant = value;
    }

    @Override
    public String getUrl() {
        return url;
    }

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

    @Override
    public void asSingleConnectionPool() {
        maxSize = 1;
        minSize = 1;
    }

    @Override
    public ManagedDataSource build(MetricRegistry metricRegistry, String name) {
        PoolSpec spec = PoolSpec.of(urlWithProperties(), user, password)
                .size(Math.min(minSize, maxSize), maxSize)
                .connectionTimeout(connectionTimeout.toJavaDuration());
        try {
            return new ManagedContender(Objects.requireNonNull(entrant, name).open(spec, Profile.EQUAL));
        } catch (Exception e) {
            throw new IllegalStateException(name + " cannot be opened: " + e.getMessage(), e);
        }
    }

    /** The url is the one way to the driver that all pools have; what it says already counts, as with the other factories. */
    private String urlWithProperties() {
        StringBuilder whole = new StringBuilder(url);
        getProperties().forEach((name, value) -> {
            if (!url.contains(name + "=")) {
                whole.append(whole.indexOf("?") < 0 ? '?' : '&')
                        .append(name)
                        .append('=')
                        .append(URLEncoder.encode(value, StandardCharsets.UTF_8));
            }
        });
        return whole.toString();
    }

    /** Open from when it is made, as most pools are, and closed with the application. */
    private static final class ManagedContender extends BareDataSource implements ManagedDataSource {
        private final PoolUnderTest pool;

        ManagedContender(PoolUnderTest pool) {
            this.pool = pool;
        }

        @Override
        public void start() {}

        @Override
        public void stop() throws SQLException {
            pool.close();
        }

        @Override
        public Connection getConnection() throws SQLException {
            return pool.dataSource().getConnection();
        }
    }
}
