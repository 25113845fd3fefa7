package dev.weir.lab.contender;

import java.time.Duration;
import java.util.Map;
import java.util.Objects;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * The pool that is asked for, in words that every pool knows. Immutable.
 *
 * @param physical where connections come from
 * @param url the same as a URL that the DriverManager knows
 * @param driver the class of the driver of that URL
 * @param user for the URL, or null
 * @param password for the URL, or null
 * @param minimum how many connections there are at least, and at the start
 * @param maximum how many there are at most
 * @param connectionTimeout how long getConnection may take
 * @param validationTimeout how long the test of a connection may take
 * @param grace how long after its last use a connection is lent without a test, where pools are to be equally safe
 * @param closeTimeout how long connections in use have when the pool is closed; null for the pool's own default
 * @param returnTimeout how long close() of a connection may take; null for the pool's own default
 * @param retryDelay how long to wait after a failed connect; null for the pool's own default
 * @param idleTimeout how long a connection is surplus before it is closed; null for the pool's own default
 * @param maxLifetime how old a connection may become; null for the pool's own default
 * @param testQuery what tests a connection, for pools that cannot ask the driver
 * @param autoCommit in which mode connections are lent
 * @param connectsAtStart whether the pool starts as it does by default, which may be to wait for a first connection
 * @param observed whether {@link PoolUnderTest#counts()} will be asked: some pools count only when they are told to
 * @param profile how safe
 * @param parameters what only this pool knows, by name
 */
public record PoolSpec(
        DataSource physical,
        String url,
        String driver,
        @Nullable String user,
        @Nullable String password,
        int minimum,
        int maximum,
        Duration connectionTimeout,
        Duration validationTimeout,
        Duration grace,
        @Nullable Duration closeTimeout,
        @Nullable Duration returnTimeout,
        @Nullable Duration retryDelay,
        @Nullable Duration idleTimeout,
        @Nullable Duration maxLifetime,
        String testQuery,
        boolean autoCommit,
        boolean connectsAtStart,
        boolean observed,
        Profile profile,
        Map<String, String> parameters) {

    /** A pool of connections from a data source; pools that know only URLs reach it through {@link BridgeDriver}. */
    public static Builder of(DataSource physical) {
        return new Builder(physical, BridgeDriver.urlOf(physical), BridgeDriver.class.getName(), null, null);
    }

    /** A pool of connections from a URL whose driver is registered. */
    public static Builder of(String url, @Nullable String user, @Nullable String password) {
        UrlDataSource physical = new UrlDataSource(url, user, password);
        return new Builder(physical, url, physical.driverClass(), user, password);
    }

    /** How many connections there are at most: as its own parameter of this name says, else as the workload asks for. */
    static final String MAXIMUM = "maximumPoolSize";

    int limit() {
        String own = parameters.get(MAXIMUM);
        return own == null ? maximum : Integer.parseInt(own);
    }

    /** The validation timeout for pools that know only whole seconds. */
    int validationSeconds() {
        return Math.max(1, (int) validationTimeout.toSeconds());
    }

    /** Whether the pool is to be as safe as it can. */
    public boolean equal() {
        return profile == Profile.EQUAL;
    }

    /** Collects a {@link PoolSpec}. Not thread-safe. */
    public static final class Builder {
        private final DataSource physical;
        private final String url;
        private final String driver;
        private final @Nullable String user;
        private final @Nullable String password;

        private int minimum;
        private int maximum = 10;
        private Duration connectionTimeout = Duration.ofSeconds(30);
        private Duration validationTimeout = Duration.ofSeconds(5);
        private Duration grace = Duration.ofMillis(500);
        private @Nullable Duration closeTimeout;
        private @Nullable Duration returnTimeout;
        private @Nullable Duration retryDelay;
        private @Nullable Duration idleTimeout;
        private @Nullable Duration maxLifetime;
        private String testQuery = "SELECT 1";
        private boolean autoCommit = true;
        private boolean connectsAtStart;
        private boolean observed;
        private Profile profile = Profile.EQUAL;
        private Map<String, String> parameters = Map.of();

        private Builder(
                DataSource physical, String url, String driver, @Nullable String user, @Nullable String password) {
            this.physical = physical;
            this.url = url;
            this.driver = driver;
            this.user = user;
            this.password = password;
        }

        /** At least and at most so many connections. */
        public Builder size(int least, int most) {
            if (least < 0 || most < 1 || least > most) {
                throw new IllegalArgumentException(
                        "size: %d to %d (expected: 0 <= least <= most)".formatted(least, most));
            }
            minimum = least;
            maximum = most;
            return this;
        }

        public Builder connectionTimeout(Duration value) {
            connectionTimeout = value;
            return this;
        }

        public Builder validationTimeout(Duration value) {
            validationTimeout = value;
            return this;
        }

        public Builder grace(Duration value) {
            grace = value;
            return this;
        }

        public Builder closeTimeout(@Nullable Duration value) {
            closeTimeout = value;
            return this;
        }

        public Builder returnTimeout(@Nullable Duration value) {
            returnTimeout = value;
            return this;
        }

        public Builder retryDelay(@Nullable Duration value) {
            retryDelay = value;
            return this;
        }

        public Builder idleTimeout(@Nullable Duration value) {
            idleTimeout = value;
            return this;
        }

        public Builder maxLifetime(@Nullable Duration value) {
            maxLifetime = value;
            return this;
        }

        public Builder testQuery(String value) {
            testQuery = value;
            return this;
        }

        public Builder autoCommit(boolean value) {
            autoCommit = value;
            return this;
        }

        public Builder connectsAtStart(boolean value) {
            connectsAtStart = value;
            return this;
        }

        public Builder observed(boolean value) {
            observed = value;
            return this;
        }

        public Builder profile(Profile value) {
            profile = Objects.requireNonNull(value);
            return this;
        }

        public Builder parameters(Map<String, String> value) {
            parameters = Map.copyOf(value);
            return this;
        }

        public PoolSpec build() {
            return new PoolSpec(
                    physical,
                    url,
                    driver,
                    user,
                    password,
                    minimum,
                    maximum,
                    connectionTimeout,
                    validationTimeout,
                    grace,
                    closeTimeout,
                    returnTimeout,
                    retryDelay,
                    idleTimeout,
                    maxLifetime,
                    testQuery,
                    autoCommit,
                    connectsAtStart,
                    observed,
                    profile,
                    parameters);
        }
    }
}
