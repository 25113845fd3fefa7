package dev.weir.testkit.junit;

import java.sql.Driver;
import java.sql.DriverManager;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The words of a stack on its thread. */
final class Stacks {
    private static final String OWN = Stacks.class.getPackageName() + ".";
    private static final List<String> OWN_FRAMES = List.of(
            WatchedDataSource.class.getName(),
            WatchedHandle.class.getName(),
            Holdings.class.getName(),
            Holdings.Held.class.getName(),
            Stacks.class.getName());
    private static final List<String> SOCKETS =
            List.of("java.net.", "sun.nio.ch.", "sun.net.", "sun.security.ssl.", "jdk.internal.net.");

    private Stacks() {}

    /** The stack of this thread, from the code on that asked for a connection. */
    static StackTraceElement[] ofCaller() {
        return Arrays.stream(new Throwable().getStackTrace())
                .dropWhile(frame -> isOwn(frame.getClassName()))
                .toArray(StackTraceElement[]::new);
    }

    private static boolean isOwn(String className) {
        return className.startsWith(OWN)
                && OWN_FRAMES.stream().anyMatch(own -> className.equals(own) || className.startsWith(own + "$"));
    }

    static String text(StackTraceElement[] frames) {
        StringBuilder text = new StringBuilder();
        Arrays.stream(frames)
                .takeWhile(frame -> !frame.getClassName().startsWith("org.junit."))
                .filter(frame -> !frame.getClassName().startsWith("jdk.internal.reflect."))
                .limit(12)
                .forEach(frame -> text.append("\n    at ").append(frame));
        return text.toString();
    }

    /**
     * Returns what a thread with this stack waits for, if it is not the database: it sleeps, waits, or talks to someone else;
     * null if it runs, or waits for the database or for a connection.
     */
    static @Nullable String waiting(StackTraceElement[] frames) {
        if (isInJdbc(frames)) {
            return null;
        }
        List<StackTraceElement> ofTheJdk =
                Arrays.stream(frames).takeWhile(Stacks::isOfTheJdk).toList();
        if (ofTheJdk.stream().anyMatch(frame -> SOCKETS.stream().anyMatch(frame.getClassName()::startsWith))) {
            return "calls out";
        }
        if (ofTheJdk.stream().anyMatch(frame -> is(frame, "java.lang.Thread", "sleep"))) {
            return "sleeps";
        }
        boolean isParked = ofTheJdk.stream()
                .anyMatch(frame -> frame.getMethodName().startsWith("park")
                        || is(frame, "java.lang.Object", "wait")
                        || is(frame, "java.lang.ProcessImpl", "waitFor"));
        return isParked ? "waits" : null;
    }

    private static boolean isInJdbc(StackTraceElement[] frames) {
        List<String> drivers = DriverManager.drivers()
                .map(Stacks::packagesOf)
                .filter(packages -> !OWN.startsWith(packages)) // of the test kit's own stub
                .toList();
        return Arrays.stream(frames)
                .map(StackTraceElement::getClassName)
                .anyMatch(name -> isOwn(name) || drivers.stream().anyMatch(name::startsWith));
    }

    /** The first two parts of its name: {@code org.postgresql.}, {@code com.mysql.}. */
    private static String packagesOf(Driver driver) {
        String[] parts = driver.getClass().getName().split("\\.", 3);
        return parts.length < 3 ? driver.getClass().getName() : parts[0] + "." + parts[1] + ".";
    }

    private static boolean isOfTheJdk(StackTraceElement frame) {
        String name = frame.getClassName();
        return name.startsWith("java.")
                || name.startsWith("jdk.")
                || name.startsWith("sun.")
                || name.startsWith("javax.");
    }

    private static boolean is(StackTraceElement frame, String className, String method) {
        return frame.getClassName().equals(className) && frame.getMethodName().startsWith(method);
    }
}
