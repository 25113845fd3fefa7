package dev.weir.cli.shared;

import java.io.BufferedReader;
import java.io.Console;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.Reader;
import java.lang.reflect.InvocationTargetException;
import java.util.List;
import java.util.Locale;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.jspecify.annotations.Nullable;

/** Whether somebody sits there, and what they say. */
public final class Terminal {
    private static final String OUT = "weir.terminal";
    private static final String ERR = "weir.progress";

    /** Held here, as the logging of the JDK forgets the level of a logger that nobody holds. */
    private static final List<Logger> QUIET = List.of(Logger.getLogger("dev.weir"), Logger.getLogger("org.postgresql"));

    private Terminal() {}

    /** Names and texts are others': nothing in them moves the cursor. */
    public static String clean(@Nullable String text) {
        return text == null ? "-" : text.replaceAll("[\\p{Cntrl}\\p{Cf}\\u2028\\u2029]+", " ");
    }

    /** The pool's messages, and the driver's, have no place between the lines of a command. */
    public static void quiet() {
        QUIET.forEach(logger -> logger.setLevel(Level.SEVERE));
    }

    /** Finds out what the script {@code ./weir} tells, where the program was started without it. */
    public static void detect() {
        boolean there = isThere();
        for (String property : new String[] {OUT, ERR}) {
            if (System.getProperty(property) == null) {
                System.setProperty(property, Boolean.toString(there));
            }
        }
        if (System.getProperty("java.awt.headless") == null) {
            System.setProperty("java.awt.headless", "true"); // pictures are drawn without a screen
        }
    }

    /** Whether lines of the standard output can be written over. */
    public static boolean isOutput() {
        return Boolean.getBoolean(OUT);
    }

    /** Whether both ends of the program are a terminal, so that it can ask. */
    @SuppressWarnings("SystemConsoleNull") // isTerminal() is asked too, where it is there
    public static boolean isThere() {
        Console console = System.console();
        if (console == null) {
            return false;
        }
        try {
            return (boolean) Console.class.getMethod("isTerminal").invoke(console); // since Java 22
        } catch (NoSuchMethodException e) {
            return true; // before, there is a console only for a terminal
        } catch (IllegalAccessException | InvocationTargetException e) {
            return false;
        }
    }

    /** Asks, and returns whether the answer is yes; the enter key alone is. */
    public static boolean confirms(PrintWriter out, Reader in, String question) {
        out.print(question + " [Y/n] ");
        out.flush();
        try {
            String answer = new BufferedReader(in).readLine();
            return answer != null && answer.strip().toLowerCase(Locale.ROOT).matches("|y|yes");
        } catch (IOException e) {
            return false;
        }
    }
}
