package dev.weir.lab.contender;

import java.io.IOException;
import java.io.InputStream;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Properties;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * A DataSource class that is set up through its setters, as a file of properties says.
 *
 * <ul>
 *   <li>{@code class}: the pool; {@code class.equal}: a class of ours in its place; {@code config}: what the setters are of, and
 *       the pool is made from; {@code open}: the method that opens a pool with a minimum; {@code jvm}: options of its JVM
 *   <li>{@code counts}: total, active, if they are known; each the path of a getter or a method, or a sum of two
 *   <li>{@code tested.equal}, {@code counted}, {@code limits.equal} and so on: see {@link Contender}
 *   <li>{@code set.NAME}: a setter and its value; {@code idle.}: where there is an idle timeout; {@code equal.}: in that profile,
 *       there {@code graced.} with a time of grace and {@code always.} without; {@code manual.}: without auto-commit
 *   <li>{@code parameter.NAME}: the setter of a parameter in brackets; any other parameter is a setter's name
 * </ul>
 *
 * <p>In values {@code {url}} and so on stand for what is asked for ({@link #value}); a setter whose value is not asked for is not
 * called, unless the name ends in a colon.
 */
final class BeanContender implements Contender {
    private static final Pattern PLACE = Pattern.compile("\\{([\\w.]+)(:?)}");
    private static final List<String> ORDER = List.of("set.", "idle.", "equal.", "graced.", "always.", "manual.");

    private final String name;
    private final Properties properties;
    private final Class<?> type;
    private final ClassLoader loader;

    /** @throws IllegalArgumentException naming the class or the property that is wrong */
    BeanContender(String name, Properties properties, ClassLoader loader) {
        this.name = name;
        this.properties = properties;
        this.loader = loader;
        this.type = load(properties.getProperty("class"));
        if (!DataSource.class.isAssignableFrom(type)) {
            throw new IllegalArgumentException(
                    "pool %s: class %s (expected: a javax.sql.DataSource)".formatted(name, type.getName()));
        }
        for (String key : keys("set.")) {
            setter(bean(), key.substring("set.".length()));
        }
    }

    /** The pool whose properties are a resource of this name. */
    static BeanContender preset(String name) {
        Properties properties = new Properties();
        try (InputStream in = BeanContender.class.getResourceAsStream(name + ".properties")) {
            properties.load(Objects.requireNonNull(in, name));
        } catch (IOException e) {
            throw new IllegalStateException(name, e);
        }
        return new BeanContender(name, properties, BeanContender.class.getClassLoader());
    }

    private Class<?> load(String className) {
        try {
            return Class.forName(className, true, loader);
        } catch (ClassNotFoundException e) {
            throw new IllegalArgumentException(
                    "pool %s: class %s (expected: a class on --classpath)".formatted(name, className), e);
        }
    }

    /** What the setters are of. */
    private Class<?> bean() {
        String config = properties.getProperty("config");
        return config == null ? type : load(config);
    }

    private Set<String> keys(String prefix) {
        return properties.stringPropertyNames().stream()
                .filter(key -> key.startsWith(prefix))
                .collect(Collectors.toCollection(TreeSet::new));
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
        return new Terms(
                properties.getProperty("tested." + profile.label(), "as it is told, else not known"),
                properties.getProperty("counted", "not known"));
    }

    @Override
    public List<String> limits(Profile profile) {
        String limits = properties.getProperty("limits." + profile.label(), properties.getProperty("limits"));
        return limits == null ? List.of() : List.of(limits.split("\\s*\\|\\s*"));
    }

    @Override
    public void checkParameter(String parameter) {
        setter(bean(), properties.getProperty("parameter." + parameter, parameter));
    }

    @Override
    public boolean agesInSeconds() {
        return !keys("idle.").isEmpty()
                && properties.stringPropertyNames().stream()
                        .anyMatch(key -> properties.getProperty(key).contains("{lifetime"));
    }

    @Override
    public List<String> jvmOptions() {
        return properties.containsKey("jvm") ? List.of(properties.getProperty("jvm")) : List.of();
    }

    @Override
    public PoolUnderTest open(PoolSpec spec) throws Exception {
        String own = spec.isEqual() ? properties.getProperty("class.equal") : null;
        Class<?> made = own == null ? type : load(own);
        Class<?> bean = properties.containsKey("config") ? bean() : made;
        Object target = bean.getDeclaredConstructor().newInstance();
        for (String prefix : ORDER) {
            for (String key : applies(prefix, spec) ? keys(prefix) : Set.<String>of()) {
                String value = filled(properties.getProperty(key), spec);
                if (value != null) {
                    set(target, key.substring(prefix.length()), value);
                }
            }
        }
        for (var parameter : spec.parameters.entrySet()) {
            set(
                    target,
                    properties.getProperty("parameter." + parameter.getKey(), parameter.getKey()),
                    parameter.getValue());
        }
        Object pool = bean == made ? target : made(made, target);
        String open = properties.getProperty("open");
        if (open != null && (spec.minimum() > 0 || made != type)) {
            call(pool, open);
        }
        return new PoolUnderTest((DataSource) pool, () -> counts(pool), () -> {
            if (hasMethod(pool, "close")) {
                call(pool, "close");
            }
        });
    }

    private static Object made(Class<?> type, Object config) throws ReflectiveOperationException {
        return Arrays.stream(type.getConstructors())
                .filter(one -> one.getParameterCount() == 1 && one.getParameterTypes()[0].isInstance(config))
                .findFirst()
                .orElseThrow(() -> new NoSuchMethodException(type + " from " + config.getClass()))
                .newInstance(config);
    }

    private static boolean applies(String prefix, PoolSpec spec) {
        return switch (prefix) {
            case "idle." -> spec.idleTimeout != null;
            case "equal." -> spec.isEqual();
            case "graced." -> spec.isEqual() && !spec.grace.isZero();
            case "always." -> spec.isEqual() && spec.grace.isZero();
            case "manual." -> !spec.autoCommit;
            default -> true;
        };
    }

    /** Null if something in it is not asked for. */
    private static @Nullable String filled(String text, PoolSpec spec) {
        boolean isMissing = PLACE.matcher(text)
                .results()
                .anyMatch(place ->
                        value(place.group(1), spec) == null && place.group(2).isEmpty());
        return isMissing
                ? null
                : PLACE.matcher(text)
                        .replaceAll((MatchResult place) ->
                                Matcher.quoteReplacement(Objects.requireNonNullElse(value(place.group(1), spec), "")));
    }

    /** What a place stands for; times are milliseconds, or with {@code .s} seconds, of grace rounded up. */
    private static @Nullable String value(String place, PoolSpec spec) {
        return switch (place) {
            case "url" -> spec.url;
            case "driver" -> spec.driver;
            case "user" -> spec.user;
            case "password" -> spec.password;
            case "minimum" -> Integer.toString(spec.minimum());
            case "maximum" -> Integer.toString(spec.maximum());
            case "autoCommit" -> Boolean.toString(spec.autoCommit);
            case "testQuery" -> "SELECT 1";
            case "timeout" -> millis(spec.connectionTimeout);
            case "validation" -> millis(spec.validationTimeout);
            case "validation.s" -> seconds(spec.validationTimeout);
            case "grace" -> millis(spec.grace);
            case "grace.s" -> Long.toString((spec.grace.toMillis() + 999) / 1000);
            case "idle" -> millis(spec.idleTimeout);
            case "idle.s" -> seconds(spec.idleTimeout);
            case "lifetime" -> millis(spec.maxLifetime);
            case "lifetime.s" -> seconds(spec.maxLifetime);
            case "retry" -> millis(spec.retryDelay);
            default ->
                throw new IllegalArgumentException("{" + place + "} (expected: {url}, {user}, {password}, {minimum},"
                        + " {maximum} or {timeout})");
        };
    }

    private static @Nullable String millis(@Nullable Duration time) {
        return time == null ? null : Long.toString(time.toMillis());
    }

    private static @Nullable String seconds(@Nullable Duration time) {
        return time == null ? null : Long.toString(Math.max(1, time.toSeconds()));
    }

    private void set(Object target, String property, String value) throws Exception {
        Method setter = setter(target.getClass(), property);
        Object converted = converted(property, value, setter.getParameterTypes()[0]);
        try {
            setter.invoke(target, converted);
        } catch (InvocationTargetException e) {
            throw e.getCause() instanceof Exception cause ? cause : e;
        }
    }

    /** Of several the one that takes a Duration, which names its unit. */
    private Method setter(Class<?> bean, String property) {
        String method = "set" + Character.toUpperCase(property.charAt(0)) + property.substring(1);
        List<Method> found = Arrays.stream(bean.getMethods())
                .filter(one -> one.getName().equals(method) && one.getParameterCount() == 1)
                .filter(one -> isConvertible(one.getParameterTypes()[0]))
                .toList();
        return found.stream()
                .filter(one -> one.getParameterTypes()[0] == Duration.class)
                .findFirst()
                .or(() -> found.stream().findFirst())
                .orElseThrow(() -> new IllegalArgumentException(
                        "pool %s: property %s (expected: one that %s can be told as text, a number, true or false)"
                                .formatted(name, property, bean.getName())));
    }

    private static boolean isConvertible(Class<?> target) {
        return List.of(
                        String.class,
                        int.class,
                        Integer.class,
                        long.class,
                        Long.class,
                        boolean.class,
                        Boolean.class,
                        Duration.class)
                .contains(target);
    }

    private Object converted(String property, String value, Class<?> target) {
        try {
            if (target == int.class || target == Integer.class) {
                return Integer.valueOf(value);
            }
            if (target == long.class || target == Long.class) {
                return Long.valueOf(value);
            }
            if (target == Duration.class) {
                return Duration.ofMillis(Long.parseLong(value));
            }
        } catch (NumberFormatException e) {
            throw new IllegalArgumentException(
                    "pool %s: %s: %s (expected: a number)".formatted(name, property, value), e);
        }
        return target == String.class ? value : Boolean.valueOf(value);
    }

    private Counts counts(Object pool) {
        String counts = properties.getProperty("counts");
        if (counts == null) {
            return Counts.UNKNOWN;
        }
        String[] paths = counts.split(", *", -1);
        try {
            return new Counts(number(pool, paths[0]), number(pool, paths[1]));
        } catch (Exception e) {
            return Counts.UNKNOWN;
        }
    }

    private static int number(Object pool, String paths) throws Exception {
        int sum = 0;
        for (String path : paths.split(" \\+ ", -1)) {
            Object value = pool;
            for (String step : path.split("\\.", -1)) {
                String getter = "get" + Character.toUpperCase(step.charAt(0)) + step.substring(1);
                value = call(value, hasMethod(value, getter) ? getter : step);
            }
            sum += ((Number) value).intValue();
        }
        return sum;
    }

    private static boolean hasMethod(Object target, String name) {
        return Arrays.stream(target.getClass().getMethods())
                .anyMatch(one -> one.getName().equals(name) && one.getParameterCount() == 0);
    }

    private static Object call(Object target, String method) throws Exception {
        Method found = target.getClass().getMethod(method);
        found.setAccessible(true);
        try {
            return Objects.requireNonNullElse(found.invoke(target), 0);
        } catch (InvocationTargetException e) {
            throw e.getCause() instanceof Exception cause ? cause : e;
        }
    }
}
