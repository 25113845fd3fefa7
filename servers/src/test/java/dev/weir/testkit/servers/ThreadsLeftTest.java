package dev.weir.testkit.servers;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;

final class ThreadsLeftTest {

    @Test
    void namesTheThreadsThatAreLeft() throws InterruptedException {
        CountDownLatch end = new CountDownLatch(1);
        ThreadsLeft before = ThreadsLeft.sinceNow();
        Thread thread = new Thread(
                () -> {
                    try {
                        end.await();
                    } catch (InterruptedException e) {
                        Thread.currentThread().interrupt();
                    }
                },
                "threads-left-test-1");
        thread.start();
        assertThatThrownBy(() -> before.none("threads-left-test", Duration.ofMillis(20)))
                .isInstanceOf(AssertionError.class)
                .hasMessageContaining("threads-left-test-1");
        ThreadsLeft.sinceNow().none("threads-left-test", Duration.ofMillis(20));
        end.countDown();
        ThreadsLeft.assertNone("threads-left-test", Duration.ofSeconds(10));
        thread.join();
    }
}
