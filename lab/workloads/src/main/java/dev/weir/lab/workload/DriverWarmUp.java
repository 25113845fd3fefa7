package dev.weir.lab.workload;

import dev.weir.lab.contender.PoolSpec;
import java.sql.SQLException;
import java.time.Duration;
import javax.sql.DataSource;

/**
 * Connects without a pool, before the pool of a cell is opened. In a new JVM the driver's own code is compiled meanwhile,
 * and not while the pool is measured: for the key that pgjdbc makes of a password that takes a processor for most of a
 * second, and begins the sooner the slower a pool fills. See decision 12.
 */
public final class DriverWarmUp {
    private static final String NAME = "warm-connects";
    private static final Duration ONE = Duration.ofMillis(12);

    private DriverWarmUp() {}

    /** How often, as a setting of a workload. */
    public static Setting setting() {
        return Setting.number(
                NAME, "connects without a pool first, so that the driver's code is compiled", 100, 20, 0, 10_000);
    }

    /** How long it takes, about. */
    public static Duration about(Settings settings) {
        return ONE.multipliedBy(settings.number(NAME));
    }

    /**
     * Opens and closes as many connections as the setting says, one after the other.
     *
     * @throws SQLException as the driver does
     */
    public static void run(Settings settings, PoolSpec.Builder spec) throws SQLException {
        DataSource driver = spec.build().physical();
        for (int i = 0; i < settings.number(NAME); i++) {
            driver.getConnection().close();
        }
    }
}
