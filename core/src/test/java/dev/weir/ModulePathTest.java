package dev.weir;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Weir works as a named module, with a driver on the module path, in a JVM of its own. */
class ModulePathTest {
    private static final String MODULE = "module app { requires dev.weir; requires java.management; }";
    private static final String MAIN = """
            package app;

            import dev.weir.PoolConfig;
            import dev.weir.WeirDataSource;
            import java.sql.Connection;
            import java.sql.ResultSet;
            import java.lang.management.ManagementFactory;
            import java.time.Duration;
            import java.util.concurrent.locks.LockSupport;
            import javax.management.MBeanServer;
            import javax.management.ObjectName;

            public class Main {
                public static void main(String[] args) throws Exception {
                    PoolConfig config = PoolConfig.builder()
                            .url("jdbc:h2:mem:modules").username("sa").password("").poolName("modular")
                            .connectionTimeout(Duration.ofMinutes(1)).build();
                    try (WeirDataSource pool = new WeirDataSource(config)) {
                        pool.start();
                        try (Connection connection = pool.getConnection();
                                ResultSet rows = connection.createStatement().executeQuery("select 42")) {
                            rows.next();
                            ObjectName bean = new ObjectName("dev.weir:type=Pool,name=modular");
                            MBeanServer server = ManagementFactory.getPlatformMBeanServer();
                            while (!server.isRegistered(bean)) { // start() waits a second for it, no longer
                                LockSupport.parkNanos(1_000_000);
                            }
                            Object name = server.getAttribute(bean, "PoolName");
                            System.out.println(WeirDataSource.class.getModule() + " " + name + " " + rows.getInt(1));
                        }
                    }
                }
            }
            """;

    /** Leaves what the SQL begins, and asks as the next user: url, user, SQL, question. */
    private static final String DIALECT = """
            package app;

            import dev.weir.PoolConfig;
            import dev.weir.WeirDataSource;
            import java.sql.Connection;
            import java.sql.ResultSet;
            import java.time.Duration;

            public class Main {
                public static void main(String[] args) throws Exception {
                    PoolConfig config = PoolConfig.builder()
                            .url(args[0]).username(args[1]).password("").maximumPoolSize(1).registerMbeans(false)
                            .connectionTimeout(Duration.ofMinutes(1)).build();
                    try (WeirDataSource pool = new WeirDataSource(config)) {
                        try (Connection connection = pool.getConnection()) {
                            connection.createStatement().execute(args[2]);
                        }
                        try (Connection connection = pool.getConnection();
                                ResultSet rows = connection.createStatement().executeQuery(args[3])) {
                            rows.next();
                            System.out.println("left: " + rows.getInt(1));
                        }
                    }
                }
            }
            """;

    private static Path home(Class<?> type) throws URISyntaxException {
        return Path.of(type.getProtectionDomain().getCodeSource().getLocation().toURI());
    }

    @Test
    void poolLendsOnTheModulePath(@TempDir Path folder) throws Exception {
        assertThat(run(folder, MAIN, org.h2.Driver.class, "com.h2database")).contains("module dev.weir modular 42");
    }

    @Test
    void theDialectReachesIntoMariaDbsModule(@TempDir Path folder) throws Exception {
        assertThat(leftInMariaDb(
                        folder, org.mariadb.jdbc.Driver.class, "org.mariadb.jdbc", MariaDbShared.Driver.MARIADB))
                .contains("left: 0");
    }

    @Test
    void theDialectReachesIntoConnectorJsModule(@TempDir Path folder) throws Exception {
        assertThat(leftInMariaDb(
                        folder, com.mysql.cj.jdbc.Driver.class, "mysql.connector.j", MariaDbShared.Driver.MYSQL))
                .contains("left: 0");
    }

    private static String leftInMariaDb(Path folder, Class<?> driver, String module, MariaDbShared.Driver kind)
            throws Exception {
        return run(folder, DIALECT, driver, module, kind.url(), "root", "START TRANSACTION", "SELECT @@in_transaction");
    }

    @Test
    void theDialectReachesIntoPgjdbcsModule(@TempDir Path folder) throws Exception {
        String url = PostgresShared.server().jdbcUrl();
        String begin = "BEGIN; CREATE TEMPORARY TABLE left_over (id int)";
        String question = "SELECT count(*) FROM pg_catalog.pg_class WHERE relname = 'left_over'";
        assertThat(run(
                        folder,
                        DIALECT,
                        org.postgresql.Driver.class,
                        "org.postgresql.jdbc",
                        url,
                        "postgres",
                        begin,
                        question))
                .contains("left: 0");
    }

    /**
     * Compiles and runs a main class as a module, beside the driver's; returns what it printed. Its pool is patient: on a busy
     * machine a new JVM takes seconds to load a driver.
     */
    private static String run(Path folder, String main, Class<?> driver, String module, String... arguments)
            throws Exception {
        String modulePath = String.join(
                System.getProperty("path.separator"),
                home(WeirDataSource.class).toString(),
                home(driver).toString(),
                folder.resolve("out").toString());
        compile(folder, main, modulePath);
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "--module-path",
                modulePath,
                "--add-modules",
                module,
                "--module",
                "app/app.Main"));
        command.addAll(List.of(arguments));
        return RuntimeModulesTest.printed(command, folder.resolve("output.txt"));
    }

    private static void compile(Path folder, String main, String modulePath) throws IOException {
        Path source = Files.createDirectories(folder.resolve("src/app")).resolve("Main.java");
        Path module = folder.resolve("src/module-info.java");
        Files.writeString(source, main, StandardCharsets.UTF_8);
        Files.writeString(module, MODULE, StandardCharsets.UTF_8);
        List<String> arguments = List.of(
                "--module-path",
                modulePath,
                "-d",
                folder.resolve("out").toString(),
                source.toString(),
                module.toString());
        int result = ToolProvider.getSystemJavaCompiler().run(null, null, null, arguments.toArray(String[]::new));
        assertThat(result).isZero();
    }
}
