package dev.weir;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.internal.engine.LivePool;
import dev.weir.internal.settings.Samples;
import dev.weir.internal.settings.Setting;
import dev.weir.internal.settings.SettingNames;
import dev.weir.internal.settings.SettingType;
import dev.weir.testkit.Await;
import dev.weir.testkit.StubDatabase;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.lang.management.ManagementFactory;
import java.lang.reflect.Modifier;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.SQLFeatureNotSupportedException;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Date;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import javax.management.Attribute;
import javax.management.JMException;
import javax.management.JMX;
import javax.management.MBeanAttributeInfo;
import javax.management.MBeanInfo;
import javax.management.MBeanOperationInfo;
import javax.management.MBeanServer;
import javax.management.ObjectName;
import javax.management.RuntimeMBeanException;
import javax.management.openmbean.CompositeData;
import javax.management.openmbean.TabularData;
import javax.sql.DataSource;
import org.h2.jdbcx.JdbcDataSource;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import shop.Checkout;

/** The life of a pool seen from outside. */
class WeirDataSourceTest {
    private static final MBeanServer SERVER = ManagementFactory.getPlatformMBeanServer();

    private static Set<ObjectName> registered() throws JMException {
        return SERVER.queryNames(new ObjectName("dev.weir:type=Pool,*"), null);
    }

    @Test
    void startsOnceHoweverManyAskAtOnce() throws Exception {
        AtomicInteger made = new AtomicInteger();
        CountingDriver.MADE = made;
        ExecutorService threads = Executors.newFixedThreadPool(8);
        try (WeirDataSource pool = new WeirDataSource(PoolConfig.builder()
                .url(Samples.h2Url())
                .driverClassName(CountingDriver.class.getName())
                .username("sa")
                .password("")
                .minimumPoolSize(0)
                .build())) {
            CountDownLatch go = new CountDownLatch(1);
            List<Future<?>> starts = new ArrayList<>();
            for (int i = 0; i < 8; i++) {
                starts.add(threads.submit(() -> {
                    go.await();
                    pool.start();
                    return null;
                }));
            }
            go.countDown();
            for (Future<?> start : starts) {
                start.get(10, TimeUnit.SECONDS);
            }
            assertThat(made).hasValue(1);
        } finally {
            threads.shutdownNow();
        }
    }

    @Test
    void failedStartMayBeTriedAgain() throws SQLException {
        try (WeirDataSource pool = new WeirDataSource()) {
            assertThatExceptionOfType(SQLException.class)
                    .isThrownBy(pool::getConnection)
                    .withMessageStartingWith("url: not set")
                    .withCauseInstanceOf(IllegalArgumentException.class);
            pool.setUrl("jdbc:nobody:x");
            assertThatExceptionOfType(SQLException.class)
                    .isThrownBy(pool::start)
                    .withMessageStartingWith("no driver accepts");
            pool.setUrl(Samples.h2Url());
            pool.setUsername("sa");
            pool.setPassword("");
            pool.start();
            pool.start();
        }
    }

    @Test
    void closedPoolSaysSo() {
        WeirDataSource pool = new WeirDataSource(Samples.h2().poolName("shop").build());
        pool.close();
        pool.close();
        assertThat(pool.isClosed()).isTrue();
        assertThat(pool).hasToString("WeirDataSource[pool 'shop', closed]");
        assertThatExceptionOfType(SQLException.class)
                .isThrownBy(pool::getConnection)
                .withMessage("pool 'shop' is closed")
                .satisfies(e -> assertThat(e.getSQLState()).isEqualTo("08003"));
        assertThatExceptionOfType(SQLException.class).isThrownBy(pool::start).withMessage("pool 'shop' is closed");
    }

    @Test
    void closeWhileStartingLeavesNothing() throws Exception {
        CountDownLatch inDriver = new CountDownLatch(1);
        CountDownLatch proceed = new CountDownLatch(1);
        GatedDriver.gate(inDriver, proceed);
        ExecutorService threads = Executors.newSingleThreadExecutor();
        WeirDataSource pool = new WeirDataSource(Samples.h2()
                .poolName("gated")
                .driverClassName(GatedDriver.class.getName())
                .build());
        try {
            Future<?> start = threads.submit(() -> {
                pool.start();
                return null;
            });
            assertThat(inDriver.await(10, TimeUnit.SECONDS)).isTrue();
            pool.close();
            proceed.countDown();
            assertThatThrownBy(() -> start.get(10, TimeUnit.SECONDS))
                    .cause()
                    .isInstanceOf(SQLException.class)
                    .hasMessage("pool 'gated' is closed");
            assertThat(SERVER.isRegistered(Jmx.nameOf("gated"))).isFalse();
        } finally {
            proceed.countDown();
            threads.shutdownNow();
        }
    }

    @Test
    void poolsHaveNamesOfTheirOwn() throws SQLException {
        PoolConfig config = Samples.h2().build();
        try (WeirDataSource one = new WeirDataSource(config);
                WeirDataSource other = new WeirDataSource(config)) {
            one.start();
            other.start();
            assertThat(one.getPoolName()).matches("weir-\\d+").isNotEqualTo(other.getPoolName());
        }
    }

    @ParameterizedTest
    @EnumSource(Setting.class)
    void startedPoolTakesOnlyWhatMayChange(Setting setting) throws SQLException {
        try (WeirDataSource pool = new WeirDataSource(Samples.h2().build())) {
            pool.start();
            Object value = Samples.other(setting);
            if (setting.changeable()) {
                pool.change(setting, value);
                assertThat(pool.value(setting)).isEqualTo(value);
            } else {
                assertThatIllegalStateException()
                        .isThrownBy(() -> pool.change(setting, value))
                        .withMessageStartingWith(setting.settingName() + ": ");
            }
        }
    }

    @Test
    void otherUsersAreNotServed() {
        try (WeirDataSource pool = new WeirDataSource(
                Samples.h2().username("app").password("right").build())) {
            for (String[] wrong : new String[][] {{"app", "wrong"}, {"other", "right"}, {"app", null}, {null, null}}) {
                assertThatExceptionOfType(SQLFeatureNotSupportedException.class)
                        .isThrownBy(() -> pool.getConnection(wrong[0], wrong[1]))
                        .withMessageContaining("use getConnection()")
                        .satisfies(e -> assertThat(e.getMessage()).doesNotContain("right"));
            }
        }
    }

    @Test
    void configuredUserIsServed() throws SQLException {
        try (WeirDataSource pool = new WeirDataSource(
                        Samples.h2().username("app").password("right").build());
                Connection connection = pool.getConnection("app", "right")) {
            assertThat(connection.getMetaData().getUserName()).isEqualTo("APP");
        }
    }

    @Test
    void operationsNeedARunningPool() {
        try (WeirDataSource pool = new WeirDataSource(Samples.h2().build())) {
            assertThatIllegalStateException().isThrownBy(pool::suspend).withMessageEndingWith("is not started");
            assertThatIllegalStateException().isThrownBy(pool::resume);
            assertThatIllegalStateException().isThrownBy(pool::evictIdle);
            assertThatIllegalStateException().isThrownBy(pool::evictAll);
            assertThat(pool.stats().total()).isZero();
            assertThat(pool.dump()).isEmpty();
        }
    }

    @Test
    void jmxSaysWhatEachAttributeIsAndInWhichUnit() throws Exception {
        try (WeirDataSource pool = new WeirDataSource(PoolConfig.builder()
                .url("jdbc:h2:mem:described")
                .poolName("described")
                .build())) {
            pool.start();
            MBeanInfo info = ManagementFactory.getPlatformMBeanServer()
                    .getMBeanInfo(new ObjectName("dev.weir:type=Pool,name=described"));
            for (MBeanAttributeInfo attribute : info.getAttributes()) {
                assertThat(attribute.getDescription())
                        .as(attribute.getName())
                        .isNotEqualTo(attribute.getName())
                        .contains(" ");
                Setting setting =
                        SettingNames.find(attribute.getName().substring(0, 1).toLowerCase(Locale.ROOT)
                                + attribute.getName().substring(1));
                if (setting != null && setting.type() == SettingType.DURATION) {
                    assertThat(attribute.getDescription()).endsWith(", in ms");
                }
            }
            assertThat(info.getOperations()).isNotEmpty();
            for (MBeanOperationInfo operation : info.getOperations()) {
                assertThat(operation.getDescription()).contains(" ");
            }
        }
    }

    @Test
    void jmxShowsThePlacesThatAcquire() throws Exception {
        try (WeirDataSource pool = new WeirDataSource(PoolConfig.builder()
                .url("jdbc:h2:mem:places")
                .poolName("places")
                .build())) {
            pool.start();
            Await.await(() -> "places " + pool.stats().places(), LivePool.LIMIT, () -> {
                Checkout.pay(pool::getConnection).close();
                return !pool.stats().places().isEmpty();
            });
            TabularData places =
                    (TabularData) SERVER.getAttribute(new ObjectName("dev.weir:type=Pool,name=places"), "Places");
            CompositeData place =
                    places.get(new Object[] {pool.stats().places().get(0).place()});
            assertThat(((TabularData) place.get("value")).keySet())
                    .extracting(key -> ((List<?>) key).get(0).toString())
                    .containsExactlyInAnyOrder("loans", "held", "waited", "longest");
        }
    }

    @Test
    void jmxTurnsTheMeasuringOfLoansOnAndShowsTheirTimes() throws Exception {
        try (WeirDataSource pool = new WeirDataSource(PoolConfig.builder()
                .url("jdbc:h2:mem:measured")
                .poolName("measured")
                .build())) {
            pool.start();
            ObjectName mbean = new ObjectName("dev.weir:type=Pool,name=measured");
            SERVER.setAttribute(mbean, new Attribute("MeasureLoans", true));
            assertThat(pool.isMeasureLoans()).isTrue();
            assertThat(((TabularData) SERVER.getAttribute(mbean, "LoanTimes")).keySet())
                    .extracting(key -> ((List<?>) key).get(0).toString())
                    .containsExactly("beforeFirstStatement", "betweenTransactions", "idleInTransaction", "inDriver");
            assertThat((String[]) SERVER.getAttribute(mbean, "IdlePlaces")).isEmpty();
            assertThat((String[]) SERVER.getAttribute(mbean, "Advice")).isEmpty();
            assertThat(SERVER.getAttribute(mbean, "MostInUse")).isEqualTo(0);
            assertThat(SERVER.getAttribute(mbean, "NeededForTransactions")).isEqualTo(0);
        }
    }

    @Test
    void unwrapsWhatItMadeOfAClass() throws SQLException {
        try (WeirDataSource pool = new WeirDataSource(PoolConfig.builder()
                .dataSourceClassName(JdbcDataSource.class.getName())
                .dataSourceProperty("url", "jdbc:h2:mem:made")
                .build())) {
            assertThat(pool.isWrapperFor(JdbcDataSource.class))
                    .as("not started")
                    .isFalse();
            pool.start();
            assertThat(pool.isWrapperFor(JdbcDataSource.class)).isTrue();
            assertThat(pool.unwrap(JdbcDataSource.class).getURL()).isEqualTo("jdbc:h2:mem:made");
            assertThat(pool.getDataSource()).as("none was given").isNull();
        }
    }

    @Test
    void unwrapsItselfAndItsSource() throws SQLException {
        JdbcDataSource source = new JdbcDataSource();
        try (WeirDataSource pool =
                new WeirDataSource(PoolConfig.builder().dataSource(source).build())) {
            assertThat(pool.unwrap(WeirDataSource.class)).isSameAs(pool);
            assertThat(pool.unwrap(DataSource.class)).isSameAs(pool);
            assertThat(pool.unwrap(JdbcDataSource.class)).isSameAs(source);
            assertThat(pool.isWrapperFor(JdbcDataSource.class)).isTrue();
            assertThat(pool.isWrapperFor(String.class)).isFalse();
            assertThatThrownBy(() -> pool.unwrap(String.class)).isInstanceOf(SQLException.class);
        }
    }

    @Test
    void loginTimeoutIsTheConnectionTimeout() throws SQLException {
        try (WeirDataSource pool = new WeirDataSource()) {
            assertThat(pool.getLoginTimeout()).isEqualTo(5);
            pool.setConnectionTimeout(Duration.ofMillis(1));
            assertThat(pool.getLoginTimeout()).isEqualTo(1);
            pool.setLoginTimeout(9);
            assertThat(pool.getConnectionTimeout()).isEqualTo(Duration.ofSeconds(9));
            pool.setLoginTimeout(0);
            assertThat(pool.getConnectionTimeout()).isEqualTo(Duration.ofSeconds(5));
            assertThat(pool.getLogWriter()).isNull();
            assertThatCode(() -> pool.setLogWriter(null)).doesNotThrowAnyException();
            assertThatThrownBy(() -> pool.setLogWriter(new PrintWriter(new StringWriter())))
                    .isInstanceOf(SQLFeatureNotSupportedException.class);
            assertThatThrownBy(pool::getParentLogger).isInstanceOf(SQLFeatureNotSupportedException.class);
        }
    }

    @Test
    void madeFromPropertiesAndConfig() {
        Properties properties = Samples.around(Setting.SCHEMA);
        properties.setProperty("maximumPoolSize", "3");
        try (WeirDataSource pool = new WeirDataSource(properties)) {
            assertThat(pool.getMaximumPoolSize()).isEqualTo(3);
            assertThat(pool).hasToString("WeirDataSource[pool, not started]");
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"shop", "a,b", "x=y", "with \"quotes\"", "star*"})
    void isInJmxWhileItRuns(String name) throws SQLException, JMException {
        ObjectName mbean = Jmx.nameOf(name);
        try (WeirDataSource pool =
                new WeirDataSource(Samples.h2().poolName(name).build())) {
            assertThat(SERVER.isRegistered(mbean)).isFalse();
            pool.start();
            assertThat(registered()).contains(mbean);
            assertThat(SERVER.getAttribute(mbean, "PoolName")).isEqualTo(name);
        }
        assertThat(SERVER.isRegistered(mbean)).isFalse();
    }

    @Test
    void isNotInJmxIfNotWanted() throws SQLException {
        try (WeirDataSource pool = new WeirDataSource(
                Samples.h2().poolName("hidden").registerMbeans(false).build())) {
            pool.start();
            assertThat(SERVER.isRegistered(Jmx.nameOf("hidden"))).isFalse();
        }
    }

    @Test
    void poolsOfOneNameAreInJmxOneAfterTheOther() throws Exception {
        ObjectName twin = Jmx.nameOf("twin");
        try (LogCapture log = new LogCapture();
                WeirDataSource first = twin(1);
                WeirDataSource second = twin(2);
                WeirDataSource third = twin(3)) {
            assertThat(log.warnings()).isEmpty();
            assertThat(log.infos())
                    .filteredOn(line ->
                            line.endsWith("another pool of this name is in JMX; this one follows when that is closed"))
                    .hasSize(2);
            assertThat(SERVER.getAttribute(twin, "MaximumPoolSize")).isEqualTo(1);
            second.close(); // it waited, and waits no more
            assertThat(SERVER.getAttribute(twin, "MaximumPoolSize")).isEqualTo(1);
            first.close();
            assertThat(SERVER.getAttribute(twin, "MaximumPoolSize")).isEqualTo(3);
            third.close();
            assertThat(SERVER.isRegistered(twin)).isFalse();
        }
        try (WeirDataSource again = twin(4)) {
            assertThat(SERVER.getAttribute(twin, "MaximumPoolSize")).isEqualTo(4);
            assertThat(again.isRunning()).isTrue();
        }
        assertThat(SERVER.isRegistered(twin)).isFalse();
    }

    private static WeirDataSource twin(int size) throws SQLException {
        WeirDataSource pool = new WeirDataSource(
                Samples.h2().poolName("twin").maximumPoolSize(size).build());
        pool.start();
        return pool;
    }

    /** Frameworks make subclasses of a bean's class, with and without calling its constructor. */
    @Test
    void canBeASubclassOfAProxy() {
        assertThat(Modifier.isFinal(WeirDataSource.class.getModifiers())).isFalse();
        for (Class<?> type = WeirDataSource.class; type != Object.class; type = type.getSuperclass()) {
            assertThat(type.getDeclaredMethods()) // CDI refuses a class for one that is not public, too
                    .filteredOn(method -> !Modifier.isPrivate(method.getModifiers()))
                    .filteredOn(method -> !Modifier.isStatic(method.getModifiers()))
                    .noneMatch(method -> Modifier.isFinal(method.getModifiers()));
        }
        try (WeirDataSource idle = new WeirDataSource() {}) {
            assertThat(idle.stats().total()).isZero();
        }
    }

    @Test
    void jmxChangesTheNineAtOnce() throws Exception {
        try (WeirDataSource pool =
                new WeirDataSource(Samples.h2().poolName("tuned").build())) {
            pool.start();
            ObjectName mbean = Jmx.nameOf("tuned");
            for (Setting setting : Setting.values()) {
                if (setting.changeable()) {
                    String name = setting.settingName();
                    String attribute = Character.toUpperCase(name.charAt(0)) + name.substring(1);
                    Object other = Samples.other(setting);
                    Object value = other instanceof Duration time ? (Object) time.toMillis() : other;
                    SERVER.setAttribute(mbean, new Attribute(attribute, value));
                    assertThat(SERVER.getAttribute(mbean, attribute)).isEqualTo(value);
                    assertThat(pool.value(setting)).isEqualTo(other);
                }
            }
            assertThatThrownBy(() -> SERVER.setAttribute(mbean, new Attribute("MaximumPoolSize", 0)))
                    .isInstanceOf(RuntimeMBeanException.class)
                    .cause()
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessage("maximumPoolSize: 0 (expected: 1..10000)");
        }
    }

    private static Object attribute(ObjectName mbean, String name) throws JMException {
        return SERVER.getAttribute(mbean, name);
    }

    private static Object operation(ObjectName mbean, String name) throws JMException {
        return SERVER.invoke(mbean, name, new Object[0], new String[0]);
    }

    private static WeirDataSource onStub(StubDatabase db, String name) throws SQLException {
        WeirDataSource pool = new WeirDataSource(PoolConfig.builder()
                .dataSource(db.dataSource())
                .poolName(name)
                .minimumPoolSize(4)
                .maximumPoolSize(7)
                .acquireIncrement(1)
                .acquireRetryDelay(Duration.ofMillis(10))
                .validateAfterIdle(Duration.ofHours(1))
                .connectionTimeout(LivePool.LIMIT)
                .build());
        pool.start();
        Await.await("the minimum", LivePool.LIMIT, () -> pool.stats().idle() == 4);
        return pool;
    }

    @Test
    void changesThroughJmxAndSettersReachThePoolAtOnce() throws Exception {
        ObjectName mbean = Jmx.nameOf("shrunk");
        try (StubDatabase db = new StubDatabase();
                WeirDataSource pool = onStub(db, "shrunk")) {
            SERVER.setAttribute(mbean, new Attribute("MinimumPoolSize", 1));
            SERVER.setAttribute(mbean, new Attribute("MaximumPoolSize", 3));
            assertThat(attribute(mbean, "Total")).isEqualTo(3);
            pool.setMaximumPoolSize(2);
            assertThat(attribute(mbean, "Total")).isEqualTo(2);
        }
    }

    @Test
    void aSizeIsReplacedOnlyIfItIsTheExpectedOne() throws Exception {
        WeirDataSource set = new WeirDataSource();
        assertThat(set.compareAndSetMaximumPoolSize(61, 7)).isFalse();
        assertThat(set.compareAndSetMaximumPoolSize(60, 7)).isTrue();
        assertThat(set.getMaximumPoolSize()).isEqualTo(7);
        set.close();
        assertThatIllegalStateException()
                .isThrownBy(() -> set.compareAndSetMaximumPoolSize(7, 8))
                .withMessageStartingWith("maximumPoolSize: ");
        try (StubDatabase db = new StubDatabase();
                WeirDataSource pool = onStub(db, "replaced")) {
            assertThat(pool.compareAndSetMaximumPoolSize(3, 2)).isFalse();
            assertThat(pool.compareAndSetMinimumPoolSize(3, 1)).isFalse();
            assertThat(pool.stats().total()).isEqualTo(4);
            assertThatIllegalArgumentException().isThrownBy(() -> pool.compareAndSetMaximumPoolSize(7, 2));
            assertThat(pool.compareAndSetMinimumPoolSize(4, 1)).isTrue();
            assertThat(pool.compareAndSetMaximumPoolSize(7, 2)).isTrue();
            assertThat(pool.stats().total()).isEqualTo(2);
        }
    }

    @Test
    void ofTwoWhoReplaceASizeNoneUndoesWhatItHasNotSeen() throws Exception {
        try (StubDatabase db = new StubDatabase();
                WeirDataSource pool = onStub(db, "raced")) {
            Thread jmx = new Thread(() -> grow(pool));
            jmx.start();
            grow(pool);
            jmx.join();
            assertThat(pool.getMaximumPoolSize()).isEqualTo(7 + 2 * 1_000);
        }
    }

    private static void grow(WeirDataSource pool) {
        for (int done = 0; done < 1_000; ) {
            int found = pool.getMaximumPoolSize();
            done += pool.compareAndSetMaximumPoolSize(found, found + 1) ? 1 : 0;
        }
    }

    @Test
    void jmxHasTheCountsAsTheyAre() throws Exception {
        ObjectName mbean = Jmx.nameOf("counted");
        try (StubDatabase db = new StubDatabase();
                LogCapture log = new LogCapture();
                WeirDataSource pool = onStub(db, "counted")) {
            assertThat(attribute(mbean, "LastOpenFailure")).isNull();
            assertThat(attribute(mbean, "LastOpenFailureAt")).isNull();
            Instant start = Instant.now().truncatedTo(ChronoUnit.MILLIS);
            db.failNext(StubDatabase.CONNECT, 1, () -> new SQLException("no route", "08001"));
            SERVER.setAttribute(mbean, new Attribute("MinimumPoolSize", 5));
            Await.await("five", LivePool.LIMIT, () -> pool.stats().idle() == 5);
            pool.getConnection().close();
            List<Connection> held = List.of(pool.getConnection(), pool.getConnection(), pool.getConnection());
            assertCounts(mbean, Map.of("Total", 5, "InUse", 3, "Idle", 2, "Waiting", 0, "Opening", 0));
            assertCounts(mbean, Map.of("Acquired", 4L, "TimedOut", 0L, "Opened", 5L, "OpenFailed", 1L));
            assertThat((String) attribute(mbean, "LastOpenFailure")).contains("no route");
            assertThat(((Date) attribute(mbean, "LastOpenFailureAt")).toInstant())
                    .isBetween(start, Instant.now());

            db.hang(StubDatabase.CONNECT);
            operation(mbean, "evictIdle");
            SERVER.setAttribute(mbean, new Attribute("ConnectionTimeout", 20L));
            for (int i = 0; i < 6; i++) {
                assertThatThrownBy(pool::getConnection).hasMessageContaining("no connection within");
            }
            SERVER.setAttribute(mbean, new Attribute("ConnectionTimeout", LivePool.LIMIT.toMillis()));
            List<CompletableFuture<Connection>> waiting =
                    List.of(LivePool.on("one", pool::getConnection), LivePool.on("two", pool::getConnection));
            Await.await("two wait", LivePool.LIMIT, () -> pool.stats().waiting() == 2);
            assertCounts(mbean, Map.of("Total", 3, "InUse", 3, "Idle", 0, "Waiting", 2, "Opening", 1));
            assertCounts(mbean, Map.of("Acquired", 4L, "TimedOut", 6L, "Opened", 5L, "OpenFailed", 1L));
            assertThat(JMX.newMXBeanProxy(SERVER, mbean, PoolMXBean.class).getRetired())
                    .isEqualTo(withEvicted(2));
            db.heal();
            for (CompletableFuture<Connection> one : waiting) {
                one.get(15, TimeUnit.SECONDS).close();
            }
            for (Connection one : held) {
                one.close();
            }
        }
    }

    private static void assertCounts(ObjectName mbean, Map<String, Object> expected) throws JMException {
        for (Map.Entry<String, Object> count : expected.entrySet()) {
            assertThat(attribute(mbean, count.getKey())).as(count.getKey()).isEqualTo(count.getValue());
        }
    }

    private static Map<String, Long> withEvicted(long evicted) {
        Map<String, Long> retired = new TreeMap<>();
        for (RetireReason reason : RetireReason.values()) {
            retired.put(reason.name(), reason == RetireReason.EVICTED ? evicted : 0);
        }
        return retired;
    }

    @Test
    void jmxDoesWhatItsOperationsSay() throws Exception {
        ObjectName mbean = Jmx.nameOf("operated");
        try (StubDatabase db = new StubDatabase();
                WeirDataSource pool = onStub(db, "operated")) {
            operation(mbean, "suspend");
            assertThat(pool.isSuspended()).isTrue();
            operation(mbean, "resume");
            assertThat(pool.isSuspended()).isFalse();
            try (Connection held = pool.getConnection()) {
                held.createStatement().execute("SELECT 7");
                assertThat((String) operation(mbean, "dump")).contains("in use 1", "held for", "SELECT ?");
                operation(mbean, "evictIdle");
                assertThat(pool.stats().retired()).containsEntry(RetireReason.EVICTED, 3L);
                Await.await(
                        "the minimum again", LivePool.LIMIT, () -> pool.stats().idle() == 3);
                operation(mbean, "evictAll");
                assertThat(pool.stats().retired()).containsEntry(RetireReason.EVICTED, 6L);
                assertThat(held.isClosed()).isFalse();
            }
            assertThat(pool.stats().retired()).containsEntry(RetireReason.EVICTED, 7L);
        }
    }

    /** Counts how many drivers were made. */
    public static final class CountingDriver extends org.h2.Driver {
        static AtomicInteger MADE = new AtomicInteger();

        public CountingDriver() {
            MADE.incrementAndGet();
        }
    }

    /** Waits in its constructor. */
    public static final class GatedDriver extends org.h2.Driver {
        private static CountDownLatch entered = new CountDownLatch(0);
        private static CountDownLatch proceed = new CountDownLatch(0);

        static void gate(CountDownLatch entering, CountDownLatch proceeding) {
            entered = entering;
            proceed = proceeding;
        }

        public GatedDriver() throws InterruptedException {
            entered.countDown();
            if (!proceed.await(10, TimeUnit.SECONDS)) {
                throw new IllegalStateException("nobody opened the gate");
            }
        }
    }
}
