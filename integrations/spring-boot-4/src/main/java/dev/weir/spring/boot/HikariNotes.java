package dev.weir.spring.boot;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.commons.logging.Log;
import org.apache.commons.logging.LogFactory;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName.Form;
import org.springframework.boot.context.properties.source.ConfigurationPropertySource;
import org.springframework.boot.context.properties.source.ConfigurationPropertySources;
import org.springframework.boot.context.properties.source.IterableConfigurationPropertySource;
import org.springframework.core.env.Environment;

/** Says once which {@code spring.datasource.hikari.*} are there and not read, and what to write instead. */
final class HikariNotes {
    private static final Log LOG = LogFactory.getLog("dev.weir");
    private static final ConfigurationPropertyName HIKARI = ConfigurationPropertyName.of("spring.datasource.hikari");

    /** What has another name here, or none. */
    private static final Map<String, String> OTHERWISE = Map.ofEntries(
            Map.entry("jdbc-url", "url"),
            Map.entry("minimum-idle", "minimum-pool-size (HikariCP counts idle connections, Weir counts all)"),
            Map.entry("allow-pool-suspension", ""),
            Map.entry("isolate-internal-queries", ""),
            Map.entry("keep-alive-time", "keepalive-time"),
            Map.entry("register-mbeans", "register-mbeans (true unless set)"),
            Map.entry("exception-override-class-name", "none; a FailureClassifier bean"),
            Map.entry("exception-override", "none; a FailureClassifier bean"),
            Map.entry("credentials-provider-class-name", "none; a CredentialsProvider bean"),
            Map.entry("credentials-provider", "none; a CredentialsProvider bean"),
            Map.entry("thread-factory", ""),
            Map.entry("scheduled-executor", ""),
            Map.entry("metric-registry", ""),
            Map.entry("health-check-registry", ""),
            Map.entry("health-check-properties", ""),
            Map.entry("metrics-tracker-factory", ""),
            Map.entry("data-source-jndi", "none; spring.datasource.jndi-name"),
            Map.entry("login-timeout", "connect-timeout"));

    private final Environment environment;
    private final AtomicBoolean said = new AtomicBoolean();

    HikariNotes(Environment environment) {
        this.environment = environment;
    }

    /** Does nothing the second time, and where no such property is set. */
    void pointOut(String prefix) {
        if (said.compareAndSet(false, true)) {
            List<String> notes = notes(prefix);
            if (!notes.isEmpty()) {
                LOG.warn("The pool is Weir, so these properties are not read:" + System.lineSeparator() + "  "
                        + String.join(System.lineSeparator() + "  ", notes));
            }
        }
    }

    private List<String> notes(String prefix) {
        List<String> notes = new ArrayList<>();
        TreeSet<ConfigurationPropertyName> names = new TreeSet<>();
        for (ConfigurationPropertySource source : ConfigurationPropertySources.get(environment)) {
            if (source instanceof IterableConfigurationPropertySource listed) {
                listed.stream().filter(HIKARI::isAncestorOf).forEach(names::add);
            }
        }
        for (ConfigurationPropertyName name : names) {
            notes.add(name + " -> " + instead(name.subName(HIKARI.getNumberOfElements()), prefix));
        }
        return notes;
    }

    private static String instead(ConfigurationPropertyName name, String prefix) {
        String setting = name.getElement(0, Form.DASHED);
        String rest = name.toString().substring(setting.length());
        String other = OTHERWISE.getOrDefault(setting, setting);
        if (other.isEmpty()) {
            return "none; Weir needs no such setting";
        }
        return other.startsWith("none") ? other : prefix + "." + other + rest;
    }
}
