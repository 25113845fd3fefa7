package dev.weir.spring.boot;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.WeirDataSource;
import io.opentelemetry.api.OpenTelemetry;
import io.opentelemetry.sdk.OpenTelemetrySdk;
import io.opentelemetry.sdk.metrics.SdkMeterProvider;
import io.opentelemetry.sdk.metrics.data.MetricData;
import io.opentelemetry.sdk.testing.exporter.InMemoryMetricReader;
import java.sql.Connection;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.ImportAutoConfiguration;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.Import;

/** What OpenTelemetry's SDK reads of the pools of an application that has it. */
class TelemetryTest {

    @Configuration(proxyBeanMethods = false)
    @Import(PlainApplication.class)
    @ImportAutoConfiguration(WeirTelemetryAutoConfiguration.class)
    static class WithTelemetry {

        @Bean
        InMemoryMetricReader reader() {
            return InMemoryMetricReader.create();
        }

        @Bean
        OpenTelemetry openTelemetry(InMemoryMetricReader reader) {
            return OpenTelemetrySdk.builder()
                    .setMeterProvider(SdkMeterProvider.builder()
                            .registerMetricReader(reader)
                            .build())
                    .build();
        }

        @Bean
        WeirDataSource reports(WeirDataSourceFactory pools) {
            return pools.create("app.reports", pool -> pool.setUrl("jdbc:h2:mem:telemetry-reports"));
        }
    }

    private static ConfigurableApplicationContext start(String... more) {
        Map<String, Object> properties = Map.of(
                "spring.main.banner-mode",
                "off",
                "logging.level.root",
                "warn",
                "app.reports.pool-name",
                "reports",
                "app.reports.maximum-pool-size",
                "3");
        return Fleet.start(WithTelemetry.class, Fleet.with(properties, more));
    }

    private static long max(InMemoryMetricReader reader) {
        return reader.collectAllMetrics().stream()
                .filter(metric -> metric.getName().equals("db.client.connection.max"))
                .map(MetricData::getLongSumData)
                .flatMap(data -> data.getPoints().stream())
                .filter(point -> point.getAttributes().asMap().containsValue("reports"))
                .mapToLong(point -> point.getValue())
                .sum();
    }

    @Test
    void everyPoolOfTheFactoryIsPublishedWhileTheApplicationRuns() throws Exception {
        InMemoryMetricReader reader;
        try (ConfigurableApplicationContext context = start()) {
            reader = context.getBean(InMemoryMetricReader.class);
            try (Connection connection =
                    context.getBean("reports", WeirDataSource.class).getConnection()) {
                assertThat(connection.isClosed()).isFalse();
                assertThat(max(reader)).isEqualTo(3);
            }
        }
        assertThat(max(reader)).isZero();
    }

    @Test
    void itIsSwitchedOffByAProperty() {
        try (ConfigurableApplicationContext context = start("management.opentelemetry.weir.enabled", "false")) {
            assertThat(max(context.getBean(InMemoryMetricReader.class))).isZero();
        }
    }
}
