package dev.weir.lab.contender;

import java.time.Duration;
import java.util.Map;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * The pool that is asked for, in words that every pool knows; a setter returns this object, and null stands for the pool's own
 * default. Not thread-safe.
 */
public final class PoolSpec {
    final DataSource physical;
    final String url;
    final String driver;
    final @Nullable String user;
    final @Nullable String password;
    private int minimum;
    private int maximum = 10;
    Duration connectionTimeout = Duration.ofSeconds(30);
    Duration validationTimeout = Duration.ofSeconds(5);
    Duration grace = Duration.ofMillis(500);

    @Nullable
    Duration closeTimeout;

    @Nullable
    Duration returnTimeout;

    @Nullable
    Duration retryDelay;

    @Nullable
    Duration idleTimeout;

    @Nullable
    Duration maxLifetime;

    boolean autoCommit = true;
    boolean connectsAtStart;
    boolean observed;
    private Profile profile = Profile.EQUAL;
    Map<String, String> parameters = Map.of();

    private PoolSpec(DataSource physical, String url, String driver, @Nullable String user, @Nullable String password) {
        this.physical = physical;
        this.url = url;
        this.driver = driver;
        this.user = user;
        this.password = password;
    }

    /** A pool of connections from a data source; pools that know only URLs reach it through {@link BridgeDriver}. */
    public static PoolSpec of(DataSource physical) {
        return new PoolSpec(physical, BridgeDriver.urlOf(physical), BridgeDriver.class.getName(), null, null);
    }

    /** A pool of connections from a URL whose driver is registered. */
    public static PoolSpec of(String url, @Nullable String user, @Nullable String password) {
        UrlDataSource physical = new UrlDataSource(url, user, password);
        return new PoolSpec(physical, url, physical.driverClass(), user, password);
    }

    /** At least, and at the start, and at most so many connections. */
    public PoolSpec size(int least, int most) {
        if (least < 0 || most < 1 || least > most) {
            throw new IllegalArgumentException("size: %d to %d (expected: 0 <= least <= most)".formatted(least, most));
        }
        minimum = least;
        maximum = most;
        return this;
    }

    /** How long getConnection may take. */
    public PoolSpec connectionTimeout(Duration value) {
        connectionTimeout = value;
        return this;
    }

    /** How long the test of a connection may take. */
    public PoolSpec validationTimeout(Duration value) {
        validationTimeout = value;
        return this;
    }

    /** How long after its last use a connection is lent without a test, where pools are to be equally safe. */
    public PoolSpec grace(Duration value) {
        grace = value;
        return this;
    }

    /** How long connections in use have when the pool is closed. */
    public PoolSpec closeTimeout(@Nullable Duration value) {
        closeTimeout = value;
        return this;
    }

    /** How long close() of a connection may take. */
    public PoolSpec returnTimeout(@Nullable Duration value) {
        returnTimeout = value;
        return this;
    }

    /** How long to wait after a failed connect. */
    public PoolSpec retryDelay(@Nullable Duration value) {
        retryDelay = value;
        return this;
    }

    /** How long a connection is surplus before it is closed. */
    public PoolSpec idleTimeout(@Nullable Duration value) {
        idleTimeout = value;
        return this;
    }

    /** How old a connection may become. */
    public PoolSpec maxLifetime(@Nullable Duration value) {
        maxLifetime = value;
        return this;
    }

    /** In which mode connections are lent. */
    public PoolSpec autoCommit(boolean value) {
        autoCommit = value;
        return this;
    }

    /** Whether the pool starts as it does by default, which may be to wait for a first connection. */
    public PoolSpec connectsAtStart(boolean value) {
        connectsAtStart = value;
        return this;
    }

    /** Whether {@link PoolUnderTest#counts()} will be asked: some pools count only when they are told to. */
    public PoolSpec observed(boolean value) {
        observed = value;
        return this;
    }

    PoolSpec profile(Profile value) {
        profile = value;
        return this;
    }

    /** What only this pool knows, by name. */
    PoolSpec parameters(Map<String, String> value) {
        parameters = Map.copyOf(value);
        return this;
    }

    /** Returns where connections come from. */
    public DataSource physical() {
        return physical;
    }

    int minimum() {
        return Math.min(minimum, maximum());
    }

    /** The parameter {@code maximumPoolSize} in brackets comes before what the workload asks for. */
    int maximum() {
        String own = parameters.get("maximumPoolSize");
        return own == null ? maximum : Integer.parseInt(own);
    }

    /** Whether the pool is to be as safe as it can. */
    boolean isEqual() {
        return profile == Profile.EQUAL;
    }
}
