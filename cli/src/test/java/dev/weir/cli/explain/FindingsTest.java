package dev.weir.cli.explain;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.cli.explain.Findings.Finding;
import dev.weir.cli.explain.Findings.Weight;
import dev.weir.cli.explain.Story.Count;
import dev.weir.cli.explain.Story.Jvm;
import dev.weir.cli.explain.Story.Kind;
import dev.weir.cli.explain.Story.Load;
import dev.weir.cli.explain.Story.Loan;
import dev.weir.cli.explain.Story.Mark;
import dev.weir.cli.explain.Story.Measured;
import dev.weir.cli.explain.Story.Pause;
import dev.weir.cli.explain.Story.Place;
import dev.weir.cli.explain.Story.Read;
import dev.weir.cli.explain.Story.Shares;
import dev.weir.cli.explain.Story.Wait;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Each trouble is told with its numbers, and nothing is told where all is well. */
class FindingsTest {
    private static final long MILLI = 1_000_000;
    private static final long SECOND = 1_000 * MILLI;
    private static final Place RENDER = place("shop.OrderView.render", "shop.Shop.main");
    private static final Place REPORT = place("shop.Report.month", "shop.Shop.main");
    private static final Shares QUERY = new Shares(0, 1, 0, 0);

    private final List<Count> counts = new ArrayList<>();
    private final List<Loan> loans = new ArrayList<>();
    private final List<Wait> waits = new ArrayList<>();
    private final List<Mark> marks = new ArrayList<>();
    private final List<Measured> measured = new ArrayList<>();
    private Jvm jvm = Jvm.SILENT;

    private List<Finding> findings() {
        return Findings.of(new Story("shop", 60 * SECOND, counts, loans, waits, marks, measured, jvm));
    }

    private Finding finding(String headline) {
        List<Finding> found = findings();
        return found.stream()
                .filter(one -> one.headline().contains(headline))
                .findFirst()
                .orElseThrow(() -> new AssertionError(headline + ": " + found));
    }

    private String headlines() {
        return findings().stream().map(Finding::headline).collect(Collectors.joining("; "));
    }

    private void counted(int inUse, int waiting, int maximum) {
        for (long i = 0; i < 600; i++) {
            counts.add(new Count(i * 100L * MILLI, inUse, 0, waiting, 0, maximum));
        }
    }

    private static Loan loan(long at, long nanos, long connection, String thread, Shares shares, Place place) {
        return new Loan(at, nanos, connection, 0, 0, shares, true, thread, "select ?", place);
    }

    @Test
    void nothingIsToldWhereAllIsWell() {
        counted(3, 0, 8);
        assertThat(headlines()).contains("Nothing was wrong", "The maximum of 8 fits the load");
        assertThat(findings()).extracting(Finding::weight).containsOnly(Weight.GOOD);
        counts.clear();
        assertThat(headlines()).isEqualTo("Nothing was wrong with pool 'shop'");
    }

    @Test
    void connectionsThatWereNeverInUseAtOnceAreCountedAndASizeIsNamed() {
        counted(12, 0, 60);
        counts.set(5, new Count(500 * MILLI, 18, 0, 0, 0, 60));
        measured.add(new Measured(0, 2_100, new Shares(0, 2_100 * 40 * MILLI, 0, 0)));
        Finding found = finding("42 of 60 connections were never in use at once");
        assertThat(found.detail()).contains("At most 18 were", "12.1 were in use", "210 loans/s of 40 ms", "20 serve");
        assertThat(found.todo()).contains("maximumPoolSize=20");
        waits.add(new Wait(SECOND, MILLI, "w", RENDER, null, true)); // a smaller pool might stop
        assertThat(headlines()).doesNotContain("never in use");
    }

    /** A day has a look each tenth of a second. */
    @Test
    @Timeout(60)
    void recordingOfADayIsReadInSeconds() {
        for (long i = 0; i < 864_000; i++) {
            counts.add(new Count(i * 100 * MILLI, i % 36_000 < 600 ? 7 : 1, 0, 0, 0, 9));
        }
        Story day = new Story("shop", 86_400 * SECOND, counts, loans, waits, marks, measured, jvm);
        assertThat(Findings.of(day))
                .anyMatch(one -> one.detail().contains("On average 7.0 were in use in the busiest 10 s"));
    }

    @Test
    void numbersAreRoundedWithinTheirUnit() {
        assertThat(Findings.time(999_499_999)).isEqualTo("999 ms");
        assertThat(Findings.time(999_600_000)).isEqualTo("1.0 s");
        assertThat(Bars.tick(119_999_700_000L, SECOND)).isEqualTo("1:59.999");
        counted(9, 1, 9);
        measured.add(new Measured(0, 3, new Shares(0, 60 * SECOND, 0, 0)));
        assertThat(finding("All 9 connections").detail()).contains("(0.30 loans/s of 20 s)");
    }

    @Test
    void noSizeIsNamedWhereThreadsWait() {
        counted(8, 4, 8);
        Finding found = finding("All 8 connections were in use and threads waited, 100 % of the time");
        assertThat(found.todo()).doesNotContain("maximumPoolSize").contains("Shorten");
    }

    @Test
    void aTimeoutNamesThoseWhoHadTheConnections() {
        loans.add(loan(0, 30 * SECOND, 1, "r", QUERY, REPORT));
        loans.add(loan(0, SECOND, 2, "o", QUERY, RENDER));
        waits.add(new Wait(10 * SECOND, 10 * SECOND, "w", RENDER, "2 in use, 0 idle", false));
        assertThat(finding("1 call of getConnection() got no connection").detail())
                .contains(
                        "0:10.0 after 10 s, at OrderView.render",
                        "2 in use",
                        "91 %",
                        "Report.month",
                        "select ?",
                        "100 % database at work");
    }

    /** A recording that begins in the midst of it has no event of a loan that began before. */
    @Test
    void timeoutsNameWhoHadTheConnectionsUntilTheLastOfThem() {
        loans.add(loan(5 * SECOND, 30 * SECOND, 1, "r", QUERY, REPORT));
        waits.add(new Wait(SECOND, 5 * SECOND, "w", RENDER, "2 in use, 0 idle", false));
        waits.add(new Wait(30 * SECOND, 5 * SECOND, "w", RENDER, "2 in use, 0 idle", false));
        Finding found = finding("2 calls of getConnection() got no connection");
        assertThat(found.headline()).endsWith("; Report.month had the connections for 100 % of their time");
        assertThat(found.detail()).contains("100 % of the time on loan was of Report.month");
        assertThat(found.todo()).contains("The database is at work");
        assertThat(headlines()).doesNotContain("of the time waited"); // they suffer from it
    }

    @Test
    void aTimeoutWhileTheDatabaseIsAwaySaysSo() {
        marks.add(new Mark(4 * SECOND, Kind.RETIRED, 1, SECOND, "FAULT"));
        marks.add(new Mark(5 * SECOND, Kind.OPEN_FAILED, 0, MILLI, "08001: refused."));
        marks.add(new Mark(9 * SECOND, Kind.OPEN_FAILED, 0, MILLI, "08001: refused."));
        waits.add(new Wait(10 * SECOND, 10 * SECOND, "w", RENDER, "0 in use", false));
        assertThat(finding("got no connection").detail()).contains("2 connects failed: 08001: refused. The first");
        assertThat(finding("2 connects failed, from 0:05.0 to 0:09.0").detail())
                .contains("08001: refused. 1 connection had to be", "1 FAULT");
        marks.add(new Mark(10 * SECOND, Kind.OPENED, 2, SECOND, ""));
        assertThat(headlines()).doesNotContain("took up to"); // it comes of the same
        marks.removeIf(mark -> mark.kind() != Kind.RETIRED);
        assertThat(headlines()).contains("1 connection had to be thrown away from 0:04.0");
        marks.clear();
        marks.add(new Mark(4 * SECOND, Kind.RETIRED, 1, SECOND, "AGE"));
        assertThat(headlines()).doesNotContain("thrown away");
    }

    @Test
    void aConnectionThatDidNotComeBackIsNamedWithItsHolder() {
        loans.add(new Loan(20 * SECOND, 40 * SECOND, 7, 4711, 0, Shares.NONE, false, "cart", "select ?", RENDER));
        assertThat(headlines()).contains("1 connection did not come back, 100 % of them acquired at OrderView.render");
        assertThat(finding("1 connection did not come back").detail())
                .contains("Connection #7 (session 4711)", "40 s", "'cart'", "OrderView.render", "select ?");
        loans.set(0, loans.get(0).until(28 * SECOND)); // a request that the end cut off
        assertThat(headlines()).doesNotContain("did not come back");
        loans.clear();
        marks.add(new Mark(SECOND, Kind.LEAKED, 7, SECOND, "held by cart"));
        assertThat(finding("1 loan lasted longer than leakDetectionThreshold").detail())
                .contains("held by cart");
    }

    @Test
    void waitsNameTheirPlaceAndThoseWhoHoldAnother() {
        waits.add(new Wait(SECOND, 930 * MILLI, "w", RENDER, null, true));
        waits.add(new Wait(SECOND, 70 * MILLI, "v", REPORT, null, false));
        assertThat(finding("93 % of the time waited came from OrderView.render, which holds another connection")
                        .detail())
                .contains("2 waits took 1 s", "the longest 930 ms");
        assertThat(finding(
                                "1 wait for a connection by threads that held one already, 100 % of their time at OrderView.render")
                        .todo())
                .contains("maximumPoolSize");
        waits.clear();
        waits.add(new Wait(SECOND, MILLI, "w", RENDER, null, false));
        assertThat(headlines()).doesNotContain("waited"); // too little
    }

    /** All pages acquire by one helper, which is in the stack of each that waits, as the user's own filter is. */
    @Test
    void aLoanIsLeftBehindWhereItsThreadWaitsForTheNextRequest() {
        Place report = place("shop.Db.open:3", "shop.Report.month:7", "shop.Login.filter:5");
        Loan leaked = new Loan(0, 60 * SECOND, 7, 0, 0, Shares.NONE, false, "cart", "select ?", report);
        assertThat(Recording.isLeftBehind(leaked, report)).isTrue();
        assertThat(Recording.isLeftBehind(
                        leaked, place("shop.Db.open:3", "shop.Cart.show:2", "shop.Login.filter:5", "shop.Shop.main:1")))
                .isTrue();
        assertThat(Recording.isLeftBehind(leaked, place("shop.Cart.count:9", "shop.Login.filter:5")))
                .isTrue();
        assertThat(Recording.isLeftBehind(
                        leaked,
                        place("shop.Db.open:3", "shop.Audit.record:4", "shop.Report.month:8", "shop.Login.filter:5")))
                .isFalse();
        assertThat(Recording.isLeftBehind(leaked, place("shop.Audit.record:4", "shop.Report.month:8")))
                .isFalse();
        Loan unknown = new Loan(0, 60 * SECOND, 7, 0, 0, Shares.NONE, false, "cart", "select ?", Place.UNKNOWN);
        assertThat(Recording.isLeftBehind(unknown, report)).isTrue();
        assertThat(Recording.isLeftBehind(loan(0, SECOND, 7, "cart", QUERY, report), report))
                .as("it came back")
                .isFalse();
    }

    @Test
    void idleLoansSlowConnectsAndPausesAreTold() {
        loans.add(loan(0, 10 * SECOND, 1, "r", new Shares(SECOND, 2 * SECOND, 0, 7 * SECOND), REPORT));
        marks.add(new Mark(SECOND, Kind.OPENED, 1, 3 * SECOND, ""));
        assertThat(headlines()).contains("1 of 1 connect took up to 3 s;");
        waits.add(new Wait(900 * MILLI, 150 * MILLI, "w", RENDER, null, false));
        jvm = new Jvm(List.of(new Pause(800 * MILLI, 100 * MILLI, "gc")), List.of(new Load(0, 0.1, 0.97)), List.of());
        assertThat(finding("For 80 % of the time on loan the database had nothing to do")
                        .detail())
                .contains("70 % idle in a transaction", "Report.month");
        assertThat(finding("1 of 1 connect took up to 3 s, and 1 thread waited meanwhile")
                        .detail())
                .contains("500 ms or more");
        assertThat(finding("1 wait met a pause of the whole JVM").detail()).contains("100 ms");
        assertThat(finding("no processor to spare").detail()).contains("97 %");
    }

    @Test
    void aSlowConnectAtTheStartHidesNoWaitsOfLater() {
        marks.add(new Mark(SECOND, Kind.OPENED, 1, SECOND, ""));
        waits.add(new Wait(SECOND, SECOND, "w", RENDER, null, false));
        waits.add(new Wait(30 * SECOND, 3 * SECOND, "v", REPORT, null, false));
        assertThat(finding("1 of 1 connect took up to 1 s, and 1 thread waited meanwhile")
                        .weight())
                .isEqualTo(Weight.ADVICE);
        assertThat(headlines()).contains("75 % of the time waited came from Report.month");
        waits.remove(1);
        assertThat(finding("took up to 1 s").weight()).isEqualTo(Weight.TROUBLE);
    }

    @Test
    void noEffectOfATroubleIsGivenAsAdvice() {
        measured.add(new Measured(0, 10, new Shares(0, 0, 60 * SECOND, 0)));
        counted(8, 3, 8);
        assertThat(headlines()).contains("All 8 connections were in use", "had nothing to do");
        loans.add(new Loan(SECOND, 59 * SECOND, 7, 0, 0, Shares.NONE, false, "cart", "select ?", RENDER));
        assertThat(headlines())
                .contains("did not come back")
                .doesNotContain("All 8 connections were in use", "had nothing to do");
        loans.clear();
        measured.clear();
        counts.clear();
        counted(7, 0, 8);
        assertThat(headlines()).contains("The maximum of 8 fits");
        marks.add(new Mark(5 * SECOND, Kind.OPEN_FAILED, 0, MILLI, "08001: refused"));
        assertThat(headlines()).contains("1 connect failed").doesNotContain("fits");
    }

    @Test
    void aProxyStandsForTheClassThatItExtends() {
        assertThat(place(
                                "org.springframework.transaction.interceptor.TransactionInterceptor.invoke",
                                "shop.Audit$$SpringCGLIB$$0.record",
                                "shop.Orders.lambda$pay$0",
                                "shop.Orders.pay",
                                "shop.Orders$$SpringCGLIB$$FastClass$$1.invoke",
                                "shop.Orders$$SpringCGLIB$$0.pay",
                                "jdk.proxy2.$Proxy31.pay",
                                "shop.Pages$$Lambda$14.run",
                                "shop.Pages.show")
                        .frames())
                .containsExactly("Pages.show", "Orders.pay", "Audit.record");
    }

    @Test
    void aFrameworkIsNamedOnlyWhereNoUserIs() {
        assertThat(place("java.lang.Thread.run", "io.micrometer.Registry.poll").frames())
                .containsExactly("Registry.poll");
    }

    /** The innermost first, each with its line if that matters. */
    private static Place place(String... frames) {
        return Recording.placeIn(Stream.of(frames)
                .map(frame -> (frame.contains(":") ? frame : frame + ":1").split("\\.(?=[^.]+$)|:"))
                .map(parts -> new StackTraceElement(parts[0], parts[1], null, Integer.parseInt(parts[2])))
                .toList());
    }

    @Test
    void aCauseComesBeforeWhatComesOfIt() {
        marks.add(new Mark(SECOND, Kind.OPENED, 1, 3 * SECOND, ""));
        loans.add(new Loan(20 * SECOND, 40 * SECOND, 7, 0, 0, Shares.NONE, false, "cart", "select ?", RENDER));
        waits.add(new Wait(SECOND, 2 * SECOND, "w", RENDER, "1 opening", true));
        assertThat(findings())
                .extracting(Finding::headline)
                .satisfiesExactly(
                        first -> assertThat(first).contains("did not come back"),
                        second -> assertThat(second).contains("1 thread waited meanwhile"),
                        third -> assertThat(third).contains("held one already"),
                        fourth -> assertThat(fourth).contains("got no connection in time"),
                        fifth -> assertThat(fifth).contains("of the time waited"));
    }

    @Test
    void thePoolInTroubleComesFirst() {
        Story well = new Story("a", 60 * SECOND, counts, loans, waits, marks, measured, jvm);
        Wait refused = new Wait(SECOND, 2 * SECOND, "w", RENDER, "0 idle", false);
        Story ill = new Story("b", 60 * SECOND, counts, loans, List.of(refused), marks, measured, jvm);
        Story alsoWell = new Story("c", 60 * SECOND, counts, loans, waits, marks, measured, jvm);
        assertThat(Findings.worstFirst(List.of(well, ill, alsoWell))).containsExactly(ill, well, alsoWell);
    }

    @Test
    void aSlowReadCountsForTheThreadThatHeldAConnection() {
        loans.add(loan(SECOND, SECOND, 1, "r", QUERY, REPORT));
        jvm = new Jvm(
                List.of(),
                List.of(),
                List.of(
                        new Read(SECOND, 300 * MILLI, "r", "db:5432"),
                        new Read(SECOND, 300 * MILLI, "other", "queue:5672"),
                        new Read(3 * SECOND, 300 * MILLI, "r", "mail:25")));
        Story story = new Story("shop", 60 * SECOND, counts, loans, waits, marks, measured, jvm);
        assertThat(story.slowReads()).extracting(Read::address).containsExactly("db:5432");
    }

    @Test
    void troublesComeFirst() {
        counted(12, 0, 60);
        marks.add(new Mark(5 * SECOND, Kind.OPEN_FAILED, 0, MILLI, "08001: refused"));
        assertThat(findings()).extracting(Finding::weight).containsExactly(Weight.TROUBLE, Weight.ADVICE);
    }
}
