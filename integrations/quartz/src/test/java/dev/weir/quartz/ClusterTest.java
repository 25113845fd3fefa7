package dev.weir.quartz;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.PoolConfig;
import dev.weir.WeirDataSource;
import dev.weir.testkit.Await;
import dev.weir.testkit.servers.PostgresServer;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.quartz.Job;
import org.quartz.JobBuilder;
import org.quartz.JobExecutionContext;
import org.quartz.Scheduler;
import org.quartz.TriggerBuilder;
import org.quartz.impl.StdSchedulerFactory;
import org.quartz.utils.DBConnectionManager;

/** A cluster of two schedulers on one database, whose sessions end at any time. */
class ClusterTest {
    private static final int JOBS = 12;
    private static final Map<String, Integer> RUNS = new ConcurrentHashMap<>();

    /** Counts its runs. */
    public static final class Counted implements Job {
        public Counted() {}

        @Override
        public void execute(JobExecutionContext context) {
            RUNS.merge(context.getJobDetail().getKey().getName(), 1, Integer::sum);
        }
    }

    private static Scheduler scheduler(String name, WeirDataSource pool) throws Exception {
        DBConnectionManager.getInstance().addConnectionProvider(name, new WeirConnectionProvider(pool));
        Properties properties = new Properties();
        Map.of(
                        "org.quartz.scheduler.instanceName", "cluster",
                        "org.quartz.scheduler.instanceId", name,
                        "org.quartz.threadPool.threadCount", "3",
                        "org.quartz.jobStore.class", "org.quartz.impl.jdbcjobstore.JobStoreTX",
                        "org.quartz.jobStore.driverDelegateClass", "org.quartz.impl.jdbcjobstore.PostgreSQLDelegate",
                        "org.quartz.jobStore.isClustered", "true",
                        "org.quartz.jobStore.clusterCheckinInterval", "500",
                        "org.quartz.scheduler.dbFailureRetryInterval", "200",
                        "org.quartz.jobStore.dbRetryInterval", "200",
                        "org.quartz.jobStore.dataSource", name)
                .forEach(properties::setProperty);
        return new StdSchedulerFactory(properties).getScheduler();
    }

    @ParameterizedTest
    @ValueSource(strings = {"session", "transaction"})
    void eachJobRunsAlsoWhenSessionsAreEndedAndNoConnectionStaysOut(String mode) throws Exception {
        RUNS.clear();
        try (PostgresServer server = PostgresServer.launch()) {
            try (InputStream in = Job.class.getResourceAsStream("/org/quartz/impl/jdbcjobstore/tables_postgres.sql")) {
                server.execute(new String(in.readAllBytes(), StandardCharsets.UTF_8));
            }
            List<WeirDataSource> pools = new ArrayList<>();
            List<Scheduler> schedulers = new ArrayList<>();
            try {
                for (String name : List.of("one", "two")) {
                    WeirDataSource pool = new WeirDataSource(PoolConfig.builder()
                            .url(server.jdbcUrl())
                            .poolMode(mode)
                            .maximumPoolSize(4)
                            .minimumPoolSize(0)
                            .build());
                    pools.add(pool);
                    schedulers.add(scheduler(name, pool));
                }
                for (int i = 0; i < JOBS; i++) {
                    schedulers
                            .get(0)
                            .scheduleJob(
                                    JobBuilder.newJob(Counted.class)
                                            .withIdentity("job" + i)
                                            .build(),
                                    TriggerBuilder.newTrigger().startNow().build());
                }
                for (Scheduler each : schedulers) {
                    each.start();
                }
                Await.await(RUNS::toString, Duration.ofSeconds(30), () -> RUNS.size() > JOBS / 3);
                int ended = server.killBackends();
                Await.await(RUNS::toString, Duration.ofSeconds(60), () -> RUNS.size() == JOBS);
                assertThat(ended).isPositive();
            } finally {
                for (Scheduler each : schedulers) {
                    each.shutdown(true);
                }
                for (WeirDataSource pool : pools) {
                    Await.await( // the shutdown waits for the jobs, not for its own threads
                            "none is in use",
                            Duration.ofSeconds(20),
                            () -> pool.stats().inUse() == 0);
                    pool.close();
                }
            }
            assertThat(server.number("SELECT count(*) FROM qrtz_fired_triggers"))
                    .isZero();
        }
    }
}
