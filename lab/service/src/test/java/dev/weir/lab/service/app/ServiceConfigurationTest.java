package dev.weir.lab.service.app;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.codahale.metrics.MetricRegistry;
import dev.weir.dropwizard.WeirDataSourceFactory;
import dev.weir.lab.contender.Contenders;
import io.dropwizard.configuration.ResourceConfigurationSourceProvider;
import io.dropwizard.configuration.SubstitutingSourceProvider;
import io.dropwizard.configuration.YamlConfigurationFactory;
import io.dropwizard.db.ManagedDataSource;
import io.dropwizard.jackson.Jackson;
import io.dropwizard.jersey.validation.Validators;
import java.io.ByteArrayInputStream;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.util.List;
import java.util.Map;
import org.apache.commons.text.StringSubstitutor;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

class ServiceConfigurationTest {
    private static final YamlConfigurationFactory<ServiceConfiguration> YAML = new YamlConfigurationFactory<>(
            ServiceConfiguration.class, Validators.newValidator(), Jackson.newObjectMapper(), "dw");

    private static ServiceConfiguration read(String text) throws Exception {
        return YAML.build(path -> new ByteArrayInputStream(text.getBytes(StandardCharsets.UTF_8)), "own.yml");
    }

    private static ServiceConfiguration builtIn(String file, Map<String, String> environment) throws Exception {
        SubstitutingSourceProvider provider = new SubstitutingSourceProvider(
                new ResourceConfigurationSourceProvider(), new StringSubstitutor(environment));
        return YAML.build(provider, "dev/weir/lab/service/app/" + file);
    }

    @ParameterizedTest
    @CsvSource({"weir.yml, weir", "contender.yml, c3p0", "contender.yml, weir"})
    void theEnvironmentIsPutIntoTheYamlThatComesWithTheService(String file, String name) throws Exception {
        ServiceConfiguration configuration =
                builtIn(file, Map.of("url", "jdbc:h2:mem:a", "poolSize", "3", "maxThreads", "5", "pool", name));
        assertThat(configuration.maxThreads()).isEqualTo(5);
        assertThat(configuration.pool().getKey()).isEqualTo(name);
        assertThat(configuration.pool().getValue().getUrl()).isEqualTo("jdbc:h2:mem:a");
    }

    @Test
    void onePoolIsChosenByItsName() throws Exception {
        assertThat(read("weir: {url: 'jdbc:h2:mem:a'}").pool().getValue()).isInstanceOf(WeirDataSourceFactory.class);
        assertThat(read("tomcat: {url: 'jdbc:h2:mem:a'}").pool().getValue())
                .isInstanceOf(ContenderDataSourceFactory.class);
        assertThatThrownBy(() -> read("maxThreads: 4")).hasMessageContaining("exactly one is expected");
        assertThatThrownBy(() -> read("{weir: {url: 'jdbc:h2:mem:a'}, hikari: {url: 'jdbc:h2:mem:a'}}"))
                .hasMessageContaining("exactly one is expected");
        assertThatThrownBy(() -> read("nosuch: {url: 'jdbc:h2:mem:a'}"))
                .hasStackTraceContaining("nosuch (expected: weir, hikari, tomcat");
        assertThatThrownBy(() -> read("{maxThreads: 0, weir: {url: x}}"))
                .hasMessageContaining("maxThreads must be greater than or equal to 1")
                .hasMessageContaining("weir.url x (expected: jdbc:...)");
        assertThatThrownBy(() -> read("c3p0: {maxSize: 0}")).hasMessageContaining("maxSize");
    }

    static List<String> contenders() {
        return Contenders.allBut("raw", "c3p0", "weir"); // c3p0 has an option of the JVM, weir a factory of its own
    }

    @ParameterizedTest
    @MethodSource("contenders")
    void everyPoolOfTheLaboratoryLendsAndIsClosed(String name) throws Exception {
        String url = "jdbc:h2:mem:" + name + ";DB_CLOSE_DELAY=-1";
        String block = name + ": {url: '%s', user: sa, maxSize: 2, minSize: 2, connectionTimeout: 20s}";
        ManagedDataSource dataSource =
                read(block.formatted(url)).pool().getValue().build(new MetricRegistry(), name);
        dataSource.start();
        try (Connection first = dataSource.getConnection();
                Connection second = dataSource.getConnection()) {
            assertThat(first.isValid(1) && second.isValid(1)).isTrue();
        } finally {
            dataSource.stop();
        }
        // Without a pool there is nothing that is closed, and Tomcat's opens itself again.
        if (!name.equals("none") && !name.equals("tomcat")) {
            assertThatThrownBy(dataSource::getConnection).isInstanceOf(Exception.class);
        }
    }
}
