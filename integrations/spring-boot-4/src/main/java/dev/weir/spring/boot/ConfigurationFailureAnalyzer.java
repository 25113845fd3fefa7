package dev.weir.spring.boot;

import org.springframework.boot.diagnostics.AbstractFailureAnalyzer;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;

/** Says which properties of a pool are wrong. Before Spring Boot's own, which would print the values, secrets or not. */
@Order(Ordered.HIGHEST_PRECEDENCE)
final class ConfigurationFailureAnalyzer extends AbstractFailureAnalyzer<PoolConfigurationException> {

    @Override
    protected FailureAnalysis analyze(Throwable rootFailure, PoolConfigurationException cause) {
        String faults = String.valueOf(cause.getMessage()).indent(4);
        String pool = cause.prefix().isEmpty() ? "" : " of " + cause.prefix() + ".*";
        return new FailureAnalysis(
                "The connection pool" + pool + " cannot be made, since its configuration is wrong:"
                        + System.lineSeparator() + System.lineSeparator() + faults,
                "Correct these properties. Every setting, its range and its default is in docs/reference/settings.md of"
                        + " Weir; in property names write maximum-pool-size for maximumPoolSize.",
                cause);
    }
}
