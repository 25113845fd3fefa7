package dev.weir.rewrite;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.weir.WeirDataSource;
import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class JavaChangesTest {
    private static final String IMPORTS = """
            import com.zaxxer.hikari.HikariConfig;
            import com.zaxxer.hikari.HikariDataSource;
            import java.sql.*;
            import java.util.*;
            import javax.sql.DataSource;

            """;

    /** A class with these members. */
    private static Repository shop(String members) {
        return Repository.java(IMPORTS + "class Shop {\n" + members.indent(4) + "}\n");
    }

    @Test
    void localConfigurationOfOneConstructorBecomesTheStartedDataSource() {
        Repository after = Repository.java("""
                import com.zaxxer.hikari.HikariConfig;
                import com.zaxxer.hikari.HikariDataSource;
                import javax.sql.DataSource;

                class Shop {
                    DataSource dataSource() {
                        HikariConfig config = new HikariConfig();
                        config.setJdbcUrl("jdbc:h2:mem:shop");
                        config.setMaximumPoolSize(10);
                        config.setConnectionTimeout(2_000);
                        config.setAllowPoolSuspension(true);
                        config.addDataSourceProperty("cachePrepStmts", "true");
                        return new HikariDataSource(config);
                    }
                }
                """).moved();
        assertThat(after.shop()).isEqualTo("""
                import dev.weir.WeirDataSource;

                import javax.sql.DataSource;

                import java.sql.SQLException;

                class Shop {
                    DataSource dataSource() {
                        WeirDataSource config = new WeirDataSource();
                        config.setJdbcUrl("jdbc:h2:mem:shop");
                        config.setMaximumPoolSize(10);
                        config.setConnectionTimeout(2_000);
                        config.addDataSourceProperty("cachePrepStmts", "true");
                        try {
                            config.start();
                        } catch (SQLException notStarted) {
                            throw new IllegalStateException("the pool did not start", notStarted);
                        }
                        return config;
                    }
                }
                """);
        after.isMoved();
        assertThat(after.get("build.gradle")).contains("'dev.weir:weir:");
    }

    @Test
    void startIsNotGuardedWhereItsFailureMayGoOn() {
        Repository after = shop("""
                private HikariDataSource pool;

                void open(boolean small) throws SQLException {
                    HikariConfig config = new HikariConfig();
                    if (small) {
                        config.setMinimumIdle(1);
                    }
                    config.setMaximumPoolSize(5);
                    this.pool = new HikariDataSource(config);
                }

                int count() throws SQLException {
                    HikariConfig config = new HikariConfig();
                    config.setMaximumPoolSize(5);
                    try (HikariDataSource own = new HikariDataSource(config); Connection one = own.getConnection()) {
                        return one.hashCode();
                    }
                }
                """).moved();
        assertThat(after.shop())
                .contains("        config.start();\n        this.pool = config;")
                .contains("        config.start();\n        try (WeirDataSource own = config; Connection one")
                .doesNotContain("notStarted");
        after.isMoved();
    }

    @Test
    void dataSourceThatIsItsOwnConfigurationIsNotStarted() {
        Repository after = shop("""
                private final Map<String, HikariDataSource> pools = new HashMap<>();

                HikariDataSource open(String url) {
                    HikariDataSource pool = new HikariDataSource();
                    pool.setJdbcUrl(url);
                    pool.setMaximumPoolSize(3);
                    pools.put(url, pool);
                    return pools.get(url);
                }
                """).moved();
        assertThat(after.shop()).contains("Map<String, WeirDataSource>").doesNotContain("start()");
        after.isMoved();
    }

    @Test
    void eachWayToWriteItIsMoved() {
        Repository after = Repository.java("""
                import com.zaxxer.hikari.*;
                import java.sql.*;
                import java.util.function.Supplier;
                import javax.sql.DataSource;

                /** Opens a {@link HikariDataSource}. */
                class Shop {
                    private static final HikariDataSource SHARED;

                    static {
                        final var config = new HikariConfig();
                        config.setMaximumPoolSize(2);
                        SHARED = new HikariDataSource(config);
                    }

                    private final Supplier<DataSource> later = () -> {
                        HikariConfig config = new HikariConfig();
                        config.setMaximumPoolSize(2);
                        for (String name : new String[] {"a", "b"}) {
                            config.addDataSourceProperty(name, config.getMaximumPoolSize());
                        }
                        return new HikariDataSource(config);
                    };

                    DataSource caught(boolean own) {
                        try {
                            // its own
                            HikariConfig config = new HikariConfig();
                            config.setMaximumPoolSize(2);
                            // opened
                            DataSource pool = new HikariDataSource(config);
                            return own ? pool : SHARED;
                        } catch (Exception e) {
                            return SHARED;
                        }
                    }

                    static void close(HikariDataSource... pools) {
                        for (HikariDataSource pool : pools) {
                            pool.close();
                        }
                    }
                }
                """).moved();
        assertThat(after.shop())
                .contains("config.start();\n            // opened\n            DataSource pool = config;")
                .contains("{@link WeirDataSource}");
        after.isMoved();
    }

    /** Each would change its meaning, or not compile; HikariDataSource copies its configuration. */
    private static final String[] LEFT = {
        // used twice
        "void a() { HikariConfig c = new HikariConfig(); c.setMaximumPoolSize(3); HikariDataSource p = new HikariDataSource(c);"
                + " c.setJdbcUrl(\"x\"); HikariDataSource q = new HikariDataSource(c); }",
        // changed behind the constructor
        "void a() { HikariConfig c = new HikariConfig(); c.setMaximumPoolSize(3); HikariDataSource p = new HikariDataSource(c);"
                + " c.setReadOnly(true); }",
        // in a loop
        "void a() { HikariConfig c = new HikariConfig(); c.setMaximumPoolSize(3); for (int i = 0; i < 2; i++) {"
                + " c.setJdbcUrl(\"x\" + i); DataSource p = new HikariDataSource(c); } }",
        // in a branch
        "DataSource a(boolean b) { HikariConfig c = new HikariConfig(); c.setMaximumPoolSize(3);"
                + " return b ? new HikariDataSource(c) : null; }",
        // later
        "java.util.function.Supplier<DataSource> a() { HikariConfig c = new HikariConfig(); c.setMaximumPoolSize(3);"
                + " return () -> new HikariDataSource(c); }",
        // a field, a parameter, returned, passed on
        "HikariConfig c = new HikariConfig(); HikariDataSource p = new HikariDataSource(c);",
        "DataSource a(HikariConfig c) { return new HikariDataSource(c); }",
        "HikariConfig a() { return new HikariConfig(); }",
        "void a() { HikariConfig c = new HikariConfig(); c.setMaximumPoolSize(3); System.out.println(c);"
                + " DataSource p = new HikariDataSource(c); }",
        "void a() { HikariConfig c = new HikariConfig(new Properties()); c.setMaximumPoolSize(3);"
                + " DataSource p = new HikariDataSource(c); }",
        // the pool of a field is not closed with a local name
        "HikariConfig c = new HikariConfig(); void a() { try (HikariDataSource p = new HikariDataSource(c)) { p.close(); } }",
        // kept by nobody
        "void a() { HikariConfig c = new HikariConfig(); c.setMaximumPoolSize(3); new HikariDataSource(c); }",
        // of another size
        "DataSource a() { HikariConfig c = new HikariConfig(); return new HikariDataSource(c); }",
        "DataSource a(boolean b) { HikariConfig c = new HikariConfig(); if (b) { c.setMaximumPoolSize(3); }"
                + " return new HikariDataSource(c); }",
        "DataSource a() { return new HikariDataSource(); }",
        // subclasses
        "static class Own extends HikariDataSource {}",
        "DataSource a() { return new HikariDataSource() { @Override public void close() {} }; }",
        "static class Own extends HikariConfig {}",
        // asked for by class
        "HikariDataSource a(DataSource d) { return (HikariDataSource) d; }",
        "boolean a(DataSource d) { return d instanceof HikariDataSource; }",
        "HikariDataSource a(DataSource d) throws SQLException { return d.unwrap(HikariDataSource.class); }",
        "Class<?> a() throws Exception { return Class.forName(\"com.zaxxer.hikari.HikariDataSource\"); }",
        "void a(List<HikariDataSource> all) { all.forEach(HikariDataSource::close); }",
        // what Weir does not have
        "int a(HikariDataSource d) { return d.getHikariPoolMXBean().getActiveConnections(); }",
        "void a(HikariDataSource d, Object r) { d.setMetricRegistry(r); }",
        "long a(HikariDataSource d) { return d.getConnectionTimeout(); }",
        "void a(HikariDataSource d) { com.zaxxer.hikari.util.IsolationLevel l = null; }",
        "void a(HikariDataSource d) { d.setIdleTimeout(5_000); }",
        "void a(HikariDataSource d) { d.setInitializationFailTimeout(0); }",
        "void a(HikariDataSource d) { library.Metrics.bind(d); }",
        // the other end of a name
        "@org.springframework.boot.context.properties.ConfigurationProperties(\"spring.datasource.hikari\") Object a() { return null; }",
        "@org.springframework.boot.context.properties.ConfigurationProperties(\"shop.db\") HikariDataSource a() {"
                + " HikariDataSource d = new HikariDataSource(); d.setMaximumPoolSize(3); return d; }",
        "String a() { return System.getenv(\"SPRING_DATASOURCE_HIKARI_MAXIMUM_POOL_SIZE\"); }",
        "DataSource a() { return org.springframework.boot.jdbc.DataSourceBuilder.create().build(); }",
        "Object a() { return System.getLogger(\"com.zaxxer.hikari\"); }",
    };

    @ParameterizedTest
    @CsvSource({
        "getJdbcUrl, getUrl() returns it",
        "getIdleTimeout, it returns a Duration in Weir: toMillis()",
        "isAutoCommit, getAutoCommit() returns null where it is not set"
    })
    void valuesThatAreReadAreMarkedWithWhatReturnsThem(String method, String what) {
        Repository before = shop("Object a(HikariDataSource pool) { return pool." + method + "(); }");
        assertThat(before.moved().shop()).contains("(Weir, to do: " + what + ")");
    }

    @Test
    void whatHasNoExactCounterpartIsMarkedAndNothingIsChanged() {
        Repository before = shop("void close(HikariDataSource pool) { pool.close(); }");
        for (int i = 0; i < LEFT.length; i++) {
            before = before.with(
                    "src/main/java/shop/Left" + i + ".java",
                    "package shop;\n\n" + IMPORTS + "class Left" + i + " {\n    " + LEFT[i] + "\n}\n");
        }
        Repository after = before.moved();
        for (int i = 0; i < LEFT.length; i++) {
            assertThat(after.get("src/main/java/shop/Left" + i + ".java")).contains("/*~~(Weir, to do: ");
        }
        assertThat(after.get("build.gradle"))
                .contains("HikariCP stays until its uses are changed in src/main/java/shop/Left0.java, ")
                .contains("more; then run this again");
        assertThat(after.shop()).isEqualTo(before.shop());
        after.isLeft(before);
    }

    @Test
    void otherTypesOfHikarisSayThatTheyHaveNoCounterpart() {
        Repository after = shop("Object open(String at, Properties more) {"
                        + " return new com.zaxxer.hikari.util.DriverDataSource(at, null, more, null, null); }")
                .moved();
        assertThat(after.shop()).contains("no counterpart)~~>*/new").doesNotContain("copies its configuration");
    }

    @Test
    void eachPlaceIsMarked() {
        Repository after = shop("""
                void open() {
                    HikariConfig config = new HikariConfig();
                    config.setMaximumPoolSize(3);
                    DataSource primary = new HikariDataSource(config);
                    config.setReadOnly(true);
                    DataSource replica = new HikariDataSource(config);
                }
                """).moved();
        assertThat(after.shop().lines().filter(line -> line.contains("to do: HikariDataSource copies")))
                .hasSize(3);
    }

    /** Also where the mark of the earlier run stands in another place by now. */
    @Test
    void marksGoWhenTheirReasonHasGone() {
        Repository marked =
                shop("DataSource a() { return new HikariDataSource(); }").moved();
        assertThat(marked.shop()).contains("to do");
        Repository mended = marked.with(
                "src/main/java/shop/Shop.java",
                marked.get("src/main/java/shop/Shop.java")
                        .replace("return ", "HikariDataSource pool = ")
                        .replace("();", "(); pool.setMaximumPoolSize(3); return pool;")
                        .replace("a(); pool.setMaximumPoolSize(3); return pool;", "a();"));
        Repository after = mended.moved();
        after.isMoved();
    }

    @Test
    void otherCodeIsLeftAlone() {
        Repository before = Repository.of("src/main/java/shop/Shop.java", """
                package shop;

                class Shop {
                    Object softEvictConnections() {
                        return new Object();
                    }
                }
                """);
        before.moved().isLeft(before);
    }

    /** Lest a method of HikariCP becomes a call that is not there. */
    @Test
    void eachMethodThatStaysIsOneOfWeir() {
        List<String> ours = Arrays.stream(WeirDataSource.class.getMethods())
                .map(JavaChangesTest::signature)
                .toList();
        List<String> theirs = Stream.of(HikariConfig.class, HikariDataSource.class)
                .flatMap(type -> Arrays.stream(type.getMethods()))
                .filter(method -> Hikari.SAME.contains(method.getName()))
                .map(JavaChangesTest::signature)
                .toList();
        assertThat(ours).containsAll(theirs);
        assertThat(theirs.stream().map(one -> one.replaceFirst("\\(.*", "")).distinct())
                .containsExactlyInAnyOrderElementsOf(Hikari.SAME);
    }

    /** A boolean is one that is boxed too, for whoever calls it. */
    private static String signature(Method method) {
        return method.getName() + "("
                + Arrays.toString(method.getParameterTypes()).replace("class java.lang.Boolean", "boolean")
                + method.getReturnType() + Arrays.toString(method.getExceptionTypes());
    }
}
