package dev.weir.cli.explain;

import dev.weir.cli.explain.Story.Wait;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** The stacks of those who waited, by the time they waited: a list in lists, which the page draws as a flame graph. */
final class Flame {
    /** What is narrower cannot be read. */
    private static final double NARROWEST = 0.004;

    private static final int DEEPEST = 30;

    private final Map<String, Flame> inner = new LinkedHashMap<>();
    private long nanos;
    private int waits;

    private Flame() {}

    static String of(List<Wait> waits) {
        Flame all = new Flame();
        for (Wait wait : waits) {
            Flame at = all;
            at.add(wait);
            List<String> frames = wait.place().frames().isEmpty()
                    ? List.of("an unknown place")
                    : wait.place().frames();
            for (String frame : frames.subList(Math.max(0, frames.size() - DEEPEST), frames.size())) {
                at = at.inner.computeIfAbsent(frame, key -> new Flame());
                at.add(wait);
            }
        }
        StringBuilder html = new StringBuilder();
        all.write(html, "all waits", 1, all.nanos);
        return "<ul class=\"flame\">" + html + "</ul>";
    }

    private void add(Wait wait) {
        nanos += wait.nanos();
        waits++;
    }

    private void write(StringBuilder html, String name, double ofParent, long all) {
        String text = Bars.escaped(name + ", " + Findings.percent(nanos, all) + " %, " + Findings.time(nanos) + " in "
                + Findings.count(waits, "wait"));
        html.append(String.format(
                Locale.ROOT, "<li style=\"width:%.2f%%\"><span title=\"%s\">%s</span>", 100 * ofParent, text, text));
        StringBuilder below = new StringBuilder();
        inner.entrySet().stream()
                .sorted(Comparator.comparing(entry -> -entry.getValue().nanos))
                .filter(entry -> entry.getValue().nanos >= NARROWEST * all)
                .forEach(entry -> entry.getValue()
                        .write(below, entry.getKey(), (double) entry.getValue().nanos / Math.max(1, nanos), all));
        html.append(below.isEmpty() ? "" : "<ul>" + below + "</ul>").append("</li>");
    }
}
