package dev.weir.spring.boot;

import java.sql.Connection;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.bind.BindContext;
import org.springframework.boot.context.properties.bind.BindHandler;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;

/** Collects what is wrong with the properties of a pool, where Spring's binder would end at the first. */
final class BindFaults implements BindHandler {
    private final PropertyNames names;
    private final List<String> faults = new ArrayList<>();
    private final Set<String> settings = new HashSet<>();
    private @Nullable Throwable cause;

    BindFaults(PropertyNames names) {
        this.names = names;
    }

    /** What the environment calls CONNECTION_TIMEOUT may be in the connection too; to look there would open one. */
    @Override
    public <T> @Nullable Bindable<T> onStart(ConfigurationPropertyName name, Bindable<T> target, BindContext context) {
        return Connection.class.equals(target.getType().resolve()) ? null : target;
    }

    /** Before the setter, whose refusal would end the whole. */
    @Override
    public @Nullable Object onSuccess(
            ConfigurationPropertyName name, Bindable<?> target, BindContext context, Object result) {
        if (!names.isOfPool(name) || result instanceof Map) { // those of the driver are not checked
            return result;
        }
        String setting = names.settingOf(name);
        for (String line : PropertyNames.refusalOf(setting, result)) {
            if (line.startsWith(setting + ":")) {
                settings.add(setting);
                add(List.of(names.translated(line)), null);
                return null;
            }
        }
        return result;
    }

    /** A value that is none of its type. */
    @Override
    public @Nullable Object onFailure(
            ConfigurationPropertyName name, Bindable<?> target, BindContext context, Exception error) throws Exception {
        if (!names.isOfPool(name)) {
            throw error;
        }
        settings.add(names.settingOf(name));
        add(List.of(names.faultOf(name, context.getConfigurationProperty(), error)), error);
        return null;
    }

    void add(List<String> more, @Nullable Throwable why) {
        more.stream().filter(fault -> !faults.contains(fault)).forEach(faults::add);
        cause = cause == null ? why : cause;
    }

    /** What the pool says of the whole; a property that is wrong by itself was left out, and contradicts nothing. */
    void addOthers(IllegalArgumentException wrong) {
        add(
                PropertyNames.linesOf(wrong).stream()
                        .filter(line -> settings.stream().noneMatch(line::contains))
                        .map(names::translated)
                        .toList(),
                wrong);
    }

    void throwIfAny() {
        if (!faults.isEmpty()) {
            throw new PoolConfigurationException(
                    names.prefix(),
                    faults,
                    cause == null ? new IllegalArgumentException(String.join("; ", faults)) : cause);
        }
    }
}
