package dev.weir.lab.contender;

import java.io.IOException;
import java.io.InputStream;
import java.net.URISyntaxException;
import java.nio.file.FileSystemNotFoundException;
import java.nio.file.Path;
import java.security.CodeSource;
import java.util.Properties;
import java.util.jar.JarFile;
import java.util.zip.ZipEntry;
import org.jspecify.annotations.Nullable;

/** Tells where a library is, and its version, from a class of it. */
final class Jars {
    private Jars() {}

    /** The version in Maven's properties, else in the manifest, else in the name of the file, else {@code unknown}. */
    static String versionOf(Class<?> type) {
        try {
            Path file = of(type);
            if (file == null) {
                return "unknown";
            }
            if (!file.toString().endsWith(".jar")) {
                return "as built";
            }
            try (JarFile jar = new JarFile(file.toFile())) {
                return versionIn(jar, file);
            }
        } catch (Exception e) {
            return "unknown";
        }
    }

    /** The jar or the folder that a class came from; null if it came from no file. */
    static @Nullable Path of(Class<?> type) {
        CodeSource source = type.getProtectionDomain().getCodeSource();
        try {
            return source == null ? null : Path.of(source.getLocation().toURI());
        } catch (URISyntaxException | FileSystemNotFoundException | IllegalArgumentException e) {
            return null;
        }
    }

    private static String versionIn(JarFile jar, Path file) throws IOException {
        ZipEntry maven = jar.stream()
                .filter(entry -> entry.getName().startsWith("META-INF/maven/")
                        && entry.getName().endsWith("/pom.properties"))
                .findFirst()
                .orElse(null);
        if (maven != null) {
            try (InputStream in = jar.getInputStream(maven)) {
                Properties properties = new Properties();
                properties.load(in);
                return properties.getProperty("version", "unknown");
            }
        }
        String name = file.getFileName().toString().replaceFirst("\\.jar$", "");
        return name.replaceFirst("^.*?-(?=\\d)", "");
    }
}
