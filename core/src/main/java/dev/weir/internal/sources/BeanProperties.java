package dev.weir.internal.sources;

import dev.weir.internal.settings.Configuration;
import dev.weir.internal.settings.Durations;
import dev.weir.internal.settings.SettingNames;
import dev.weir.internal.settings.SettingType;
import dev.weir.internal.text.Redactor;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** Sets {@code dataSource.*} on the driver's DataSource through its public setters. */
final class BeanProperties {
    private final Object bean;
    private final Map<String, List<Method>> setters = new TreeMap<>();
    private final List<String> faults = new ArrayList<>();

    private BeanProperties(Object bean) {
        this.bean = bean;
        for (Method method : bean.getClass().getMethods()) {
            String name = method.getName();
            if (name.startsWith("set") && name.length() > 3 && method.getParameterCount() == 1 && !method.isBridge()) {
                setters.computeIfAbsent(name.substring(3), key -> new ArrayList<>())
                        .add(method);
            }
        }
    }

    /** Sets them all; throws IllegalArgumentException with every name that is unknown and every value that does not fit. */
    static void set(Object bean, Map<String, Object> properties) {
        BeanProperties target = new BeanProperties(bean);
        properties.forEach(target::set);
        if (!target.faults.isEmpty()) {
            throw new IllegalArgumentException(Configuration.messageOf(target.faults));
        }
    }

    private void set(String name, Object value) {
        String shownName = SettingNames.DATA_SOURCE_PREFIX + name;
        List<Method> candidates = find(name);
        if (candidates.isEmpty()) {
            List<String> names = new ArrayList<>();
            setters.keySet().forEach(key -> names.add(decapitalized(key)));
            faults.add(shownName + ": " + bean.getClass().getName() + " has no such property"
                    + SettingNames.didYouMean(name, names));
            return;
        }
        for (Method setter : candidates) {
            Object converted = convert(value, setter.getParameterTypes()[0]);
            if (converted != null) {
                call(setter, converted, shownName);
                return;
            }
        }
        faults.add(shownName + ": "
                + Redactor.shownProperty(name, value) + " (expected: "
                + candidates.get(0).getParameterTypes()[0].getSimpleName() + ")");
    }

    /** The setters of exactly this name, else of this name in other letters' case (url for setURL). */
    private List<Method> find(String name) {
        String exact = Character.toUpperCase(name.charAt(0)) + name.substring(1);
        List<Method> found = setters.get(exact);
        if (found != null) {
            return found;
        }
        for (Map.Entry<String, List<Method>> entry : setters.entrySet()) {
            if (entry.getKey().equalsIgnoreCase(name)) {
                return entry.getValue();
            }
        }
        return List.of();
    }

    private static String decapitalized(String name) {
        boolean acronym = name.length() > 1 && Character.isUpperCase(name.charAt(1));
        return acronym ? name : Character.toLowerCase(name.charAt(0)) + name.substring(1);
    }

    private void call(Method setter, Object value, String shownName) {
        try {
            setter.invoke(bean, value);
        } catch (InvocationTargetException e) {
            Throwable cause = e.getCause();
            Object shown = cause != null && Redactor.isSecretName(shownName)
                    ? cause.getClass().getName()
                    : Redactor.redact(String.valueOf(cause), unshown(shownName, value), null);
            faults.add(shownName + ": " + bean.getClass().getName() + " refused it: " + shown);
        } catch (IllegalAccessException e) {
            faults.add(shownName + ": " + bean.getClass().getName() + " cannot be configured from here: " + e);
        }
    }

    /** The value, if it may not be shown. */
    private static List<String> unshown(String shownName, Object value) {
        String name = shownName.substring(shownName.lastIndexOf('.') + 1);
        return Redactor.isShown(name, value) ? List.of() : List.of(value.toString());
    }

    /** The value as this type, or null if it cannot be. */
    private static @Nullable Object convert(Object value, Class<?> type) {
        if (type.isInstance(value)) {
            return value;
        }
        String text = value.toString().strip();
        try {
            return fromText(text, type);
        } catch (IllegalArgumentException e) {
            return null;
        }
    }

    private static @Nullable Object fromText(String text, Class<?> type) {
        if (type == String.class) {
            return text;
        } else if (type == int.class || type == Integer.class) {
            return Integer.valueOf(text);
        } else if (type == long.class || type == Long.class) {
            return Long.valueOf(text);
        } else if (type == short.class || type == Short.class) {
            return Short.valueOf(text);
        } else if (type == double.class || type == Double.class) {
            return Double.valueOf(text);
        } else if (type == boolean.class || type == Boolean.class) {
            return SettingType.BOOLEAN.read(text);
        } else if (type == char[].class) {
            return text.toCharArray();
        } else if (type == Duration.class) {
            return Durations.parse(text);
        } else if (type.isEnum()) {
            return constant(text, type);
        }
        return null;
    }

    private static @Nullable Object constant(String text, Class<?> type) {
        for (Object constant : type.getEnumConstants()) {
            if (((Enum<?>) constant).name().equalsIgnoreCase(text)) {
                return constant;
            }
        }
        return null;
    }
}
