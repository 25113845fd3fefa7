package dev.weir.lab.workload;

import dev.weir.lab.runs.Json;
import java.io.IOException;
import java.nio.file.Path;
import java.util.logging.Level;
import java.util.logging.Logger;

/** The JVM of one cell: reads a {@link Job}, runs it, writes its result, and ends when the one that began it has ended. */
final class CellMain {
    private static final int ORPHANED = 3;

    /** Held here, as the logging of the JDK forgets the level of a logger that nobody holds. */
    private static final Logger ROOT = Logger.getLogger("");

    private static final long LONGEST_END_MILLIS = 10_000;

    private CellMain() {}

    public static void main(String[] args) throws IOException {
        ROOT.setLevel(Level.OFF);
        Thread watch = new Thread(CellMain::endWithParent, "parent-watch");
        watch.setDaemon(true);
        watch.start();
        Json.write(Path.of(args[1]), Json.read(Path.of(args[0]), Job.class).run());
        end(0); // in so many words: some pools leave threads behind that are no daemons
    }

    /** What is to be done at the end is done, such as removing a database's files; what hangs in it is left. */
    private static void end(int status) {
        Thread exit = new Thread(() -> System.exit(status), "exit");
        exit.setDaemon(true);
        exit.start();
        try {
            exit.join(LONGEST_END_MILLIS);
        } catch (InterruptedException e) {
            // then at once
        }
        Runtime.getRuntime().halt(status);
    }

    private static void endWithParent() {
        try {
            while (System.in.read() >= 0) {
                // nothing is said, only the end of it
            }
        } catch (IOException e) {
            // the parent is gone
        }
        end(ORPHANED);
    }
}
