package dev.weir.micronaut;

import dev.weir.PoolConfig;
import dev.weir.migration.OtherNames;
import dev.weir.spi.Credentials;
import io.micronaut.context.annotation.EachProperty;
import io.micronaut.context.annotation.Parameter;
import io.micronaut.context.exceptions.ConfigurationException;
import io.micronaut.core.convert.format.MapFormat;
import io.micronaut.core.naming.NameUtils;
import io.micronaut.core.naming.conventions.StringConvention;
import io.micronaut.core.value.PropertyResolver;
import io.micronaut.jdbc.BasicJdbcConfiguration;
import io.micronaut.jdbc.CalculatedSettings;
import io.micronaut.jdbc.JdbcDatabaseManager;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Properties;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * One of {@code datasources.*}: every setting of the pool, and {@code data-source-properties.*} for the
 * driver. Where the url, the user or the password is missing and an embedded database is on
 * the class path, Micronaut chooses them. For Micronaut's thread that starts the context.
 */
@EachProperty(value = BasicJdbcConfiguration.PREFIX, primary = "default")
public final class WeirDataSourceConfiguration extends TextSetters implements BasicJdbcConfiguration {
    /** What other modules of Micronaut read below the same prefix. */
    private static final Set<String> OF_OTHERS = Set.of(
            "enabled",
            "dialect",
            "db-type",
            "packages",
            "schema-generate",
            "schema-generate-name",
            "schema-generate-names",
            "batch-generate",
            "transaction-manager",
            "transaction-per-operation",
            "allow-connection-per-operation",
            "data-source-properties");

    private final String name;
    private final PropertyResolver environment;
    private final CalculatedSettings calculated;
    private final Properties given = new Properties();
    private final Map<String, String> driverProperties = new LinkedHashMap<>();
    private volatile @Nullable Credentials credentials; // where the properties say them

    /** For Micronaut, which sets the properties of this name. */
    public WeirDataSourceConfiguration(@Parameter String name, PropertyResolver environment) {
        this.name = name;
        this.environment = environment;
        this.calculated = new CalculatedSettings(this, WeirDataSourceConfiguration.class.getClassLoader());
    }

    @Override
    void set(String setting, @Nullable String value) {
        if (value != null) {
            given.setProperty(setting, value);
        }
    }

    /** Sets properties of the driver's DataSource, or such as are given to the driver with the url. */
    @Override
    public void setDataSourceProperties(
            @MapFormat(transformation = MapFormat.MapTransformation.FLAT, keyFormat = StringConvention.RAW)
                    Map<String, ?> properties) {
        properties.forEach((property, value) -> driverProperties.put(property, String.valueOf(value)));
    }

    /**
     * The configuration of the pool, as the customizers leave it.
     *
     * @throws ConfigurationException if anything is wrong; the message names the properties
     */
    PoolConfig toConfig(List<WeirPoolCustomizer> customizers) {
        PoolConfig.Builder builder = PoolConfig.builder().poolName(name).properties(given);
        driverProperties.forEach(builder::dataSourceProperty);
        if (!given.containsKey("dataSourceClassName")) {
            addWhatMicronautChooses(builder);
        }
        customizers.forEach(customizer -> customizer.customize(name, builder));
        List<String> faults = new ArrayList<>(builder.faults());
        faults.addAll(slips());
        if (!faults.isEmpty()) {
            throw new ConfigurationException(messageOf(faults));
        }
        PoolConfig config = builder.build();
        String user = config.username();
        if (user == null) {
            return config;
        }
        credentials = new Credentials(user, config.password());
        return config.toBuilder()
                .username(null)
                .password(null)
                .credentialsProvider(() -> Objects.requireNonNull(credentials))
                .build();
    }

    /** Whether the user or the password is among these changed properties; connections are opened with the new ones then. */
    synchronized boolean takesOver(Set<String> changed) {
        Credentials old = credentials;
        if (old == null) {
            return false; // a customizer says them, or nobody
        }
        String user = valueIn(changed, "username", old.user());
        String password = valueIn(changed, "password", old.password());
        credentials = new Credentials(Objects.requireNonNull(user), password);
        return !old.equals(credentials);
    }

    private @Nullable String valueIn(Set<String> changed, String property, @Nullable String otherwise) {
        String full = BasicJdbcConfiguration.PREFIX + "." + name + "." + property;
        return changed.contains(full)
                ? environment.getProperty(full, String.class).orElse(otherwise)
                : otherwise;
    }

    private void addWhatMicronautChooses(PoolConfig.Builder builder) {
        if (getConfiguredUrl() == null) {
            builder.url(getUrl());
        }
        if (JdbcDatabaseManager.findDatabase(getUrl()).isPresent()) { // else it would ask for the driver's class
            if (getConfiguredUsername() == null) {
                builder.username(getUsername());
            }
            if (getConfiguredPassword() == null) {
                builder.password(getPassword());
            }
        }
    }

    /** What was probably meant as a setting, for this pool or another. Whatever else is no setting is left to other modules, as everywhere in Micronaut. */
    private List<String> slips() {
        List<String> slips = new ArrayList<>();
        String prefix = BasicJdbcConfiguration.PREFIX + "." + name;
        environment.getProperties(prefix, StringConvention.HYPHENATED).forEach((property, value) -> {
            if (property.indexOf('.') < 0 && !OF_OTHERS.contains(property)) {
                String setting = NameUtils.camelCase(property, true);
                String meant = property.endsWith("jndi") || property.startsWith("jndi")
                        ? "a DataSource object, given by a WeirPoolCustomizer"
                        : OtherNames.all().get(setting);
                if (meant != null) {
                    slips.add(setting + ": not a setting (of another pool; here " + meant + ")");
                }
                PoolConfig.builder().property(setting, "").faults().stream()
                        .filter(fault -> fault.startsWith(setting + ": not a setting ("))
                        .forEach(slips::add);
            }
        });
        return slips;
    }

    private String messageOf(List<String> faults) {
        StringBuilder message = new StringBuilder("the data source " + name + " is not configured as it should be:");
        for (String fault : faults) {
            int end = fault.indexOf(':');
            String setting = end < 0 ? fault : fault.substring(0, end);
            message.append("\n  ")
                    .append(BasicJdbcConfiguration.PREFIX)
                    .append('.')
                    .append(name)
                    .append('.');
            message.append(NameUtils.hyphenate(setting, true)).append(end < 0 ? "" : fault.substring(end));
        }
        return message.toString();
    }

    /** Returns the name of the data source, such as {@code default}. */
    @Override
    public String getName() {
        return name;
    }

    @Override
    public @Nullable String getConfiguredUrl() {
        return given.getProperty("url", given.getProperty("jdbcUrl"));
    }

    @Override
    public String getUrl() {
        return calculated.getUrl();
    }

    @Override
    public @Nullable String getConfiguredDriverClassName() {
        return given.getProperty("driverClassName");
    }

    @Override
    public String getDriverClassName() {
        return calculated.getDriverClassName();
    }

    @Override
    public @Nullable String getConfiguredUsername() {
        return given.getProperty("username");
    }

    @Override
    public @Nullable String getUsername() {
        return calculated.getUsername();
    }

    @Override
    public @Nullable String getConfiguredPassword() {
        return given.getProperty("password");
    }

    @Override
    public @Nullable String getPassword() {
        return calculated.getPassword();
    }

    @Override
    public @Nullable String getConfiguredValidationQuery() {
        return given.getProperty("connectionTestQuery");
    }

    /** Returns what was configured: without it the pool asks the driver, and needs no query. */
    @Override
    public @Nullable String getValidationQuery() {
        return getConfiguredValidationQuery();
    }
}
