package dev.weir.lab.bench;

import dev.weir.PoolConfig;
import dev.weir.WeirDataSource;
import dev.weir.lab.stub.StubDataSource;
import dev.weir.micrometer.MetricNames;
import dev.weir.micrometer.WeirMetrics;
import dev.weir.opentelemetry.WeirTelemetry;
import io.micrometer.prometheusmetrics.PrometheusConfig;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import io.opentelemetry.sdk.OpenTelemetrySdk;
import io.opentelemetry.sdk.metrics.SdkMeterProvider;
import io.opentelemetry.sdk.testing.exporter.InMemoryMetricReader;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;

/** A connection of Weir is acquired without a wait and given back, without a listener, or the metrics on. */
@State(Scope.Benchmark)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class ListenedCycle {
    private static final int SIZE = 32;

    @Param({"none", "micrometer", "micrometer-hikaricp", "opentelemetry"})
    public String metrics = "none";

    private final WeirDataSource pool = new WeirDataSource(PoolConfig.builder()
            .dataSource(new StubDataSource())
            .maximumPoolSize(SIZE)
            .minimumPoolSize(SIZE)
            .registerMbeans(false)
            .build());
    private AutoCloseable registry = () -> {};

    @Setup(Level.Trial)
    public void open() throws SQLException {
        switch (metrics) {
            case "none" -> {}
            case "micrometer" -> bind(MetricNames.WEIR);
            case "micrometer-hikaricp" -> bind(MetricNames.HIKARICP);
            case "opentelemetry" -> {
                OpenTelemetrySdk sdk = OpenTelemetrySdk.builder()
                        .setMeterProvider(SdkMeterProvider.builder()
                                .registerMetricReader(InMemoryMetricReader.create())
                                .build())
                        .build();
                registry = sdk;
                WeirTelemetry.builder(sdk).install(pool);
            }
            default -> throw new IllegalArgumentException("metrics: " + metrics);
        }
        pool.start();
    }

    private void bind(MetricNames names) {
        PrometheusMeterRegistry prometheus = new PrometheusMeterRegistry(PrometheusConfig.DEFAULT);
        registry = prometheus::close;
        new WeirMetrics(pool, names).bindTo(prometheus);
    }

    @TearDown(Level.Trial)
    public void close() throws Exception {
        pool.close();
        registry.close();
    }

    @Benchmark
    public Connection cycle() throws SQLException {
        try (Connection connection = pool.getConnection()) {
            return connection;
        }
    }
}
