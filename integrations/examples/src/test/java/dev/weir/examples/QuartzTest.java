package dev.weir.examples;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.WeirDataSource;
import dev.weir.quartz.WeirConnectionProvider;
import dev.weir.testkit.Await;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.Reader;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.time.Duration;
import java.util.Properties;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.h2.tools.RunScript;
import org.junit.jupiter.api.Test;
import org.quartz.Job;
import org.quartz.JobBuilder;
import org.quartz.JobExecutionContext;
import org.quartz.Scheduler;
import org.quartz.TriggerBuilder;
import org.quartz.impl.StdSchedulerFactory;
import org.quartz.utils.DBConnectionManager;

class QuartzTest {
    private static final CountDownLatch RUN = new CountDownLatch(1);

    /** Tells that it ran. */
    public static final class Sail implements Job {
        public Sail() {}

        @Override
        public void execute(JobExecutionContext context) {
            RUN.countDown();
        }
    }

    @Test
    void jobsAreStoredThroughThePool() throws Exception {
        try (WeirDataSource dataSource = Pools.h2("quartz")) {
            createTables(dataSource);
            // snippet:quartz
            DBConnectionManager.getInstance().addConnectionProvider("shop", new WeirConnectionProvider(dataSource));
            Properties quartz = new Properties();
            quartz.setProperty("org.quartz.scheduler.instanceName", "shop");
            quartz.setProperty("org.quartz.threadPool.threadCount", "2");
            quartz.setProperty("org.quartz.jobStore.class", "org.quartz.impl.jdbcjobstore.JobStoreTX");
            quartz.setProperty(
                    "org.quartz.jobStore.driverDelegateClass", "org.quartz.impl.jdbcjobstore.StdJDBCDelegate");
            quartz.setProperty("org.quartz.jobStore.dataSource", "shop");
            Scheduler scheduler = new StdSchedulerFactory(quartz).getScheduler();
            // snippet:end
            try {
                scheduler.start();
                scheduler.scheduleJob(
                        JobBuilder.newJob(Sail.class).withIdentity("sail").build(),
                        TriggerBuilder.newTrigger().startNow().build());
                assertThat(RUN.await(20, TimeUnit.SECONDS)).isTrue();
            } finally {
                scheduler.shutdown(true);
            }
            Await.await( // the shutdown waits for the jobs, not for its own threads
                    "none is in use",
                    Duration.ofSeconds(20),
                    () -> dataSource.stats().inUse() == 0);
        }
    }

    private static void createTables(WeirDataSource dataSource) throws Exception {
        try (InputStream in = Job.class.getResourceAsStream("/org/quartz/impl/jdbcjobstore/tables_h2.sql");
                Reader script = new InputStreamReader(in, StandardCharsets.UTF_8);
                Connection connection = dataSource.getConnection()) {
            RunScript.execute(connection, script);
        }
    }
}
