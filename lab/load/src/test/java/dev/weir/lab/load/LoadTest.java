package dev.weir.lab.load;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIOException;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.within;

import com.sun.net.httpserver.HttpServer;
import dev.weir.lab.runs.Child;
import dev.weir.lab.runs.ChildMain;
import dev.weir.lab.runs.Json;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.IntUnaryOperator;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

@Tag("thorough") // a minute of load
class LoadTest {
    private static final int DELAY_MILLIS = 10;

    /** No status: the connection is closed instead. */
    private static final int CLOSE = -1;

    private final ExecutorService threads = Executors.newFixedThreadPool(4);
    private final AtomicInteger requests = new AtomicInteger();
    private final List<HttpServer> servers = new ArrayList<>();

    /** The service has 4 threads, and takes so long for each request; {@code status} is told its number. */
    private URI serve(IntUnaryOperator status) throws IOException {
        HttpServer server =
                HttpServer.create(new InetSocketAddress(InetAddress.getByAddress(new byte[] {127, 0, 0, 1}), 0), 200);
        server.setExecutor(threads);
        server.createContext("/", exchange -> {
            int answer = status.applyAsInt(requests.incrementAndGet());
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(DELAY_MILLIS));
            if (answer == CLOSE) {
                exchange.close();
                return;
            }
            exchange.sendResponseHeaders(answer, 2);
            exchange.getResponseBody().write(new byte[] {'[', ']'});
            exchange.close();
        });
        server.start();
        servers.add(server);
        return URI.create("http://127.0.0.1:" + server.getAddress().getPort() + "/?user=87");
    }

    @AfterEach
    void stop() {
        servers.forEach(server -> server.stop(0));
        threads.shutdownNow();
    }

    @Test
    void theClosedLoopKeepsEveryClientBusy() throws Exception {
        LoadResult result = run(serve(number -> 200), 8, 0, 1_500);

        // 4 threads at 10 ms each serve 400 a second at most; the load of others only makes them slower.
        assertThat(result.servedRate()).isBetween(50.0, 410.0);
        assertThat(result.requests()).isCloseTo(Math.round(result.servedRate() * 1.5), within(1L));
        assertThat(result.p50Micros()).isGreaterThan(18_000);
        // Little's law: clients = rate x time.
        assertThat(result.servedRate() * result.meanMicros() / 1e6).isBetween(5.0, 9.5);
        assertThat(result.errors()).isZero();
        assertThat(result.p999Micros()).isBetween(result.p99Micros(), result.maxMicros());
    }

    @Test
    void twoClientsComeFirst() throws Exception {
        AtomicInteger inService = new AtomicInteger();
        AtomicInteger most = new AtomicInteger();
        AtomicInteger mostOfTheFirst = new AtomicInteger();
        URI uri = serve(number -> {
            int now = inService.incrementAndGet();
            most.accumulateAndGet(now, Math::max);
            if (number <= 5) {
                mostOfTheFirst.accumulateAndGet(now, Math::max);
            }
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(DELAY_MILLIS));
            inService.decrementAndGet();
            return 200;
        });

        generate(new LoadSpec(List.of(uri), 8, 0, 2_000, 500, 1, 2_000, 1));

        assertThat(mostOfTheFirst).hasValueLessThanOrEqualTo(2);
        assertThat(most).hasValue(4);
    }

    @Test
    void servicesTakeTurnsAndAreNeverUnderLoadTogether() throws Exception {
        Queue<String> order = new ConcurrentLinkedQueue<>();
        AtomicInteger first = new AtomicInteger();
        AtomicInteger second = new AtomicInteger();
        AtomicInteger together = new AtomicInteger();
        URI a = serve(number -> serveAlone("a", order, first, second, together));
        URI b = serve(number -> serveAlone("b", order, second, first, together));

        List<LoadResult> results = generate(new LoadSpec(List.of(a, b), 4, 0, 1_400, 200, 3, 2_000, 1));

        assertThat(together).hasValue(0);
        // Two clients at each, a b; two turns of warm-up, a b, b a; then a b, b a, a b.
        assertThat(String.join("", order).replaceAll("(.)\\1+", "$1")).isEqualTo("abababab");
        assertThat(results).hasSize(2);
        for (LoadResult result : results) {
            // 4 threads at 20 ms each serve 120 in three turns of 200 ms at most.
            assertThat(result.requests()).isBetween(15L, 125L);
            assertThat(result.servedRate()).isCloseTo((double) result.requests() / 0.6, within(0.1));
            assertThat(result.errors()).isZero();
        }
    }

    private static int serveAlone(
            String name, Queue<String> order, AtomicInteger mine, AtomicInteger other, AtomicInteger together) {
        mine.incrementAndGet();
        order.add(name);
        together.addAndGet(other.get());
        LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(DELAY_MILLIS));
        together.addAndGet(other.get());
        mine.decrementAndGet();
        return 200;
    }

    @Test
    void answersOtherThan200AreNeverServedAndDoNotCountInTheTimes() throws Exception {
        AtomicBoolean isFirst = new AtomicBoolean();
        URI uri = serve(number -> {
            if (isFirst.getAndSet(false)) {
                LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(900));
                return 503;
            }
            return number % 4 == 0 ? 503 : 200;
        });

        LoadResult result = new Generator(
                        new LoadSpec(List.of(uri), 4, 0, 300, 1_000, 1, 3_000, 1), () -> isFirst.set(true))
                .run()
                .get(0);

        assertThat(result.maxMicros()).isLessThan(900_000);
        assertThat(result.non200()).isPositive();
        assertThat((double) result.non200() / (double) result.requests()).isCloseTo(1.0 / 3, within(0.1));
        assertThat(result.errors()).isEqualTo(result.non200());
    }

    @Test
    void aConnectionThatBreaksIsOneErrorAndNoAnswer() throws Exception {
        AtomicBoolean counts = new AtomicBoolean();
        AtomicInteger broken = new AtomicInteger();
        URI uri = serve(number -> {
            boolean breaks = counts.get() && number % 4 == 0;
            if (breaks) {
                broken.incrementAndGet();
            }
            return breaks ? CLOSE : 200;
        });

        LoadResult result = new Generator(
                        new LoadSpec(List.of(uri), 4, 0, 300, 1_000, 1, 3_000, 1), () -> counts.set(true))
                .run()
                .get(0);

        assertThat(broken).hasPositiveValue();
        assertThat(result.non200()).isZero();
        assertThat(result.errors()).isEqualTo(broken.get());
        assertThat(result.requests()).isPositive();
    }

    @Test
    void theOpenLoopOffersItsRateAndCountsWhatCannotBeServed() throws Exception {
        URI uri = serve(number -> 200);
        LoadResult easy = run(uri, 8, 100, 1_500);
        assertThat(easy.offeredRate()).isEqualTo(100);
        // What a busy machine answers late, at the end, does not count; a closed loop would have 400.
        assertThat(easy.servedRate()).isBetween(50.0, 105.0);
        assertThat(easy.errors()).isLessThanOrEqualTo(3);

        LoadResult hard = run(uri, 8, 1_000, 1_000);
        assertThat(hard.offeredRate()).isEqualTo(1_000);
        assertThat(hard.servedRate()).isLessThan(420);
        // The queue grows all the time, and what waits in it waits in the times.
        assertThat(hard.p99Micros()).isGreaterThan(400_000);
    }

    @Test
    void aStandstillOfTheServiceIsSeenByAllThatWereDueMeanwhile() throws Exception {
        AtomicInteger stalled = new AtomicInteger();
        URI uri = serve(number -> {
            // From the 100th request on, which counts, all four threads stand still for 600 ms.
            if (number >= 100 && stalled.incrementAndGet() <= 4) {
                LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(600));
            }
            return 200;
        });

        LoadResult result = run(uri, 8, 100, 2_000);

        // A closed loop of 8 would show 8 slow answers, 4 % of 200; but 60 were due in that time.
        assertThat(result.p90Micros()).isGreaterThan(250_000);
        assertThat(result.errors()).isLessThanOrEqualTo(3);
    }

    @Test
    void aServiceThatIsNotThereHasAnsweredNothing() throws Exception {
        URI uri = serve(number -> 200);
        servers.get(0).stop(0);

        LoadResult result = run(uri, 2, 0, 500);

        assertThat(result.requests() + result.non200()).isZero();
    }

    @Test
    void theGeneratorRunsInAJvmOfItsOwn(@TempDir Path folder) throws Exception {
        AtomicInteger started = new AtomicInteger();
        AtomicInteger warmUp = new AtomicInteger();
        Path log = folder.resolve("load.log");

        List<LoadResult> results = LoadProcess.run(
                new LoadSpec(List.of(serve(number -> 200)), 4, 0, 300, 500, 1, 2_000, 1),
                log,
                () -> {
                    warmUp.set(requests.get());
                    started.incrementAndGet();
                },
                new CompletableFuture<>());

        assertThat(results).hasSize(1);
        assertThat(results.get(0).requests()).isPositive();
        assertThat(started).hasValue(1);
        assertThat(warmUp).hasPositiveValue();
        // Hyperfoil may warn there of a busy machine.
        assertThat(Files.readString(log)).doesNotContain("Exception");
    }

    @Test
    void theGeneratorIsStopped(@TempDir Path folder) throws Exception {
        CompletableFuture<Void> stopped = new CompletableFuture<>();
        LoadSpec hour = new LoadSpec(List.of(serve(number -> 200)), 1, 0, 300, 3_600_000, 1, 2_000, 1);

        assertThatIOException()
                .isThrownBy(
                        () -> LoadProcess.run(hour, folder.resolve("load.log"), () -> stopped.complete(null), stopped))
                .withMessage("the load generator was stopped");
    }

    /** The log of a run is that of all its cells. */
    @Test
    void aGeneratorThatFailsIsExplainedByItsOwnLog(@TempDir Path folder) throws Exception {
        Path log = Files.writeString(folder.resolve("load.log"), "of an earlier one\n");
        Path target = Files.createDirectories(folder.resolve("lab/load/target"));
        Files.writeString(target.resolve("class-path.txt"), "nothing.jar");
        System.setProperty("weir.home", folder.toString());
        try {
            assertThatIOException()
                    .isThrownBy(() -> LoadProcess.run(
                            new LoadSpec(List.of(URI.create("http://127.0.0.1:1/")), 1, 0, 1, 1, 1, 1, 1),
                            log,
                            () -> {},
                            new CompletableFuture<>()))
                    .withMessageContaining("ended with exit code 1")
                    .withMessageContaining("LoadMain")
                    .withMessageNotContaining("earlier");
        } finally {
            System.clearProperty("weir.home");
        }
    }

    @Test
    void theGeneratorEndsWithWhoStartedIt(@TempDir Path folder) throws Exception {
        Path spec = folder.resolve("spec.json");
        Json.write(spec, new LoadSpec(List.of(serve(number -> 200)), 1, 0, 300, 600_000, 1, 2_000, 1));
        Child.Builder jvm = Child.jvm(
                List.of(),
                Child.ownClassPath(),
                LoadMain.class.getName(),
                spec.toString(),
                folder.resolve("result.json").toString());
        CompletableFuture<Matcher> counting = jvm.line(Pattern.compile(LoadMain.COUNTING));
        Child generator = jvm.log(folder.resolve("load.log")).start();
        try (generator) {
            generator.await(counting, Duration.ofSeconds(60));
        }
        assertThat(generator.exitCode()).isEqualTo(ChildMain.ORPHANED);
    }

    @Test
    void aSpecThatMakesNoSenseIsRefused() {
        URI x = URI.create("http://x/");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new LoadSpec(List.of(x, x), 1, 0, 1, 1, 1, 1, 1))
                .withMessageContaining("expected: each only once");
    }

    private static LoadResult run(URI uri, int clients, int rate, long millis) {
        return generate(new LoadSpec(List.of(uri), clients, rate, 300, millis, 1, 3_000, 1))
                .get(0);
    }

    private static List<LoadResult> generate(LoadSpec spec) {
        return new Generator(spec, () -> {}).run();
    }
}
