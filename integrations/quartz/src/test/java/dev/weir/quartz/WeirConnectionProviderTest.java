package dev.weir.quartz;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.PoolConfig;
import dev.weir.PoolMXBean;
import dev.weir.WeirDataSource;
import dev.weir.testkit.Await;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.Reader;
import java.io.UncheckedIOException;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Properties;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import javax.management.JMX;
import javax.management.MBeanServer;
import javax.management.ObjectName;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.h2.tools.RunScript;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.quartz.Job;
import org.quartz.JobBuilder;
import org.quartz.JobExecutionContext;
import org.quartz.Scheduler;
import org.quartz.SchedulerException;
import org.quartz.TriggerBuilder;
import org.quartz.impl.StdSchedulerFactory;
import org.quartz.utils.DBConnectionManager;

/** Quartz itself reads the properties, makes the provider and runs a job from the database. */
class WeirConnectionProviderTest {
    private static final String PREFIX = "org.quartz.dataSource.shop.";
    private static final MBeanServer JMX_SERVER = ManagementFactory.getPlatformMBeanServer();
    private static volatile CountDownLatch ran = new CountDownLatch(1);

    /** Tells that it ran. */
    public static final class Sail implements Job {
        public Sail() {}

        @Override
        public void execute(JobExecutionContext context) {
            ran.countDown();
        }
    }

    private Connection database; // in memory, as long as this is open

    @BeforeEach
    void openDatabase() throws Exception {
        ran = new CountDownLatch(1);
        database = DriverManager.getConnection("jdbc:h2:mem:quartz", "sa", "");
        try (InputStream in = Job.class.getResourceAsStream("/org/quartz/impl/jdbcjobstore/tables_h2.sql");
                Reader script = new InputStreamReader(in, StandardCharsets.UTF_8)) {
            RunScript.execute(database, script);
        }
    }

    @AfterEach
    void closeDatabase() throws SQLException {
        database.close();
    }

    private static Properties properties() {
        Properties properties = new Properties();
        try (InputStream in = WeirConnectionProviderTest.class.getResourceAsStream("/quartz-shop.properties")) {
            properties.load(in);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return properties;
    }

    private static boolean isInJmx(String pool) throws Exception {
        return JMX_SERVER.isRegistered(new ObjectName("dev.weir:type=Pool,name=" + pool));
    }

    private static void runsAJob(Scheduler scheduler) throws Exception {
        scheduler.start();
        scheduler.scheduleJob(
                JobBuilder.newJob(Sail.class).withIdentity("sail").build(),
                TriggerBuilder.newTrigger().startNow().build());
        assertThat(ran.await(20, TimeUnit.SECONDS)).isTrue();
    }

    @Test
    void thePoolStartsAndEndsWithTheScheduler() throws Exception {
        Scheduler scheduler = new StdSchedulerFactory(properties()).getScheduler();
        try {
            runsAJob(scheduler);
            PoolMXBean pool =
                    JMX.newMXBeanProxy(JMX_SERVER, new ObjectName("dev.weir:type=Pool,name=quartz"), PoolMXBean.class);
            assertThat(pool.getMaximumPoolSize()).isEqualTo(7);
            assertThat(pool.getConnectionTimeout()).isEqualTo(3000);
            assertThat(pool.getTotal()).isPositive();
        } finally {
            scheduler.shutdown(true);
        }
        assertThat(isInJmx("quartz")).isFalse();
        assertThatThrownBy(() -> DBConnectionManager.getInstance().getConnection("shop"))
                .isInstanceOf(SQLException.class)
                .hasMessageContaining("closed");
    }

    @Test
    void aPoolThatWasGivenIsLeftOpen() throws Exception {
        try (WeirDataSource pool = new WeirDataSource(PoolConfig.builder()
                .url("jdbc:h2:mem:quartz")
                .username("sa")
                .password("")
                .build())) {
            DBConnectionManager.getInstance().addConnectionProvider("given", new WeirConnectionProvider(pool));
            Properties properties = properties();
            properties.keySet().removeIf(name -> name.toString().startsWith(PREFIX));
            properties.setProperty("org.quartz.jobStore.dataSource", "given");
            Scheduler scheduler = new StdSchedulerFactory(properties).getScheduler();
            try {
                runsAJob(scheduler);
            } finally {
                scheduler.shutdown(true);
            }
            assertThat(pool.isRunning()).isTrue();
            Await.await( // the shutdown waits for the jobs, not for its own threads
                    "none is in use", Duration.ofSeconds(20), () -> pool.stats().inUse() == 0);
        }
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "maximumPoolSize | 0 | maximumPoolSize: 0 (expected: 1..10000)",
                "connectionTimeout | soon | connectionTimeout: soon (expected: 1ms..365d",
                "minimumPoolSize | 8 | minimumPoolSize: 8 (expected: at most maximumPoolSize 7)",
                "readOnly | yes | readOnly: yes (expected: true or false)",
                "driver | none.Such | none.Such",
                "maximumPoolSise | 5 | No setter for property 'maximumPoolSise'",
            })
    void aWrongPropertyStopsTheSchedulerAndIsNamed(String name, String value, String message) throws Exception {
        Properties properties = properties();
        if (name.startsWith("max")) {
            properties.remove(PREFIX + "maxConnections");
        }
        properties.setProperty(PREFIX + name, value);
        assertThatThrownBy(start(properties))
                .isInstanceOf(SchedulerException.class)
                .rootCause()
                .hasMessageContaining(message);
        assertThat(isInJmx("quartz")).isFalse();
    }

    @Test
    void twoValuesForOneSettingAreRefused() {
        String name = "maximumPoolSize";
        Properties properties = properties();
        properties.setProperty(PREFIX + name, "8");
        assertThatThrownBy(start(properties))
                .isInstanceOf(SchedulerException.class)
                .rootCause()
                .hasMessageContaining("two values for one setting");
        properties.setProperty(PREFIX + name, "7");
        assertThatCode(start(properties)).doesNotThrowAnyException();
    }

    @Test
    void aDatabaseThatIsNotThereStopsTheSchedulerAndLeavesNoPool() throws Exception {
        Properties properties = properties();
        properties.setProperty(PREFIX + "URL", "jdbc:h2:mem:absent;IFEXISTS=TRUE");
        properties.setProperty(PREFIX + "initializationFailTimeout", "0s");
        Scheduler late = new StdSchedulerFactory(properties).getScheduler(); // "0: tries once and goes on"
        late.shutdown();
        assertThat(isInJmx("quartz")).isFalse();

        properties.setProperty(PREFIX + "initializationFailTimeout", "200ms");
        assertThatThrownBy(start(properties))
                .isInstanceOf(SchedulerException.class)
                .hasStackTraceContaining("absent");
        assertThat(isInJmx("quartz")).isFalse();
    }

    private static ThrowingCallable start(Properties properties) {
        return () -> new StdSchedulerFactory(properties).getScheduler().shutdown();
    }

    @Test
    void aProviderThatIsNotInitializedSaysSo() {
        assertThatThrownBy(() -> new WeirConnectionProvider().getConnection())
                .isInstanceOf(SQLException.class)
                .hasMessage("the connection provider is not initialized");
    }

    /** The page shows these very lines. */
    @Test
    void theGuideShowsTheseProperties() throws IOException {
        Path root = Path.of(System.getProperty("basedir", ""))
                .toAbsolutePath()
                .getParent()
                .getParent();
        String tested = Files.readString(root.resolve("integrations/quartz/src/test/resources/quartz-shop.properties"));
        assertThat(root.resolve("docs/start/quartz.md")).content().contains("```properties\n" + tested + "```\n");
    }
}
