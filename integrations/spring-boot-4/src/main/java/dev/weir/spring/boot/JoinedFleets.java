package dev.weir.spring.boot;

import dev.weir.WeirDataSource;
import dev.weir.fleet.FleetOptions;
import dev.weir.fleet.FleetStats;
import dev.weir.fleet.WeirFleet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.beans.factory.config.DestructionAwareBeanPostProcessor;
import org.springframework.boot.convert.DurationStyle;
import org.springframework.core.env.Environment;

/** The members, by their pools. The last of them leave when this bean is destroyed, which is after every pool's bean. */
class JoinedFleets implements FleetMembers, DisposableBean {
    /** Is told of each member that has joined. */
    @FunctionalInterface
    interface Observer {
        void joined(WeirFleet fleet);
    }

    private static final Pattern FAULT = Pattern.compile("fleet (\\w+): (.*)", Pattern.DOTALL);
    private static final String OF_POOL = "fleet: ";

    private final Environment environment;
    private final ObjectProvider<Observer> observers;
    private final Map<WeirDataSource, WeirFleet> fleets = new ConcurrentHashMap<>(); // a pool is equal to itself alone

    JoinedFleets(Environment environment, ObjectProvider<Observer> observers) {
        this.environment = environment;
        this.observers = observers;
    }

    Stream<WeirFleet> all() {
        return fleets.values().stream();
    }

    @Override
    public void join(PropertyNames names, WeirDataSource pool, FleetSettings settings) {
        FleetOptions options = new Reading(names, settings).options();
        try {
            WeirFleet fleet = WeirFleet.join(pool, options);
            fleets.put(pool, fleet);
            observers.orderedStream().forEach(observer -> observer.joined(fleet));
        } catch (IllegalArgumentException e) {
            String message = String.valueOf(e.getMessage());
            throw new PoolConfigurationException(
                    names.prefix(),
                    message.startsWith(OF_POOL)
                            ? names.faultsOf(new IllegalArgumentException(message.substring(OF_POOL.length()), e))
                            : List.of(names.ofFleet("*") + ": " + message),
                    e);
        } catch (SQLException e) { // refused; any other failure is tried again
            throw new PoolConfigurationException(
                    names.prefix(), List.of(names.ofFleet("*") + ": " + e.getMessage()), e);
        }
    }

    @Override
    public @Nullable FleetReport of(WeirDataSource pool) {
        WeirFleet fleet = fleets.get(pool);
        if (fleet == null) {
            return null;
        }
        FleetStats stats = fleet.stats();
        return new FleetReport(
                stats.fleet(),
                stats.application(),
                stats.instance(),
                stats.granted(),
                stats.share(),
                stats.wanted(),
                stats.budget(),
                stats.free(),
                stats.members(),
                stats.leaseHolds(),
                stats.renewals(),
                stats.failures(),
                stats.lastFailure());
    }

    @Override
    public void leave(WeirDataSource pool) {
        WeirFleet fleet = fleets.remove(pool);
        if (fleet != null) {
            fleet.close();
        }
    }

    @Override
    public void suspend() {
        all().forEach(WeirFleet::suspend);
    }

    @Override
    public void resume() {
        all().forEach(WeirFleet::resume);
    }

    @Override
    public void destroy() {
        fleets.keySet().forEach(this::leave);
    }

    /**
     * Has a pool's bean leave its fleet when it is destroyed. A pool that is closed alone is followed by its fleet a moment
     * later, when the JVM may have ended, and its places would stay taken until the lease has ended.
     */
    static class Leaving implements DestructionAwareBeanPostProcessor {
        private final ObjectProvider<JoinedFleets> members;

        Leaving(ObjectProvider<JoinedFleets> members) {
            this.members = members;
        }

        @Override
        public boolean requiresDestruction(Object bean) {
            return bean instanceof WeirDataSource;
        }

        @Override
        public void postProcessBeforeDestruction(Object bean, String beanName) {
            if (bean instanceof WeirDataSource pool) {
                members.ifAvailable(all -> all.leave(pool));
            }
        }
    }

    /** Turns what is written into options, and says what is wrong with it by property. */
    private final class Reading {
        private final PropertyNames names;
        private final FleetSettings settings;
        private final List<String> faults = new ArrayList<>();

        Reading(PropertyNames names, FleetSettings settings) {
            this.names = names;
            this.settings = settings;
        }

        FleetOptions options() {
            String name = required("name", settings.name(), "the name of the fleet");
            String application = required(
                    "application",
                    settings.application() != null
                            ? settings.application()
                            : environment.getProperty("spring.application.name"),
                    "a name, or spring.application.name");
            int budget = "auto".equalsIgnoreCase(settings.budget())
                    ? FleetOptions.AUTO
                    : read("budget", settings.budget(), FleetOptions.AUTO, this::budget, "auto, or 3 and more");
            int others = number("leave-for-others", settings.leaveForOthers(), 0);
            int weight = number("weight", settings.weight(), 1);
            int guaranteed = number("guaranteed", settings.guaranteed(), 0);
            int instances = number("instances", settings.instances(), 1);
            FleetOptions usual = FleetOptions.of("usual", "usual");
            Duration lease = time("lease", settings.lease(), usual.lease());
            Duration forgetAfter = time("forget-after", settings.forgetAfter(), usual.forgetAfter());
            boolean create = read("create-tables", settings.createTables(), false, Reading::truth, "true or false");
            if (faults.isEmpty()) {
                try {
                    return FleetOptions.of(name, application)
                            .withBudget(budget)
                            .withLeaveForOthers(others)
                            .withShare(weight, guaranteed)
                            .withInstances(instances)
                            .withLease(lease, forgetAfter)
                            .withCreateTables(create);
                } catch (IllegalArgumentException e) {
                    faults.add(translated(String.valueOf(e.getMessage())));
                }
            }
            throw new PoolConfigurationException(
                    names.prefix(), faults, new IllegalArgumentException(String.join("; ", faults)));
        }

        private String translated(String message) {
            Matcher fault = FAULT.matcher(message);
            if (!fault.matches()) {
                return names.ofFleet("*") + ": " + message;
            }
            String option = fault.group(1).equals("fleet") ? "name" : PropertyNames.dashed(fault.group(1));
            return names.ofFleet(option) + ": " + fault.group(2) + names.originOfFleet(option);
        }

        private String required(String option, @Nullable String value, String expected) {
            if (value != null && !value.isBlank()) {
                return value;
            }
            faults.add(names.ofFleet(option) + ": not set (expected: " + expected + ")");
            return "";
        }

        private int number(String option, @Nullable String value, int otherwise) {
            return read(option, value, otherwise, Integer::valueOf, "a number");
        }

        private Duration time(String option, @Nullable String value, Duration otherwise) {
            return read(
                    option,
                    value,
                    otherwise,
                    text -> DurationStyle.detectAndParse(text, ChronoUnit.MILLIS),
                    "a time, such as 30s");
        }

        /** A number that is written is none that stands for auto. */
        private Integer budget(String text) {
            int budget = Integer.parseInt(text);
            if (budget == FleetOptions.AUTO) {
                throw new IllegalArgumentException(text);
            }
            return budget;
        }

        private static Boolean truth(String text) {
            if (!text.matches("(?i)true|false")) {
                throw new IllegalArgumentException(text);
            }
            return Boolean.valueOf(text);
        }

        private <T> T read(
                String option, @Nullable String value, T otherwise, Function<String, T> reader, String expected) {
            if (value == null || value.isBlank()) {
                return otherwise;
            }
            try {
                return reader.apply(value.strip());
            } catch (IllegalArgumentException e) {
                faults.add(names.ofFleet(option) + ": " + value + " (expected: " + expected + ")"
                        + names.originOfFleet(option));
                return otherwise;
            }
        }
    }
}
