package dev.weir.migration;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import com.zaxxer.hikari.pool.HikariPool.PoolInitializationException;
import dev.weir.PoolConfig;
import dev.weir.WeirDataSource;
import dev.weir.testkit.StubDatabase;
import java.sql.SQLException;
import java.util.Properties;
import javax.sql.DataSource;

/** HikariCP and Weir with the same properties, on a database of their own, as one who writes a test of both sees them. */
final class BothPools {
    static final String REFUSED = "refused";
    static final String START_FAILS = "the start fails";

    /** One of the two, started. */
    interface Pool extends AutoCloseable {
        DataSource source();

        StubDatabase database();

        int total();

        int idle();

        /** A time in force, in milliseconds. */
        long millis(String name) throws ReflectiveOperationException;

        void idleTimeoutMillis(long millis);

        @Override
        void close();
    }

    /** What is seen of a started pool, in words. */
    interface Probe {
        String of(Pool pool) throws Exception;
    }

    private BothPools() {}

    static Properties properties(String given) {
        Properties properties = new Properties();
        for (String one : given.split(" +", -1)) {
            if (!one.isEmpty()) {
                String value = one.substring(one.indexOf('=') + 1).replace('~', ' ');
                properties.setProperty(one.substring(0, one.indexOf('=')), value);
            }
        }
        return properties;
    }

    private static boolean isWithoutSource(Properties properties) {
        return properties.stringPropertyNames().stream()
                .noneMatch(name -> name.equals("jdbcUrl") || name.startsWith("dataSource"));
    }

    static String hikari(Properties given, boolean away, Probe probe) throws Exception {
        StubDatabase database = new StubDatabase();
        if (away) {
            database.stop();
        }
        HikariDataSource source;
        try {
            HikariConfig config = new HikariConfig(given);
            if (isWithoutSource(given)) {
                config.setDataSource(database.dataSource());
            }
            source = new HikariDataSource(config);
        } catch (PoolInitializationException e) {
            return START_FAILS;
        } catch (RuntimeException e) {
            return REFUSED;
        }
        try (Pool pool = new OfHikari(source, database)) {
            return probe.of(pool);
        }
    }

    static String weir(Properties given, boolean away, Probe probe) throws Exception {
        StubDatabase database = new StubDatabase();
        if (away) {
            database.stop();
        }
        WeirDataSource source;
        try {
            PoolConfig.Builder config = PoolConfig.builder();
            if (isWithoutSource(given)) {
                config.dataSource(database.dataSource());
            }
            given.stringPropertyNames().forEach(name -> config.property(name, given.getProperty(name)));
            source = new WeirDataSource(config.build());
        } catch (IllegalArgumentException e) {
            return REFUSED;
        }
        try (Pool pool = new OfWeir(source, database)) {
            source.start();
            return probe.of(pool);
        } catch (SQLException e) {
            return START_FAILS;
        }
    }

    private record OfHikari(HikariDataSource pool, StubDatabase database) implements Pool {
        @Override
        public DataSource source() {
            return pool;
        }

        @Override
        public int total() {
            return pool.getHikariPoolMXBean().getTotalConnections();
        }

        @Override
        public int idle() {
            return pool.getHikariPoolMXBean().getIdleConnections();
        }

        @Override
        public long millis(String name) throws ReflectiveOperationException {
            return (long) HikariConfig.class.getMethod(getter(name)).invoke(pool);
        }

        @Override
        public void idleTimeoutMillis(long millis) {
            pool.getHikariConfigMXBean().setIdleTimeout(millis);
        }

        @Override
        public void close() {
            pool.close();
            database.close();
        }
    }

    private record OfWeir(WeirDataSource pool, StubDatabase database) implements Pool {
        @Override
        public DataSource source() {
            return pool;
        }

        @Override
        public int total() {
            return pool.stats().total();
        }

        @Override
        public int idle() {
            return pool.stats().idle();
        }

        @Override
        public long millis(String name) throws ReflectiveOperationException {
            return ((java.time.Duration) PoolConfig.class.getMethod(name).invoke(pool.config())).toMillis();
        }

        @Override
        public void idleTimeoutMillis(long millis) {
            pool.setIdleTimeout(Long.toString(millis));
        }

        @Override
        public void close() {
            pool.close();
            database.close();
        }
    }

    private static String getter(String name) {
        return "get" + Character.toUpperCase(name.charAt(0)) + name.substring(1);
    }
}
