package dev.weir.play;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigFactory;
import com.typesafe.config.ConfigUtil;
import dev.weir.PoolConfig;
import dev.weir.WeirDataSource;
import java.sql.SQLException;
import java.util.List;
import java.util.Properties;
import javax.naming.NamingException;
import javax.sql.DataSource;
import play.api.Configuration;
import play.api.PlayException;
import play.api.db.ConnectionPool;
import play.api.db.ConnectionPool$;
import play.api.db.DatabaseConfig;
import play.api.libs.JNDI;
import scala.Option;
import scala.jdk.javaapi.OptionConverters;

/**
 * Makes the pools of Play's databases. Play finds it by {@code play.db.pool = "dev.weir.play.WeirConnectionPool"}, or by
 * {@code db.NAME.pool}. The section {@code db.NAME.weir} has the settings, and in it {@code dataSource.*} for the driver.
 * Thread-safe.
 */
public final class WeirConnectionPool implements ConnectionPool {
    private static final String SECTION = "weir";
    private static final String HIKARI = "hikaricp";

    /** For Play's injector. */
    public WeirConnectionPool() {}

    /**
     * Makes a pool and starts it, as {@code initializationFailTimeout} says; where that is not set, it starts with the first
     * connection, as Play's own does.
     *
     * @throws PlayException if the configuration is wrong, with every fault in its message, or the start failed
     */
    @Override
    public DataSource create(String name, DatabaseConfig database, Config configuration) {
        WeirDataSource pool = null;
        try {
            PoolConfig.Builder builder = PoolConfig.builder().poolName(name);
            database.url().foreach(builder::url);
            database.driver().foreach(builder::driverClassName);
            database.username().foreach(builder::username);
            database.password().foreach(builder::password);
            requireNothingOfHikari(configuration);
            Properties settings = settings(configuration);
            pool = new WeirDataSource(builder.properties(settings).build());
            if (settings.containsKey("initializationFailTimeout")) {
                pool.start();
            }
            DataSource shown = ConnectionPool$.MODULE$.wrapToLogSql(pool, configuration);
            bind(shown, OptionConverters.toJava(database.jndiName()).orElse(""));
            return shown;
        } catch (SQLException | NamingException | IllegalArgumentException e) {
            if (pool != null) {
                pool.close();
            }
            throw fault(configuration, name, e);
        }
    }

    /** What somebody set for Play's own pool would go unread: another size, auto-commit again where it was off. */
    private static void requireNothingOfHikari(Config configuration) {
        if (!configuration.hasPath(HIKARI)) {
            return;
        }
        Config byDefault = ConfigFactory.defaultReference(ConnectionPool.class.getClassLoader())
                .getConfig("play.db.prototype." + HIKARI);
        List<String> set = configuration.getConfig(HIKARI).entrySet().stream()
                .filter(entry -> !byDefault.hasPath(entry.getKey())
                        || !byDefault.getValue(entry.getKey()).equals(entry.getValue()))
                .map(entry -> HIKARI + "." + entry.getKey())
                .sorted()
                .toList();
        if (!set.isEmpty()) {
            throw new IllegalArgumentException(
                    String.join(", ", set)
                            + ": set for HikariCP (expected: in the section weir, by the names of its settings, or not at all)");
        }
    }

    private static PlayException fault(Config configuration, String name, Exception e) {
        return new Configuration(configuration)
                .reportError(SECTION, "database " + name + ": " + e.getMessage(), Option.apply(e));
    }

    private static Properties settings(Config configuration) {
        Properties settings = new Properties();
        if (configuration.hasPath(SECTION)) {
            configuration
                    .getConfig(SECTION)
                    .entrySet()
                    .forEach(entry -> settings.setProperty(
                            String.join(".", ConfigUtil.splitPath(entry.getKey())),
                            String.valueOf(entry.getValue().unwrapped())));
        }
        return settings;
    }

    @SuppressWarnings("BanJNDI") // the name is the application's own
    private static void bind(DataSource dataSource, String jndiName) throws NamingException {
        if (!jndiName.isEmpty()) {
            JNDI.initialContext().rebind(jndiName, dataSource);
        }
    }

    /** Closes the pool. */
    @Override
    public void close(DataSource dataSource) {
        if (ConnectionPool$.MODULE$.unwrap(dataSource) instanceof WeirDataSource pool) {
            pool.close();
        }
    }
}
