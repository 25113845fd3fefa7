package dev.weir.lab.contender;

import java.beans.BeanInfo;
import java.beans.IntrospectionException;
import java.beans.Introspector;
import java.beans.PropertyDescriptor;
import java.lang.reflect.Method;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * Any DataSource class, set up through its bean properties. In their values {@code {url}}, {@code {user}}, {@code {password}},
 * {@code {minimum}}, {@code {maximum}} and {@code {timeout}} (milliseconds) stand for what the workload asks for.
 */
final class BeanContender implements Contender {
    private final String name;
    private final Class<?> type;
    private final Map<String, String> properties;

    BeanContender(String name, String className, Map<String, String> properties, ClassLoader loader) {
        this.name = name;
        this.properties = Map.copyOf(properties);
        try {
            this.type = Class.forName(className, true, loader);
        } catch (ClassNotFoundException e) {
            throw new IllegalArgumentException(
                    "pool %s: class %s (expected: a class on --classpath)".formatted(name, className), e);
        }
        if (!DataSource.class.isAssignableFrom(type)) {
            throw new IllegalArgumentException(
                    "pool %s: class %s (expected: a javax.sql.DataSource)".formatted(name, className));
        }
        properties.forEach((property, value) -> setter(property));
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public Class<?> type() {
        return type;
    }

    @Override
    public Terms terms(Profile profile) {
        return new Terms("as it is told, else not known", "not known");
    }

    @Override
    public List<String> limits(Profile profile) {
        return List.of("set up by its properties alone; whether it is as safe as the others is not known");
    }

    @Override
    public PoolUnderTest open(PoolSpec spec) throws Exception {
        DataSource pool = (DataSource) type.getDeclaredConstructor().newInstance();
        for (Map.Entry<String, String> property : properties.entrySet()) {
            Method setter = setter(property.getKey());
            String value = filled(property.getValue(), spec);
            setter.invoke(pool, converted(property.getKey(), value, setter.getParameterTypes()[0]));
        }
        return PoolUnderTest.of(pool, () -> Counts.UNKNOWN, () -> {
            if (pool instanceof AutoCloseable closeable) {
                closeable.close();
            }
        });
    }

    private static String filled(String value, PoolSpec spec) {
        return value.replace("{url}", spec.url())
                .replace("{user}", text(spec.user()))
                .replace("{password}", text(spec.password()))
                .replace("{minimum}", Integer.toString(spec.minimum()))
                .replace("{maximum}", Integer.toString(spec.maximum()))
                .replace("{timeout}", Long.toString(spec.connectionTimeout().toMillis()));
    }

    private static String text(@Nullable String value) {
        return value == null ? "" : value;
    }

    private Method setter(String property) {
        try {
            BeanInfo bean = Introspector.getBeanInfo(type);
            return Arrays.stream(bean.getPropertyDescriptors())
                    .filter(descriptor -> descriptor.getName().equals(property))
                    .map(PropertyDescriptor::getWriteMethod)
                    .filter(method -> method != null)
                    .findFirst()
                    .orElseThrow(() ->
                            new IllegalArgumentException("pool %s: property %s (expected: one that %s can be told)"
                                    .formatted(name, property, type.getName())));
        } catch (IntrospectionException e) {
            throw new IllegalArgumentException(
                    "pool " + name + ": class " + type.getName() + " has no bean properties", e);
        }
    }

    private Object converted(String property, String value, Class<?> target) {
        try {
            if (target == int.class || target == Integer.class) {
                return Integer.valueOf(value);
            }
            if (target == long.class || target == Long.class) {
                return Long.valueOf(value);
            }
            if (target == boolean.class || target == Boolean.class) {
                return Boolean.valueOf(value);
            }
            if (target == Duration.class) {
                return Duration.ofMillis(Long.parseLong(value));
            }
        } catch (NumberFormatException e) {
            throw new IllegalArgumentException(
                    "pool %s: %s: %s (expected: a number)".formatted(name, property, value), e);
        }
        if (target == String.class) {
            return value;
        }
        throw new IllegalArgumentException("pool %s: property %s is a %s (expected: text, a number, true or false)"
                .formatted(name, property, target.getName()));
    }
}
