package dev.weir.lab.workload;

import dev.weir.lab.runs.ChildMain;
import dev.weir.lab.runs.Json;
import java.io.IOException;
import java.nio.file.Path;
import java.util.logging.Level;
import java.util.logging.Logger;

/** The JVM of one cell, or of some: reads {@link Jobs}, runs them, writes their {@link Outcomes}, and ends when the one that began it has ended. */
final class CellMain {
    /** Held here, as the logging of the JDK forgets the level of a logger that nobody holds. */
    private static final Logger ROOT = Logger.getLogger("");

    private CellMain() {}

    public static void main(String[] args) throws IOException {
        ROOT.setLevel(Level.OFF);
        ChildMain.endWithParent();
        Json.write(
                Path.of(args[1]),
                new Outcomes(Json.read(Path.of(args[0]), Jobs.class).run()));
        ChildMain.end(0); // in so many words: some pools leave threads behind that are no daemons
    }
}
