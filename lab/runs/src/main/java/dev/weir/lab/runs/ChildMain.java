package dev.weir.lab.runs;

import java.io.IOException;

/** What the main method of a JVM calls that is started as a {@link Child}. */
public final class ChildMain {
    /** The exit code of one whose parent ended, or wanted no more of it. */
    public static final int ORPHANED = 3;

    private static final long LONGEST_END_MILLIS = 10_000;

    private ChildMain() {}

    /** Ends this JVM when its standard input ends. */
    public static void endWithParent() {
        Thread watch = new Thread(ChildMain::awaitEnd, "parent-watch");
        watch.setDaemon(true);
        watch.start();
    }

    private static void awaitEnd() {
        try {
            while (System.in.read() >= 0) {
                // nothing is said, only the end of it
            }
        } catch (IOException e) {
            // the parent is gone
        }
        end(ORPHANED);
    }

    /**
     * Ends this JVM, whatever threads it has. What is to be done at the end is done, such as removing a database's files; what
     * hangs in it for 10 s is left.
     */
    public static void end(int status) {
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
}
