package dev.weir.lab.battle;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;

final class BattleTest {
    @Test
    void fights() throws Exception {
        BattlePlan plan = new BattlePlan(
                20,
                Duration.ofMillis(40),
                Duration.ofMillis(8),
                Duration.ofMillis(5),
                Duration.ofSeconds(3),
                Duration.ofSeconds(3),
                100,
                50,
                1);
        Battle.Result result = Battle.fight(plan, physical -> {
            var config = new dev.weir.WeirDataSource(dev.weir.PoolConfig.builder()
                    .dataSource(physical)
                    .maximumPoolSize(40)
                    .minimumPoolSize(40)
                    .registerMbeans(false)
                    .build());
            config.start();
            return new Battle.Pool() {
                @Override
                public DataSource dataSource() {
                    return config;
                }

                @Override
                public int active() {
                    return config.stats().inUse();
                }

                @Override
                public void close() {
                    config.close();
                }
            };
        });
        System.out.println(result.counted() + " " + result.meanInUse());
        long[] sorted = result.responses().sorted();
        for (double p : new double[] {50, 90, 99, 99.9, 100}) {
            System.out.println(p + " " + Samples.percentile(sorted, p) / 1e6 + " hiccup "
                    + Samples.percentile(result.hiccups().sorted(), p) / 1e6 + " acquire "
                    + result.acquires().getValueAtPercentile(p) / 1e6);
        }
        assertThat(result.failures()).isEmpty();
        assertThat(result.counted().agree()).isTrue();
    }
}
