package dev.weir.internal.observing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.LoanTimes;
import dev.weir.PoolStats;
import dev.weir.RetireReason;
import dev.weir.internal.engine.LivePool;
import dev.weir.internal.engine.SteppedPool;
import dev.weir.internal.settings.Setting;
import dev.weir.testkit.Await;
import dev.weir.testkit.StubDatabase;
import java.io.InputStreamReader;
import java.io.Reader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.stream.Collectors;
import jdk.jfr.Configuration;
import jdk.jfr.Recording;
import jdk.jfr.consumer.RecordedEvent;
import jdk.jfr.consumer.RecordingFile;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** P10: the flight recorder has the pool's events once it asks for them. */
class EventsTest {
    private static final List<String> NAMES = List.of(
            "dev.weir.ConnectionOpened",
            "dev.weir.ConnectionOpenFailed",
            "dev.weir.ConnectionRetired",
            "dev.weir.AcquireWaited",
            "dev.weir.AcquireTimedOut",
            "dev.weir.ConnectionLeaked",
            "dev.weir.Loan",
            "dev.weir.ConnectionsCounted",
            "dev.weir.LoanHeld",
            "dev.weir.LoansMeasured");

    private static void emitAll() {
        Events.connectionOpened("shop", 1, 4711, 2_000_000);
        Events.openFailed("shop", 3_000_000, "08001", "refused");
        Events.retired("shop", 1, 4711, RetireReason.AGE, 4_000_000);
        Events.acquireWaited("shop", 5_000_000, 6);
        Events.acquireTimedOut("shop", 7_000_000, 8, 9, 10, 11, 12);
        Events.leaked("shop", 1, 4711, "worker", 12_000_000, "at here", "at x");
        Object loan = LoanEvents.beginLoan();
        LoanEvents.loan(loan, "shop", 1, 4711, 20, 21, 22, 23, 24, "select ?", "at here");
        LoanEvents.loanHeld("shop", 1, 4711, 25_000_000, "worker", "select ?", "at here");
        LoanEvents.counted("shop", 26, 27, 28, 29, 30);
        Events.loanTimes("shop", new LoanTimes(13, millis(14), millis(15), millis(16), millis(17), List.of(), 18, 19));
    }

    private static Duration millis(int millis) {
        return Duration.ofMillis(millis);
    }

    /** The settings that are in the jar; they enable all. */
    private static Map<String, String> shipped() throws Exception {
        try (Reader settings =
                new InputStreamReader(Events.class.getResourceAsStream("/META-INF/weir.jfc"), StandardCharsets.UTF_8)) {
            return Configuration.create(settings).getSettings();
        }
    }

    /** Something to be recorded. */
    private interface Work {
        void run() throws Exception;
    }

    private static List<RecordedEvent> recorded(Path folder, boolean enabled, Work work) throws Exception {
        Path file = folder.resolve("weir.jfr");
        try (Recording recording = new Recording()) {
            if (enabled) {
                recording.setSettings(shipped());
                recording.enable("dev.weir.Loan").withThreshold(Duration.ZERO).withStackTrace();
            }
            recording.start();
            work.run();
            recording.stop();
            recording.dump(file);
        }
        return RecordingFile.readAllEvents(file).stream()
                .filter(event -> event.getEventType().getName().startsWith("dev.weir."))
                .toList();
    }

    @Test
    void eventsAreRecordedWhenEnabled(@TempDir Path folder) throws Exception {
        Map<String, RecordedEvent> events = recorded(folder, true, EventsTest::emitAll).stream()
                .collect(Collectors.toMap(event -> event.getEventType().getName(), Function.identity()));
        assertThat(events.keySet()).containsExactlyInAnyOrderElementsOf(NAMES);
        events.values().forEach(event -> {
            assertThat(event.getString("pool")).isEqualTo("shop");
            assertThat(event.getEventType().getCategoryNames()).containsExactly("Weir");
        });
        assertThat(events.get("dev.weir.ConnectionOpened").getDuration("took")).isEqualTo(Duration.ofMillis(2));
        for (String ofConnection :
                List.of("ConnectionOpened", "ConnectionRetired", "ConnectionLeaked", "Loan", "LoanHeld")) {
            assertThat(events.get("dev.weir." + ofConnection).getLong("connectionId"))
                    .isEqualTo(1);
            assertThat(events.get("dev.weir." + ofConnection).getLong("sessionId"))
                    .isEqualTo(4711);
        }
        assertThat(events.get("dev.weir.ConnectionOpenFailed").getString("sqlState"))
                .isEqualTo("08001");
        assertThat(events.get("dev.weir.ConnectionRetired").getString("reason")).isEqualTo("AGE");
        assertThat(events.get("dev.weir.AcquireWaited").getDuration("waited")).isEqualTo(Duration.ofMillis(5));
        assertThat(events.get("dev.weir.AcquireTimedOut").getInt("opening")).isEqualTo(11);
        assertThat(events.get("dev.weir.AcquireTimedOut").getInt("closing")).isEqualTo(12);
        assertThat(events.get("dev.weir.ConnectionLeaked").getString("holder")).isEqualTo("worker");
        assertThat(events.get("dev.weir.ConnectionLeaked").getString("acquiredAt"))
                .isEqualTo("at here");
        assertThat(events.get("dev.weir.LoansMeasured")).satisfies(event -> {
            assertThat(event.getLong("loans")).isEqualTo(13);
            assertThat(event.getDuration("beforeFirstStatement")).isEqualTo(millis(14));
            assertThat(event.getDuration("inDriver")).isEqualTo(millis(15));
            assertThat(event.getDuration("betweenTransactions")).isEqualTo(millis(16));
            assertThat(event.getDuration("idleInTransaction")).isEqualTo(millis(17));
        });
        assertThat(events.get("dev.weir.Loan").getString("sql")).isEqualTo("select ?");
        assertThat(events.get("dev.weir.Loan").getString("acquiredAt")).isEqualTo("at here");
        assertThat(events.get("dev.weir.LoanHeld").getDuration("held")).isEqualTo(millis(25));
        assertThat(events.get("dev.weir.ConnectionsCounted").getInt("maximum")).isEqualTo(30);
        assertThat(events.get("dev.weir.ConnectionOpened").getStackTrace()).isNull();
    }

    @Test
    void eventsAreOffUntilTheyAreAskedFor(@TempDir Path folder) throws Exception {
        assertThat(recorded(folder, false, EventsTest::emitAll)).isEmpty();
    }

    @Test
    void aPoolRecordsEachEventWhenItComesAbout(@TempDir Path folder) throws Exception {
        PoolStats[] stats = new PoolStats[1];
        String[] name = new String[1];
        List<RecordedEvent> events = recorded(folder, true, () -> {
            try (LivePool live = LivePool.started(b -> b.minimumPoolSize(1)
                    .maximumPoolSize(1)
                    .connectionTimeout(LivePool.LIMIT)
                    .acquireRetryDelay(Duration.ofMillis(10))
                    .leakDetectionThreshold(Duration.ofMillis(100))
                    .validateAfterIdle(Duration.ofHours(1)))) {
                name[0] = live.settings.poolName();
                Await.await(
                        "it is idle", LivePool.LIMIT, () -> live.pool.stats().idle() == 1);
                live.pool.acquire().close(); // without a wait
                leakWaitAndTimeOut(live);
                live.db.failNext(StubDatabase.CONNECT, 1, () -> new SQLException("no route", "08001"));
                live.pool.evictAll();
                Await.await("a new one", LivePool.LIMIT, () -> live.pool.stats().opened() == 2);
                stats[0] = live.pool.stats();
            }
        });
        Map<String, List<RecordedEvent>> byName = events.stream()
                .filter(event -> name[0].equals(event.getString("pool")))
                .collect(Collectors.groupingBy(event -> event.getEventType().getName()));
        assertThat(byName.keySet())
                .containsExactlyInAnyOrderElementsOf(NAMES.subList(0, 8)); // the others come after ten seconds
        assertThat(byName.get("dev.weir.ConnectionOpened")).hasSize(2);
        assertThat(byName.get("dev.weir.ConnectionOpenFailed"))
                .hasSize((int) stats[0].openFailed())
                .first()
                .satisfies(event -> assertThat(event.getString("message")).contains("no route"));
        assertThat(byName.get("dev.weir.ConnectionRetired"))
                .extracting(event -> event.getString("reason"))
                .containsExactly("EVICTED", "CLOSED");
        assertThat(byName.get("dev.weir.AcquireWaited"))
                .singleElement()
                .satisfies(event -> assertThat(event.getDuration("waited")).isPositive());
        assertThat(byName.get("dev.weir.AcquireTimedOut")).singleElement().satisfies(event -> {
            assertThat(event.getDuration("waited")).isGreaterThanOrEqualTo(Duration.ofMillis(20));
            assertThat(event.getInt("inUse")).isEqualTo(1);
        });
        assertThat(byName.get("dev.weir.ConnectionLeaked"))
                .first()
                .satisfies(event -> assertThat(event.getString("holder"))
                        .isEqualTo(Thread.currentThread().getName()));
    }

    @Test
    void loansAreToldOfEveryTenSecondsWhileTheyAreMeasured(@TempDir Path folder) throws Exception {
        List<RecordedEvent> events = recorded(folder, true, () -> {
            try (SteppedPool stepped = SteppedPool.of(b -> b.measureLoans(true));
                    Connection held = stepped.acquireHelped()) {
                for (int i = 0; i < 210; i++) {
                    stepped.ticker.advance(Duration.ofMillis(100));
                    stepped.pass();
                }
                assertThat(held.isClosed()).isFalse();
            }
        });
        assertThat(events)
                .filteredOn(event -> event.getEventType().getName().equals("dev.weir.LoansMeasured"))
                .hasSize(2)
                .allSatisfy(event ->
                        assertThat(event.getDuration("beforeFirstStatement")).isBetween(millis(9_900), millis(10_100)))
                .extracting(event -> event.getLong("loans"))
                .containsExactly(1L, 0L);
    }

    @Test
    void aLoanIsRecordedWithItsTimesItsSqlAndThePlaceOfItsReturn(@TempDir Path folder) throws Exception {
        String[] name = new String[1];
        List<RecordedEvent> events = recorded(folder, true, () -> {
            try (LivePool live = LivePool.started(b -> b.minimumPoolSize(1).maximumPoolSize(1))) {
                name[0] = live.settings.poolName();
                live.db.delay("Statement.execute", millis(5));
                try (Connection untouched = live.pool.acquire()) {
                    assertThat(untouched.isClosed()).isFalse();
                }
                try (Connection loan = live.pool.acquire()) {
                    loan.setAutoCommit(false);
                    try (Statement statement = loan.createStatement()) {
                        statement.execute("select a from b where c = 'hush'");
                    }
                    loan.rollback();
                }
                Connection aborted = live.pool.acquire();
                aborted.abort(Runnable::run);
                aborted.close();
            }
        });
        List<RecordedEvent> loans = events.stream()
                .filter(event -> event.getEventType().getName().equals("dev.weir.Loan"))
                .filter(event -> name[0].equals(event.getString("pool")))
                .toList();
        assertThat(loans).hasSize(3).allSatisfy(event -> {
            assertThat(event.getStackTrace().getFrames().toString()).contains("EventsTest");
            assertThat(event.getDuration("beforeFirstStatement")
                            .plus(event.getDuration("inDriver"))
                            .plus(event.getDuration("betweenTransactions"))
                            .plus(event.getDuration("idleInTransaction")))
                    .isCloseTo(event.getDuration(), millis(50));
        });
        assertThat(loans.get(0).getString("sql")).isNull();
        assertThat(loans.get(1).getString("sql")).isEqualTo("select a from b where c = ...");
        assertThat(loans.get(1).getDuration("inDriver")).isGreaterThanOrEqualTo(millis(5));
        assertThat(loans.get(1).getDuration("idleInTransaction")).isPositive();
        assertThat(loans.get(1).getDuration("betweenTransactions")).isPositive();
    }

    /** What a loan does is noted from the Keeper's next look on: of one that begins before it no event could tell the times. */
    @Test
    void aLoanThatBeginsBeforeItIsMeasuredIsNotRecorded(@TempDir Path folder) throws Exception {
        try (SteppedPool stepped = SteppedPool.of(b -> b)) {
            stepped.acquireHelped().close();
            stepped.ticker.advance(Duration.ofMillis(100));
            stepped.pass();
            List<RecordedEvent> events = recorded(folder, true, () -> {
                for (int i = 0; i < 2; i++) {
                    try (Connection loan = stepped.acquire();
                            Statement statement = loan.createStatement()) {
                        stepped.db.delay("Statement.execute", millis(20));
                        statement.execute("select 1");
                    }
                    stepped.ticker.advance(Duration.ofMillis(100));
                    stepped.pass();
                }
            });
            assertThat(events)
                    .filteredOn(event -> event.getEventType().getName().equals("dev.weir.Loan"))
                    .singleElement()
                    .satisfies(event -> {
                        assertThat(event.getDuration("inDriver")).isGreaterThanOrEqualTo(millis(20));
                        assertThat(event.getString("acquiredAt")).contains("at ");
                    });
        }
    }

    @Test
    void aLoanThatDoesNotEndIsToldOfEveryTenSeconds(@TempDir Path folder) throws Exception {
        List<RecordedEvent> events = recorded(folder, true, () -> {
            try (SteppedPool stepped = SteppedPool.of(b -> b);
                    Connection held = stepped.acquireHelped()) {
                for (int i = 0; i < 310; i++) {
                    stepped.ticker.advance(Duration.ofMillis(100));
                    stepped.pass();
                }
                assertThat(held.isClosed()).isFalse();
            }
        });
        assertThat(events)
                .filteredOn(event -> event.getEventType().getName().equals("dev.weir.LoanHeld"))
                .hasSizeBetween(2, 3)
                .allSatisfy(event -> {
                    assertThat(event.getString("holder"))
                            .isEqualTo(Thread.currentThread().getName());
                    assertThat(event.getDuration("held")).isGreaterThanOrEqualTo(Duration.ofSeconds(10));
                });
        assertThat(events)
                .filteredOn(event -> event.getEventType().getName().equals("dev.weir.ConnectionsCounted"))
                .hasSizeGreaterThan(250)
                .last()
                .satisfies(event -> assertThat(event.getInt("inUse")).isEqualTo(1));
    }

    private static void leakWaitAndTimeOut(LivePool live) throws Exception {
        CompletableFuture<Connection> waiter;
        try (Connection held = live.pool.acquire()) {
            live.settings.change(Setting.CONNECTION_TIMEOUT, Duration.ofMillis(20));
            assertThatThrownBy(live.pool::acquire).hasMessageContaining("no connection within");
            live.settings.change(Setting.CONNECTION_TIMEOUT, LivePool.LIMIT);
            Await.await(
                    "a leak",
                    LivePool.LIMIT,
                    () -> live.log.warnings().stream().anyMatch(line -> line.contains("leak?")));
            waiter = live.acquireOn("waits");
            live.awaitWaiting(1);
            assertThat(held.isClosed()).isFalse();
        }
        waiter.get(15, TimeUnit.SECONDS).close();
    }
}
