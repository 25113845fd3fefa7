package dev.weir.lab.contender;

import java.io.File;
import java.net.MalformedURLException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

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
     * Returns a loader of jars and folders beside the laboratory's own classes. What they have comes from them, so that
     * another version of a pool that the laboratory knows can take part.
     *
     * @throws IllegalArgumentException naming the entry that does not exist
     */
    public static ClassLoader loader(List<String> entries) {
        URL[] urls = entries.stream().map(ExtraClassPath::url).toArray(URL[]::new);
        ClassLoader own = ExtraClassPath.class.getClassLoader();
        return urls.length == 0 ? own : new OwnFirst(urls, own);
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

    /** Asks its parent only for what it does not have. */
    private static final class OwnFirst extends URLClassLoader {
        OwnFirst(URL[] urls, ClassLoader parent) {
            super("pools", urls, parent);
        }

        @Override
        protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
            synchronized (getClassLoadingLock(name)) {
                Class<?> known = findLoadedClass(name);
                if (known != null) {
                    return known;
                }
                // Not for us: the JVM lets nobody else define classes of java.*, and JDBC's types must be everybody's.
                if (!name.startsWith("java.") && !name.startsWith("javax.")) {
                    try {
                        return findClass(name);
                    } catch (ClassNotFoundException e) {
                        // the parent may have it
                    }
                }
                return super.loadClass(name, resolve);
            }
        }

        @Override
        public @Nullable URL getResource(String name) {
            URL own = findResource(name);
            return own == null ? super.getResource(name) : own;
        }
    }
}
