package dev.weir.slick;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigException;
import com.typesafe.config.ConfigUtil;
import com.typesafe.config.ConfigValue;
import dev.weir.PoolConfig;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import slick.SlickException;

/** Makes the pool's configuration of a database's section of Slick's configuration. */
final class SlickSettings {
    /** Slick's names of settings. The pool's own goes before it. */
    private static final Map<String, String> SLICKS_NAMES = Map.of(
            "driver", "driverClassName",
            "user", "username",
            "dataSourceClass", "dataSourceClassName",
            "maxConnections", "maximumPoolSize",
            "minConnections", "minimumIdle",
            "isolation", "transactionIsolation",
            "keepAliveTime", "keepaliveTime");

    /** What Slick itself reads, or the profile. */
    private static final Set<String> NOT_FOR_THE_POOL =
            Set.of("connectionPool", "numThreads", "queueSize", "keepAliveConnection", "host", "port", "dbName");

    /** What goes to the driver: Slick's name, and the pool's. */
    private static final Set<String> FOR_THE_DRIVER = Set.of("properties", "dataSource");

    private static final int THREADS = 20; // Slick's own defaults
    private static final int QUEUE = 1000;

    private final Config config;
    private final String name;

    /**
     * @param config the section
     * @param name its path, or empty
     */
    SlickSettings(Config config, String name) {
        this.config = config;
        this.name = name;
    }

    /** Slick's own pool starts without its database, unless it is told to wait for it. */
    boolean startsAtOnce() {
        return config.hasPath("initializationFailTimeout");
    }

    /** Throws SlickException that names the properties, if anything is wrong. */
    PoolConfig toConfig() {
        Properties given = new Properties();
        List<String> faults = new ArrayList<>();
        config.root().forEach((key, value) -> read(key, value, given, faults));
        SLICKS_NAMES.forEach((slicks, ours) -> {
            if (config.hasPath(slicks)) {
                given.putIfAbsent(ours, text(ours, slicks));
            }
        });
        PoolConfig.Builder builder = PoolConfig.builder()
                .poolName(name.isEmpty() ? null : name)
                .maximumPoolSize(number("numThreads", THREADS))
                // Slick closes after its own threads have ended: nobody gives back what is in use then.
                .closeTimeout(Duration.ZERO)
                .properties(given);
        FOR_THE_DRIVER.stream()
                .filter(config::hasPath)
                .flatMap(section -> config.getConfig(section).entrySet().stream())
                .forEach(property -> builder.dataSourceProperty(
                        String.join(".", ConfigUtil.splitPath(property.getKey())),
                        String.valueOf(property.getValue().unwrapped())));
        faults.addAll(builder.faults());
        failFor(faults);
        PoolConfig made = builder.build();
        checkThreads(made.maximumPoolSize());
        return made;
    }

    private int number(String key, int otherwise) {
        return config.hasPath(key) ? config.getInt(key) : otherwise;
    }

    /** Slick itself refuses this too, but after the pool was made, which nobody closes then. */
    private void checkThreads(int maximumPoolSize) {
        int threads = number("numThreads", THREADS);
        int queue = number("queueSize", QUEUE);
        if (queue <= 0) {
            failFor(List.of("queueSize: " + queue
                    + " (expected: 1 or more: Slick runs without a queue, or with one that has no end, only if the number of"
                    + " connections has no limit)"));
        }
        if (maximumPoolSize < threads) {
            failFor(List.of("maximumPoolSize: " + maximumPoolSize + " (expected: at least numThreads " + threads
                    + ", or lower that: each of Slick's threads needs a connection)"));
        }
    }

    private void failFor(List<String> faults) {
        if (!faults.isEmpty()) {
            throw new SlickException(messageOf(faults), null);
        }
    }

    private void read(String key, ConfigValue value, Properties given, List<String> faults) {
        if (NOT_FOR_THE_POOL.contains(key)
                || FOR_THE_DRIVER.contains(key)
                || SLICKS_NAMES.containsKey(key)
                || value.unwrapped() == null) {
            return;
        }
        List<String> unknown = PoolConfig.builder().property(key, "").faults().stream()
                .filter(fault -> fault.startsWith(key + ": not a setting"))
                .toList();
        if (unknown.isEmpty()) {
            given.setProperty(key, text(key, key));
        } else { // what was probably meant as a setting; whatever else is no setting belongs to somebody else
            unknown.stream().filter(fault -> fault.endsWith(")")).forEach(faults::add);
        }
    }

    /** The pool takes times as "30s"; what it does not take may be one as this format has them, "30 seconds". */
    private String text(String setting, String key) {
        String text = String.valueOf(config.getValue(ConfigUtil.joinPath(key)).unwrapped());
        boolean taken = PoolConfig.builder().property(setting, text).faults().stream()
                .noneMatch(fault -> fault.startsWith(setting + ": "));
        if (taken || !text.matches("[\\d.]+\\s*[a-z]+")) {
            return text;
        }
        try {
            return config.getDuration(ConfigUtil.joinPath(key), TimeUnit.MILLISECONDS) + "ms";
        } catch (ConfigException e) {
            return text; // wrong, and reported as it is
        }
    }

    private String messageOf(List<String> faults) {
        String prefix = name.isEmpty() ? "" : name + ".";
        StringBuilder message = new StringBuilder("the pool is not configured as it should be:");
        faults.forEach(fault -> message.append("\n  ").append(prefix).append(fault));
        return message.toString();
    }
}
