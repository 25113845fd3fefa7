package dev.weir.internal.drivers;

import dev.weir.internal.settings.Configuration;
import dev.weir.internal.settings.Setting;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Properties;
import org.jspecify.annotations.Nullable;

/**
 * How a driver, or its DataSource, is told to make its sockets by the pool, where the user left that to the driver.
 *
 * @param factory the class that it is to load
 * @param argument the property that passes the number of the connect on, or null: then it connects on the thread that asks
 */
record SocketProperties(String factory, @Nullable String argument) {
    private static final String FACTORY = "socketFactory";

    /** In lower case: what says, in a url or a property, that the connection is not over a socket of the driver's choice. */
    private static final List<String> CHOSEN =
            List.of("socketfactory", "socketfactoryarg", "localsocket", "pipe", "unixsocketfile");

    /**
     * What to tell this driver; null where the setting {@code liveness} is {@code test}, or says nothing and it cannot be.
     *
     * @throws IllegalArgumentException if the setting asks for it and it cannot be
     */
    static @Nullable SocketProperties of(Configuration config, @Nullable Object driver) {
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
            case "org.postgresql.Driver" ->
                new SocketProperties(WatchedSocketFactory.class.getName(), "socketFactoryArg");
            case "org.mariadb.jdbc.Driver" -> new SocketProperties(WatchedSocketFactory.class.getName(), null);
            case "org.postgresql.ds.PGSimpleDataSource" ->
                new SocketProperties(WatchedSocketFactory.class.getName(), null);
            case "com.mysql.cj.jdbc.Driver", "com.mysql.cj.jdbc.MysqlDataSource" ->
                new SocketProperties("dev.weir.internal.drivers.MySqlSocketFactory", null);
            default -> null;
        };
    }

    private @Nullable String faultOf(Configuration config, Class<?> driver) {
        StringBuilder given = new StringBuilder().append(config.text(Setting.URL));
        config.dataSourceProperties().forEach((name, value) -> {
            given.append('&').append(name).append('=').append("url".equalsIgnoreCase(name) ? value : "");
        });
        for (String chosen : CHOSEN) {
            if (given.toString().toLowerCase(Locale.ROOT).contains(chosen + "=")) {
                return "the url or a property of the driver says where sockets come from (" + chosen + ")";
            }
        }
        return isSeenBy(driver) ? null : "the class loader of the driver does not see Weir";
    }

    /** Also lets the driver's module see it. */
    private boolean isSeenBy(Class<?> driver) {
        Module own = SocketProperties.class.getModule();
        own.addReads(driver.getModule());
        own.addExports(SocketProperties.class.getPackageName(), driver.getModule());
        try {
            return Class.forName(factory, false, driver.getClassLoader()).getClassLoader()
                    == SocketProperties.class.getClassLoader();
        } catch (ClassNotFoundException | LinkageError e) {
            return false;
        }
    }

    /** For a DataSource, which is told once: it has to connect on the thread that asks it to. */
    Map<String, Object> ofBean() {
        return Map.of(FACTORY, factory);
    }

    void put(Properties info, WatchedSockets connect) {
        info.setProperty(FACTORY, factory);
        if (argument != null) {
            info.setProperty(argument, connect.number());
        }
    }
}
