package dev.weir.lab.contender;

import java.io.File;
import java.net.MalformedURLException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;

/** Where the classes of pools are found that are not the laboratory's own. */
public final class ExtraClassPath {
    private static final String PROPERTY = "weir.lab.classpath";

    private ExtraClassPath() {}

    /** Returns the JVM option that gives a JVM this class path, for {@link #loader()}. */
    public static String option(List<String> entries) {
        return "-D" + PROPERTY + "=" + String.join(File.pathSeparator, entries);
    }

    /** Returns the loader of the class path that this JVM was given. */
    public static ClassLoader loader() {
        return loader(Arrays.stream(System.getProperty(PROPERTY, "").split(File.pathSeparator, -1))
                .filter(entry -> !entry.isEmpty())
                .toList());
    }

    /**
     * Returns a loader of jars and folders beside the laboratory's own classes.
     *
     * @throws IllegalArgumentException naming the entry that does not exist
     */
    public static ClassLoader loader(List<String> entries) {
        URL[] urls = entries.stream().map(ExtraClassPath::url).toArray(URL[]::new);
        ClassLoader own = ExtraClassPath.class.getClassLoader();
        return urls.length == 0 ? own : new URLClassLoader("pools", urls, own);
    }

    private static URL url(String entry) {
        Path path = Path.of(entry);
        if (!Files.exists(path)) {
            throw new IllegalArgumentException("--classpath: " + entry + " (expected: a jar or folder that exists)");
        }
        try {
            return path.toUri().toURL();
        } catch (MalformedURLException e) {
            throw new IllegalArgumentException("--classpath: " + entry + " (expected: a path)", e);
        }
    }
}
