package dev.weir.internal.sockets;

import dev.weir.internal.settings.Configuration;
import dev.weir.internal.settings.Setting;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Properties;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * The properties that tell a driver, or its DataSource, to make its sockets by the pool, where the user left that to
 * the driver.
 *
 * @param factory the class that it is to load
 * @param argument the property that passes the number of the connect on, or null: then it connects on the thread that asks
 */
public record SocketProperties(String factory, @Nullable String argument) {
    static final String PG_ARGUMENT = "socketFactoryArg";

    private static final String FACTORY = "socketFactory";
    private static final String PG_DATA_SOURCE = "org.postgresql.ds.PGSimpleDataSource";

    /** In lower case: the names that say, in a url or a property, that the connection is not over a socket of the driver's choice. */
    private static final List<String> CHOSEN =
            List.of("socketfactory", "socketfactoryarg", "localsocket", "pipe", "unixsocketfile");

    /**
     * With these a driver may go on by another socket than the one it had when the connection was opened: drivers that choose
     * among servers, or come back to theirs. pgjdbc takes several hosts too, but stays with the one it found.
     */
    private static final Pattern CHANGING = Pattern.compile("jdbc:(mysql|mariadb)(?!://)|jdbc:(mysql|mariadb)://[^/?]*,"
            + "|[?&](autoreconnect|autoreconnectforpools)=(true|yes|1)");

    /** pgjdbc then connects on a thread of its own, to which a DataSource gives nothing of the connect that asked. */
    private static final Pattern ON_A_THREAD = Pattern.compile("[?&]logintimeout=0*[1-9]");

    /**
     * The properties to tell this driver; null where the setting {@code liveness} is {@code test}. Also null where it
     * is not set and the sockets cannot be watched.
     *
     * @throws IllegalArgumentException if the setting asks for it and the sockets cannot be watched
     */
    public static @Nullable SocketProperties of(Configuration config, @Nullable Object driver) {
        Object liveness = config.get(Setting.LIVENESS);
        if ("test".equals(liveness)) {
            return null;
        }
        SocketProperties known =
                driver == null ? null : ofDriver(driver.getClass().getName());
        String fault = driver == null || known == null
                ? "the sockets of this driver cannot be watched; those of a url of PostgreSQL, MariaDB or MySQL can,"
                        + " and of PGSimpleDataSource and MysqlDataSource by their class name"
                : known.faultOf(config, driver.getClass());
        if (fault == null) {
            return known;
        }
        if (liveness == null) {
            return null;
        }
        throw new IllegalArgumentException(Setting.LIVENESS.fault(liveness, "test: " + fault));
    }

    private static @Nullable SocketProperties ofDriver(String driver) {
        return switch (driver) {
            case "org.postgresql.Driver" -> new SocketProperties(WatchedSocketFactory.class.getName(), PG_ARGUMENT);
            case "org.mariadb.jdbc.Driver" -> new SocketProperties(WatchedSocketFactory.class.getName(), null);
            case PG_DATA_SOURCE -> new SocketProperties(WatchedSocketFactory.class.getName(), null);
            case "com.mysql.cj.jdbc.Driver", "com.mysql.cj.jdbc.MysqlDataSource" ->
                new SocketProperties("dev.weir.internal.sockets.MySqlSocketFactory", null);
            default -> null;
        };
    }

    private @Nullable String faultOf(Configuration config, Class<?> driver) {
        StringBuilder given = new StringBuilder().append(config.text(Setting.URL));
        for (Map.Entry<String, ?> property : config.dataSourceProperties().entrySet()) {
            given.append('&').append(property.getKey()).append('=').append(property.getValue());
        }
        String all = given.toString().toLowerCase(Locale.ROOT);
        for (String chosen : CHOSEN) {
            if (all.contains(chosen + "=")) {
                return "the url or a property of the driver says where sockets come from (" + chosen + ")";
            }
        }
        if (!driver.getName().startsWith("org.postgresql.")
                && CHANGING.matcher(all).find()) {
            return "with several servers, or autoReconnect, this driver may change the socket under a connection";
        }
        if (driver.getName().equals(PG_DATA_SOURCE) && ON_A_THREAD.matcher(all).find()) {
            return "with loginTimeout, PGSimpleDataSource connects on a thread of its own";
        }
        return isSeenBy(driver)
                ? null
                : "the class loader of the driver does not see Weir, or Weir another copy of the driver";
    }

    /**
     * Whether the driver loads the pool's factory, and takes it for one of its own: Connector/J may be there twice. Also lets
     * the driver's module see it.
     */
    private boolean isSeenBy(Class<?> driver) {
        Module own = SocketProperties.class.getModule();
        own.addReads(driver.getModule());
        own.addExports(SocketProperties.class.getPackageName(), driver.getModule());
        try {
            Class<?> seen = Class.forName(factory, false, driver.getClassLoader());
            ClassLoader ofItsKind = seen.getSuperclass().getClassLoader();
            return seen.getClassLoader() == SocketProperties.class.getClassLoader()
                    && (ofItsKind == null || ofItsKind == driver.getClassLoader());
        } catch (ClassNotFoundException | LinkageError e) {
            return false;
        }
    }

    /** For a DataSource, which is told once: it has to connect on the thread that asks it to. */
    public Map<String, Object> ofBean() {
        return Map.of(FACTORY, factory);
    }

    public void put(Properties info, WatchedSockets connect) {
        info.setProperty(FACTORY, factory);
        if (argument != null) {
            info.setProperty(argument, connect.number());
        }
    }
}
