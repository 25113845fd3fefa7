package dev.weir.console;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.sun.net.httpserver.HttpServer;
import dev.weir.PoolConfig;
import dev.weir.WeirDataSource;
import dev.weir.testkit.Await;
import dev.weir.testkit.StubDatabase;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.openqa.selenium.Keys;

/** The page in a browser. The names that it shows are hostile in all cases, and after each it has broken no rule of its policy. */
class PageTest {
    private static final Duration LIMIT = Duration.ofSeconds(60);
    private static final String TAG = "</script><img src=x ";
    private static final String ATTACK = TAG + "onerror=window.hit=1>";
    private static final int DESKTOP = 1280;
    private static final int PHONE = 375;
    private static final JsonMapper MAPPER = new JsonMapper();

    private static @Nullable Browser shared;

    private final StubDatabase db = new StubDatabase();
    private final WeirDataSource pool = pool("orders " + ATTACK);
    private final WeirDataSource calm = pool("reports");
    private final CountDownLatch enough = new CountDownLatch(1);
    private final Thread holder = new Thread(this::hold, "holder " + ATTACK);
    private final Thread waiter = new Thread(this::await, "waiter " + ATTACK);
    private Browser browser;
    private @Nullable AutoCloseable served;
    private @Nullable String origin;

    @BeforeAll
    static void openBrowser() throws IOException {
        assumeTrue(Browser.isInstalled(), "Chromium and its driver are not installed here");
        shared = new Browser();
    }

    @AfterAll
    static void closeBrowser() throws IOException {
        if (shared != null) {
            shared.close();
            shared = null;
        }
    }

    @BeforeEach
    void begin() throws Exception {
        browser = Objects.requireNonNull(shared);
        holder.start();
        Await.await("it is held", LIMIT, () -> pool.stats().inUse() == 1);
        waiter.start();
        Await.await("a thread waits", LIMIT, () -> pool.stats().waiting() == 1);
        calm.start();
        Await.await("JMX has both", LIMIT, () -> look().get("pools").size() == 2);
    }

    @AfterEach
    void end() throws Exception {
        try {
            assertThat(browser.complaints()).isEmpty();
            assertThat(browser.requests())
                    .isNotEmpty()
                    .allMatch(address -> address.startsWith(origin + "/") || address.startsWith("data:"));
            assertThat(browser.count("img")).isZero();
            assertThat(browser.js("return window.hit")).isNull();
        } finally {
            browser.js("sessionStorage.clear()");
            enough.countDown();
            holder.join();
            waiter.join();
            if (served != null) {
                served.close();
            }
            pool.close();
            calm.close();
            db.close();
        }
    }

    private WeirDataSource pool(String name) {
        return new WeirDataSource(PoolConfig.builder()
                .dataSource(db.dataSource())
                .poolName(name)
                .maximumPoolSize(1)
                .minimumPoolSize(1)
                .connectionTimeout(Duration.ofMinutes(5))
                .waitWarningThreshold(Duration.ofMillis(1))
                .leakDetectionThreshold(Duration.ofMinutes(5))
                .build());
    }

    private void hold() {
        try (Connection held = pool.getConnection()) {
            held.createStatement().execute("SELECT a FROM b WHERE c " + ATTACK);
            enough.await();
        } catch (SQLException | InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    private void await() {
        try {
            pool.getConnection().close();
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    private static JsonNode look() throws IOException {
        return MAPPER.readTree(Console.ofThisJvm(true).get("look", Map.of()).body());
    }

    private void open(boolean writable, int width) throws IOException {
        ConsoleServer server = ConsoleServer.start(Console.ofThisJvm(writable), 0);
        served = server;
        open(server.address(), width);
    }

    private void open(URI address, int width) {
        origin = "http://" + address.getAuthority();
        browser.open(address, width);
    }

    private interface Looks {
        Console.Answer look() throws IOException;
    }

    /** A server of the same page with other looks, and without a token. */
    private void open(Looks looks, int width) throws IOException {
        Console console = Console.ofThisJvm(false);
        open(name -> name.equals("look") ? looks.look() : console.get(name, Map.of()), Console.headers(), "", width);
    }

    private interface Answers {
        Console.Answer get(String name) throws IOException;
    }

    private void open(Answers answers, Map<String, String> headers, String first, int width) throws IOException {
        HttpServer server =
                HttpServer.create(new InetSocketAddress(InetAddress.getByAddress(new byte[] {127, 0, 0, 1}), 0), 0);
        server.createContext("/", exchange -> {
            try (exchange) {
                Console.Answer answer =
                        answers.get(exchange.getRequestURI().getPath().substring(1));
                headers.forEach(exchange.getResponseHeaders()::set);
                exchange.getResponseHeaders().set("Content-Type", answer.contentType());
                exchange.sendResponseHeaders(answer.status(), answer.body().length);
                exchange.getResponseBody().write(answer.body());
            }
        });
        server.start();
        served = () -> server.stop(0);
        open(URI.create("http://127.0.0.1:" + server.getAddress().getPort() + "/" + first), width);
    }

    private static Console.Answer answer(int status, JsonNode json) {
        return new Console.Answer(
                status, "application/json;charset=utf-8", json.toString().getBytes(StandardCharsets.UTF_8));
    }

    @Test
    void troubleComesFirstAndNamesTheHolder() throws Exception {
        open(false, DESKTOP);
        browser.awaitText("#findings", "1 thread waits, the longest for ");
        assertThat(browser.text("#findings"))
                .contains("The longest loan is ", "old, of holder " + ATTACK + ": application at work.");
        assertThat(browser.text("#tabs")).startsWith("orders " + ATTACK + "\u2715 1 trouble, 1 of 1 in use");
        assertThat(browser.js("return document.title")).asString().startsWith("\u2715 orders");
        assertThat(browser.text("#waiters")).contains("waiter " + ATTACK);
        browser.click("#tabs button:nth-child(2)");
        browser.awaitText("#findings", "All is well");
        assertThat(browser.text("#said")).isEqualTo("Pool reports: all is well");
        assertThat(browser.count("#charts canvas")).isEqualTo(5);
    }

    @Test
    void whatTheThreadOfALoanDoesHasTheColourOfTheLegend() throws Exception {
        Map<String, String> legend = Map.of(
                "database", "driver", "application", "idle", "waits", "held", "leaked", "leaked", "unknown", "pause");
        String[] doing = {"leaked"};
        open(
                () -> {
                    JsonNode look = look();
                    look.findParents("acquiredAt").forEach(one -> ((ObjectNode) one).put("doing", doing[0]));
                    return answer(200, look);
                },
                DESKTOP);
        browser.awaitText("#holders button", ", has returned; looks leaked");
        for (Map.Entry<String, String> one : legend.entrySet()) {
            doing[0] = one.getKey();
            browser.awaitShown("#holders path." + one.getKey(), true);
            assertThat(style("#holders path." + one.getKey(), "fill"))
                    .as(one.getKey())
                    .isEqualTo(style("#key ." + one.getValue(), "backgroundColor"));
        }
    }

    @Test
    void firstLookTellsTimeoutsSinceTheStartAndPutsADotInTheChart() throws Exception {
        ObjectNode look = (ObjectNode) look();
        look.get("pools").forEach(one -> ((ObjectNode) one.get("totals")).put("timedOut", 42));
        open(() -> answer(200, look), DESKTOP);
        browser.awaitText("#numbers", "Timed out-42 since the start");
        Await.await(
                "a blue dot",
                LIMIT,
                () -> Boolean.TRUE.equals(browser.js("const drawn = document.querySelector('#charts canvas');"
                        + "const { data } = drawn.getContext('2d').getImageData(0, 0, drawn.width, drawn.height);"
                        + "return data.some((red, i) => i % 4 === 0 && data[i + 2] - red > 100)")));
    }

    /** As after a sleep of the computer: the server has forgotten what it saw, too. */
    @Test
    void lookAfterALongTimeTellsNoTimeoutsOfATimeThatItHasNotSeen() throws Exception {
        ObjectNode look = (ObjectNode) look();
        look.get("pools").forEach(one -> ((ObjectNode) one).putNull("rates"));
        boolean[] later = {false};
        open(
                () -> {
                    if (later[0]) {
                        for (JsonNode one : look.get("pools")) {
                            ((ObjectNode) one).put("at", one.get("at").asLong() + 3_600_000);
                            ((ObjectNode) one.get("totals")).put("timedOut", 42);
                        }
                        later[0] = false;
                    }
                    return answer(200, look);
                },
                DESKTOP);
        browser.awaitText("#numbers", "Timed out-0 since the start");
        later[0] = true;
        browser.awaitText("#numbers", "42 since the start");
        assertThat(browser.text("#numbers")).contains("Timed out-42 since the start");
    }

    @Test
    void timesOfMinutesHaveRoomBesideTheCharts() throws Exception {
        ObjectNode look = (ObjectNode) look();
        for (JsonNode one : look.get("pools")) {
            ObjectNode trend = (ObjectNode) one.get("trend");
            long at = one.get("at").asLong();
            trend.putArray("at").add(at - 1_000).add(at);
            List.of("inUse", "waiting")
                    .forEach(name -> trend.putArray(name).add(1).add(1));
            List.of("acquired", "timedOut").forEach(name -> trend.putArray(name).add(1));
            List.of("p99", "useP99").forEach(name -> trend.putArray(name).add(595_000));
            ((ObjectNode) one).putObject("rates").put("acquired", 1).put("timedOut", 1);
        }
        open(() -> answer(200, look), DESKTOP);
        browser.awaitText("#charts figure:nth-child(5)", "9 min 55 s");
        assertThat(browser.js("return [...document.querySelectorAll('#charts canvas')].map(drawn =>"
                        + "drawn.getContext('2d').getImageData(0, 0, 1, drawn.height).data.some(n => n > 0))"))
                .as("ink at the left edge")
                .isEqualTo(List.of(false, false, false, false, false));
    }

    @Test
    void nobodyIsNamedWhileThereIsAPlaceToLendOrTheTroubleNamesWhoHolds() throws Exception {
        boolean[] full = {true};
        boolean[] nested = {false};
        open(
                () -> {
                    JsonNode look = look();
                    look.findParents("inUse").stream()
                            .filter(one -> one.has("maximum") && !full[0])
                            .forEach(counts -> ((ObjectNode) counts).put("maximum", 2));
                    look.findParents("troubles").stream()
                            .filter(one -> nested[0])
                            .forEach(one -> ((ObjectNode) one)
                                    .putArray("troubles")
                                    .add("1 of 1 waiting threads hold a connection already (nested getConnection())"));
                    return answer(200, look);
                },
                DESKTOP);
        browser.awaitText("#findings", "The longest loan is ");
        full[0] = false;
        browser.awaitText("#tabs", "1 of 2 in use");
        assertThat(browser.text("#findings"))
                .contains("1 thread waits, the longest for ")
                .doesNotContain("The longest loan is ");
        full[0] = true;
        browser.awaitText("#findings", "The longest loan is ");
        nested[0] = true;
        browser.awaitText("#findings", "nested getConnection()");
        assertThat(browser.text("#findings")).doesNotContain("The longest loan is ");
    }

    private @Nullable Object style(String css, String property) {
        return browser.js("return getComputedStyle(document.querySelector(arguments[0]))[arguments[1]]", css, property);
    }

    @Test
    void loanOpensByClickAndByEnterWithItsStackAndSql() throws Exception {
        open(false, DESKTOP);
        browser.awaitShown("#holders .age", true);
        assertThat(browser.js("const age = document.querySelector('#holders .age'); age.textContent = '9 min 59 s';"
                        + " return age.scrollWidth <= age.clientWidth"))
                .isEqualTo(true);
        browser.click("#holders button");
        assertThat(browser.text("#dialog"))
                .contains(
                        "holder " + ATTACK + ": application at work",
                        "SELECT a FROM b WHERE c " + TAG,
                        "dev.weir.console.PageTest.hold(PageTest.java:");
        browser.type(Keys.ESCAPE);
        browser.awaitShown("#dialog", false);
        assertThat(browser.focused()).startsWith("holders: #");
        browser.type(Keys.ENTER);
        browser.awaitText("#dialog-title", "Connection #");
        browser.click("#dialog-buttons button");
        browser.awaitShown("#dialog", false);
        browser.click("#dump");
        browser.awaitText("#dialog pre", "pool 'orders " + ATTACK + "': maximum 1");
    }

    @Test
    void everythingIsReachedByTheKeyboard() throws Exception {
        open(false, DESKTOP);
        browser.awaitText("#findings", "1 thread waits");
        for (String next : new String[] {"pause: Pause", "dump: Dump as text", "tab: orders"}) {
            browser.type(Keys.TAB);
            assertThat(browser.focused()).startsWith(next);
        }
        browser.type(Keys.ARROW_RIGHT);
        assertThat(browser.focused()).startsWith("tab: reports");
        browser.type(Keys.ARROW_LEFT, Keys.TAB);
        assertThat(browser.focused()).startsWith("holders: #");
        String before = browser.text("#live");
        Await.await("another look", LIMIT, () -> !browser.text("#live").equals(before));
        assertThat(browser.focused()).as("a look leaves the focus").startsWith("holders: #");
        browser.type(Keys.TAB, Keys.ENTER);
        browser.awaitText("#dialog", "Has waited");
        assertThat(browser.focused()).isEqualTo("dialog-buttons: Close");
        browser.type(Keys.ENTER);
        browser.awaitShown("#dialog", false);
        assertThat(browser.focused()).startsWith("waiters: ");
    }

    @Test
    void readOnlyPageHasNoButtonThatChangesAnything() throws Exception {
        open(false, DESKTOP);
        browser.awaitText("#settings", "maximumPoolSize");
        assertThat(browser.count("#actions button, #settings button")).isZero();
    }

    @Test
    void settingIsChangedAfterASecondQuestionWithBothValues() throws Exception {
        open(true, DESKTOP);
        browser.click("#settings [aria-label='Change connectionTimeout']");
        assertThat(browser.js("return getComputedStyle(document.querySelector('#settings button')).whiteSpace"))
                .as("Firefox breaks the word into letters")
                .isEqualTo("nowrap");
        browser.type("20s", Keys.ENTER);
        browser.awaitText("#dialog-body", "Change connectionTimeout of pool orders " + ATTACK + " from 300000 to 20s?");
        assertThat(pool.getConnectionTimeout()).isEqualTo(Duration.ofMinutes(5));
        browser.click("#dialog-buttons .act");
        browser.awaitText("#done", "changed from 300000 to 20s");
        assertThat(pool.getConnectionTimeout()).isEqualTo(Duration.ofSeconds(20));
        browser.awaitText("#settings", "connectionTimeout20000");

        browser.click("#settings [aria-label='Change maximumPoolSize']");
        browser.type("0");
        browser.click("#dialog-buttons button");
        browser.click("#dialog-buttons .act");
        browser.awaitText("#dialog-error", "Refused: maximumPoolSize: 0 (expected: ");
        browser.type(Keys.ESCAPE);
        assertThat(pool.getMaximumPoolSize()).isEqualTo(1);
    }

    @Test
    void suspendIsAskedOnceMore() throws Exception {
        open(true, DESKTOP);
        browser.click("#actions button:nth-child(3)");
        browser.awaitText("#dialog-body", "Suspend pool orders");
        assertThat(pool.isSuspended()).isFalse();
        browser.click("#dialog-buttons .act");
        browser.awaitText("#findings", "The pool is suspended");
        assertThat(pool.isSuspended()).isTrue();
        browser.awaitText("#actions", "Resume");
        browser.click("#actions button:nth-child(3)");
        browser.click("#dialog-buttons .act");
        browser.awaitText("#actions", "Suspend");
        assertThat(pool.isSuspended()).isFalse();
    }

    @Test
    void tokenIsAskedForAndKeptOutOfTheAddress() throws Exception {
        ConsoleServer server = ConsoleServer.start(Console.ofThisJvm(false), 0);
        served = server;
        open(server.address().resolve("/"), DESKTOP);
        browser.awaitShown("#token", true);
        assertThat(browser.shows("main")).isFalse();
        browser.type("a wrong one", Keys.ENTER);
        browser.awaitText("#refused", "The token was refused.");
        browser.type(server.address().getFragment().substring("token=".length()), Keys.ENTER);
        browser.awaitText("#findings", "1 thread waits");
        assertThat(browser.shows("#token")).isFalse();
        browser.js("location.reload()");
        browser.awaitText("#findings", "1 thread waits");
        browser.open(server.address(), DESKTOP);
        browser.awaitText("#findings", "1 thread waits");
        assertThat(browser.js("return location.href")).isEqualTo(origin + "/");
    }

    @Test
    void loginOfTheApplicationIsNoQuestionForAToken() throws Exception {
        JsonNode error = MAPPER.createObjectNode().put("error", "Unauthorized");
        boolean[] loggedIn = {false};
        open(() -> loggedIn[0] ? answer(200, look()) : answer(401, error), DESKTOP);
        browser.awaitText("#silent", "Unauthorized");
        assertThat(browser.shows("#token")).isFalse();
        loggedIn[0] = true;
        browser.awaitText("#findings", "1 thread waits");
    }

    /** As Spring Security does by default, whose answer is Spring Boot's. */
    @Test
    void guardOfTheApplicationAgainstForgedRequestsIsNamed() throws Exception {
        Console console = Console.ofThisJvm(true);
        Console.Answer forbidden = answer(403, MAPPER.createObjectNode().put("error", "Forbidden"));
        open(name -> name.equals("act") ? forbidden : console.get(name, Map.of()), Console.headers(), "", DESKTOP);
        browser.click("#actions button");
        browser.click("#dialog-buttons .act");
        browser.awaitText(
                "#dialog-error", "Refused: the application forbids it; its guard against forged requests (CSRF)");
    }

    /** As where a framework cannot send the header that forbids it. */
    @Test
    void pageInsideAnotherShowsNothing() throws Exception {
        Console console = Console.ofThisJvm(true);
        Console.Answer outer = new Console.Answer(
                200,
                "text/html;charset=utf-8",
                "<!DOCTYPE html><title>Win!</title><iframe src=\"./\"></iframe>".getBytes(StandardCharsets.UTF_8));
        open(name -> name.equals("outer") ? outer : console.get(name, Map.of()), Map.of(), "outer", DESKTOP);
        Await.await(
                "the frame is emptied",
                LIMIT,
                () -> browser.js("return frames[0].document.body?.textContent")
                        .equals("This page is not shown inside another page."));
        assertThat(browser.js("return frames[0].document.querySelectorAll('button').length"))
                .isEqualTo(0L);
    }

    @Test
    void jvmThatDoesNotAnswerIsToldAndSeenAgainByItself() throws Exception {
        JsonNode error = MAPPER.createObjectNode().put("error", "the JVM " + ATTACK + " stands still");
        boolean[] silent = {false};
        open(() -> silent[0] ? answer(503, error) : answer(200, look()), DESKTOP);
        browser.awaitText("#findings", "1 thread waits");
        silent[0] = true;
        browser.awaitText("#silent", " s: the JVM " + ATTACK + " stands still. Below is what was seen last.");
        assertThat(browser.shows("#holders button")).isTrue();
        silent[0] = false;
        browser.awaitShown("#silent", false);
    }

    /** As in an actuator, whose addresses have no slash at their end. */
    @Test
    void pageWithoutASlashAtItsEndAsksBelowItsOwnName() throws Exception {
        Console console = Console.ofThisJvm(true);
        String page = "actuator/weirconsole";
        open(
                name -> name.equals(page)
                        ? console.get("", Map.of("base", "weirconsole"))
                        : console.get(name.replaceFirst("^" + page + "/", ""), Map.of()),
                Console.headers(),
                page,
                DESKTOP);
        browser.awaitText("#findings", "1 thread waits");
    }

    @Test
    void pageFitsAPhone() throws Exception {
        open(true, PHONE);
        browser.click("#holders button");
        browser.awaitShown("#dialog", true);
        assertFits();
        browser.type(Keys.ESCAPE);
        browser.awaitShown("#dialog", false);
        assertFits();
    }

    private void assertFits() {
        assertThat(browser.js("return document.documentElement.scrollWidth <= innerWidth && innerWidth === " + PHONE))
                .isEqualTo(true);
    }

    @Test
    void thousandConnectionsAndTenThousandWaitersAreShownByTheirLongest() throws Exception {
        open(() -> answer(200, crowd()), PHONE);
        browser.awaitText("#holders-rest", "800 more in use, none of them longer, are not listed.");
        browser.awaitText("#waiters-rest", "9,800 more threads");
        assertThat(browser.text("#findings"))
                .contains(
                        "200 of the 200 longest loans were acquired at OrderService.load, the longest for 1 min 30 s");
        assertThat(browser.text("#findings .advice")).isEqualTo("advice9 connections would do");
        assertThat(browser.text("#places tbody")).startsWith("OrderService.load200");
        assertThat(browser.count("#holders li")).isEqualTo(12);
        browser.click("#holders-all");
        browser.click("#waiters-all");
        assertThat(browser.count("#holders li")).isEqualTo(200);
        assertThat(browser.count("#waiters li")).isEqualTo(200);
        long nodes = browser.count("*");
        assertThat(nodes).isLessThan(4_000);
        for (int i = 0; i < 3; i++) {
            String before = browser.text("#live");
            Await.await("another look", LIMIT, () -> !browser.text("#live").equals(before));
        }
        assertThat(browser.count("*")).as("looks leave nothing behind").isEqualTo(nodes);
        assertFits();
    }

    /** Its numbers change from look to look, and with them units and plurals. */
    @Test
    void aTroubleThatLastsIsShownOnce() throws Exception {
        List<String> told = List.of(
                "1 thread waits, the longest for 491 ms (waitWarningThreshold: 1 ms)",
                "2 threads wait, the longest for 3.5 s (waitWarningThreshold: 1 ms)",
                "2 threads wait, the longest for 1 min 04 s (waitWarningThreshold: 1 ms)");
        AtomicInteger looks = new AtomicInteger();
        open(
                () -> {
                    ObjectNode look = (ObjectNode) look();
                    String now = told.get(Math.min(looks.getAndIncrement(), told.size() - 1));
                    look.get("pools").forEach(one -> ((ObjectNode) one).putArray("troubles"));
                    ((ArrayNode) look.get("pools").get(0).get("troubles")).add(now);
                    return answer(200, look);
                },
                PHONE);
        browser.awaitText("#findings", "2 threads wait, the longest for 1 min 04 s");
        assertThat(browser.count("#findings .trouble")).isEqualTo(1);
        assertThat(browser.text("#said")).contains("threads wait, the longest for (waitWarningThreshold: )");
    }

    /** It is not known where each was acquired: then the page has the place where its thread is now. */
    @Test
    void placeWhereThreadsAreIsNotCalledTheOneThatAcquired() throws Exception {
        ObjectNode look = crowd();
        look.findParents("acquiredPlace").forEach(one -> {
            ((ObjectNode) one).remove("acquiredPlace");
            ((ObjectNode) one).put("place", "Orders.find");
        });
        open(() -> answer(200, look), PHONE);
        browser.awaitText("#findings", "200 of the 200 longest loans are held at Orders.find, the longest for ");
    }

    /** The most that a look has, of a pool that is larger. */
    private static ObjectNode crowd() throws IOException {
        ObjectNode look = (ObjectNode) look();
        look.put("writable", false);
        for (JsonNode one : look.get("pools")) {
            ObjectNode pool = (ObjectNode) one;
            if (!pool.get("holders").isEmpty()) {
                ((ObjectNode) pool.get("counts"))
                        .put("maximum", 1_000)
                        .put("total", 1_000)
                        .put("inUse", 1_000);
                ((ObjectNode) pool.get("counts")).put("waiting", 10_000);
                pool.putArray("advice").add("9 connections would do");
                many((ArrayNode) pool.get("holders"));
                many((ArrayNode) pool.get("waiters"));
            }
        }
        return look;
    }

    private static void many(ArrayNode list) {
        ObjectNode first = (ObjectNode) list.get(0);
        first.put("acquiredPlace", "OrderService.load").put("heldFor", 90_000);
        for (int i = 1; i < 200; i++) {
            list.add(first.deepCopy().put("connection", i + 1_000).put("thread", "http-nio-8080-exec-" + i));
        }
    }
}
