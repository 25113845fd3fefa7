package dev.weir.cli.explain;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.PoolConfig;
import dev.weir.WeirDataSource;
import dev.weir.cli.Main;
import dev.weir.cli.explain.Story.Kind;
import dev.weir.cli.explain.Story.Loan;
import dev.weir.cli.shared.Stop;
import dev.weir.spi.PoolListener;
import dev.weir.testkit.StubDatabase;
import java.io.InputStreamReader;
import java.io.PrintWriter;
import java.io.Reader;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import jdk.jfr.Configuration;
import jdk.jfr.Event;
import jdk.jfr.Name;
import jdk.jfr.Timespan;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import shop.OrderView;

/** A recording of a pool whose troubles are known. */
class ExplainCommandTest {
    @TempDir
    static Path folder;

    private static Path file;

    private final StringWriter out = new StringWriter();
    private final StringWriter err = new StringWriter();

    private int weir(String... arguments) {
        return Main.commandLine(Stop::new)
                .setOut(new PrintWriter(out))
                .setErr(new PrintWriter(err))
                .execute(arguments);
    }

    @BeforeAll
    static void record() throws Exception {
        file = folder.resolve("shop.jfr");
        CountDownLatch leakTold = new CountDownLatch(1);
        try (StubDatabase db = new StubDatabase();
                WeirDataSource pool = new WeirDataSource(config(db, leakTold));
                jdk.jfr.Recording recording = new jdk.jfr.Recording();
                Reader settings = new InputStreamReader(
                        Objects.requireNonNull(WeirDataSource.class.getResourceAsStream("/META-INF/weir.jfc")),
                        StandardCharsets.UTF_8)) {
            recording.setSettings(Configuration.create(settings).getSettings());
            recording.enable("dev.weir.Loan").withThreshold(Duration.ZERO).withStackTrace();
            recording.start();
            pool.getConnection().close(); // the recorder's types of events are registered
            try (Connection leaked = OrderView.call(pool::getConnection);
                    Statement statement = leaked.createStatement()) {
                statement.execute("select * from cart where id = 4711");
                OrderView.render(pool);
                assertThat(leakTold.await(60, TimeUnit.SECONDS)).isTrue();
                recording.stop();
            }
            recording.dump(file);
        }
    }

    /** Two connections: one leaks; the thread that holds the other times out on a second one. */
    private static PoolConfig config(StubDatabase db, CountDownLatch leakTold) {
        db.failNext(StubDatabase.CONNECT, 1, () -> new SQLException("no route <to> host", "08001"));
        return PoolConfig.builder()
                .poolName("shop <1>")
                .dataSource(db.dataSource())
                .minimumPoolSize(0)
                .maximumPoolSize(2)
                .acquireRetryDelay(Duration.ofMillis(10))
                .leakDetectionThreshold(Duration.ofMillis(500))
                .connectionTimeout(Duration.ofSeconds(2))
                .addListener(new PoolListener() {
                    @Override
                    public void leaked(long heldNanos) {
                        leakTold.countDown();
                    }
                })
                .build();
    }

    @Test
    void theModelHasWhatHappened() throws Exception {
        Recording recording = Recording.of(file);
        assertThat(recording.stories()).singleElement().satisfies(story -> {
            assertThat(story.pool()).isEqualTo("shop <1>");
            assertThat(story.maximum()).isEqualTo(2);
            assertThat(story.mostInUse()).isEqualTo(2);
            assertThat(story.marks(Kind.OPENED)).hasSize(2);
            assertThat(story.marks(Kind.OPEN_FAILED))
                    .singleElement()
                    .satisfies(mark ->
                            assertThat(mark.text()).startsWith("08001: ").contains("no route <to> host"));
            assertThat(story.held()).singleElement().satisfies(loan -> {
                assertThat(loan.place().inWords()).isEqualTo("OrderView.call");
                assertThat(loan.end()).isEqualTo(story.lengthNanos());
            });
            assertThat(story.refused()).singleElement().satisfies(wait -> {
                assertThat(wait.place().frames()).endsWith("OrderView.render", "OrderView.total");
                assertThat(wait.holds()).isTrue();
                assertThat(wait.refused()).contains("2 in use, 0 idle");
            });
            Loan order = story.loans().stream()
                    .filter(loan -> loan.ended() && loan.sql() != null)
                    .findFirst()
                    .orElseThrow();
            assertThat(order.sql()).isEqualTo("select * from orders where name = ...");
            assertThat(order.place().inWords()).isEqualTo("OrderView.render");
            assertThat(order.nanos()).isGreaterThan(2_000_000_000L);
            assertThat(order.shares().idleInTransaction()).isGreaterThan(order.nanos() / 2);
        });
        assertThat(recording.length()).isGreaterThan(Duration.ofSeconds(2));
    }

    @Test
    void findingsArePrintedAndThePageIsBesideTheRecording() throws Exception {
        assertThat(weir("explain", file.toString())).isZero();
        assertThat(out.toString())
                .contains(
                        "Pool 'shop <1>'",
                        "1 call of getConnection() got no connection",
                        "1 connection did not come back",
                        "acquired at OrderView.call",
                        "1 connect failed",
                        "by threads that held one already",
                        "OrderView.total, which holds another connection",
                        "Page: " + folder.resolve("shop.html"));
        String page = Files.readString(folder.resolve("shop.html"));
        assertThat(page)
                .contains(
                        "shop &lt;1&gt;",
                        "no route &lt;to&gt; host",
                        "class=\"flame\"",
                        "<caption>Waits by place</caption>")
                .contains(
                        "data-chart",
                        "uPlot",
                        "<rect class=\"held\"",
                        "<rect class=\"idle\"",
                        "content=\"default-src 'none';")
                .doesNotContain("hush-hush", "4711", "<1>", "src=", "@import", "{{");
    }

    @Test
    void thePageGoesWhereItIsAskedFor() {
        Path page = folder.resolve("here.html");
        assertThat(weir("explain", file.toString(), "-o", page.toString())).isZero();
        assertThat(page).exists();
        assertThat(weir(
                        "explain",
                        file.toString(),
                        "-o",
                        folder.resolve("none/x.html").toString()))
                .isEqualTo(1);
        assertThat(err.toString()).contains("x.html: cannot be written");
    }

    @Test
    void whatCannotBeReadIsSaidInOneLine() throws Exception {
        Path none = folder.resolve("none.jfr");
        assertThat(weir("explain", none.toString())).isEqualTo(1);
        Path text = Files.writeString(folder.resolve("text.jfr"), "no recording");
        assertThat(weir("explain", text.toString())).isEqualTo(1);
        Path empty = folder.resolve("empty.jfr");
        try (jdk.jfr.Recording recording = new jdk.jfr.Recording()) {
            recording.start();
            recording.stop();
            recording.dump(empty);
        }
        assertThat(weir("explain", empty.toString())).isEqualTo(1);
        assertThat(weir("explain", folder.toString())).isEqualTo(1);
        assertThat(err.toString().lines())
                .satisfiesExactly(
                        line -> assertThat(line).isEqualTo(none + ": no such file"),
                        line -> assertThat(line).startsWith(text + ": not a flight recording"),
                        line -> assertThat(line).startsWith(empty + ": no event of Weir"),
                        line -> assertThat(line).isEqualTo(folder + ": not a file that can be read"));
    }

    @Test
    void manyConnectionsAndLoansMakeAPageThatSaysWhatIsLeftOut() throws Exception {
        List<Loan> loans = new ArrayList<>();
        for (int i = 0; i < 100_000; i++) {
            loans.add(new Loan(
                    i * 1_000_000L,
                    20_000_000L,
                    i % 1_000,
                    0,
                    0,
                    new Story.Shares(1, 1, 1, 1),
                    true,
                    "t",
                    "select ?",
                    Story.Place.UNKNOWN));
        }
        Story story =
                new Story("big", 100_000_000_000L, List.of(), loans, List.of(), List.of(), List.of(), Story.Jvm.SILENT);
        String page =
                Page.of(new Recording(Instant.EPOCH, Duration.ofSeconds(100), List.of(story), 100_000), "big.jfr");
        assertThat(page).hasSizeLessThan(4_000_000).contains("of 100,000 loans, of 40 of 1,000 connections");
    }

    @Test
    void aRunningJvmIsRecorded() throws Exception {
        Process jvm = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-XX:TieredStopAtLevel=1",
                        "-cp",
                        System.getProperty("java.class.path"),
                        Trader.class.getName())
                .redirectError(ProcessBuilder.Redirect.DISCARD)
                .start();
        try {
            assertThat(jvm.inputReader().readLine()).isEqualTo("trading");
            Path target = folder.resolve("live.jfr");
            assertThat(weir("record", Long.toString(jvm.pid()), "--for", "2s", "-o", target.toString()))
                    .as(err.toString())
                    .isZero();
            assertThat(out.toString())
                    .contains(
                            "Pool 'trader'",
                            "100 % before the first statement",
                            "Page: " + folder.resolve("live.html"));
        } finally {
            jvm.destroyForcibly().waitFor();
        }
        assertThat(weir("record", Long.toString(jvm.pid()))).isEqualTo(1);
        assertThat(weir("record", "1", "--for", "1ms")).isEqualTo(2);
        assertThat(err.toString()).contains(jvm.pid() + ": no such process", "--for: 1 ms (expected: 1s..24h)");
    }

    /** The JVM that is recorded. */
    static final class Trader {
        private Trader() {}

        public static void main(String[] args) throws Exception {
            try (StubDatabase db = new StubDatabase();
                    WeirDataSource pool = new WeirDataSource(PoolConfig.builder()
                            .poolName("trader")
                            .dataSource(db.dataSource())
                            .maximumPoolSize(2)
                            .build())) {
                pool.start();
                System.out.println("trading");
                for (; ; ) {
                    try (Connection connection = pool.getConnection()) {
                        assertThat(connection.isClosed()).isFalse();
                        TimeUnit.MILLISECONDS.sleep(15);
                    }
                }
            }
        }
    }

    /** As versions wrote it that did not note where the connection was acquired. */
    @Name("dev.weir.Loan")
    static final class OlderLoan extends Event {
        String pool = "older";
        long connectionId = 1;
        long sessionId = 4711;
        String sql = "select 1";

        @Timespan
        long waited;

        @Timespan
        long beforeFirstStatement;

        @Timespan
        long inDriver;

        @Timespan
        long betweenTransactions;

        @Timespan
        long idleInTransaction;
    }

    @Test
    void aRecordingOfAnOlderVersionIsRead() throws Exception {
        Path older = folder.resolve("older.jfr");
        try (jdk.jfr.Recording recording = new jdk.jfr.Recording()) {
            recording.enable(OlderLoan.class).withThreshold(Duration.ZERO).withStackTrace();
            recording.start();
            OrderView.call(() -> {
                new OlderLoan().commit();
                return null;
            });
            recording.stop();
            recording.dump(older);
        }
        assertThat(Recording.of(older).stories())
                .singleElement()
                .satisfies(story -> assertThat(story.loans())
                        .singleElement()
                        .satisfies(loan -> assertThat(loan.place().inWords()).isEqualTo("OrderView.call")));
    }
}
