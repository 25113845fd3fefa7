package dev.weir.cli.top;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import dev.weir.PoolConfig;
import dev.weir.WeirDataSource;
import dev.weir.cli.Main;
import dev.weir.cli.shared.Agent;
import dev.weir.cli.shared.OtherJvm;
import dev.weir.cli.shared.Stop;
import dev.weir.console.window.Jvms;
import dev.weir.testkit.Await;
import dev.weir.testkit.StubDatabase;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;

/** {@code weir top} without a terminal. */
class TopCommandTest {
    private static final Duration LIMIT = Duration.ofSeconds(30);

    private static Agent agent;

    private final StringWriter out = new StringWriter();
    private final Stop stop = new Stop();

    @BeforeAll
    static void start() throws IOException {
        agent = new Agent();
    }

    @AfterAll
    static void stopAgent() throws IOException {
        agent.close();
    }

    private int top(String target, String... more) {
        String[] arguments = new String[4 + more.length];
        System.arraycopy(new String[] {"top", target, "--interval", "100ms"}, 0, arguments, 0, 4);
        System.arraycopy(more, 0, arguments, 4, more.length);
        PrintWriter writer = new PrintWriter(out, true);
        int exit = Main.commandLine(() -> stop).setOut(writer).setErr(writer).execute(arguments);
        assertThat(out.toString()).doesNotContain(Agent.PASSWORD);
        return exit;
    }

    private int here(String pool, String... more) {
        String[] arguments = new String[5 + more.length];
        System.arraycopy(
                new String[] {"--user", "monitor", "--password=" + Agent.PASSWORD, "--pool", pool}, 0, arguments, 0, 5);
        System.arraycopy(more, 0, arguments, 5, more.length);
        return top(agent.url(), arguments);
    }

    private static PoolConfig.Builder config(StubDatabase db, String name) {
        return PoolConfig.builder()
                .dataSource(db.dataSource())
                .poolName(name)
                .minimumPoolSize(1)
                .maximumPoolSize(1);
    }

    @Test
    void aJvmIsAttachedToByItsProcessIdUntilItEnds() throws Exception {
        CompletableFuture<Integer> watching;
        long pid;
        try (OtherJvm jvm = new OtherJvm(true)) {
            pid = jvm.pid();
            assertThat(top(Long.toString(pid), "--once", "--json"))
                    .as(out.toString())
                    .isZero();
            JsonNode view = new ObjectMapper().readTree(out.toString());
            assertThat(view.get("well").asBoolean()).isTrue();
            JsonNode pool = view.get("pools").get(0);
            assertThat(pool.get("name").asText()).isEqualTo("orders");
            assertThat(pool.at("/counts/inUse").asInt()).isEqualTo(1);
            assertThat(pool.at("/rates/acquired").asDouble()).isZero();
            assertThat(pool.at("/settings/maximumPoolSize").asInt()).isEqualTo(5);
            assertThat(pool.at("/holders/0/thread").asText()).isEqualTo("main");
            assertThat(pool.at("/holders/0/sql").asText()).isEqualTo("SELECT ? + ?");

            assertThat(Jvms.withPools()).containsEntry(pid, OtherJvm.class.getName());

            watching = CompletableFuture.supplyAsync(() -> top(Long.toString(pid)));
            Await.await(out::toString, LIMIT, () -> out.toString().contains(" orders: in use 1/5, idle 1"));
        }
        assertThat(watching.get(30, TimeUnit.SECONDS)).isEqualTo(1);
        assertThat(out.toString()).contains("weir top: " + pid + ": the JVM has ended");
        assertThat(top(Long.toString(pid))).isEqualTo(2);
        assertThat(out.toString()).contains("weir top: " + pid + ": no such process");
    }

    @Test
    void aJvmWithoutAPoolAndAProcessThatIsNoJvmAreToldFromOneAnother() throws Exception {
        try (OtherJvm jvm = new OtherJvm(false)) {
            assertThat(top(Long.toString(jvm.pid()), "--once")).isEqualTo(1);
            assertThat(out.toString()).contains("No pool is running there");
            assertThat(Jvms.withPools()).doesNotContainKey(jvm.pid());
        }
        Process cat = new ProcessBuilder("cat").start();
        try {
            assertThat(top(Long.toString(cat.pid()))).isEqualTo(2);
            assertThat(out.toString()).contains(cat.pid() + ": no JVM that this user can attach to", "HOST:PORT");
            assertThat(cat.isAlive()).isTrue();
        } finally {
            cat.destroy();
        }
    }

    @Test
    void whereSeveralJvmsHaveAPoolOneIsToBeNamed() throws Exception {
        try (OtherJvm one = new OtherJvm(true);
                OtherJvm another = new OtherJvm(true)) {
            PrintWriter writer = new PrintWriter(out, true);
            assertThat(Main.commandLine(() -> stop)
                            .setOut(writer)
                            .setErr(writer)
                            .execute("top", "--once"))
                    .isEqualTo(2);
            assertThat(out.toString())
                    .contains("several JVMs have a pool: give the PID of one, ")
                    .contains(one.pid() + " " + OtherJvm.class.getName())
                    .contains(another.pid() + " " + OtherJvm.class.getName());
        }
    }

    @Test
    void whereTheRuntimeCannotAttachItSaysWhatToDo() throws Exception {
        for (List<String> arguments : List.of(List.of("top"), List.of("top", "4711"))) {
            assertThat(said("java.sql,java.management,java.desktop,java.naming,jdk.unsupported", arguments))
                    .startsWith("weir top: attaching needs a JDK")
                    .contains("give a JMX URL")
                    .hasLineCount(1);
        }
    }

    @Test
    void whereTheRuntimeHasNoJmxItSaysSo() throws Exception {
        List<String> arguments = List.of("top", "127.0.0.1:1");
        assertThat(said("java.sql,java.desktop,java.naming,jdk.unsupported", arguments))
                .startsWith("weir top: this needs a JDK, and this runtime is none (javax/management/")
                .doesNotContain("URL")
                .hasLineCount(1);
        assertThat(said("java.sql,java.management,java.desktop,java.naming,jdk.unsupported", arguments))
                .startsWith("weir top: this runtime lacks the module java.management.rmi")
                .hasLineCount(1);
    }

    private static String said(String modules, List<String> arguments) throws Exception {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:TieredStopAtLevel=1",
                "--limit-modules",
                modules,
                "-cp",
                System.getProperty("surefire.test.class.path", System.getProperty("java.class.path")),
                Main.class.getName()));
        command.addAll(arguments);
        Process weir = new ProcessBuilder(command).redirectErrorStream(true).start();
        String said = new String(weir.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(weir.waitFor()).isEqualTo(2);
        return said;
    }

    @Test
    void aJmxAgentIsAskedWithUserAndPassword() throws Exception {
        try (StubDatabase db = new StubDatabase();
                WeirDataSource pool =
                        new WeirDataSource(config(db, "remote\u001b[2J").build());
                Connection held = pool.getConnection()) {
            held.createStatement().execute("SELECT * FROM orders WHERE name = 'alice'");
            assertThat(here("remote\u001b[2J", "--once")).as(out.toString()).isZero();
            assertThat(out.toString())
                    .contains("1 of 1 in use, 0 idle, 0 waiting", "SELECT * FROM orders")
                    .contains("remote [2J")
                    .doesNotContain("alice", "\u001b");
            assertThat(top(
                            agent.url(),
                            "--user=reader",
                            "--password=" + Agent.PASSWORD,
                            "--pool=remote\u001b[2J",
                            "--once"))
                    .isZero();
            assertThat(out.toString()).contains("This JMX user may only read");
            assertThat(here("nobody", "--once")).isEqualTo(1);
            assertThat(top(agent.url())).isEqualTo(2);
            assertThat(out.toString()).contains("cannot connect: who are you?");
            assertThat(top("127.0.0.1:1", "--once")).isEqualTo(2);
            assertThat(top("service:jmx:nonsense")).isEqualTo(2);
        }
    }

    @Test
    void anIntervalThatIsNoneIsRefused() {
        PrintWriter writer = new PrintWriter(out, true);
        assertThat(Main.commandLine(() -> stop).setErr(writer).execute("top", agent.url(), "--interval", "1ms"))
                .isEqualTo(2);
        assertThat(out.toString()).contains("--interval: 1 ms (expected: 100ms..1h)");
    }

    @Test
    void anAcquireThatTimesOutOrWaitsForLongIsATrouble() throws Exception {
        try (StubDatabase db = new StubDatabase();
                WeirDataSource pool = new WeirDataSource(config(db, "short")
                        .connectionTimeout(Duration.ofSeconds(2))
                        .build());
                WeirDataSource well =
                        new WeirDataSource(config(db, "a well one").build());
                Connection held = pool.getConnection()) {
            well.start();
            assertThat(held.isClosed()).isFalse();
            assertThat(here("short", "--once")).as(out.toString()).isZero();
            Stop enough = new Stop();
            Thread user = new Thread(() -> {
                while (!enough.isRequested()) {
                    try (Connection second = pool.getConnection()) {
                        return;
                    } catch (SQLException e) {
                        // again
                    }
                }
            });
            user.start();
            Await.await(out::toString, LIMIT, () -> here("short", "--once") == 1);
            assertThat(out.toString()).containsPattern("! 1 thread waits|! 1 acquires timed out");
            Await.await(out::toString, LIMIT, () -> isFirst("short", "a well one"));
            enough.request(2);
            held.close();
            user.join();
        }
    }

    private boolean isFirst(String pool, String other) {
        out.getBuffer().setLength(0);
        top(agent.url(), "--user=monitor", "--password=" + Agent.PASSWORD, "--once");
        int at = out.toString().indexOf(System.lineSeparator() + pool + "  ");
        return at >= 0 && at < out.toString().indexOf(System.lineSeparator() + other + "  ");
    }

    @Test
    void connectsThatFailAreATrouble() throws Exception {
        try (StubDatabase db = new StubDatabase();
                WeirDataSource pool = new WeirDataSource(config(db, "cut off")
                        .initializationFailTimeout(Duration.ofMillis(-1))
                        .build())) {
            db.fail(StubDatabase.CONNECT, () -> new SQLException("no route to host", "08001"));
            pool.start();
            Await.await("a connect failed", LIMIT, () -> !pool.openFailures().isEmpty());
            assertThat(here("cut off", "--once")).as(out.toString()).isEqualTo(1);
            assertThat(out.toString()).contains("! connects fail: ", "no route to host");
        }
    }
}
