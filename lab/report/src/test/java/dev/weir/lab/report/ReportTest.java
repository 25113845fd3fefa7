package dev.weir.lab.report;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import dev.weir.lab.runs.Cell;
import dev.weir.lab.runs.Limit;
import dev.weir.lab.runs.RunFolder;
import java.awt.image.BufferedImage;
import java.io.File;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import javax.imageio.ImageIO;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

/** The page as a whole: what is measured is in it, nothing breaks it, and a browser shows it. */
final class ReportTest {
    private static final Pattern ADDRESS = Pattern.compile("(https?:)?//[a-z][^\\s\"'<)]*");
    private static final String NAMESPACE = "http://www.w3.org/2000/svg";

    @TempDir
    private Path root;

    @Test
    void everyWorkloadIsOnThePageWithPicturesAndNumbers() throws IOException {
        TestRuns runs = new TestRuns(root.resolve("runs"));
        List<RunFolder> folders = List.of(
                runs.cycle(),
                runs.mixed(),
                runs.spike("weir", "hikari"),
                runs.fair(),
                runs.battle(),
                runs.down(),
                runs.failover(),
                runs.fleet(),
                runs.contract(),
                runs.grid());

        Path page = report(folders);
        String html = Files.readString(page);

        for (RunFolder folder : folders) {
            String title = Chapter.of(folder.info().workload()).title();
            assertThat(html)
                    .contains("<h2>" + title + "</h2>", Wrap.html(folder.info().command()));
        }
        assertThat(addresses(html)).isEmpty();
        assertThat(html).doesNotContain("<script", "<link", "NaN", "Infinity", "\u0000");
        assertThat(html)
                .contains(
                        "Best by time (less is better): weir",
                        "Weir loses",
                        "published, another machine",
                        "Nothing to measure: druid",
                        "Each point is a case, in multiples of hikari",
                        "Failed writes: weir 1, hikari 900.",
                        "weir: at most 57 connections, 700 requests per second, 0 errors, 0 refused connects.",
                        "Best by all served (less is better): weir, 170 ms",
                        "c3p0[helperThreads&#x3D;10]");
    }

    @Test
    void everyPictureIsAFileOfBothKinds() throws IOException {
        Path page = report(List.of(new TestRuns(root.resolve("runs")).spike("weir", "hikari")));

        List<Path> files;
        try (Stream<Path> all = Files.list(page.resolveSibling(Report.PICTURES))) {
            files = all.sorted().toList();
        }
        List<Path> drawings =
                files.stream().filter(f -> f.toString().endsWith(".svg")).toList();
        assertThat(drawings).hasSizeGreaterThanOrEqualTo(7);
        assertThat(files).hasSize(2 * drawings.size());
        for (Path drawing : drawings) {
            assertThat(Files.readString(drawing))
                    .startsWith("<svg")
                    .contains("prefers-color-scheme:dark")
                    .doesNotContain("DOCTYPE");
            assertThat(addresses(Files.readString(drawing))).isEmpty();
            BufferedImage image = ImageIO.read(new File(drawing.toString().replaceAll("svg$", "png")));
            assertThat(image.getWidth()).isGreaterThanOrEqualTo(2 * Charts.HALF);
            assertThat(colours(image)).as("colours of %s", drawing).isGreaterThan(3);
        }
    }

    @Test
    void severalRunsOfAWorkloadAreToldApartAndKeepTheirPictures() throws IOException {
        TestRuns runs = new TestRuns(root.resolve("runs"));

        Path page = report(List.of(runs.mixed(), runs.mixed()));

        String html = Files.readString(page);
        assertThat(html).containsPattern("<h2>The classic mix, run of 2026-01-02T03:04:05Z</h2>");
        try (Stream<Path> files = Files.walk(page.resolveSibling(Report.PICTURES))) {
            assertThat(files.filter(file -> file.toString().endsWith(".svg")))
                    .hasSize(occurrences(html, "<figure>"))
                    .hasSizeGreaterThanOrEqualTo(2);
        }
        List<String> ids = Pattern.compile(" id=\"([^\"]+)\"")
                .matcher(html)
                .results()
                .map(found -> found.group(1))
                .filter(id -> !id.contains("clip"))
                .toList();
        assertThat(ids).doesNotHaveDuplicates();
    }

    private static int occurrences(String text, String part) {
        return text.split(Pattern.quote(part), -1).length - 1;
    }

    @Test
    void theMatrixHasATableForEachPromiseWithThePoolsAboveIt() throws IOException {
        TestRuns runs = new TestRuns(root.resolve("runs"));
        RunFolder folder = runs.contract();
        folder.append(TestRuns.cell(1, "P2 only weir", "weir"), List.of(TestRuns.one("kept", 1, "")));
        Run run = Run.read(folder);

        List<Section.Table> tables = ContractMatrix.of(run, TestRuns.POOLS).tables();

        assertThat(tables).hasSize(2).allSatisfy(table -> {
            assertThat(table.header()).startsWith("check", "weir", "hikari");
        });
        assertThat(tables).extracting(Section.Table::caption).containsExactly("P1, 1 check", "P2, 2 checks");
        assertThat(tables.get(0).rows()).hasSize(1);
        assertThat(tables.get(1).rows()).hasSize(2);
        assertThat(new Section.Cell("1,234 (1,073\u20133,258)", "").html()).isEqualTo("1,234 (1,073\u20133,258)");
        assertThat(tables.get(1).lines().get(1).marked())
                .extracting(Section.Cell::look)
                .startsWith("words", "kept", "mark");
    }

    @Test
    void linesBreakBetweenWordsAndInLongOnesAfterAMark() {
        assertThat(Wrap.html("./weir lab fair --pools weir,hikari,beecp -x <b> & throughput"))
                .isEqualTo("./weir lab fair <span class=\"whole\">--pools</span> weir,<wbr>hikari,<wbr>beecp"
                        + " <span class=\"whole\">-x</span> &lt;b&gt; &amp; throughput");
        assertThat(Wrap.html("2026-01-02T03:04:05Z 6.18.44-of-linux /results/of/today"))
                .isEqualTo(
                        "<span class=\"whole\">2026-01-02T03:04:05Z</span> 6.18.44-of-linux /results/<wbr>of/<wbr>today");
        assertThat(Wrap.html("'mine=a.b.Pool?url={url}&size=3'"))
                .isEqualTo("&#39;mine&#x3D;a.<wbr>b.<wbr>Pool?<wbr>url&#x3D;{url}&amp;<wbr>size&#x3D;3&#39;");
        assertThat(Wrap.html("c3p0[helperThreads=10],<i>'"))
                .isEqualTo("c3p0[helperThreads&#x3D;10],<wbr>&lt;i&gt;&#39;");
    }

    @Test
    void tablesHoldWhatWasMeasured() throws IOException {
        RunFolder folder = new TestRuns(root.resolve("runs")).cycle();
        Run run = Run.read(folder);
        String caseName = run.cases().iterator().next();

        Section.Table table = Tables.ofCase(run, caseName, List.of("time", "bytes per op"));

        assertThat(table.rows()).hasSize(TestRuns.POOLS.size() - 1);
        assertThat(table.rows().get(0).cells()).startsWith("weir");
        assertThat(table.header()).containsExactly("pool", "time, ns", "bytes per op", "of hikari's time");
        Section.Table ratios = Tables.ratios(run, "time");
        assertThat(ratios.rows()).hasSize(2 * (TestRuns.POOLS.size() - 2));
        for (Section.Row row : ratios.rows()) {
            List<Double> rounds = row.cells().subList(2, 5).stream()
                    .map(Double::valueOf)
                    .sorted()
                    .toList();
            assertThat(row.cells().subList(5, 8).stream().map(Double::valueOf))
                    .containsExactly(rounds.get(1), rounds.get(0), rounds.get(2));
        }
        assertThat(Tables.warmUp(run).rows()).hasSize(2 * (TestRuns.POOLS.size() - 1));
        assertThat(Tables.failures(run).rows())
                .hasSize(6)
                .allSatisfy(row -> assertThat(row.cells()).startsWith("proxool"));
    }

    @Test
    void whatPoolsSayBreaksNoPage() throws IOException {
        TestRuns runs = new TestRuns(root.resolve("runs"));
        RunFolder folder = runs.create("odd", List.of(new Limit("<b>pool</b>", "\"quoted\" & 'so'")));
        Cell cell = TestRuns.cell(1, "<script>alert(1)</script>", "<i>x</i>");
        folder.append(cell, List.of(TestRuns.one("time", 3, "ms")));
        folder.fail(TestRuns.cell(1, "other", "weir"), "</td></table>{{score}}&amp;");
        folder.finish();

        String html = Files.readString(report(List.of(folder)));

        assertThat(html)
                .doesNotContain("<script>", "<i>x", "<b>pool", "</td></table>{{")
                .contains(
                        "&lt;script&gt;alert(1)",
                        "&lt;i&gt;x&lt;",
                        "&quot;quoted&quot; &amp; ",
                        "{{score}}&amp;<wbr>amp;");
    }

    @Test
    void whatIsMissingIsSaidAndStopsNothing() throws IOException {
        TestRuns runs = new TestRuns(root.resolve("runs"));
        RunFolder allFailed = runs.create("spike", List.of());
        allFailed.fail(TestRuns.cell(1, "50 threads", "weir"), "no luck");
        RunFolder withoutRaw = runs.create("battle", List.of());
        withoutRaw.append(TestRuns.cell(1, "users", "hikari"), List.of(TestRuns.one("p99", 0, "ms")));

        String html = Files.readString(report(List.of(
                runs.create("cycle", List.of()),
                allFailed,
                withoutRaw,
                runs.create("grid", List.of()),
                runs.create("contract", List.of()))));

        assertThat(html).contains("no luck", "This run was not finished");
    }

    @Test
    void theNewestFinishedRunOfEachWorkloadIsTaken() throws IOException {
        TestRuns runs = new TestRuns(root);
        runs.mixed();
        RunFolder newer = runs.mixed();
        RunFolder unfinished = runs.create("mixed", List.of());
        RunFolder spike = runs.spike("weir");

        assertThat(ReportCommand.newest(List.of(newer, unfinished, spike)))
                .extracting(RunFolder::path)
                .containsExactly(newer.path(), spike.path());
    }

    @Test
    void eachRunIsAlsoAMarkdownPageWithItsDataBesideIt() throws IOException {
        TestRuns runs = new TestRuns(root.resolve("runs"));
        RunFolder cycle = runs.cycle();
        runs.fair();
        RunFolder older = runs.spike("weir", "hikari");
        runs.spike("weir", "hikari");
        Path folder = root.resolve("results");
        StringWriter out = new StringWriter();

        int code = new CommandLine(new ReportCommand())
                .setOut(new PrintWriter(out, true))
                .execute(
                        "--out",
                        root.resolve("page").toString(),
                        "--markdown",
                        folder.toString(),
                        root.resolve("runs").toString());

        assertThat(code).isZero();
        List<Path> pages;
        try (Stream<Path> all = Files.list(folder)) {
            pages = all.filter(file -> file.toString().endsWith(".md")).sorted().toList();
        }
        assertThat(pages)
                .as("of four runs, and of the aims")
                .hasSize(5)
                .allSatisfy(page -> assertThat(out.toString()).contains(page.toString()));
        String text = Files.readString(folder.resolve("cycle.md"));
        assertThat(text).startsWith("# " + Chapter.CYCLE.title() + "\n\nAfter this page ");
        assertThat(text)
                .contains("    " + cycle.info().command() + "\n", "](cycle)", "does not close &lt;statements>")
                .contains(
                        "Terms (equal): tested before it is lent: after 500 ms idle (weir, hikari); counted for each loan:")
                .containsPattern("\\| pool +\\| +time, ns \\| +bytes per op \\|")
                .containsPattern("\\| weir +\\| +1[0-9]")
                .contains("'void \"x\" &amp; &lt;y>'")
                .doesNotContain("<y>");
        assertThat(folder.resolve("cycle/measurements.csv"))
                .hasSameTextualContentAs(cycle.path().resolve("measurements.csv"));
        assertThat(folder.resolve("cycle")).isDirectoryContaining("glob:**/run.json");
        assertThat(folder.resolve("cycle")).isDirectoryNotContaining("glob:**/raw");
        assertThat(text)
                .as("all cases in one table, of which other pages show rows")
                .containsPattern("\\| time, ns +\\| +weir +\\| +hikari \\|")
                .containsPattern(
                        "\\| connection cycle, 1 thread +\\| +1[0-9.]+ \\(0\\.[0-9]+, 0\\.[0-9]+ to 0\\.[0-9]+\\) \\|")
                .contains("Machine: unknown, 2 cores of made up, hypervisor: unknown, Linux 6, JDK 25.0.3.")
                .contains("Fewer than 5 rounds: for a look, small differences mean nothing.")
                .doesNotContain(root.toString());
        assertThat(pages)
                .filteredOn(page -> page.getFileName().toString().startsWith("spike-"))
                .hasSize(2)
                .anyMatch(page ->
                        page.toString().contains(older.path().getFileName().toString()));
    }

    @Test
    void afolderWithoutRunsIsRefusedByName() {
        StringWriter err = new StringWriter();

        int code = new CommandLine(new ReportCommand())
                .setErr(new PrintWriter(err, true))
                .execute(root.toString());

        assertThat(code).isEqualTo(CommandLine.ExitCode.USAGE);
        assertThat(err.toString()).contains("DIR: " + root + " (expected: a folder of a run");
    }

    @Test
    void aLongLineKeepsItsEndsAndItsPeaks() {
        List<Double> x = IntStream.range(0, 10_000).mapToObj(i -> (double) i).toList();
        List<Double> y = x.stream().map(at -> at == 5_555 ? 900.0 : at % 2).toList();

        Charts.Line thin = Charts.Line.of("weir", x, y).thinned(100);

        assertThat(thin.x())
                .hasSizeLessThanOrEqualTo(404)
                .startsWith(0.0)
                .endsWith(9_999.0)
                .contains(5_555.0)
                .isSorted();
        assertThat(thin.y()).contains(900.0).hasSameSizeAs(thin.x());
    }

    /** Light and dark, wide and narrow: every picture has a size, nothing sticks out, nothing is fetched. */
    @Test
    void aBrowserShowsIt() throws Exception {
        Optional<String> browser = Stream.of("chromium", "chromium-browser", "google-chrome")
                .filter(name -> Stream.of(System.getenv("PATH").split(File.pathSeparator))
                        .anyMatch(folder -> Files.isExecutable(Path.of(folder, name))))
                .findFirst();
        assumeThat(browser)
                .as("a browser to open the page in: Chromium is not installed")
                .isPresent();
        TestRuns runs = new TestRuns(root.resolve("runs"));
        Path page = report(List.of(runs.cycle(), runs.spike("weir", "hikari"), runs.fair(), runs.contract()));

        String light = seen(browser.orElseThrow(), page, 1280, false);
        String dark = seen(browser.orElseThrow(), page, 500, true);

        assertThat(light).contains("paper=rgb(255, 255, 254)", "empty=0", "wide=0", "fetched=0", "lost=0", "split=0");
        assertThat(dark).contains("paper=rgb(21, 25, 30)", "empty=0", "wide=0", "fetched=0", "lost=0", "split=0");
        assertThat(light).containsPattern("pictures=1[0-9]").containsPattern("words=[1-9][0-9]+");
    }

    /** What the page's own elements say when it is open, in its title. */
    private String seen(String browser, Path page, int width, boolean dark) throws Exception {
        String script = """
                <script>addEventListener('load', () => {
                  const pictures = [...document.querySelectorAll('figure svg')];
                  const empty = pictures.filter(p => p.getBoundingClientRect().height < 50 || p.querySelectorAll('path').length < 5);
                  const wide = [...document.querySelectorAll('figure, h2, p, .scroll')]
                      .filter(e => e.getBoundingClientRect().right > innerWidth + 1);
                  const lost = [...document.querySelectorAll('nav a')].filter(a => !document.querySelector(a.getAttribute('href')));
                  const words = [...document.querySelectorAll('td.words')].filter(td => /^[a-z]{3,14}$/.test(td.textContent));
                  const split = words.filter(td => {
                    const text = document.createRange();
                    text.selectNodeContents(td);
                    return text.getClientRects().length > 1;
                  });
                  document.title = 'paper=' + getComputedStyle(document.body).backgroundColor + ';pictures=' + pictures.length
                      + ';empty=' + empty.length + ';wide=' + wide.length + ';lost=' + lost.length + ';words=' + words.length + ';split=' + split.length
                      + ';fetched=' + performance.getEntriesByType('resource').length + ';';
                });</script></body>""";
        Path copy = page.resolveSibling("with-script.html");
        Files.writeString(
                copy,
                Files.readString(page)
                        .replaceFirst("<meta http-equiv=\"Content-Security-Policy\"[^>]*>", "")
                        .replace("</body>", script));
        Path out = root.resolve("dom.html");
        List<String> command = new ArrayList<>(List.of(
                browser,
                "--headless",
                "--no-sandbox",
                "--disable-gpu",
                "--no-first-run",
                "--disable-background-networking",
                "--disable-component-update",
                "--disable-sync",
                "--host-resolver-rules=MAP * ~NOTFOUND",
                "--user-data-dir=" + Files.createTempDirectory(root, "browser"),
                "--window-size=" + width + ",900",
                "--blink-settings=preferredColorScheme=" + (dark ? 0 : 1),
                "--dump-dom",
                copy.toUri().toString()));
        Process process = new ProcessBuilder(command)
                .redirectOutput(out.toFile())
                .redirectError(ProcessBuilder.Redirect.DISCARD)
                .start();
        try {
            assertThat(process.waitFor(60, TimeUnit.SECONDS))
                    .as("%s came to its end", browser)
                    .isTrue();
        } finally {
            process.descendants().forEach(ProcessHandle::destroyForcibly);
            process.destroyForcibly();
        }
        Matcher title = Pattern.compile("<title>(.*?)</title>").matcher(Files.readString(out));
        assertThat(title.find()).as("a page with a title in %s", out).isTrue();
        return title.group(1);
    }

    private Path report(List<RunFolder> folders) throws IOException {
        List<Run> runs = new ArrayList<>();
        for (RunFolder folder : folders) {
            runs.add(Run.read(folder));
        }
        return new Report(runs).write(Files.createDirectories(root.resolve("page")));
    }

    private static List<String> addresses(String text) {
        return ADDRESS.matcher(text)
                .results()
                .map(found -> found.group())
                .filter(address -> !address.equals(NAMESPACE))
                .toList();
    }

    private static long colours(BufferedImage image) {
        return IntStream.range(0, image.getHeight())
                .flatMap(y -> IntStream.range(0, image.getWidth()).map(x -> image.getRGB(x, y)))
                .distinct()
                .count();
    }
}
