package dev.weir.cli.tune;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.weir.cli.shared.Target;
import dev.weir.testkit.StubDatabase;
import dev.weir.testkit.servers.ThreadsLeft;
import java.sql.Connection;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class TunerTest {
    private static final Duration TIME = Duration.ofSeconds(3);
    private static final UslCurve CURVE = new UslCurve(400, 0.02, 0);

    /**
     * The second is never slower for more users, the third peaks early, the last rises to the end. A machine that is busy with
     * other things spoils a measurement of three seconds now and then, hence up to three of them.
     */
    @ParameterizedTest
    @Tag("thorough")
    @CsvSource({"150, 0.05, 0.01", "150, 0.1, 0", "150, 0.3, 0.05", "100, 0.005, 0.0001"})
    void theAnswerIsWithinTenPercentOfTheBestThroughput(double lambda, double sigma, double kappa) throws Exception {
        UslCurve given = new UslCurve(lambda, sigma, kappa);
        double least = 0.9 * given.throughput(given.peak(32));
        Findings findings = null;
        double reached = 0;
        for (int i = 0; i < 3 && reached < least; i++) {
            try (UslDatabase database = new UslDatabase(given)) {
                findings = tune(database, 32, TIME, new ArrayList<>());

                reached = given.throughput(findings.advice().size());
                assertThat(database.sessions().maxOpenAtOnce()).isLessThanOrEqualTo(32);
                assertThat(database.sessions().openNow()).isZero();
            }
        }
        assertThat(reached).as("%s", findings).isGreaterThanOrEqualTo(least);
    }

    @Test
    void itStopsWhenExecutionsFailAndAnswersFromWhatWasSound() throws Exception {
        try (UslDatabase database = new UslDatabase(new UslCurve(400, 0.02, 0))) {
            database.failAbove(1);
            List<Point> told = new ArrayList<>();

            Findings findings = tune(database, 64, TIME, told);

            assertThat(findings.stopped()).contains("with 2 connections").contains("too much to do");
            assertThat(findings.sizes()).extracting(Point::connections).containsExactly(1);
            assertThat(findings.queues()).isEmpty();
            assertThat(findings.advice().size()).isEqualTo(1);
            assertThat(told.get(told.size() - 1).isUnsound()).isTrue();
            assertThat(database.sessions().maxOpenAtOnce()).isEqualTo(2);
        }
    }

    @Test
    void itStopsWhenTheDatabaseGivesNoMoreConnections() throws Exception {
        try (UslDatabase database = new UslDatabase(CURVE)) {
            database.sessions().maxConnections(5);

            Findings findings = tune(database, 64, TIME, point -> {}, known(CURVE, 64, database));

            assertThat(findings.stopped()).contains("connection 6 could not be opened");
            assertThat(findings.sizes()).extracting(Point::connections).containsExactly(1, 2, 4);
            assertThat(database.sessions().openNow()).isZero();
        }
    }

    /** One of eight is less than a hundredth of the executions; the sizes after it would be measured with seven. */
    @Test
    void itStopsWhenAConnectionBreaks() throws Exception {
        try (UslDatabase database = new UslDatabase(CURVE)) {
            Findings findings = tune(
                    database,
                    16,
                    TIME,
                    at(4, () -> database.sessions().openSessions().get(0).kill()),
                    known(CURVE, 4, database));

            assertThat(findings.stopped())
                    .contains("with 8 connections and 8 threads 1 of ")
                    .contains("threads that lost their connection or never came back: 1");
            assertThat(findings.sizes()).extracting(Point::connections).containsExactly(1, 2, 4);
        }
    }

    @Test
    void itStopsWhenAnExecutionNeverComesBack() throws Exception {
        ThreadsLeft threads = ThreadsLeft.sinceNow();
        try (UslDatabase database = new UslDatabase(CURVE)) {
            Findings findings = tune(
                    database,
                    8,
                    TIME,
                    at(2, () -> database.sessions().hangNext("PreparedStatement.execute", 1)),
                    known(CURVE, 2, database));

            assertThat(findings.stopped())
                    .contains("with 4 connections and 4 threads 0 of ")
                    .contains("never came back: 1");
            assertThat(findings.sizes()).extracting(Point::connections).containsExactly(1, 2);
        }
        threads.none("", Duration.ofSeconds(5));
    }

    @Test
    void whatADriverThrowsUncheckedIsAFailureToo() throws Exception {
        try (UslDatabase database = new UslDatabase(CURVE)) {
            Findings findings = tune(
                    database,
                    8,
                    TIME,
                    at(
                            2,
                            () -> database.sessions()
                                    .fail("PreparedStatement.execute", () -> new IllegalStateException("lost my way"))),
                    known(CURVE, 2, database));

            assertThat(findings.stopped()).contains("with 4 connections").contains("lost my way");
        }
    }

    @Test
    void connectsThatTakeTheRestOfTheTimeAreNotWaitedFor() throws Exception {
        try (UslDatabase database = new UslDatabase(CURVE)) {
            Findings findings = tune(
                    database,
                    8,
                    Duration.ofSeconds(2),
                    at(4, () -> database.sessions().delay(StubDatabase.CONNECT, Duration.ofSeconds(1))),
                    known(CURVE, 8, database));

            assertThat(findings.stopped()).isEqualTo("the time was up");
            assertThat(findings.sizes()).extracting(Point::connections).containsExactly(1, 2, 4);
            assertThat(database.sessions().opened()).isLessThan(4 + 2 + 3); // two of them for checks
        }
    }

    @Test
    void theRowsAreUsedInTurn() throws Exception {
        List<List<String>> rows =
                IntStream.range(0, 31).mapToObj(n -> List.of("row " + n)).toList();
        try (UslDatabase database = new UslDatabase(new UslCurve(400, 0.02, 0))) {
            Query query;
            try (Connection connection = target(database).connect()) {
                query = Query.check(connection, "SELECT ?", rows, false);
            }
            new Tuner(target(database), query, 1, Duration.ofSeconds(1), point -> {}).run();
            assertThat(database.parameters()).hasSize(31);
        }
    }

    @Test
    void largerSizesAreLeftOutOnceTheThroughputHasFallenFar() throws Exception {
        UslCurve falling = new UslCurve(400, 0.1, 0.2);
        try (UslDatabase database = new UslDatabase(falling)) {
            List<Point> told = new ArrayList<>();

            Findings findings = tune(database, 64, TIME, told::add, known(falling, 64, database));

            assertThat(findings.stopped()).contains("less than half of the best");
            assertThat(told).extracting(Point::connections).allMatch(size -> size <= 16);
            assertThat(findings.advice().size()).isEqualTo(2);
        }
    }

    @Test
    void theTimeIsKeptAndNoThreadIsLeft() throws Exception {
        ThreadsLeft threads = ThreadsLeft.sinceNow();
        long start = System.nanoTime();
        try (UslDatabase database = new UslDatabase(new UslCurve(400, 0.02, 0.001))) {
            tune(database, 16, Duration.ofSeconds(2), new ArrayList<>());
        }
        assertThat(System.nanoTime() - start).isLessThan(Duration.ofSeconds(8).toNanos());
        threads.none("", Duration.ofSeconds(5));
    }

    @Test
    void queuesAreMeasuredOnThePoolWithMoreThreadsThanConnections() throws Exception {
        UslCurve peak = new UslCurve(400, 0.05, 0.3);
        try (UslDatabase database = new UslDatabase(peak)) {
            Findings findings = tune(database, 4, Duration.ofMinutes(4), point -> {}, known(peak, 4, database));

            int answer = findings.advice().size();
            assertThat(findings.stopped()).isNull();
            assertThat(findings.queues()).hasSize(3);
            assertThat(findings.queues().get(1).threads()).isEqualTo(4 * answer);
            assertThat(findings.queues().get(1).connections()).isEqualTo(answer);
            assertThat(findings.queues().get(2).connections()).isEqualTo(4);
        }
    }

    @Test
    void aDatabaseThatRefusesTheFirstConnectionGivesNoAnswer() throws Exception {
        try (UslDatabase database = new UslDatabase(new UslCurve(400, 0, 0))) {
            Query query = query(database);
            database.sessions().stop();

            assertThatThrownBy(() -> new Tuner(target(database), query, 4, TIME, point -> {}).run())
                    .isInstanceOf(TuneFailure.class)
                    .hasMessageContaining("connection 1 could not be opened");
        }
    }

    private static Findings tune(UslDatabase database, int max, Duration time, List<Point> told) throws Exception {
        return new Tuner(target(database), query(database), max, time, told::add).run();
    }

    private static Findings tune(
            UslDatabase database, int max, Duration time, Consumer<Point> listener, Tuner.Measure measure)
            throws Exception {
        return new Tuner(target(database), query(database), max, time, listener, measure).run();
    }

    /** Up to a size the curve's own numbers, which no busy machine changes; beyond it a load. */
    private static Tuner.Measure known(UslCurve curve, int most, UslDatabase database) throws Exception {
        Tuner.Measure loads = Tuner.loads(target(database), query(database));
        return (lender, connections, threads, time) -> {
            if (connections > most) {
                return loads.run(lender, connections, threads, time);
            }
            double throughput = curve.throughput(Math.min(connections, threads));
            double millis = 1e3 * threads / throughput;
            return new Point(connections, threads, throughput, millis, millis, millis, 1_000, 0, 0, null);
        };
    }

    /** Does this once the size is measured. */
    private static Consumer<Point> at(int size, Runnable action) {
        return point -> {
            if (point.connections() == size) {
                action.run();
            }
        };
    }

    private static Target target(UslDatabase database) {
        return new Target(database.sessions().url(), null, null);
    }

    private static Query query(UslDatabase database) throws Exception {
        try (Connection connection = target(database).connect()) {
            return Query.check(connection, "SELECT 1", List.of(), false);
        }
    }
}
