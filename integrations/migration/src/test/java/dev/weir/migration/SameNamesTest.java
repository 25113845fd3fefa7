package dev.weir.migration;

import static dev.weir.migration.BothPools.REFUSED;
import static dev.weir.migration.BothPools.START_FAILS;
import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.migration.BothPools.Pool;
import dev.weir.migration.BothPools.Probe;
import dev.weir.testkit.Await;
import java.lang.management.ManagementFactory;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Properties;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.management.ObjectName;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestFactory;

/** A name that both pools have, with the same value, does the same in both, or is refused; the guide says where it does not. */
class SameNamesTest {
    private static final Duration SOON = Duration.ofSeconds(20);
    private static final String H2 = "jdbcUrl=jdbc:h2:mem:same ";
    private static final String H2_CLASS = "dataSourceClassName=org.h2.jdbcx.JdbcDataSource ";

    private record Row(String given, boolean away, String hikari, String weir, Probe probe) {
        Row(String given, String both, Probe probe) {
            this(given, false, both, both, probe);
        }

        Row(String given, String hikari, String weir, Probe probe) {
            this(given, false, hikari, weir, probe);
        }

        String text() {
            return given.strip().replace('~', ' ');
        }

        /** What a user has to be told: the pools do not do the same, nor do both refuse it. */
        boolean isTold() {
            return !hikari.equals(weir) && !(isFailure(hikari) && isFailure(weir));
        }

        private static boolean isFailure(String seen) {
            return seen.equals(REFUSED) || seen.equals(START_FAILS);
        }
    }

    private static final String HOUSEKEEPING = "com.zaxxer.hikari.housekeeping.periodMs";
    private static final List<Row> ROWS = rows();

    /** It looks for what is idle for too long every 30 s. */
    @BeforeAll
    static void haveHikariLookOften() {
        System.setProperty(HOUSEKEEPING, "100");
    }

    @AfterAll
    static void asBefore() {
        System.clearProperty(HOUSEKEEPING);
    }

    private static List<Row> rows() {
        List<Row> rows = new ArrayList<>();
        rows.add(new Row("minimumIdle=3", "3 connections at rest", atRest(3)));
        rows.add(new Row("minimumIdle=2", "2 idle beside 3 in use", SameNamesTest::idleBesideThree));
        rows.add(new Row("minimumIdle=0", "0 connections after idleTimeout", SameNamesTest::afterIdleTimeout));
        rows.add(new Row("minimumIdle=20 maximumPoolSize=4", "4 connections at rest", atRest(4)));
        rows.add(new Row("minimumIdle=-1", REFUSED, SameNamesTest::nothing));
        rows.add(new Row(
                "maximumPoolSize=2 connectionTimeout=300",
                "the third waits 300 ms, then SQLTransientConnectionException",
                thirdOf(2)));
        rows.add(new Row("maximumPoolSize=0", REFUSED, SameNamesTest::nothing));
        rows.add(new Row("connectionTimeout=0", "24.8 days", REFUSED, time("connectionTimeout")));
        rows.add(new Row("connectionTimeout=100", REFUSED, "100 ms", time("connectionTimeout")));
        rows.add(new Row("validationTimeout=100", REFUSED, "100 ms", time("validationTimeout")));
        rows.add(new Row("validationTimeout=9000 connectionTimeout=1000", "9000 ms", time("validationTimeout")));
        rows.add(new Row("idleTimeout=0 minimumIdle=1", "0 ms", time("idleTimeout")));
        rows.add(new Row("idleTimeout=60000 minimumIdle=1", "60000 ms", time("idleTimeout")));
        rows.add(new Row("idleTimeout=5000 minimumIdle=1", "600000 ms", "5000 ms", time("idleTimeout")));
        rows.add(new Row("idleTimeout=3600000 minimumIdle=1", "0 ms", "3600000 ms", time("idleTimeout")));
        rows.add(new Row("maxLifetime=0", "0 ms", time("maxLifetime")));
        rows.add(new Row("maxLifetime=30000", "30000 ms", time("maxLifetime")));
        rows.add(new Row("maxLifetime=10000", "1800000 ms", "10000 ms", time("maxLifetime")));
        rows.add(new Row("keepaliveTime=0", "0 ms", time("keepaliveTime")));
        rows.add(new Row("keepaliveTime=30000", "30000 ms", time("keepaliveTime")));
        rows.add(new Row("keepaliveTime=10000", "0 ms", "10000 ms", time("keepaliveTime")));
        rows.add(new Row("keepaliveTime=60000 maxLifetime=60000", "0 ms", REFUSED, time("keepaliveTime")));
        rows.add(new Row("leakDetectionThreshold=0", "0 ms", time("leakDetectionThreshold")));
        rows.add(new Row("leakDetectionThreshold=5000", "5000 ms", time("leakDetectionThreshold")));
        rows.add(new Row("leakDetectionThreshold=1000", "0 ms", "1000 ms", time("leakDetectionThreshold")));
        rows.add(new Row(
                "leakDetectionThreshold=90000 maxLifetime=60000", "0 ms", "90000 ms", time("leakDetectionThreshold")));
        rows.add(away("initializationFailTimeout=-1", "starts", "starts"));
        rows.add(away("initializationFailTimeout=0", "starts", "starts"));
        rows.add(new Row("initializationFailTimeout=1", "starts", REFUSED, pool -> "starts"));
        rows.add(away("initializationFailTimeout=500", START_FAILS, START_FAILS));
        rows.add(new Row("autoCommit=false", "false", of(Connection::getAutoCommit)));
        rows.add(new Row("autoCommit=perhaps", "false", REFUSED, of(Connection::getAutoCommit)));
        rows.add(new Row("readOnly=true", "true", of(Connection::isReadOnly)));
        rows.add(
                new Row("transactionIsolation=TRANSACTION_SERIALIZABLE", "8", of(Connection::getTransactionIsolation)));
        rows.add(new Row("transactionIsolation=8", "8", of(Connection::getTransactionIsolation)));
        rows.add(new Row("transactionIsolation=HIGH", REFUSED, SameNamesTest::nothing));
        rows.add(new Row("transactionIsolation=TRANSACTION_NONE", "0", REFUSED, c -> "0"));
        rows.add(new Row("catalog=shop", "shop", of(Connection::getCatalog)));
        rows.add(new Row("schema=shop", "shop", of(Connection::getSchema)));
        rows.add(new Row(H2 + "connectionInitSql=SET~@X~=~5", "5", of(c -> text(c, "SELECT @X"))));
        rows.add(new Row(H2 + "connectionInitSql=NONSENSE connectionTimeout=500", START_FAILS, SameNamesTest::nothing));
        rows.add(new Row(
                H2 + "connectionTestQuery=NONSENSE connectionTimeout=500", START_FAILS, SameNamesTest::nothing));
        rows.add(new Row(
                H2 + "username=sa password=", "SA", of(c -> c.getMetaData().getUserName())));
        rows.add(new Row(
                H2 + "driverClassName=org.h2.Driver",
                "H2",
                of(c -> c.getMetaData().getDatabaseProductName())));
        rows.add(new Row(H2 + "driverClassName=com.example.None", REFUSED, START_FAILS, SameNamesTest::nothing));
        rows.add(new Row(
                H2_CLASS + "dataSource.URL=jdbc:h2:mem:same",
                "H2",
                of(c -> c.getMetaData().getDatabaseProductName())));
        rows.add(new Row(H2_CLASS + H2, START_FAILS, REFUSED, SameNamesTest::nothing));
        rows.add(new Row(H2_CLASS + "dataSource.colour=red", REFUSED, START_FAILS, SameNamesTest::nothing));
        rows.add(new Row("dataSourceClassName=com.example.None", REFUSED, START_FAILS, SameNamesTest::nothing));
        rows.add(new Row("poolName=orders registerMbeans=true", "a bean named orders", SameNamesTest::bean));
        rows.add(new Row("poolName=a:b registerMbeans=true", REFUSED, "a bean named a:b", SameNamesTest::bean));
        rows.add(new Row("registerMbeans=false poolName=orders", "no bean", SameNamesTest::bean));
        rows.add(new Row("isolateInternalQueries=true", "accepted", REFUSED, p -> "accepted"));
        rows.add(new Row("allowPoolSuspension=true", "accepted", REFUSED, p -> "accepted"));
        return rows;
    }

    /** The values of this property with which Weir does not do what HikariCP does, for the guide. */
    static String differing(HikariProperty property) {
        String name = property.propertyName() + '=';
        return ROWS.stream()
                .filter(row -> row.isTold() && row.text().startsWith(name))
                .map(row -> '`' + row.text().substring(name.length()).replaceFirst(" ", "` with `") + "`: " + row.weir()
                        + " (" + row.hikari() + ')')
                .collect(Collectors.joining("; "));
    }

    private static Row away(String given, String hikari, String weir) {
        return new Row(given + " connectionTimeout=500", true, hikari, weir, pool -> "starts");
    }

    @TestFactory
    Stream<DynamicTest> eachValueDoesWhatTheGuideSaysInBothPools() {
        return ROWS.stream()
                .map(row -> DynamicTest.dynamicTest(row.text(), () -> {
                    Properties given = BothPools.properties(row.given());
                    assertThat(BothPools.hikari(given, row.away(), row.probe()))
                            .as("HikariCP, %s", row.given())
                            .isEqualTo(row.hikari());
                    assertThat(BothPools.weir(given, row.away(), row.probe()))
                            .as("Weir, %s", row.given())
                            .isEqualTo(row.weir());
                }));
    }

    /** What is no text, or has no meaning here, is refused by its name in a configuration of Weir's own as well. */
    @Test
    void eachOtherNameOfHikariIsRefusedByName() {
        Set<String> tested = new TreeSet<>();
        ROWS.forEach(row -> tested.addAll(BothPools.properties(row.given()).stringPropertyNames()));
        for (HikariProperty property : HikariProperty.values()) {
            if (!tested.contains(property.propertyName())) {
                assertThat(HikariProperty.anyPool()
                                .property(property.propertyName(), "x")
                                .faults())
                        .as(property.propertyName())
                        .anyMatch(fault -> fault.startsWith(property.propertyName() + ":"));
            }
        }
    }

    // ------------------------------------------------------------- what is seen

    private static String nothing(Pool pool) {
        return "started";
    }

    private static Probe time(String name) {
        return pool -> {
            long millis = pool.millis(name);
            return millis == Integer.MAX_VALUE ? "24.8 days" : millis + " ms";
        };
    }

    private interface Read {
        Object of(Connection connection) throws SQLException;
    }

    private static Probe of(Read read) {
        return pool -> {
            try (Connection connection = pool.source().getConnection()) {
                return String.valueOf(read.of(connection));
            }
        };
    }

    private static String text(Connection connection, String sql) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(sql)) {
            return row.next() ? row.getString(1) : "";
        }
    }

    private static Probe atRest(int expected) {
        return pool -> {
            Await.await(() -> "at rest: " + pool.total(), SOON, () -> pool.total() == expected);
            return pool.total() + " connections at rest";
        };
    }

    private static String idleBesideThree(Pool pool) throws SQLException {
        try (Connection one = pool.source().getConnection();
                Connection two = pool.source().getConnection();
                Connection three = pool.source().getConnection()) {
            assertThat(List.of(one, two, three)).doesNotHaveDuplicates();
            Await.await(() -> "idle: " + pool.idle(), SOON, () -> pool.idle() == 2);
            return pool.idle() + " idle beside " + (pool.total() - pool.idle()) + " in use";
        }
    }

    private static String afterIdleTimeout(Pool pool) throws SQLException {
        pool.source().getConnection().close();
        pool.idleTimeoutMillis(100);
        Await.await(() -> "left: " + pool.total(), SOON, () -> pool.total() == 0);
        return pool.total() + " connections after idleTimeout";
    }

    private static Probe thirdOf(int maximum) {
        return pool -> {
            List<Connection> taken = new ArrayList<>();
            long begun = System.nanoTime();
            try {
                for (int i = 0; i <= maximum; i++) {
                    begun = System.nanoTime();
                    taken.add(pool.source().getConnection());
                }
                return "there was a third";
            } catch (java.sql.SQLTransientConnectionException e) {
                boolean waited = System.nanoTime() - begun >= 290_000_000L;
                return "the third waits " + (waited ? "300 ms" : "less") + ", then "
                        + e.getClass().getSimpleName();
            } finally {
                for (Connection connection : taken) {
                    connection.close();
                }
            }
        };
    }

    private static String bean(Pool pool) throws Exception {
        String domain = pool.source().getClass().getName().startsWith("com.zaxxer") ? "com.zaxxer.hikari" : "dev.weir";
        Function<ObjectName, String> name = bean -> {
            String key = bean.getKeyProperty("name");
            String type = bean.getKeyProperty("type");
            String text = key != null ? key : type.substring(type.indexOf('(') + 1, type.length() - 1);
            return text.startsWith("\"") ? ObjectName.unquote(text) : text;
        };
        return ManagementFactory.getPlatformMBeanServer().queryNames(new ObjectName(domain + ":*"), null).stream()
                .filter(bean -> bean.getKeyProperty("type").startsWith("Pool")
                        && !bean.getKeyProperty("type").startsWith("PoolConfig"))
                .map(name)
                .findFirst()
                .map(found -> "a bean named " + found)
                .orElse("no bean");
    }
}
