package dev.weir.lab.report;

import com.samskivert.mustache.Escapers;
import de.erichseifert.vectorgraphics2d.VectorGraphics2D;
import de.erichseifert.vectorgraphics2d.svg.SVGProcessor;
import de.erichseifert.vectorgraphics2d.util.PageSize;
import java.awt.Graphics2D;
import java.awt.RenderingHints;
import java.awt.image.BufferedImage;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import javax.imageio.ImageIO;
import org.knowm.xchart.internal.chartpart.Chart;

/**
 * One or more charts side by side, as a file.
 *
 * @param name its file name without ending, unique within a report
 * @param charts from left to right
 */
record Picture(String name, List<Chart<?, ?>> charts) {
    private static final int DENSITY = 2;
    private static final Pattern COLOUR = Pattern.compile("rgb\\((\\d+),(\\d+),(\\d+)\\)");
    private static final Pattern DECIMALS = Pattern.compile("(\\d+\\.\\d)\\d+");
    private static final Pattern LINE = Pattern.compile(
            "<line style=\"([^\"]*)\" x1=\"([^\"]*)\" x2=\"([^\"]*)\" y1=\"([^\"]*)\" y2=\"([^\"]*)\"/>");
    private static final Pattern CLIP = Pattern.compile("clip(-?\\d+)");

    static Picture of(String name, Chart<?, ?>... charts) {
        return new Picture(fileName(name), List.of(charts));
    }

    static String fileName(String text) {
        return text.toLowerCase(Locale.ROOT).replaceAll("[^a-z0-9]+", "-").replaceAll("^-|-$", "");
    }

    int width() {
        return charts.stream().mapToInt(Chart::getWidth).sum();
    }

    int height() {
        return charts.stream().mapToInt(Chart::getHeight).max().orElseThrow();
    }

    void write(Path folder) throws IOException {
        Files.writeString(folder.resolve(name + ".svg"), standaloneSvg());
        BufferedImage image = new BufferedImage(width() * DENSITY, height() * DENSITY, BufferedImage.TYPE_INT_RGB);
        Graphics2D graphics = image.createGraphics();
        graphics.setRenderingHint(RenderingHints.KEY_ANTIALIASING, RenderingHints.VALUE_ANTIALIAS_ON);
        graphics.setRenderingHint(RenderingHints.KEY_STROKE_CONTROL, RenderingHints.VALUE_STROKE_PURE);
        graphics.scale(DENSITY, DENSITY);
        paint(graphics);
        graphics.dispose();
        ImageIO.write(image, "png", folder.resolve(name + ".png").toFile());
    }

    /** For a page that defines the colours: {@link #css}. */
    String inlineSvg(String description) {
        return svg(
                "<svg xmlns=\"http://www.w3.org/2000/svg\" role=\"img\" aria-label=\"%s\" viewBox=\"0 0 %d %d\" width=\"%d\">"
                        .formatted(Escapers.HTML.escape(description), width(), height(), width()));
    }

    private String standaloneSvg() {
        String style =
                "<style>:root{" + css(false) + "}@media (prefers-color-scheme:dark){:root{" + css(true) + "}}</style>";
        return svg("<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" width=\"%d\" height=\"%d\">%s"
                .formatted(width(), height(), width(), height(), style));
    }

    /** The colours as custom properties. */
    static String css(boolean dark) {
        return Palette.all().stream()
                .map(ink -> "--" + ink.role() + ":" + (dark ? ink.darkHex() : ink.lightHex()))
                .collect(Collectors.joining(";"));
    }

    private void paint(Graphics2D graphics) {
        graphics.setColor(Palette.PAPER.light());
        graphics.fillRect(0, 0, width(), height());
        int x = 0;
        for (Chart<?, ?> chart : charts) {
            graphics.translate(x, 0);
            chart.paint(graphics, chart.getWidth(), chart.getHeight());
            graphics.translate(-x, 0);
            x += chart.getWidth();
        }
    }

    private String svg(String root) {
        VectorGraphics2D graphics = new VectorGraphics2D();
        paint(graphics);
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try {
            new SVGProcessor()
                    .getDocument(graphics.getCommands(), new PageSize(0, 0, width(), height()))
                    .writeTo(bytes);
        } catch (IOException e) {
            throw new IllegalStateException("in memory", e);
        }
        String text = bytes.toString(StandardCharsets.UTF_8);
        // What stands before the root names a document type by address; the root is written anew.
        String body = text.substring(text.indexOf('>', text.indexOf("<svg")) + 1);
        body = DECIMALS.matcher(body).replaceAll("$1");
        // A page may have pictures of one name, from two runs; those that are alike to the last line may share their
        // clips.
        body = CLIP.matcher(body).replaceAll(name + "-" + Integer.toHexString(body.hashCode()) + "-clip$1");
        return root + joined(COLOUR.matcher(body).replaceAll(Picture::variable).replaceAll(">\\s+<", "><"));
    }

    /** The lines that stand one after the other in one style as one path: a thousand of them are a curve. */
    static String joined(String svg) {
        StringBuilder text = new StringBuilder();
        Matcher line = LINE.matcher(svg);
        int done = 0;
        String style = "";
        Curve path = null;
        while (line.find()) {
            if (path == null || line.start() != done || !style.equals(line.group(1))) {
                text.append(path == null ? "" : path.element(style)).append(svg, done, line.start());
                path = new Curve();
                style = line.group(1);
            }
            path.add(line.group(2), line.group(4), line.group(3), line.group(5));
            done = line.end();
        }
        return text.append(path == null ? "" : path.element(style))
                .append(svg, done, svg.length())
                .toString();
    }

    /** Lines with the points between them that say nothing left out. */
    private static final class Curve {
        private final StringBuilder text = new StringBuilder();
        private String x = "";
        private String y = "";

        /** Whether the last point is not written yet. */
        private boolean isOpen;

        /** Whether the last line goes up or down, or to a side; the next may lengthen it. */
        private boolean isUpright;

        private boolean isLevel;

        void add(String fromX, String fromY, String toX, String toY) {
            if (!fromX.equals(x) || !fromY.equals(y)) {
                end();
                text.append('M').append(fromX).append(',').append(fromY);
                isUpright = false;
                isLevel = false;
            } else if (toX.equals(x) && toY.equals(y)) {
                return;
            }
            boolean upright = fromX.equals(toX);
            boolean level = fromY.equals(toY);
            if (!(isUpright && upright) && !(isLevel && level)) {
                end();
            }
            x = toX;
            y = toY;
            isUpright = upright;
            isLevel = level;
            isOpen = true;
        }

        private void end() {
            if (isOpen) {
                text.append('L').append(x).append(',').append(y);
                isOpen = false;
            }
        }

        String element(String style) {
            end();
            return "<path style=\"" + style + "\" d=\"" + text + "\"/>";
        }
    }

    private static String variable(MatchResult found) {
        int rgb = Integer.parseInt(found.group(1)) << 16
                | Integer.parseInt(found.group(2)) << 8
                | Integer.parseInt(found.group(3));
        return Palette.all().stream()
                .filter(ink -> (ink.light().getRGB() & 0xFFFFFF) == rgb)
                .findFirst()
                .map(ink -> Matcher.quoteReplacement("var(--" + ink.role() + ",#%06x)".formatted(rgb)))
                .orElse(Matcher.quoteReplacement(found.group()));
    }
}
