package dev.weir.internal.sources;

import dev.weir.internal.settings.Configuration;
import dev.weir.internal.settings.Setting;
import dev.weir.internal.sockets.SocketProperties;
import dev.weir.internal.sockets.WatchedSockets;
import dev.weir.internal.text.Redactor;
import dev.weir.spi.Credentials;
import dev.weir.spi.CredentialsProvider;
import java.lang.reflect.InvocationTargetException;
import java.sql.Connection;
import java.sql.Driver;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.sql.SQLNonTransientConnectionException;
import java.sql.SQLTransientConnectionException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.ServiceConfigurationError;
import java.util.ServiceLoader;
import java.util.Set;
import javax.sql.CommonDataSource;
import javax.sql.ConnectionPoolDataSource;
import javax.sql.DataSource;
import javax.sql.XADataSource;
import org.jspecify.annotations.Nullable;

/**
 * Makes the source of connections that a configuration asks for. Nothing of the JVM is changed on the way: the driver is
 * called directly, not through DriverManager with its global time-out and its lock on registration.
 */
public final class Sources {
    private static final String WHY_NOT_XA =
            "XA data sources are refused: a transaction manager decides when an XAConnection's work"
                    + " is prepared and committed and must keep the connection until then, while this pool rolls back and lends it"
                    + " to somebody else at close(); use the driver's plain DataSource, or url";

    private static final String WHY_NOT_POOLED =
            "a ConnectionPoolDataSource is refused: it is made for a pool that resets"
                    + " connections by closing logical ones; use the driver's plain DataSource, or url";

    /** A class loader that fails always is not asked for ever, nor instead of the others. */
    private static final int MOST_FAULTS = 20;

    private final Configuration config;

    /** In their order: of the thread that starts the pool, of the one that configured it, and our own. */
    private final Set<ClassLoader> loaders = new LinkedHashSet<>();

    private Sources(Configuration config, @Nullable ClassLoader configuring) {
        this.config = config;
        @Nullable
        ClassLoader[] all = {Thread.currentThread().getContextClassLoader(), configuring, Sources.class.getClassLoader()
        };
        for (ClassLoader loader : all) {
            if (loader != null) {
                loaders.add(loader);
            }
        }
    }

    /**
     * Loads the driver or its DataSource. Runs driver code, opens nothing.
     *
     * @param configuring the context class loader of the thread that configured the pool: the first user's may not see the
     *     driver
     * @throws IllegalArgumentException if a class or property of the configuration cannot be used
     * @throws SQLException if no driver accepts the url
     */
    public static ConnectionSource of(Configuration config, @Nullable ClassLoader configuring) throws SQLException {
        Sources sources = new Sources(config, configuring);
        try {
            return sources.make();
        } finally {
            sources.loaders.clear(); // the pool may outlive their applications
        }
    }

    private ConnectionSource make() throws SQLException {
        DataSource object = config.dataSource();
        if (object != null) {
            refuseXa(object.getClass(), "dataSource");
            return new Source(ofDataSource(object), SocketProperties.of(config, null), null);
        }
        String className = config.text(Setting.DATA_SOURCE_CLASS_NAME);
        if (className != null) {
            DataSource made = instance(className, Setting.DATA_SOURCE_CLASS_NAME, DataSource.class);
            BeanProperties.set(made, config.dataSourceProperties());
            SocketProperties watched = SocketProperties.of(config, made);
            if (watched != null) {
                BeanProperties.set(made, watched.ofBean());
            }
            return new Source(ofDataSource(made), watched, made);
        }
        String url = config.text(Setting.URL);
        if (url == null) {
            throw new IllegalArgumentException(Setting.URL.fault(null, "jdbc:..."));
        }
        Driver driver = driver(url);
        SocketProperties watched = SocketProperties.of(config, driver);
        return new Source(ofDriver(driver, url, watched), watched, null);
    }

    /** One connect; a driver that is called directly is told to make its sockets by the pool, if these are given. */
    private interface Connecting {
        Connection connect(@Nullable Credentials as, @Nullable WatchedSockets sockets) throws SQLException;
    }

    /**
     * Connects by a DataSource: as the user of the provider, else as the configured one, else as the DataSource itself
     * says.
     */
    private Connecting ofDataSource(DataSource dataSource) {
        return (as, sockets) -> {
            String user = as == null ? config.text(Setting.USERNAME) : as.user();
            String password = as == null ? config.text(Setting.PASSWORD) : as.password();
            Connection connection = asIts(
                    dataSource,
                    () -> user == null ? dataSource.getConnection() : dataSource.getConnection(user, password));
            return connected(connection, dataSource);
        };
    }

    private Connecting ofDriver(Driver driver, String url, @Nullable SocketProperties watched) {
        return (as, sockets) -> {
            Properties info = new Properties(); // anew for each connect: some drivers write into it
            for (Map.Entry<String, Object> property :
                    config.dataSourceProperties().entrySet()) {
                info.put(property.getKey(), asDriversRead(property.getValue()));
            }
            put(info, "user", as == null ? config.text(Setting.USERNAME) : as.user());
            put(info, "password", as == null ? config.text(Setting.PASSWORD) : as.password());
            if (sockets != null && watched != null) {
                watched.put(info, sockets);
            }
            return connected(asIts(driver, () -> driver.connect(url, info)), driver);
        };
    }

    /** A call of a driver's or of a user's object. */
    @FunctionalInterface
    private interface Call<T extends @Nullable Object, E extends Exception> {
        T call() throws E;
    }

    /**
     * Makes the call with the class loader of the object as the thread's: drivers, providers and the libraries below them find
     * services and classes by that one, and the pool's threads carry none. A thread that the call begins keeps no other
     * application than the object does.
     */
    private static <T extends @Nullable Object, E extends Exception> T asIts(Object called, Call<T, E> call) throws E {
        Thread thread = Thread.currentThread();
        ClassLoader own = thread.getContextClassLoader();
        thread.setContextClassLoader(called.getClass().getClassLoader());
        try {
            return call.call();
        } finally {
            thread.setContextClassLoader(own);
        }
    }

    /** Drivers ask with getProperty(), which finds text alone. */
    private static Object asDriversRead(Object value) {
        return value instanceof Number || value instanceof Boolean ? value.toString() : value;
    }

    /** Opens connections; where it watches the sockets, it has the driver make them by the pool. */
    private final class Source implements ConnectionSource {
        private final Connecting connecting;
        private final boolean watches;
        private final @Nullable DataSource made;

        Source(Connecting connecting, @Nullable SocketProperties watched, @Nullable DataSource made) {
            this.connecting = connecting;
            this.watches = watched != null;
            this.made = made;
        }

        @Override
        public Connection connect() throws SQLException {
            return open(credentials()).connection();
        }

        @Override
        public @Nullable Credentials credentials() throws SQLException {
            CredentialsProvider provider = config.credentialsProvider();
            return provider == null ? null : ask(provider);
        }

        @Override
        public Opened open(@Nullable Credentials as) throws SQLException {
            if (!watches) {
                return new Opened(connecting.connect(as, null), null);
            }
            WatchedSockets sockets = WatchedSockets.begin();
            Connection connection;
            try {
                connection = connecting.connect(as, sockets);
            } finally {
                sockets.end();
            }
            return new Opened(connection, sockets.isEmpty() ? null : sockets);
        }

        @Override
        public @Nullable DataSource driverDataSource() {
            return made;
        }

        @Override
        public boolean watchesSockets() {
            return watches;
        }
    }

    private static void put(Properties info, String name, @Nullable String value) {
        if (value != null) {
            info.put(name, value);
        }
    }

    /** JDBC lets a driver say by null that a url is not its own. */
    private Connection connected(@Nullable Connection connection, Object source) throws SQLException {
        if (connection == null) {
            String url = config.text(Setting.URL);
            throw new SQLNonTransientConnectionException(
                    source.getClass().getName() + " gave no connection"
                            + (url == null ? "" : ": it does not accept the url " + Redactor.redactUrl(url)),
                    "08001");
        }
        return connection;
    }

    /** A provider that cannot answer is a failure to connect: only the database refuses credentials. */
    @SuppressWarnings("CatchingUnchecked") // anything that user code throws is a failed connect
    private static Credentials ask(CredentialsProvider provider) throws SQLException {
        Credentials credentials;
        try {
            credentials = asIts(provider, provider::credentials);
        } catch (SQLException e) {
            throw e;
        } catch (Exception e) {
            if (e instanceof InterruptedException) {
                Thread.currentThread().interrupt();
            }
            throw new SQLTransientConnectionException(
                    "no credentials: " + provider.getClass().getName() + " failed with " + e, "08001", e);
        }
        if (credentials == null || credentials.user() == null) {
            throw new SQLTransientConnectionException(
                    "no credentials: " + provider.getClass().getName() + " returned none", "08001");
        }
        return credentials;
    }

    private Driver driver(String url) throws SQLException {
        String className = config.text(Setting.DRIVER_CLASS_NAME);
        if (className != null) {
            Driver driver = instance(className, Setting.DRIVER_CLASS_NAME, Driver.class);
            if (!driver.acceptsURL(url)) {
                throw new IllegalArgumentException(Setting.URL.fault(url, "a url that " + className + " accepts"));
            }
            return driver;
        }
        List<Throwable> faults = new ArrayList<>();
        Map<String, Driver> drivers = installedDrivers(faults);
        for (Driver driver : drivers.values()) {
            try {
                if (driver.acceptsURL(url)) {
                    return driver;
                }
            } catch (SQLException | RuntimeException | LinkageError e) {
                faults.add(e);
            }
        }
        SQLException none = new SQLNonTransientConnectionException(
                "no driver accepts the url " + Redactor.redactUrl(url) + " (installed: "
                        + (drivers.isEmpty() ? "none" : String.join(", ", drivers.keySet())) + ")"
                        + (faults.isEmpty() ? "" : "; drivers that are broken: " + faults),
                "08001",
                faults.isEmpty() ? null : faults.get(0));
        faults.stream().skip(1).forEach(none::addSuppressed);
        throw none;
    }

    /**
     * The drivers that are registered, and those that the class loaders find; the first of each class. A broken one, as one
     * that was made for a newer JDK, must not hide the others: its fault is noted, and matters where no other accepts the url.
     */
    private Map<String, Driver> installedDrivers(List<Throwable> faults) {
        Map<String, Driver> drivers = new LinkedHashMap<>();
        for (Driver driver : Collections.list(DriverManager.getDrivers())) {
            drivers.putIfAbsent(driver.getClass().getName(), driver);
        }
        for (ClassLoader loader : loaders) {
            Iterator<Driver> services = ServiceLoader.load(Driver.class, loader).iterator();
            int most = faults.size() + MOST_FAULTS;
            boolean more = true;
            while (more && faults.size() < most) {
                try {
                    more = services.hasNext();
                    if (more) {
                        Driver driver = services.next();
                        drivers.putIfAbsent(driver.getClass().getName(), driver);
                    }
                } catch (ServiceConfigurationError | LinkageError | RuntimeException e) {
                    faults.add(e);
                }
            }
        }
        return drivers;
    }

    private <T> T instance(String className, Setting setting, Class<T> type) {
        Class<?> found = load(className, setting);
        refuseXa(found, setting.settingName());
        if (!type.isAssignableFrom(found)) {
            throw new IllegalArgumentException(setting.fault(className, "a class that implements " + type.getName()));
        }
        try {
            return type.cast(found.getConstructor().newInstance());
        } catch (InvocationTargetException e) {
            throw new IllegalArgumentException(
                    setting.fault(className, "a class whose constructor does not fail") + ": " + e.getCause(), e);
        } catch (ReflectiveOperationException | LinkageError e) {
            throw new IllegalArgumentException(
                    setting.fault(className, "a public class with a public constructor without parameters") + ": " + e,
                    e);
        }
    }

    private Class<?> load(String className, Setting setting) {
        for (ClassLoader loader : loaders) {
            try {
                return Class.forName(className, true, loader);
            } catch (ClassNotFoundException e) {
                // the next loader may know it
            } catch (LinkageError e) {
                throw new IllegalArgumentException(
                        setting.fault(className, "a class that can be loaded") + ": " + e, e);
            }
        }
        throw new IllegalArgumentException(setting.fault(className, "a class on the class path or module path"));
    }

    /**
     * Some drivers have one class for everything (H2, MariaDB): it implements XADataSource too, but hands out plain
     * connections as a DataSource, which is what we use. A class that is no DataSource, or that says XA in its name, was
     * chosen for XA.
     */
    private static void refuseXa(Class<?> type, String setting) {
        boolean isDataSource = DataSource.class.isAssignableFrom(type);
        boolean isXa = XADataSource.class.isAssignableFrom(type);
        if (isXa && (!isDataSource || type.getSimpleName().contains("XA"))) {
            throw new IllegalArgumentException(setting + ": " + type.getName() + " (" + WHY_NOT_XA + ")");
        }
        boolean isPooled = ConnectionPoolDataSource.class.isAssignableFrom(type);
        if (!isDataSource && (isPooled || CommonDataSource.class.isAssignableFrom(type))) {
            throw new IllegalArgumentException(setting + ": " + type.getName() + " (" + WHY_NOT_POOLED + ")");
        }
    }
}
