package dev.weir.cli.tune;

import de.siegmar.fastcsv.reader.CsvParseException;
import de.siegmar.fastcsv.reader.CsvReader;
import de.siegmar.fastcsv.reader.CsvRecord;
import de.siegmar.fastcsv.reader.FieldMismatchStrategy;
import dev.weir.cli.shared.Target;
import dev.weir.cli.shared.Terminal;
import dev.weir.cli.shared.Time;
import dev.weir.cli.shared.UsersDatabase;
import dev.weir.cli.shared.Version;
import dev.weir.console.window.Times;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** {@code weir tune}. */
@Command(
        name = "tune",
        mixinStandardHelpOptions = true,
        versionProvider = Version.class,
        sortOptions = false,
        description = {
            "Measures how many connections your own database serves best, and says what maximumPoolSize to set.",
            "It runs one statement again and again, from more and more connections, until the time is up or",
            "executions fail: a load like any other. Ask whoever runs the database first."
        },
        footerHeading = "%nExamples:%n",
        footer = {
            "  ./weir tune --url jdbc:postgresql://localhost/shop --user shop --password \\",
            "      --sql \"select * from orders where customer = ?\" --params customers.csv",
            "  ./weir tune --url jdbc:postgresql://localhost/shop --sql \"select count(*) from orders\" --max 16 --time 30s",
            "  ./weir tune --url jdbc:postgresql://localhost/copy --write --sql \"update counters set n = n + 1\""
        })
public final class TuneCommand implements Callable<Integer> {
    private static final Pattern READS =
            Pattern.compile("(?is)(?:\\s|\\(|--[^\\n]*\\n|/\\*.*?\\*/)*(?:select|with|values|table|show|explain)\\b.*");
    private static final String READ_ONLY = "25006";
    private static final int MOST_CONNECTIONS = 1_000;
    private static final Duration LEAST_TIME = Duration.ofSeconds(1);
    private static final Duration MOST_TIME = Duration.ofHours(24);
    private static final double SHARE_OF_STEP = 0.25;

    @Spec
    @SuppressWarnings("NullAway.Init")
    private CommandSpec spec;

    @Mixin
    private final UsersDatabase database = new UsersDatabase();

    @Option(
            names = "--sql",
            required = true,
            paramLabel = "SQL",
            description =
                    "The statement, with ? for parameters: the one your application runs most, or waits for most.")
    @SuppressWarnings("NullAway.Init")
    private String sql;

    @Option(
            names = "--params",
            paramLabel = "FILE",
            description = "Values of the parameters: CSV without header, a line for each execution, used in turn.")
    private @Nullable Path params;

    @Option(
            names = "--max",
            defaultValue = "64",
            paramLabel = "COUNT",
            description = "Never more connections than this at a time (default: ${DEFAULT-VALUE}).")
    private int max;

    @Option(
            names = "--time",
            defaultValue = "2m",
            paramLabel = "TIME",
            converter = Time.class,
            description = "How long everything may take, such as 90s, 5m or 2h (default: ${DEFAULT-VALUE}).")
    @SuppressWarnings("NullAway.Init")
    private Duration time;

    @Option(
            names = "--write",
            description = "The statement may write, and what it writes is committed. Without this every execution is a"
                    + " read-only transaction that is rolled back.")
    private boolean write;

    @Option(
            names = "--html",
            defaultValue = "weir-tune.html",
            paramLabel = "FILE",
            description = "Where the page with the pictures goes (default: ${DEFAULT-VALUE}).")
    @SuppressWarnings("NullAway.Init")
    private Path html;

    @Override
    public Integer call() throws InterruptedException {
        PrintWriter out = spec.commandLine().getOut();
        Terminal.quiet();
        Duration duration = checked();
        Target target = database.target();
        try {
            measure(target, duration, out);
            return 0;
        } catch (TuneFailure e) {
            spec.commandLine().getErr().println(e.getMessage());
        } catch (SQLException e) {
            spec.commandLine()
                    .getErr()
                    .println(target + (target.user() == null ? "" : " as " + target.user()) + ": " + target.explain(e)
                            + (READ_ONLY.equals(e.getSQLState()) ? "; what writes needs --write" : ""));
        } catch (IOException e) {
            spec.commandLine().getErr().println("--html: " + html + " cannot be written: " + e.getMessage());
        }
        return 1;
    }

    private void measure(Target target, Duration duration, PrintWriter out)
            throws SQLException, TuneFailure, IOException, InterruptedException {
        List<List<String>> rows = rows();
        requireFolder(html);
        String missing = target.missingDriver();
        if (missing != null) {
            throw new TuneFailure(missing);
        }
        Query query;
        String kind;
        try (Connection connection = target.connect()) {
            query = Query.check(connection, sql, rows, write);
            kind = kind(connection);
            long start = System.nanoTime();
            query.run(connection, 0, statement -> {});
            refuseTooSlow(Duration.ofNanos(System.nanoTime() - start), duration);
        }
        out.printf(
                Locale.ROOT,
                "%s: up to %d connections, %s, %s.%n%n",
                target,
                max,
                Times.text(duration.toMillis()),
                kind);
        out.printf(
                "%11s %8s %10s %10s %10s %10s %7s%n",
                "connections", "threads", "1/s", "mean ms", "p50 ms", "p99 ms", "errors");
        out.flush();
        Findings findings = new Tuner(target, query, max, duration, point -> print(out, point)).run();
        report(findings, out);
        Files.writeString(html, Page.of(findings, heading(target, kind, findings), sql));
        out.printf("%nThe same with pictures: %s%n", html.toAbsolutePath());
        out.flush();
    }

    /** Before minutes of measuring. */
    private static void requireFolder(Path html) throws TuneFailure {
        Path folder = html.toAbsolutePath().getParent();
        if (Files.isDirectory(html) || folder == null || !Files.isWritable(folder)) {
            throw new TuneFailure("--html: " + html + " cannot be written (expected: a file in a folder that exists)");
        }
    }

    private static void print(PrintWriter out, Point point) {
        out.printf(
                Locale.ROOT,
                "%11d %8d %10s %10.3f %10.3f %10.3f %7d%n",
                point.connections(),
                point.threads(),
                Advice.number(point.throughput()),
                point.meanMillis(),
                point.p50Millis(),
                point.p99Millis(),
                point.errors());
        out.flush();
    }

    private static void report(Findings findings, PrintWriter out) {
        out.println();
        out.print(Picture.of(findings));
        out.printf("%n%s%n", findings.advice().headline());
        findings.advice().reason().forEach(line -> out.println("  " + line));
        for (Point point : findings.queues()) {
            out.printf(
                    Locale.ROOT,
                    "  %d threads on a pool of %d: %s, mean %.2f ms, p99 %.2f ms.%n",
                    point.threads(),
                    point.connections(),
                    Advice.perSecond(point.throughput()),
                    point.meanMillis(),
                    point.p99Millis());
        }
        if (findings.stopped() != null) {
            out.println("  Stopped early: " + findings.stopped() + ".");
        }
        Settings.of(findings.advice()).forEach((name, text) -> out.printf("%n%s:%n%s", name, text.indent(4)));
    }

    /** Some drivers take read-only for a hint. */
    private String kind(Connection connection) throws SQLException {
        if (write) {
            return "writing";
        }
        return connection.isReadOnly() ? "read-only" : "rolled back (this driver has no read-only transactions)";
    }

    private String heading(Target target, String kind, Findings findings) {
        return String.format(
                Locale.ROOT,
                "%s, %s, up to %d connections; measured up to %d.",
                target,
                kind,
                max,
                findings.sizes().stream().mapToInt(Point::connections).max().orElseThrow());
    }

    private Duration checked() {
        if (max < 1 || max > MOST_CONNECTIONS) {
            throw wrong("--max: %d (expected: 1..%d)", max, MOST_CONNECTIONS);
        }
        if (time.compareTo(LEAST_TIME) < 0 || time.compareTo(MOST_TIME) > 0) {
            throw wrong("--time: %s (expected: 1s..24h)", text("--time"));
        }
        if (!write && !READS.matcher(sql).matches()) {
            throw wrong("--sql: neither SELECT, WITH, VALUES, TABLE, SHOW nor EXPLAIN; what writes needs --write");
        }
        return time;
    }

    private String text(String option) {
        return spec.commandLine()
                .getParseResult()
                .matchedOption(option)
                .originalStringValues()
                .get(0);
    }

    private ParameterException wrong(String format, Object... values) {
        return new ParameterException(spec.commandLine(), String.format(Locale.ROOT, format, values));
    }

    private List<List<String>> rows() throws TuneFailure {
        if (params == null) {
            return List.of();
        }
        try (CsvReader<CsvRecord> reader = CsvReader.builder()
                .detectBomHeader(true)
                .missingFieldStrategy(FieldMismatchStrategy.IGNORE)
                .extraFieldStrategy(FieldMismatchStrategy.IGNORE)
                .ofCsvRecord(params)) {
            List<List<String>> rows = reader.stream().map(CsvRecord::getFields).toList();
            if (rows.isEmpty()) {
                throw new TuneFailure("--params: " + params + " is empty");
            }
            return rows;
        } catch (IOException | UncheckedIOException e) {
            throw new TuneFailure("--params: " + params + " cannot be read: "
                    + (e instanceof NoSuchFileException ? "there is no such file" : e.getMessage()));
        } catch (CsvParseException e) {
            throw new TuneFailure("--params: " + params + " is no CSV: " + e.getMessage());
        }
    }

    private void refuseTooSlow(Duration once, Duration whole) throws TuneFailure {
        Duration step = Tuner.stepOf(max, whole);
        if ((double) once.toNanos() > SHARE_OF_STEP * (double) step.toNanos()) {
            throw new TuneFailure(String.format(
                    Locale.ROOT,
                    "--time: %.1f s leaves %.2f s for each number of connections, but the statement alone took %.2f s"
                            + " (expected: --time %ds or more)",
                    whole.toMillis() / 1e3,
                    step.toNanos() / 1e9,
                    once.toNanos() / 1e9,
                    (long) Math.ceil(whole.toMillis() / 1e3 * once.toNanos() / (SHARE_OF_STEP * step.toNanos()))));
        }
    }
}
