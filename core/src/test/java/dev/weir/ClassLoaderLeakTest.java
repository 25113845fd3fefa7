package dev.weir;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.spi.PoolListener;
import dev.weir.testkit.Await;
import dev.weir.testkit.StubDatabase;
import java.lang.ref.WeakReference;
import java.lang.reflect.Proxy;
import java.net.URL;
import java.net.URLClassLoader;
import java.sql.Connection;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Consumer;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** An application that has used a pool can be unloaded, though it was the first to use it. */
@Timeout(120)
class ClassLoaderLeakTest {
    private static final Duration LIMIT = Duration.ofSeconds(60);

    /** Loads the classes with these names itself, as the class loader of a web application does. */
    private static final class ApplicationLoader extends URLClassLoader {
        private final List<String> prefixes;

        ApplicationLoader(URL[] urls, String... prefixes) {
            super(urls, ClassLoaderLeakTest.class.getClassLoader());
            this.prefixes = Arrays.asList(prefixes);
        }

        @Override
        protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
            if (prefixes.stream().noneMatch(name::startsWith) || name.startsWith("dev.weir.testkit.")) {
                return super.loadClass(name, resolve);
            }
            synchronized (getClassLoadingLock(name)) {
                Class<?> loaded = findLoadedClass(name);
                return loaded == null ? findClass(name) : loaded;
            }
        }
    }

    /** Uses the pool of a container. */
    public static final class Guest implements Consumer<DataSource> {
        @Override
        public void accept(DataSource pool) {
            try (Connection first = pool.getConnection();
                    Connection second = pool.getConnection();
                    Statement statement = second.createStatement()) {
                statement.execute("SELECT 1");
                first.setReadOnly(true);
            } catch (Exception e) {
                throw new AssertionError(e);
            }
        }
    }

    /** Brings its own pool, and closes it. */
    public static final class Owner implements Consumer<DataSource> {
        @Override
        public void accept(DataSource driver) {
            use(PoolConfig.builder().dataSource(driver));
        }

        static void use(PoolConfig.Builder builder) {
            PoolConfig config = builder.poolName("owned")
                    .registerMbeans(true)
                    .addListener(new Silent())
                    .leakDetectionThreshold(Duration.ofMinutes(1))
                    .connectionTimeout(Duration.ofSeconds(30))
                    .build();
            try (WeirDataSource pool = new WeirDataSource(config)) {
                pool.start();
                new Guest().accept(pool);
                pool.evictAll();
                new Guest().accept(pool);
            } catch (Exception e) {
                throw new AssertionError(e);
            }
        }
    }

    /** Brings its driver and its pool, whose threads are virtual. */
    public static final class OwnerOfVirtualThreads implements Consumer<DataSource> {
        @Override
        public void accept(DataSource driver) {
            Object own = Proxy.newProxyInstance(
                    getClass().getClassLoader(),
                    new Class<?>[] {DataSource.class},
                    (proxy, method, arguments) -> method.invoke(driver, arguments));
            Owner.use(PoolConfig.builder().dataSource((DataSource) own).threadFactory(ThreadFactoryTest.virtual()));
        }
    }

    /** Hears of everything. */
    public static final class Silent implements PoolListener {}

    private static URL home(Class<?> type) {
        return type.getProtectionDomain().getCodeSource().getLocation();
    }

    /** Runs a class in an application of its own; returns its class loader, if anybody still holds it. */
    private static WeakReference<ClassLoader> use(Class<?> what, DataSource dataSource, String... own)
            throws Exception {
        URL[] urls = {home(ClassLoaderLeakTest.class), home(WeirDataSource.class)};
        try (ApplicationLoader loader = new ApplicationLoader(urls, own)) {
            List<Throwable> failures = new ArrayList<>();
            Thread user = new Thread(
                    new ThreadGroup("application"),
                    () -> {
                        try {
                            Class<?> loaded = loader.loadClass(what.getName());
                            assertThat(loaded.getClassLoader()).isSameAs(loader);
                            @SuppressWarnings("unchecked")
                            Consumer<DataSource> application = (Consumer<DataSource>)
                                    loaded.getDeclaredConstructor().newInstance();
                            application.accept(dataSource);
                        } catch (Throwable e) {
                            failures.add(e);
                        }
                    },
                    "user");
            user.setContextClassLoader(loader);
            user.start();
            user.join();
            assertThat(failures).isEmpty();
            return new WeakReference<>(loader);
        }
    }

    private static void awaitUnloading(WeakReference<ClassLoader> loader) {
        Await.await("the application is unloaded", LIMIT, () -> {
            System.gc();
            return isGone(loader);
        });
    }

    private static boolean isGone(WeakReference<ClassLoader> loader) {
        @Nullable ClassLoader left = loader.get();
        return left == null;
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void theFirstUserOfAContainersPoolIsNotHeld(boolean started) throws Exception {
        try (StubDatabase db = new StubDatabase();
                WeirDataSource pool = new WeirDataSource(PoolConfig.builder()
                        .dataSource(db.dataSource())
                        .poolName("shared")
                        .minimumPoolSize(2)
                        .addListener(new Silent())
                        .leakDetectionThreshold(Duration.ofMinutes(1))
                        .connectionTimeout(Duration.ofSeconds(30))
                        .build())) {
            if (started) {
                pool.start();
            }
            WeakReference<ClassLoader> loader = use(Guest.class, pool, Guest.class.getName());
            awaitUnloading(loader);
            new Guest().accept(pool); // it works on
        }
    }

    @Test
    void anApplicationThatClosedItsOwnPoolIsNotHeld() throws Exception {
        try (StubDatabase db = new StubDatabase()) {
            awaitUnloading(use(Owner.class, db.dataSource(), "dev.weir."));
        }
    }

    @Test
    void anApplicationWhosePoolHadVirtualThreadsIsNotHeld() throws Exception {
        assertThat(ThreadFactoryTest.virtual()).isNotNull(); // where there are none the test ends here
        try (StubDatabase db = new StubDatabase()) {
            awaitUnloading(use(OwnerOfVirtualThreads.class, db.dataSource(), "dev.weir."));
        }
    }
}
