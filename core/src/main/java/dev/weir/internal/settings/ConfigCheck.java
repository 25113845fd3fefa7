package dev.weir.internal.settings;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/**
 * Finds the settings that contradict one another. Only what was given can contradict: a default gives way where it can
 * (see {@link Configuration#get}). Settings that are wrong in themselves are left out, they are reported already.
 */
final class ConfigCheck {
    private static final int SHORTEST_START_MILLIS = 100;

    private final Configuration config;
    private final Set<Setting> wrong;
    private final List<String> faults = new ArrayList<>();

    private ConfigCheck(Configuration config, Set<Setting> wrong) {
        this.config = config;
        this.wrong = wrong;
    }

    static List<String> faultsOf(Configuration config, Set<Setting> wrong) {
        ConfigCheck check = new ConfigCheck(config, wrong);
        check.source();
        check.credentials();
        check.sizes();
        check.lifetimes();
        check.start();
        check.connectionTest();
        return check.faults;
    }

    private void source() {
        List<String> given = new ArrayList<>();
        if (config.dataSource() != null) {
            given.add("a DataSource object");
        }
        if (isGiven(Setting.URL)) {
            given.add("url");
        }
        if (isGiven(Setting.DATA_SOURCE_CLASS_NAME)) {
            given.add("dataSourceClassName");
        }
        if (given.isEmpty()) {
            faults.add(Setting.URL.fault(null, "one of url, dataSourceClassName and a DataSource object"));
        } else if (given.size() > 1) {
            faults.add(String.join(" and ", given)
                    + ": set together (expected: one of url, dataSourceClassName and a DataSource object)");
        }
        if (isGiven(Setting.DRIVER_CLASS_NAME) && !isGiven(Setting.URL) && !given.isEmpty()) {
            fault(Setting.DRIVER_CLASS_NAME, "only together with url; " + given.get(0) + " needs none");
        }
        if (config.dataSource() != null && !config.dataSourceProperties().isEmpty()) {
            faults.add("dataSource."
                    + config.dataSourceProperties().keySet().iterator().next()
                    + ": set (expected: none; a DataSource object is taken as it is)");
        }
    }

    private void credentials() {
        if (config.credentialsProvider() != null && (isGiven(Setting.USERNAME) || isGiven(Setting.PASSWORD))) {
            Setting given = isGiven(Setting.USERNAME) ? Setting.USERNAME : Setting.PASSWORD;
            fault(given, "none; the CredentialsProvider says who to connect as");
        }
        if (isGiven(Setting.PASSWORD) && !isGiven(Setting.USERNAME) && !isGiven(Setting.URL)) {
            faults.add(Setting.USERNAME.fault(null, "the user whose password is set"));
        }
    }

    /** A minimumIdle of more than maximumPoolSize gives way, as it does in use. */
    private void sizes() {
        int most = (int) config.required(Setting.MAXIMUM_POOL_SIZE);
        if (!wrong.contains(Setting.MAXIMUM_POOL_SIZE)
                && isGiven(Setting.MINIMUM_POOL_SIZE)
                && (int) config.required(Setting.MINIMUM_POOL_SIZE) > most) {
            fault(Setting.MINIMUM_POOL_SIZE, "at most maximumPoolSize " + most);
        }
    }

    private void lifetimes() {
        if (wrong.contains(Setting.MAX_LIFETIME) || !isGiven(Setting.KEEPALIVE_TIME)) {
            return;
        }
        Duration keepaliveTime = (Duration) config.required(Setting.KEEPALIVE_TIME);
        Duration maxLifetime = (Duration) config.required(Setting.MAX_LIFETIME);
        boolean bothOn = !keepaliveTime.isZero() && !maxLifetime.isZero();
        if (bothOn && keepaliveTime.compareTo(maxLifetime) >= 0) {
            fault(Setting.KEEPALIVE_TIME, "less than maxLifetime " + Durations.format(maxLifetime) + ", or 0: never");
        }
    }

    /** No connect ends that soon: each start would fail. */
    private void start() {
        Duration timeout = (Duration) config.required(Setting.INITIALIZATION_FAIL_TIMEOUT);
        if (config.isGiven(Setting.INITIALIZATION_FAIL_TIMEOUT)
                && timeout.toMillis() > 0
                && timeout.toMillis() < SHORTEST_START_MILLIS) {
            fault(
                    Setting.INITIALIZATION_FAIL_TIMEOUT,
                    "0, negative, or " + SHORTEST_START_MILLIS
                            + "ms and more; one that is not set is connectionTimeout");
        }
    }

    private void connectionTest() {
        boolean isValid = (boolean) config.required(Setting.JDBC4_CONNECTION_TEST);
        boolean query = config.get(Setting.CONNECTION_TEST_QUERY) != null;
        if (isValid == query
                && !wrong.contains(Setting.JDBC4_CONNECTION_TEST)
                && !wrong.contains(Setting.CONNECTION_TEST_QUERY)) {
            fault(
                    Setting.JDBC4_CONNECTION_TEST,
                    query ? "false, since there is a connectionTestQuery" : "true, or a connectionTestQuery");
        }
    }

    private boolean isGiven(Setting setting) {
        return config.isGiven(setting) || wrong.contains(setting);
    }

    private void fault(Setting setting, String expected) {
        faults.add(setting.fault(config.get(setting), expected));
    }
}
