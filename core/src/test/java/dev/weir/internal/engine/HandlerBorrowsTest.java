package dev.weir.internal.engine;

import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.RetireReason;
import dev.weir.internal.slots.LoanTrace;
import dev.weir.spi.PoolListener;
import dev.weir.testkit.Await;
import dev.weir.testkit.StubDatabase;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Log handlers and listeners that write into the database, with a connection of the pool that calls them, or that hang. */
@Timeout(60)
class HandlerBorrowsTest {
    /** The work of the handler on the line that tells of a failure to connect. */
    @FunctionalInterface
    private interface Writing {
        void write(LivePool live) throws Exception;
    }

    /** The first connect fails, which is logged; the user's acquire needs the second. Returns whether the handler came to its end. */
    private static boolean connectsThoughTheHandler(Writing writing, CountDownLatch served) throws Exception {
        return connectsThoughTheHandler("could not open", null, writing, served);
    }

    private static boolean connectsThoughTheHandler(
            String of, @Nullable ThreadFactory factory, Writing writing, CountDownLatch served) throws Exception {
        StubDatabase db = new StubDatabase();
        Logger logger = Logger.getLogger("dev.weir");
        // The pool asks for the Keeper's thread as it is made: what is said of that may come before the handler
        // listens.
        AtomicBoolean listening = new AtomicBoolean();
        try (LivePool live = LivePool.of(
                db,
                b -> b.initializationFailTimeout(Duration.ofMillis(-1))
                        .minimumPoolSize(1)
                        .maximumPoolSize(2)
                        .threadFactory(
                                factory == null
                                        ? null
                                        : job -> listening.get() ? factory.newThread(job) : new Thread(job))
                        .connectionTimeout(Duration.ofSeconds(20)))) {
            CompletableFuture<Boolean> written = new CompletableFuture<>();
            Handler handler = new Handler() {
                @Override
                public void publish(LogRecord line) {
                    if (line.getMessage().contains(of)) {
                        try {
                            writing.write(live);
                            written.complete(true);
                        } catch (Exception e) {
                            written.completeExceptionally(e);
                        }
                    }
                }

                @Override
                public void flush() {}

                @Override
                public void close() {}
            };
            logger.addHandler(handler);
            listening.set(true);
            try {
                db.failNext(StubDatabase.CONNECT, 1, () -> new SQLException("not yet", "08001"));
                live.pool.start();
                CompletableFuture<Connection> user = live.acquireOn("user");
                user.get(30, TimeUnit.SECONDS).close();
                served.countDown();
                Await.await(() -> live.pool.dump() + threads(), LivePool.LIMIT, written::isDone);
                return written.get();
            } finally {
                served.countDown();
                logger.removeHandler(handler);
            }
        }
    }

    /** Of the pool's threads, for the message of a failure. */
    private static String threads() {
        StringBuilder lines = new StringBuilder();
        Thread.getAllStackTraces().forEach((thread, stack) -> {
            if (thread.getName().startsWith("weir-")) {
                lines.append(System.lineSeparator()).append(thread);
                for (StackTraceElement frame : stack) {
                    lines.append(System.lineSeparator()).append("    at ").append(frame);
                }
            }
        });
        return lines.toString();
    }

    @Test
    void p11ALogHandlerThatBorrowsDoesNotStopTheKeeper() throws Exception {
        assertThat(connectsThoughTheHandler(live -> live.pool.acquire().close(), new CountDownLatch(1)))
                .isTrue();
    }

    @Test
    void p11ALogHandlerThatHangsDoesNotStopTheKeeper() throws Exception {
        CountDownLatch served = new CountDownLatch(1);
        assertThat(connectsThoughTheHandler(live -> served.await(), served)).isTrue();
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void p11ALogHandlerThatBorrowsDoesNotStopTheKeeperWhoseThreadFactoryGivesNone(boolean throwing) throws Exception {
        ThreadFactory none = job -> {
            if (throwing) {
                throw new IllegalStateException("no threads today");
            }
            return null;
        };
        assertThat(connectsThoughTheHandler(
                        "the thread factory", none, live -> live.pool.acquire().close(), new CountDownLatch(1)))
                .isTrue();
    }

    @Test
    void p11AListenerThatHangsDoesNotStopTheKeeperThatTakesBackALostConnection() throws Exception {
        CountDownLatch served = new CountDownLatch(1);
        PoolListener hangs = new PoolListener() {
            @Override
            public void used(long usedNanos) {
                try {
                    served.await();
                } catch (InterruptedException e) {
                    throw new IllegalStateException(e);
                }
            }

            @Override
            public void retired(RetireReason reason, long ageNanos) {
                used(ageNanos);
            }
        };
        try (LivePool live = LivePool.started(b -> b.maximumPoolSize(1)
                .connectionTimeout(Duration.ofSeconds(20))
                .leakDetectionThreshold(Duration.ofHours(1))
                .addListener(hangs))) {
            try {
                LoanTrace trace = requireNonNull(live.pool.acquire().slot.trace);
                CompletableFuture<Connection> user = live.acquireOn("user");
                assertThat(trace.enqueue()).isTrue(); // as the garbage collector does
                try (Connection connection = user.get(30, TimeUnit.SECONDS)) {
                    served.countDown();
                    assertThat(connection.isClosed()).isFalse();
                }
                assertThat(live.pool.stats().retired()).containsEntry(RetireReason.RECLAIMED, 1L);
            } finally {
                served.countDown();
            }
        }
    }
}
