package dev.weir.lab.report;

import de.erichseifert.vectorgraphics2d.VectorGraphics2D;
import de.erichseifert.vectorgraphics2d.svg.SVGProcessor;
import de.erichseifert.vectorgraphics2d.util.PageSize;
import java.awt.Color;
import java.awt.Graphics2D;
import java.awt.RenderingHints;
import java.awt.image.BufferedImage;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import javax.imageio.ImageIO;
import org.knowm.xchart.internal.chartpart.Chart;

/**
 * A chart as files.
 *
 * @param name without an ending, unique on a page
 * @param caption what to see
 */
record Picture(String name, String caption, Chart<?, ?> chart) {
    private static final int DENSITY = 2;

    static Picture of(String name, String caption, Chart<?, ?> chart) {
        return new Picture(
                name.toLowerCase(Locale.ROOT).replaceAll("[^a-z0-9]+", "-").replaceAll("^-|-$", ""), caption, chart);
    }

    void write(Path folder) throws IOException {
        int width = chart.getWidth();
        int height = chart.getHeight();
        VectorGraphics2D vectors = new VectorGraphics2D();
        chart.paint(vectors, width, height);
        try (OutputStream out = Files.newOutputStream(folder.resolve(name + ".svg"))) {
            new SVGProcessor()
                    .getDocument(vectors.getCommands(), new PageSize(0, 0, width, height))
                    .writeTo(out);
        }
        BufferedImage image = new BufferedImage(width * DENSITY, height * DENSITY, BufferedImage.TYPE_INT_RGB);
        Graphics2D graphics = image.createGraphics();
        graphics.setRenderingHint(RenderingHints.KEY_ANTIALIASING, RenderingHints.VALUE_ANTIALIAS_ON);
        graphics.setColor(Color.WHITE);
        graphics.fillRect(0, 0, width * DENSITY, height * DENSITY);
        graphics.scale(DENSITY, DENSITY);
        chart.paint(graphics, width, height);
        graphics.dispose();
        ImageIO.write(image, "png", folder.resolve(name + ".png").toFile());
    }
}
