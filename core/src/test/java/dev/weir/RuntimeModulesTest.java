package dev.weir;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

import dev.weir.testkit.StubDatabase;
import java.io.File;
import java.lang.reflect.Method;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.spi.ToolProvider;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The pool needs java.sql of the JDK, and nothing more. Each runtime is a JVM of its own. */
final class RuntimeModulesTest {
    private static final Path JAVA = Path.of(System.getProperty("java.home"), "bin", "java");

    @TempDir
    Path folder;

    /** Lends twice, is refused once by the database, and ends: all parts that tell of something have told of it. */
    static final class Application {
        private Application() {}

        public static void main(String[] args) throws SQLException {
            try (StubDatabase db = new StubDatabase();
                    WeirDataSource pool = new WeirDataSource(PoolConfig.builder()
                            .dataSource(db.dataSource())
                            .poolName("small")
                            .maximumPoolSize(1)
                            .connectionTimeout(Duration.ofMinutes(1))
                            .build())) {
                for (int i = 0; i < 2; i++) {
                    try (Connection connection = pool.getConnection()) {
                        connection.createStatement().execute("select 1");
                    }
                    db.failNext(StubDatabase.CONNECT, 1, () -> new SQLException("not now", "08001"));
                    pool.evictAll();
                }
                System.out.println("lent " + pool.stats().acquired() + ", opened by "
                        + (pool.stats().opened() + pool.stats().openFailed() > 5 ? "many" : "few") + " connects");
                for (String module : args) {
                    System.out.println(
                            module + " " + ModuleLayer.boot().findModule(module).isPresent());
                }
            }
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"jdk.jfr", "java.management", "java.naming"})
    void thePoolWorksWithout(String missing) throws Exception {
        List<String> optional = new ArrayList<>(List.of("jdk.jfr", "java.management", "java.naming"));
        optional.remove(missing);
        optional.add("java.sql");
        List<String> command = new ArrayList<>(List.of(JAVA.toString(), "--limit-modules", String.join(",", optional)));
        String printed = run(command, missing);
        assertThat(printed).contains("lent 2, opened by few connects").doesNotContain("Error", " true");
        assertThat(printed.contains("this runtime has no JMX")).isEqualTo(missing.equals("java.management"));
    }

    @Test
    @Tag("thorough")
    void thePoolWorksInAnImageOfTheLeast() throws Exception {
        Path image = folder.resolve("image");
        int made = ToolProvider.findFirst("jlink")
                .orElseThrow()
                .run(System.out, System.err, "--add-modules", "java.sql", "--output", image.toString());
        assertThat(made).isZero();
        String printed =
                run(List.of(image.resolve("bin/java").toString()), "jdk.jfr", "java.management", "java.naming");
        assertThat(printed).contains("lent 2, opened by few connects").doesNotContain("Error", " true");
    }

    /** As in JBoss Modules, or OSGi: the runtime has the recorder, and the class loader of the pool does not show it. */
    @Test
    void thePoolWorksWhereTheRecorderIsHidden() throws Exception {
        ClassLoader container = new ClassLoader(ClassLoader.getPlatformClassLoader()) {
            @Override
            protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
                if (name.startsWith("jdk.jfr.")) {
                    throw new ClassNotFoundException(name);
                }
                return super.loadClass(name, resolve);
            }
        };
        List<URL> urls = new ArrayList<>();
        for (String entry : System.getProperty("java.class.path").split(File.pathSeparator, -1)) {
            urls.add(Path.of(entry).toUri().toURL());
        }
        try (URLClassLoader loader = new URLClassLoader(urls.toArray(URL[]::new), container)) {
            Method main = loader.loadClass(Application.class.getName()).getMethod("main", String[].class);
            main.setAccessible(true); // of a class that is not public
            assertThatCode(() -> main.invoke(null, (Object) new String[0])).doesNotThrowAnyException();
        }
    }

    private String run(List<String> java, String... arguments) throws Exception {
        List<String> command = new ArrayList<>(java);
        command.addAll(
                List.of("-cp", System.getProperty("java.class.path"), "dev.weir.RuntimeModulesTest$Application"));
        command.addAll(Arrays.asList(arguments));
        return printed(command, folder.resolve("output.txt"));
    }

    /** What this command printed, which must succeed. */
    static String printed(List<String> command, Path output) throws Exception {
        Process process = new ProcessBuilder(command)
                .redirectErrorStream(true)
                .redirectOutput(output.toFile())
                .start();
        try {
            assertThat(process.waitFor(3, TimeUnit.MINUTES)).isTrue();
            String printed = Files.readString(output);
            assertThat(process.exitValue()).as(printed).isZero();
            return printed;
        } finally {
            process.destroyForcibly();
        }
    }
}
