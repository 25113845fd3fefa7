package dev.weir.lab.contender;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Path;
import java.util.Properties;
import java.util.jar.JarFile;
import java.util.zip.ZipEntry;

/** Tells the version of a library from the jar that a class of it came from. */
final class Jars {
    private Jars() {}

    /** The version in Maven's properties, else in the manifest, else in the name of the file, else {@code unknown}. */
    static String versionOf(Class<?> type) {
        try {
            Path file = Path.of(
                    type.getProtectionDomain().getCodeSource().getLocation().toURI());
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
