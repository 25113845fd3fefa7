package dev.weir.cli.explain;

import dev.weir.cli.explain.Story.Count;
import dev.weir.cli.explain.Story.Loan;
import dev.weir.cli.explain.Story.Shares;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * Loans as bars, a line for each connection: those with the longest loans, where there are too many. The page lays out the lines, so
 * that they fit any width; only bars are drawn here.
 */
record Bars(String title, String leftOut, List<Line> lines, List<String> ticks) {
    private static final int LINES = 40;
    private static final int LOANS = 2_500;
    private static final int WIDTH = 10_000;
    private static final int TICKS = 5;

    /** A second picture shows a moment where bars are this many times as wide. */
    private static final int CLOSER = 4;

    /** The bars of a connection, as the inside of an SVG. */
    record Line(String name, String svg) {}

    /** All the time; and, if that is long, the worst moment. */
    static List<Bars> of(Story story) {
        if (story.loans().isEmpty()) {
            return List.of();
        }
        List<Bars> all = new ArrayList<>();
        all.add(of(story.loans(), 0, story.lengthNanos(), "The whole time"));
        Loan longest =
                story.loans().stream().max(Comparator.comparing(Loan::nanos)).orElseThrow();
        long middle = story.counts().stream()
                .filter(count -> count.waiting() > 0)
                .max(Comparator.comparing(Count::waiting))
                .map(Count::at)
                .orElse(longest.at() + longest.nanos() / 2);
        long[] lengths = story.loans().stream().mapToLong(Loan::nanos).sorted().toArray();
        long closer = Math.max(50 * lengths[lengths.length / 2], 100_000_000L);
        if (closer * CLOSER <= story.lengthNanos()) {
            long from = Math.max(0, Math.min(middle - closer / 2, story.lengthNanos() - closer));
            List<Loan> then = story.loans().stream()
                    .filter(loan -> loan.at() < from + closer && loan.end() > from)
                    .toList();
            if (!then.isEmpty()) {
                all.add(of(then, from, from + closer, "Closer, from " + Findings.at(from) + ", the worst moment"));
            }
        }
        return all;
    }

    private static Bars of(List<Loan> loans, long from, long to, String title) {
        List<Loan> longest = loans.stream()
                .sorted(Comparator.comparing((Loan loan) -> loan.ended() ? 1 : 0)
                        .thenComparing(loan -> -loan.nanos()))
                .toList();
        Set<Long> connections = new HashSet<>();
        Map<Long, List<Loan>> shown = new TreeMap<>();
        int drawn = 0;
        for (Loan loan : longest) {
            connections.add(loan.connection());
            if (drawn < LOANS && (shown.size() < LINES || shown.containsKey(loan.connection()))) {
                shown.computeIfAbsent(loan.connection(), key -> new ArrayList<>())
                        .add(loan);
                drawn++;
            }
        }
        List<Line> lines = new ArrayList<>();
        shown.forEach((connection, some) -> {
            some.sort(Comparator.comparing(Loan::at));
            StringBuilder svg = new StringBuilder();
            some.forEach(loan -> draw(svg, loan, from, to));
            lines.add(new Line("#" + connection, svg.toString()));
        });
        String leftOut = drawn == loans.size()
                ? ""
                : String.format(
                        Locale.ROOT,
                        "Drawn are the longest %,d of %,d loans, of %,d of %,d connections.",
                        drawn,
                        loans.size(),
                        shown.size(),
                        connections.size());
        List<String> ticks = new ArrayList<>();
        for (int i = 0; i <= TICKS; i++) {
            ticks.add(tick(from + (to - from) * i / TICKS, to - from));
        }
        return new Bars(title, leftOut, lines, ticks);
    }

    static String tick(long at, long length) {
        return length > 10_000_000_000L
                ? Findings.at(at)
                : String.format(
                        Locale.ROOT,
                        "%d:%02d.%03d",
                        at / 60_000_000_000L,
                        at / 1_000_000_000 % 60,
                        at / 1_000_000 % 1_000);
    }

    private static void draw(StringBuilder svg, Loan loan, long from, long to) {
        svg.append("<g><title>").append(escaped(text(loan))).append("</title>");
        Shares shares = loan.shares();
        if (shares.total() == 0) {
            part(svg, "held", loan.at(), loan.end(), from, to);
        } else {
            double each = (double) loan.nanos() / shares.total();
            long first = loan.at() + (long) (shares.beforeFirstStatement() * each);
            long second = first + (long) (shares.inDriver() * each);
            long third = second + (long) (shares.idleInTransaction() * each);
            part(svg, "before", loan.at(), first, from, to);
            part(svg, "driver", first, second, from, to);
            part(svg, "idle", second, third, from, to);
            part(svg, "between", third, loan.end(), from, to);
        }
        svg.append("</g>");
    }

    private static void part(StringBuilder svg, String kind, long begin, long end, long from, long to) {
        double scale = (double) WIDTH / (to - from);
        double left = Math.max(0, (begin - from) * scale);
        double right = Math.min(WIDTH, (end - from) * scale);
        if (end > begin && right > left) {
            svg.append(String.format(
                    Locale.ROOT,
                    "<rect class=\"%s\" x=\"%.1f\" width=\"%.1f\" height=\"10\"/>",
                    kind,
                    left,
                    Math.max(right - left, 1)));
        }
    }

    private static String text(Loan loan) {
        String shares = Findings.shareText(loan.shares());
        return loan.connectionInWords() + ", " + Findings.at(loan.at()) + ", " + Findings.time(loan.nanos())
                + (loan.ended() ? "" : " and still out")
                + (loan.waitedNanos() > 0 ? ", waited " + Findings.time(loan.waitedNanos()) : "")
                + (loan.thread() == null ? "" : "\n" + loan.thread())
                + (loan.place().frames().isEmpty() ? "" : "\n" + loan.place().inWords())
                + (shares.isEmpty() ? "" : "\n" + shares)
                + (loan.sql() == null ? "" : "\n" + loan.sql());
    }

    static String escaped(String text) {
        return text.replace("&", "&amp;")
                .replace("<", "&lt;")
                .replace(">", "&gt;")
                .replace("\"", "&quot;");
    }
}
