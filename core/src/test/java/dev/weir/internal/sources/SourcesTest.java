package dev.weir.internal.sources;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.Configured;
import dev.weir.DenyingDriver;
import dev.weir.PoolConfig;
import dev.weir.WeirDataSource;
import dev.weir.internal.settings.Samples;
import dev.weir.spi.Credentials;
import java.io.IOException;
import java.io.PrintWriter;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.Driver;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Enumeration;
import java.util.List;
import java.util.Properties;
import java.util.concurrent.Callable;
import java.util.logging.Logger;
import javax.sql.DataSource;
import javax.sql.XAConnection;
import javax.sql.XADataSource;
import org.h2.jdbcx.JdbcDataSource;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.postgresql.ds.PGConnectionPoolDataSource;
import org.postgresql.ds.PGSimpleDataSource;
import org.postgresql.xa.PGXADataSource;

/** Where connections come from, on H2 and on what drivers may do. */
class SourcesTest {
    private static final String H2_DATA_SOURCE = JdbcDataSource.class.getName();

    private static Connection connect(PoolConfig config) throws SQLException {
        return Sources.of(Configured.configuration(config), null).connect();
    }

    @Test
    void urlFindsItsDriver() throws SQLException {
        try (Connection connection = connect(Samples.h2().build())) {
            assertThat(connection.isValid(1)).isTrue();
        }
    }

    @Test
    void driverClassIsUsed() throws SQLException {
        try (Connection connection =
                connect(Samples.h2().driverClassName("org.h2.Driver").build())) {
            assertThat(connection.isValid(1)).isTrue();
        }
    }

    @Test
    void dataSourceClassIsMadeAndConfigured() throws SQLException {
        PoolConfig config = PoolConfig.builder()
                .dataSourceClassName(H2_DATA_SOURCE)
                .dataSourceProperty("url", Samples.h2Url())
                .dataSourceProperty("loginTimeout", "7")
                .username("sa")
                .password("")
                .build();
        try (Connection connection = connect(config)) {
            assertThat(connection.getMetaData().getUserName()).isEqualTo("SA");
        }
    }

    @Test
    void dataSourceObjectIsUsedWithAndWithoutAUser() throws SQLException {
        JdbcDataSource source = new JdbcDataSource();
        source.setURL(Samples.h2Url());
        source.setUser("owner");
        try (Connection own = connect(PoolConfig.builder().dataSource(source).build())) {
            assertThat(own.getMetaData().getUserName()).isEqualTo("OWNER");
            own.createStatement().execute("create user other password 'x'");
            PoolConfig other = PoolConfig.builder()
                    .dataSource(source)
                    .username("other")
                    .password("x")
                    .build();
            try (Connection connection = connect(other)) {
                assertThat(connection.getMetaData().getUserName()).isEqualTo("OTHER");
            }
        }
    }

    @Test
    void propertiesReachTheDriver() throws SQLException {
        RecordingDriver.SEEN.clear();
        PoolConfig config = PoolConfig.builder()
                .url("jdbc:recording:x")
                .driverClassName(RecordingDriver.class.getName())
                .username("app")
                .password("pw")
                .dataSourceProperty("ssl", "true")
                .build();
        assertThatExceptionOfType(SQLException.class)
                .isThrownBy(() -> connect(config))
                .withMessage(RecordingDriver.class.getName()
                        + " gave no connection: it does not accept the url jdbc:recording:x");
        assertThat(RecordingDriver.SEEN)
                .singleElement()
                .satisfies(info -> assertThat(info)
                        .containsEntry("user", "app")
                        .containsEntry("password", "pw")
                        .containsEntry("ssl", "true"));
    }

    @Test
    void urlOfNobodyIsRefusedWithTheDriversThatAreThere() {
        PoolConfig config =
                PoolConfig.builder().url("jdbc:nobody:x?password=hunter2").build();
        assertThatExceptionOfType(SQLException.class)
                .isThrownBy(() -> connect(config))
                .withMessageStartingWith("no driver accepts the url jdbc:nobody:x?password=*** (installed: ")
                .withMessageContaining("org.h2.Driver")
                .satisfies(e -> assertThat(e.getSQLState()).isEqualTo("08001"));
    }

    @Test
    void classesThatCannotBeUsedAreRefusedByName() {
        assertThatIllegalArgumentException()
                .isThrownBy(() ->
                        connect(Samples.h2().driverClassName("no.such.Driver").build()))
                .withMessage("driverClassName: no.such.Driver (expected: a class on the class path or module path)");
        assertThatIllegalArgumentException()
                .isThrownBy(() ->
                        connect(Samples.h2().driverClassName("java.lang.String").build()))
                .withMessage("driverClassName: java.lang.String (expected: a class that implements java.sql.Driver)");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> connect(
                        Samples.h2().driverClassName("org.postgresql.Driver").build()))
                .withMessageStartingWith("url: jdbc:h2:mem:")
                .withMessageContaining("a url that org.postgresql.Driver accepts");
    }

    @Test
    void propertiesTheDataSourceDoesNotHaveAreRefusedTogether() {
        PoolConfig config = PoolConfig.builder()
                .dataSourceClassName(H2_DATA_SOURCE)
                .dataSourceProperty("pasword", "hunter2")
                .dataSourceProperty("loginTimeout", "soon")
                .build();
        assertThatIllegalArgumentException()
                .isThrownBy(() -> connect(config))
                .withMessageContaining(
                        "dataSource.pasword: " + H2_DATA_SOURCE + " has no such property (did you mean password?)")
                .withMessageContaining("dataSource.loginTimeout: soon (expected: int)")
                .satisfies(e -> assertThat(e.getMessage()).doesNotContain("hunter2"));
    }

    @Test
    void xaIsRefusedWithTheReason() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> connect(PoolConfig.builder()
                        .dataSourceClassName(PGXADataSource.class.getName())
                        .build()))
                .withMessageStartingWith(
                        "dataSourceClassName: org.postgresql.xa.PGXADataSource (XA data sources are refused")
                .withMessageContaining("transaction manager");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> connect(Samples.h2()
                        .driverClassName(PGXADataSource.class.getName())
                        .build()))
                .withMessageStartingWith("driverClassName: org.postgresql.xa.PGXADataSource (XA");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> connect(PoolConfig.builder()
                        .dataSource(new PlainAndXADataSource())
                        .build()))
                .withMessageStartingWith("dataSource: " + PlainAndXADataSource.class.getName() + " (XA");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> connect(PoolConfig.builder()
                        .dataSourceClassName(PGConnectionPoolDataSource.class.getName())
                        .build()))
                .withMessageContaining("ConnectionPoolDataSource is refused");
    }

    @Test
    void credentialsAreAskedForEveryConnect() throws SQLException {
        JdbcDataSource source = new JdbcDataSource();
        source.setURL(Samples.h2Url());
        String[] password = {"first"};
        PoolConfig config = PoolConfig.builder()
                .dataSource(source)
                .credentialsProvider(() -> new Credentials("app", password[0]))
                .build();
        ConnectionSource rotating = Sources.of(Configured.configuration(config), null);
        try (Connection owner = source.getConnection("app", "first");
                Connection before = rotating.connect()) {
            owner.createStatement().execute("alter user app set password 'second'");
            assertThatThrownBy(rotating::connect).isInstanceOf(SQLException.class);
            password[0] = "second";
            rotating.connect().close();
            assertThat(before.isValid(1)).isTrue();
        }
    }

    @Test
    void credentialsReachTheDriverOfAUrl() throws SQLException {
        PoolConfig config = PoolConfig.builder()
                .url(Samples.h2Url())
                .credentialsProvider(() -> new Credentials("app", "x"))
                .build();
        try (Connection connection = connect(config)) {
            assertThat(connection.getMetaData().getUserName()).isEqualTo("APP");
        }
    }

    @Test
    void credentialsThatCannotBeAskedForAreAFailureToConnect() {
        IllegalStateException cause = new IllegalStateException("vault is sealed");
        PoolConfig.Builder builder = PoolConfig.builder().url(Samples.h2Url());
        assertThatExceptionOfType(SQLException.class)
                .isThrownBy(() -> connect(builder.credentialsProvider(() -> {
                            throw cause;
                        })
                        .build()))
                .withCause(cause)
                .satisfies(e -> assertThat(e.getSQLState()).isEqualTo("08001"));
        SQLException own = new SQLException("no", "28P01");
        assertThatThrownBy(() -> connect(builder.credentialsProvider(() -> {
                            throw own;
                        })
                        .build()))
                .isSameAs(own);
    }

    @Test
    void credentialsDoNotShowTheirPassword() {
        assertThat(new Credentials("app", "hunter2")).hasToString("Credentials[user=app, password=***]");
        assertThat(new Credentials("app", null)).hasToString("Credentials[user=app, password=none]");
    }

    /** As it happens to a driver that was made for a newer JDK, or whose own library is missing. */
    public static final class BrokenDriver extends DenyingDriver {
        public BrokenDriver() {
            throw new NoClassDefFoundError("of the broken driver");
        }
    }

    /** Fails as soon as it is asked. */
    public static final class ThrowingDriver extends DenyingDriver {
        @Override
        public boolean acceptsURL(String url) throws SQLException {
            throw new SQLException("asked for " + url);
        }
    }

    public static final class FoundDriver extends DenyingDriver {
        @Override
        public boolean acceptsURL(String url) {
            return url.startsWith("jdbc:found:");
        }
    }

    /** The class loader of a folder, whose classes are nowhere else. It names these drivers as services. */
    private static ClassLoader withServices(Path folder, String... names) throws IOException {
        Path services = Files.createDirectories(folder.resolve("META-INF/services"));
        Files.write(services.resolve(Driver.class.getName()), List.of(names));
        return new URLClassLoader(new URL[] {folder.toUri().toURL()}, SourcesTest.class.getClassLoader());
    }

    /** A class of a Java version that does not exist yet. */
    private static void writeClassOfTheFuture(Path folder) throws IOException {
        ByteBuffer future = ByteBuffer.allocate(64);
        future.putInt(0xCAFEBABE).putShort((short) 0).putShort((short) 999);
        Files.write(folder.resolve("Future.class"), future.array());
    }

    private static <T> T within(@Nullable ClassLoader context, Callable<T> action) throws Exception {
        ClassLoader before = Thread.currentThread().getContextClassLoader();
        Thread.currentThread().setContextClassLoader(context);
        try {
            return action.call();
        } finally {
            Thread.currentThread().setContextClassLoader(before);
        }
    }

    /** The pool's threads carry no class loader, and a library that has none finds the services of the JVM alone. */
    @Test
    void driverDataSourceAndProviderFindTheirServicesByTheThreadsClassLoader() throws Exception {
        List<@Nullable ClassLoader> seen = new ArrayList<>();
        PoolConfig byObject = PoolConfig.builder()
                .dataSource(new PGSimpleDataSource() {
                    @Override
                    public Connection getConnection(String user, String password) throws SQLException {
                        seen.add(Thread.currentThread().getContextClassLoader());
                        throw new SQLException("no connection");
                    }
                })
                .credentialsProvider(() -> {
                    seen.add(Thread.currentThread().getContextClassLoader());
                    return new Credentials("app", "pw");
                })
                .build();
        assertThatThrownBy(() -> within(null, () -> connect(byObject))).hasMessage("no connection");
        PoolConfig byUrl = PoolConfig.builder()
                .url("jdbc:recording:x")
                .driverClassName(RecordingDriver.class.getName())
                .build();
        assertThatThrownBy(() -> within(null, () -> connect(byUrl))).hasMessageContaining("gave no connection");
        seen.add(RecordingDriver.lastContext);
        assertThat(seen).hasSize(3).containsOnly(SourcesTest.class.getClassLoader());
    }

    @Test
    void aBrokenDriverDoesNotHideTheOthers(@TempDir Path folder) throws Exception {
        writeClassOfTheFuture(folder);
        ClassLoader loader = withServices(
                folder,
                "Future",
                "no.such.Driver",
                "java.lang.String",
                Driver.class.getName(),
                BrokenDriver.class.getName(),
                ThrowingDriver.class.getName(),
                FoundDriver.class.getName());
        PoolConfig config = PoolConfig.builder().url("jdbc:found:x").build();
        assertThatThrownBy(() -> within(loader, () -> connect(config)))
                .hasMessageStartingWith(FoundDriver.class.getName() + " gave no connection");
    }

    @Test
    void theFaultsOfBrokenDriversAreToldWhereNoOtherAcceptsTheUrl(@TempDir Path folder) throws Exception {
        writeClassOfTheFuture(folder);
        ClassLoader loader = withServices(folder, "Future", BrokenDriver.class.getName());
        PoolConfig config = PoolConfig.builder().url("jdbc:future:x").build();
        assertThatThrownBy(() -> within(loader, () -> connect(config)))
                .hasMessageStartingWith("no driver accepts the url jdbc:future:x (installed: ")
                .hasMessageContainingAll(
                        "drivers that are broken: ", "UnsupportedClassVersionError", BrokenDriver.class.getName())
                .hasCauseInstanceOf(UnsupportedClassVersionError.class);
    }

    /** As that of a web application that was stopped, which the thread of a container may still carry. */
    @Test
    void aClassLoaderThatAlwaysFailsDoesNotHideTheOthers(@TempDir Path folder) throws Exception {
        ClassLoader stopped = new ClassLoader(null) {
            @Override
            public Enumeration<URL> getResources(String name) {
                throw new IllegalStateException("this application was stopped");
            }
        };
        ClassLoader configuring = withServices(folder, FoundDriver.class.getName());
        PoolConfig config = PoolConfig.builder().url("jdbc:found:x").build();
        ConnectionSource found = within(stopped, () -> Sources.of(Configured.configuration(config), configuring));
        assertThat(found).isNotNull();
    }

    @Test
    void theClassLoaderThatConfiguredThePoolFindsTheDriver(@TempDir Path folder) throws Exception {
        ClassLoader configuring = withServices(folder, FoundDriver.class.getName());
        try (WeirDataSource pool = within(
                configuring,
                () -> new WeirDataSource(PoolConfig.builder()
                        .url("jdbc:found:x")
                        .connectionTimeout(Duration.ofSeconds(20))
                        .initializationFailTimeout(Duration.ofMillis(100))
                        .build()))) {
            assertThatThrownBy(() -> within(ClassLoader.getPlatformClassLoader(), pool::getConnection))
                    .hasStackTraceContaining(FoundDriver.class.getName() + " gave no connection");
        }
    }

    /** Accepts its url, then denies it. */
    public static final class RecordingDriver extends DenyingDriver {
        static final List<Properties> SEEN = new ArrayList<>();
        static @Nullable ClassLoader lastContext;

        @Override
        public @Nullable Connection connect(String url, Properties info) {
            lastContext = Thread.currentThread().getContextClassLoader();
            SEEN.add(info);
            return null;
        }

        @Override
        public boolean acceptsURL(String url) {
            return url.startsWith("jdbc:recording:");
        }
    }

    /** As MySQL's and Oracle's: made for XA, though it could hand out plain connections. */
    private static final class PlainAndXADataSource implements DataSource, XADataSource {
        @Override
        public Connection getConnection() {
            throw new UnsupportedOperationException();
        }

        @Override
        public Connection getConnection(String user, String password) {
            throw new UnsupportedOperationException();
        }

        @Override
        public XAConnection getXAConnection() {
            throw new UnsupportedOperationException();
        }

        @Override
        public XAConnection getXAConnection(String user, String password) {
            throw new UnsupportedOperationException();
        }

        @Override
        public @Nullable PrintWriter getLogWriter() {
            return null;
        }

        @Override
        public void setLogWriter(PrintWriter out) {}

        @Override
        public void setLoginTimeout(int seconds) {}

        @Override
        public int getLoginTimeout() {
            return 0;
        }

        @Override
        public Logger getParentLogger() throws SQLFeatureNotSupportedException {
            throw new SQLFeatureNotSupportedException();
        }

        @Override
        public <T> T unwrap(Class<T> type) throws SQLException {
            throw new SQLException("wraps nothing");
        }

        @Override
        public boolean isWrapperFor(Class<?> type) {
            return false;
        }
    }
}
