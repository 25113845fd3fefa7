package dev.weir.dropwizard;

import com.fasterxml.jackson.annotation.JsonProperty;
import io.dropwizard.configuration.ConfigurationException;
import io.dropwizard.configuration.YamlConfigurationFactory;
import io.dropwizard.jackson.Jackson;
import io.dropwizard.jersey.validation.Validators;
import jakarta.validation.Valid;
import jakarta.validation.Validator;
import jakarta.validation.constraints.NotNull;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;

/** Reads a block {@code shop:} of a configuration as Dropwizard does when an application starts. */
final class Yaml {
    private static final Validator VALIDATOR = Validators.newValidator();

    private Yaml() {}

    /** A configuration of an application. */
    static final class Application {
        @JsonProperty
        @Valid
        @NotNull
        WeirDataSourceFactory shop;
    }

    static WeirDataSourceFactory read(String... lines) throws IOException, ConfigurationException {
        String text = "shop:\n  " + String.join("\n  ", lines) + "\n";
        return new YamlConfigurationFactory<>(Application.class, VALIDATOR, Jackson.newObjectMapper(), "dw")
                .build(path -> new ByteArrayInputStream(text.getBytes(StandardCharsets.UTF_8)), "shop.yml")
                .shop;
    }
}
