package dev.weir.console;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.weir.PoolConfig;
import dev.weir.WeirDataSource;
import dev.weir.console.Console.Answer;
import dev.weir.testkit.Await;
import dev.weir.testkit.StubDatabase;
import java.lang.reflect.Method;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.junit.jupiter.api.Test;

/** A thousand connections, and as many waiters as the JVM can have: 10,000 with virtual threads. */
class CrowdTest {
    private static final Duration LIMIT = Duration.ofSeconds(60);
    private static final int CONNECTIONS = 1_000;
    private static final int SHOWN = 200;
    private static final int DEPTH = 60;
    private static final int MOST_BYTES = 500_000;

    private final StubDatabase db = new StubDatabase();

    /** Frames as deep as those of a web framework. */
    private static void deep(int frames, Runnable then) {
        if (frames == 0) {
            then.run();
        } else {
            deep(frames - 1, then);
        }
    }

    private static int crowd() {
        return Runtime.version().feature() >= 21 ? 10_000 : SHOWN + 50;
    }

    private static Consumer<Runnable> starter() throws Exception {
        if (Runtime.version().feature() < 21) {
            return work -> new Thread(null, work, "waiter", 256 * 1024).start();
        }
        Method start = Thread.class.getMethod("startVirtualThread", Runnable.class);
        return work -> {
            try {
                start.invoke(null, work);
            } catch (ReflectiveOperationException e) {
                throw new IllegalStateException(e);
            }
        };
    }

    @Test
    void lookAtACrowdHasTheLongestOfItAndStaysSmall() throws Exception {
        try (db;
                WeirDataSource pool = new WeirDataSource(PoolConfig.builder()
                        .dataSource(db.dataSource())
                        .poolName("crowded")
                        .minimumPoolSize(CONNECTIONS)
                        .maximumPoolSize(CONNECTIONS)
                        .connectionTimeout(Duration.ofMinutes(10))
                        .leakDetectionThreshold(Duration.ofMinutes(10)) // notes where each is acquired
                        .build())) {
            List<Connection> held = new ArrayList<>();
            deep(DEPTH, () -> hold(pool, held));
            Consumer<Runnable> start = starter();
            for (int i = 0; i < crowd(); i++) {
                start.accept(() -> deep(DEPTH, () -> take(pool)));
            }
            Await.await(
                    () -> "the crowd: " + pool.stats(),
                    LIMIT,
                    () -> pool.stats().waiting() == crowd());

            Console console = Console.ofThisJvm(false);
            Answer answer = console.get("look", Map.of());
            assertThat(answer.status()).isEqualTo(200);
            assertThat(answer.body().length).isLessThan(MOST_BYTES);
            JsonNode look = new ObjectMapper().readTree(answer.body()).at("/pools/0");
            assertThat(look.at("/counts/inUse").asInt()).isEqualTo(CONNECTIONS);
            assertThat(look.at("/counts/waiting").asInt()).isEqualTo(crowd());
            assertThat(look.get("holders")).hasSize(SHOWN);
            assertThat(look.get("waiters")).hasSize(SHOWN);
            assertThat(look.at("/holders/0/acquiredAt").size()).isGreaterThan(DEPTH);
            assertThat(look.at("/waiters/0/stack").size()).isGreaterThan(DEPTH);
            assertThat(look.at("/waiters/199/stack")).isEmpty();
            assertThat(look.at("/waiters/0/waited").asLong())
                    .isGreaterThanOrEqualTo(look.at("/waiters/199/waited").asLong());

            for (Connection one : held) {
                one.close();
            }
            Await.await(
                    () -> "all are served: " + pool.stats(),
                    LIMIT,
                    () -> pool.stats().waiting() == 0 && pool.stats().inUse() == 0);
        }
    }

    private static void hold(WeirDataSource pool, List<Connection> held) {
        try {
            for (int i = 0; i < CONNECTIONS; i++) {
                held.add(pool.getConnection());
            }
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    private static void take(WeirDataSource pool) {
        try {
            pool.getConnection().close();
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }
}
