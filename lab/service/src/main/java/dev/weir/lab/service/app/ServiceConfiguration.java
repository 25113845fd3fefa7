package dev.weir.lab.service.app;

import com.fasterxml.jackson.annotation.JsonAnySetter;
import com.fasterxml.jackson.annotation.JsonProperty;
import dev.weir.dropwizard.WeirDataSourceFactory;
import dev.weir.lab.contender.Contenders;
import io.dropwizard.core.Configuration;
import io.dropwizard.core.server.DefaultServerFactory;
import io.dropwizard.db.PooledDataSourceFactory;
import io.dropwizard.validation.ValidationMethod;
import jakarta.validation.Valid;
import jakarta.validation.constraints.Max;
import jakarta.validation.constraints.Min;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** The service's YAML: Dropwizard's own, how many threads answer, and one pool. */
public final class ServiceConfiguration extends Configuration {
    @JsonProperty
    @Min(1)
    @Max(10_000)
    private int maxThreads = 16;

    @JsonProperty
    @Valid
    private @Nullable WeirDataSourceFactory weir;

    @Valid
    private final Map<String, ContenderDataSourceFactory> others = new LinkedHashMap<>();

    /** Its block names the pool: any of the laboratory, on equal terms and without metrics. */
    private static final String CONTENDER = "contender";

    /**
     * Takes any other pool of the laboratory, by its name or as the contender.
     *
     * @throws IllegalArgumentException if there is none of this name; the message has them all
     */
    @JsonAnySetter
    void setOther(String name, ContenderDataSourceFactory factory) {
        String pool = name.equals(CONTENDER) ? Objects.requireNonNullElse(factory.pool(), "") : name;
        factory.setEntrant(Contenders.parse(pool));
        others.put(pool, factory);
    }

    /** How many requests can be answered at the same time. */
    int maxThreads() {
        return maxThreads;
    }

    /** The pool that is named, by its name. */
    Map.Entry<String, PooledDataSourceFactory> pool() {
        return Map.copyOf(pools()).entrySet().iterator().next();
    }

    private Map<String, PooledDataSourceFactory> pools() {
        Map<String, PooledDataSourceFactory> pools = new LinkedHashMap<>();
        if (weir != null) {
            pools.put("weir", weir);
        }
        pools.putAll(others);
        return pools;
    }

    @ValidationMethod(message = "server.type: only default is expected, with a port of its own for health")
    public boolean isOfDefaultServer() {
        return getServerFactory() instanceof DefaultServerFactory;
    }

    @ValidationMethod(message = "pool: exactly one is expected: weir, or another of the laboratory")
    public boolean isOfOnePool() {
        return pools().size() == 1;
    }
}
