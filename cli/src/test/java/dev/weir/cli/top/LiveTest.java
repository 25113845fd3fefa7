package dev.weir.cli.top;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.PoolConfig;
import dev.weir.RetireReason;
import dev.weir.WeirDataSource;
import dev.weir.cli.shared.Agent;
import dev.weir.cli.shared.Stop;
import dev.weir.console.window.JvmView;
import dev.weir.console.window.PoolReader;
import dev.weir.console.window.Watch;
import dev.weir.testkit.Await;
import dev.weir.testkit.StubDatabase;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.jline.builtins.ScreenTerminal;
import org.jline.terminal.Attributes;
import org.jline.terminal.Size;
import org.jline.terminal.impl.LineDisciplineTerminal;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The keys of {@code weir top}, pressed on a terminal that is drawn in memory. */
class LiveTest {
    private static final Duration LIMIT = Duration.ofSeconds(30);
    private static final int COLUMNS = 100;
    private static final int ROWS = 24;

    private final StubDatabase db = new StubDatabase();
    private final Stop stop = new Stop();
    private final ScreenTerminal screen = new ScreenTerminal(COLUMNS, ROWS);

    private Agent agent;
    private WeirDataSource pool;
    private LineDisciplineTerminal terminal;
    private CompletableFuture<JvmView> live;

    @BeforeEach
    void begin() throws Exception {
        agent = new Agent();
        pool = new WeirDataSource(PoolConfig.builder()
                .dataSource(db.dataSource())
                .poolName("pressed")
                .minimumPoolSize(3)
                .maximumPoolSize(9)
                .build());
        pool.start();
        Await.await("the minimum", LIMIT, () -> pool.stats().idle() == 3);
        terminal = new LineDisciplineTerminal(
                "test",
                "xterm-256color",
                new ByteArrayOutputStream() {
                    @Override
                    public synchronized void flush() {
                        screen.write(toString(StandardCharsets.UTF_8));
                        reset();
                    }
                },
                StandardCharsets.UTF_8);
        terminal.setSize(new Size(COLUMNS, ROWS));
        PoolReader reader = PoolReader.connect(agent.url(), "monitor", Agent.PASSWORD);
        live = CompletableFuture.supplyAsync(() -> {
            try (reader) {
                return new Live(terminal, reader, new Watch("here"), "pressed", Duration.ofMillis(100), stop).run();
            } catch (IOException e) {
                throw new IllegalStateException(e);
            }
        });
        awaitText("pressed  0 of 9 in use, 3 idle");
    }

    @AfterEach
    void end() throws Exception {
        stop.request(2);
        live.get(30, TimeUnit.SECONDS);
        terminal.close();
        pool.close();
        db.close();
        agent.close();
    }

    private void awaitText(String text) {
        Await.await(() -> text + " in " + screen, LIMIT, () -> screen.toString().contains(text));
    }

    private void press(String keys) throws IOException {
        for (byte key : keys.getBytes(StandardCharsets.UTF_8)) {
            terminal.processInputByte(key);
        }
    }

    @Test
    void whatActsOnThePoolIsAskedFirst() throws Exception {
        press("E");
        awaitText("Close all 3 connections (in use: once returned) of 'pressed'? [y/N]");
        press("\r");
        awaitText("Nothing was done");
        assertThat(pool.stats().retired()).containsEntry(RetireReason.EVICTED, 0L);
        press("Ey\r");
        Await.await(screen::toString, LIMIT, () -> pool.stats().retired().get(RetireReason.EVICTED) == 3L);
        awaitText("Done: evictAll");
        press("py\r");
        Await.await(screen::toString, LIMIT, pool::isSuspended);
        awaitText("SUSPENDED");
        press("ry\r");
        Await.await(screen::toString, LIMIT, () -> !pool.isSuspended());
    }

    @Test
    void aSettingIsChangedOnceItIsUnderstoodAndConfirmed() throws Exception {
        press("cmaximumPoolSize=many\r");
        awaitText("maximumPoolSize: 'many' (expected: a number)");
        press("cmaximumSize=7\r");
        awaitText("'maximumSize=7' (expected: one of these settings");
        awaitText("maximumPoolSize=9");
        press(" xcmaximumPoolSize=0\ry\r");
        awaitText("Refused: maximumPoolSize: 0");
        press("cmaximumPoolSize=78\u007f\r");
        awaitText("Change maximumPoolSize from 9 to 7 in 'pressed'? [y/N]");
        assertThat(pool.getMaximumPoolSize()).isEqualTo(9);
        press("y\r");
        awaitText("0 of 7 in use");
        press("cconnectionTimeout=5s\r");
        awaitText("to 5000 ms");
        press("y\r");
        Await.await(screen::toString, LIMIT, () -> pool.getConnectionTimeout().equals(Duration.ofSeconds(5)));
    }

    @Test
    void controlCEndsItAndLeavesTheTerminalAsItWas() throws Exception {
        assertThat(terminal.getAttributes().getLocalFlag(Attributes.LocalFlag.ICANON))
                .isFalse();
        press("\u0003");
        live.get(30, TimeUnit.SECONDS);
        assertThat(stop.exitCode()).isEqualTo(130);
        assertThat(terminal.getAttributes().getLocalFlag(Attributes.LocalFlag.ICANON))
                .isTrue();
    }

    @Test
    void theDumpAndTheThreadsAreReadAndLeft() throws Exception {
        try (Connection held = pool.getConnection()) {
            held.createStatement().execute("SELECT 1");
            awaitText("SELECT ?");
            press("d");
            awaitText("pool 'pressed': maximum 9, total 3, in use 1");
            press("x");
            awaitText("acquires");
            press("t");
            awaitText("    now at ");
            press("\u001b");
            awaitText("acquires");
            press("s");
            awaitText("(by thread)");
        }
        press("q");
        assertThat(live.get(30, TimeUnit.SECONDS).well()).isTrue();
    }
}
