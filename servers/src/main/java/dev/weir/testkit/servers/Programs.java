package dev.weir.testkit.servers;

import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Programs that some tests need and no dependency brings. A test without them is skipped, unless the system property
 * {@code weir.require} names what they belong to ({@code mariadb,pgbouncer,promtool,chromium}): then it fails, so that a build
 * which should have them cannot lose these tests unnoticed. Thread-safe.
 */
public final class Programs {
    private static final String REQUIRE = "weir.require";

    private Programs() {}

    /**
     * Returns whether all these programs are found, on the PATH or where servers usually are.
     *
     * @param what they belong to, in lower case
     * @throws IllegalStateException if one is not found although {@code weir.require} names what it belongs to
     */
    public static boolean areInstalled(String what, String... programs) {
        List<String> missing =
                Stream.of(programs).filter(program -> find(program) == null).toList();
        if (!missing.isEmpty()
                && List.of(System.getProperty(REQUIRE, "").split(",")).contains(what)) {
            throw new IllegalStateException(REQUIRE + " names " + what + ", and not installed are " + missing);
        }
        return missing.isEmpty();
    }

    /** Returns where a program is, or null if it is not found. */
    public static @Nullable String find(String program) {
        String path = System.getenv().getOrDefault("PATH", "") + File.pathSeparator + "/usr/sbin" + File.pathSeparator
                + "/usr/local/sbin";
        return Stream.of(path.split(File.pathSeparator))
                .filter(folder -> !folder.isEmpty())
                .map(folder -> Path.of(folder, program))
                .filter(Files::isExecutable)
                .map(Path::toString)
                .findFirst()
                .orElse(null);
    }
}
