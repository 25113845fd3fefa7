package dev.weir.lab.workload;

import dev.weir.lab.contender.PoolSpec;
import java.sql.SQLException;
import java.time.Duration;
import javax.sql.DataSource;

/**
 * Connects without a pool, before the pool of a cell is opened, so that the JVM has compiled the driver by the time that
 * counts. Else it compiles what makes pgjdbc's key of the password, half a second of one processor, in the outage of a pool
 * that filled fast, and before it for one that filled slowly. See decision 12.
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
