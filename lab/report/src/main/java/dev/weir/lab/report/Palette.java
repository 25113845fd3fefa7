package dev.weir.lab.report;

import java.awt.BasicStroke;
import java.awt.Color;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.knowm.xchart.style.markers.Marker;
import org.knowm.xchart.style.markers.SeriesMarkers;

/**
 * One look for each pool, the same in every picture: a colour, and a marker and a dash for those who do not see the colour. Every
 * colour has two shades, one for light pages and one for dark ones. Thread-safe.
 */
final class Palette {
    /** The neutral colours of a picture. */
    static final Ink PAPER = new Ink("paper", new Color(0xFFFFFE), new Color(0x15191E));

    static final Ink INK = new Ink("ink", new Color(0x1D232B), new Color(0xE4E8EC));
    static final Ink MUTED = new Ink("muted", new Color(0x69727D), new Color(0x98A2AD));
    static final Ink GRID = new Ink("grid", new Color(0xDEE2E7), new Color(0x333B45));
    static final Ink ACCENT = new Ink("accent", new Color(0x8A3FA8), new Color(0xD08BEB));

    private static final List<Marker> MARKERS = List.of(
            SeriesMarkers.CIRCLE,
            SeriesMarkers.SQUARE,
            SeriesMarkers.TRIANGLE_UP,
            SeriesMarkers.DIAMOND,
            SeriesMarkers.TRIANGLE_DOWN,
            SeriesMarkers.CROSS,
            SeriesMarkers.PLUS);
    private static final Map<String, Ink> POOLS = new LinkedHashMap<>();

    static {
        pool("weir", 0x0068B5, 0x4DB2F5);
        pool("hikari", 0xD2540A, 0xFF8B3D);
        pool("tomcat", 0x138A5E, 0x35C790);
        pool("dbcp2", 0xB0479A, 0xE88FD2);
        pool("c3p0", 0x8F6B00, 0xE3BC2E);
        pool("bonecp", 0x7A4A2B, 0xC99A72);
        pool("vibur", 0x00808F, 0x3FD0E0);
        pool("agroal", 0x5B3FB0, 0xAC95F5);
        pool("beecp", 0xC2213F, 0xFF7488);
        pool("druid", 0x5F7F12, 0xAFD04E);
        pool("proxool", 0x3F5870, 0x9BB8D3);
        pool("none", 0x7D7D7D, 0xA3A3A3);
        pool("raw", 0x2F2F2F, 0xD0D0D0);
    }

    /** For pools that are not the laboratory's own. */
    private static final List<Ink> OTHERS = List.of(
            new Ink("other-1", new Color(0x94206B), new Color(0xF06FC0)),
            new Ink("other-2", new Color(0x2C6E2F), new Color(0x6FCF73)),
            new Ink("other-3", new Color(0x274B9F), new Color(0x86A8FF)),
            new Ink("other-4", new Color(0x9A3D00), new Color(0xFFA36B)));

    /** Which of them is whose; guarded by itself. */
    private static final Map<String, Ink> TAKEN = new LinkedHashMap<>();

    private Palette() {}

    /** A colour by its role; pictures are drawn with {@code light}, pages in dark replace it by {@code dark}. */
    record Ink(String role, Color light, Color dark) {
        String lightHex() {
            return hex(light);
        }

        String darkHex() {
            return hex(dark);
        }

        private static String hex(Color color) {
            return "#%06x".formatted(color.getRGB() & 0xFFFFFF);
        }
    }

    private static void pool(String name, int light, int dark) {
        POOLS.put(name, new Ink("pool-" + name, new Color(light), new Color(dark)));
    }

    /** The pool a label belongs to: a variant such as {@code c3p0[helperThreads=10]} has the colour of its pool. */
    static String base(String label) {
        int bracket = label.indexOf('[');
        return bracket < 0 ? label : label.substring(0, bracket);
    }

    /** A label for a place where there is little room: {@code c3p0[helperThreads=10]} is {@code c3p0[10]}. */
    static String brief(String label) {
        return label.replaceAll("([\\[;])[^\\[=;]*=", "$1");
    }

    static Ink of(String label) {
        String name = base(label);
        Ink known = POOLS.get(name);
        return known != null ? known : other(name);
    }

    /** The colour of a part of something, such as the members of a fleet. */
    static Ink part(int number) {
        List<Ink> inks = List.copyOf(POOLS.values());
        return inks.get(number % inks.size());
    }

    /** A colour that its name leads to, or the next that no other pool of this report has, as long as there is one. */
    private static Ink other(String name) {
        synchronized (TAKEN) {
            return TAKEN.computeIfAbsent(name, fresh -> {
                int place = Math.floorMod(fresh.hashCode(), OTHERS.size());
                return IntStream.range(0, OTHERS.size())
                        .mapToObj(step -> OTHERS.get((place + step) % OTHERS.size()))
                        .filter(ink -> !TAKEN.containsValue(ink))
                        .findFirst()
                        .orElse(OTHERS.get(place));
            });
        }
    }

    static List<Ink> all() {
        return Stream.of(List.of(PAPER, INK, MUTED, GRID, ACCENT), List.copyOf(POOLS.values()), OTHERS)
                .flatMap(List::stream)
                .toList();
    }

    static Marker marker(String label) {
        return MARKERS.get(Math.floorMod(order(label), MARKERS.size()));
    }

    /** Solid for a pool as it is, broken for its variants. */
    static BasicStroke stroke(String label) {
        boolean variant = label.indexOf('[') >= 0;
        float width = base(label).equals(Run.OURS) ? 3f : 1.8f;
        return new BasicStroke(
                width, BasicStroke.CAP_BUTT, BasicStroke.JOIN_ROUND, 10f, variant ? new float[] {6f, 4f} : null, 0f);
    }

    private static int order(String label) {
        int place = List.copyOf(POOLS.keySet()).indexOf(base(label));
        return (place < 0 ? base(label).hashCode() : place) + (label.indexOf('[') >= 0 ? 3 : 0);
    }
}
